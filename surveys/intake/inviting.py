"""Passing a survey on: files of invitations, letters, and what stands on a poster.

Whoever is written to is known here for as long as one request takes. No address is stored, queued or logged, and
of an invitation only its hash stays, which no address stands beside.
"""

import re
import smtplib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.core.validators import validate_email
from django.utils import translation
from django.utils.translation import gettext as _

from people.history import record
from surveys import draft as drafts
from surveys.intake import promises, speech, tokens
from surveys.models import Survey
from surveys.refused import Refused

if TYPE_CHECKING:
    from people.models import Person

AT_ONCE = 50
MOST = 100_000
LINK = "{link}"
Link = Callable[[str], str]
"""From a token, or nothing, to the whole address that it opens."""


def addresses(text: str) -> list[str]:
    """One to a line, or with commas or semicolons between them."""
    return [address for part in re.split(r"[\n,;]", text) if (address := part.strip())]


def in_a_file(survey: Survey, person: "Person", n: int, link: Link, now: datetime) -> Iterator[str]:
    """New invitations as the lines of a CSV file. They are nowhere else, and no later file has them."""
    made = tokens.invite(survey, n)
    record(person, "intake.invitations-made", survey, note=str(n), when=now)
    return iter(["link\n", *(f"{link(token)}\n" for token in made)])


@dataclass(frozen=True)
class Letter:
    """`message` holds {link} where the address of the survey is to stand."""

    subject: str
    message: str
    is_reminder: bool = False


class Failure(NamedTuple):
    """`position` counts from 1 in the list that was sent: the reason never holds the address."""

    position: int
    reason: str


def can_mail() -> bool:
    """Not into a log, which is where letters go without a mail server."""
    return not settings.EMAIL_BACKEND.endswith("console.EmailBackend")


def mail(
    survey: Survey, person: "Person", letter: Letter, to: Sequence[str], whole: int, link: Link, now: datetime
) -> list[Failure]:
    """Write to each of these addresses now, and say for which it did not work.

    They are a part, or the rest, of a list of `whole` people, which only the browser of who writes has seen.
    """
    alone = survey.invited and not letter.is_reminder
    if survey.state != Survey.State.OPEN:
        raise Refused(_("Letters go out while the survey is open."))
    if len(to) > AT_ONCE:
        raise Refused(_("At most %(most)s addresses at once.") % {"most": AT_ONCE})
    if alone and whole < survey.least:
        too_short = _("The list is too short: write to at least %(least)s people.")
        raise Refused(too_short % {"least": survey.least})
    failures = dict(_unusable(to))
    usable = [(place, address) for place, address in enumerate(to, 1) if place not in failures]
    made = tokens.generate(survey, len(usable)) if alone else [""] * len(usable)
    post = _Post(survey, letter)
    for (place, address), token in zip(usable, made, strict=True):
        reason = post.deliver(address, link(token))
        if reason:
            failures[place] = reason
            tokens.withdraw(survey, token)
    post.close()
    sent = len(to) - len(failures)
    if sent:
        what = "intake.reminders-mailed" if letter.is_reminder else "intake.invitations-mailed"
        record(person, what, survey, note=str(sent), when=now)
    return [Failure(place, failures[place]) for place in sorted(failures)]


def _unusable(to: Sequence[str]) -> Iterator[tuple[int, str]]:
    seen: set[str] = set()
    for place, address in enumerate(to, 1):
        try:
            validate_email(address)
        except ValidationError:
            yield place, _("This is not a mail address.")
        if address.casefold() in seen:
            yield place, _("This address stands here twice.")
        seen.add(address.casefold())


class _Post:
    """One connection to the mail server, opened again if it breaks; once it cannot be, nothing more is tried."""

    def __init__(self, survey: Survey, letter: Letter) -> None:
        self._letter = letter
        contact = drafts.text(survey.questionnaire, "contact").strip()
        self._reply_to = [contact] if _is_address(contact) else None
        self._connection: BaseEmailBackend | None = None
        self._lost = ""

    def deliver(self, address: str, link: str) -> str:
        """Why it could not be sent; nothing if it was."""
        if self._lost:
            return self._lost
        try:
            connection = self._opened()
        except Exception:
            self._lost = _("The mail server could not be reached.")
            return self._lost
        body = self._letter.message.replace(LINK, link)
        message = EmailMessage(self._letter.subject, body, to=[address], reply_to=self._reply_to)
        try:
            connection.send_messages([message])
        except smtplib.SMTPResponseException as refusal:
            return _("The mail server refused it (%(code)s).") % {"code": refusal.smtp_code}
        except smtplib.SMTPRecipientsRefused:
            return _("The mail server refused this address.")
        except Exception:
            # Its own words may hold the address, so they go nowhere.
            self.close()
            return _("It could not be sent; perhaps the mail server broke off.")
        return ""

    def _opened(self) -> BaseEmailBackend:
        if self._connection is None:
            connection = get_connection()
            connection.open()
            self._connection = connection
        return self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


def _is_address(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True


def proposal(survey: Survey, *, reminder: bool) -> Letter:
    """A letter to begin with, in all languages of the survey, one below the other."""
    parts = [_proposed(survey, language, reminder) for language in survey.languages]
    subjects = dict.fromkeys(subject for subject, _message in parts)
    return Letter(
        " / ".join(subjects), "\n\n— — —\n\n".join(message for _subject, message in parts), reminder
    )


def _proposed(survey: Survey, language: str, reminder: bool) -> tuple[str, str]:
    asked = survey.questionnaire
    title, asker = (drafts.text_in(asked, key, language) for key in ("title", "asker"))
    why, contact = drafts.text_in(asked, "why", language), drafts.text(asked, "contact")
    with translation.override(speech.interface(language)):
        hello = _("%(asker)s asks you to take part in a survey: %(title)s.") % {
            "asker": asker,
            "title": title,
        }
        parts = [promises.rehearsed(survey), hello, why, promises.disguised(survey)]
        if reminder:
            parts.insert(
                0, _("This goes to everybody who was invited: nobody knows who has answered already.")
            )
        if reminder and survey.invited:
            parts.append(
                _("If you have not answered yet, use the address in the first letter. It works once.")
            )
        elif survey.invited:
            parts += [_("This address is yours and works once:"), LINK]
        else:
            parts += [_("Please answer once only:"), LINK]
        if contact:
            parts.append(_("Questions? %(contact)s") % {"contact": contact})
        subject = _("Reminder: %(title)s") % {"title": title} if reminder else title
    return " ".join(subject.split()), "\n\n".join(part for part in parts if part)
