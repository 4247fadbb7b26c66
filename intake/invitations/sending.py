"""Passing a survey on: files of invitations, letters, and what stands on a poster.

The server knows the addresses only during one request. No address is stored, queued or logged, and of an invitation
only the hash is stored, without an address.
"""

import smtplib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.utils.translation import gettext as _

from accounts.history import log_activity
from intake.invitations import making as tokens, promise_texts as promises, tally
from intake.invitations.mailboxes import is_address, unusable
from intake.invitations.mailing import Mailing
from surveys import draft as drafts
from surveys.models import Survey
from surveys.questionnaire.problems import NotAllowed
from ui.numbers import count

if TYPE_CHECKING:
    from accounts.models import Person

AT_ONCE = 50
"""Letters that one request sends."""
BUDGET = 20.0
"""Seconds after which a request begins no further letter: a proxy in front gives up after sixty."""
REFUSALS = 3
"""Letters in a row that the server takes only later, after which nothing more is sent to it for now."""
CLOSING = 421
LISTED = 10_000
"""Addresses of one list of invitations."""
MOST = 100_000
LINK = "{link}"
Link = Callable[[str], str]
"""From a token, or nothing, to the whole address that it opens."""


def in_a_file(survey: Survey, person: "Person", n: int, link: Link, now: datetime) -> Iterator[str]:
    """New invitations as the lines of a CSV file. They are nowhere else, and no later file has them."""
    made = tokens.invite(survey, n)
    log_activity(person, "intake.invitations-made", survey, note=str(n), when=now)
    return iter(["link\n", *(f"{link(token)}\n" for token in made)])


@dataclass(frozen=True)
class Letter:
    """`message` has {link} in the place of the survey's address."""

    subject: str
    message: str
    is_reminder: bool = False


class Failure(NamedTuple):
    """`position` counts from 1 in the list that was sent: the reason never contains the address."""

    position: int
    reason: str


def can_mail() -> bool:
    """Not into a log, which is where letters go without a mail server."""
    return not settings.EMAIL_BACKEND.endswith("console.EmailBackend")


class MailResult(NamedTuple):
    """The result of one request: how many letters were sent, which failed, a receipt for each that was tried, the
    positions of those for whom there was no time, and why the rest has to wait, if it has to."""

    sent: int
    failures: list[Failure]
    receipts: list[tuple[int, str]]
    untried: list[int]
    pause: str = ""


def mail(
    survey: Survey,
    person: "Person",
    letter: Letter,
    to: Sequence[str],
    mailing: Mailing,
    link: Link,
    now: datetime,
) -> MailResult:
    """Write to the first of these addresses that have not been written to in this mailing, and say how it went.

    Where each gets an invitation, `to` is the whole list: before anything is sent, its mailboxes are counted here.
    """
    if survey.state != Survey.State.OPEN:
        raise NotAllowed(_("Emails can be sent only while the survey is open."))
    failures = unusable(to)
    alone = survey.invited and not letter.is_reminder
    if alone and len(to) - len(failures) < survey.least:
        too_short = _(
            "The list is too short. Write to at least %(least)s people; addresses that differ only after a plus sign "
            "count once."
        )
        raise NotAllowed(too_short % {"least": count(survey.least)})
    numbered = enumerate(to, 1)
    left = [
        (position, address)
        for position, address in numbered
        if position in failures or not mailing.has_tried(address)
    ]
    turn = [(position, address) for position, address in left[:AT_ONCE] if position not in failures]
    made = tokens.generate(survey, len(turn)) if alone else [""] * len(turn)
    post = _Post(survey, letter)
    sent, tried, pause = 0, 0, ""
    began = time.monotonic()
    for (position, address), token in zip(turn, made, strict=True):
        if tried and time.monotonic() - began > BUDGET:
            break
        try:
            reason = post.deliver(address, link(token))
        except Pause as words:
            pause = str(words)
            break
        tried += 1
        if reason:
            failures[position] = reason
            tokens.withdraw(survey, token)
        else:
            sent += 1
    post.close()
    for token in made[tried:]:
        tokens.withdraw(survey, token)
    if sent:
        what = "intake.reminders-mailed" if letter.is_reminder else "intake.invitations-mailed"
        log_activity(person, what, survey, note=str(sent), when=now)
        tally.add(survey, sent=0 if letter.is_reminder else sent)
    receipts = [(position, mailing.receipt(address)) for position, address in turn[:tried]]
    listed = [Failure(position, failures[position]) for position in sorted(failures)]
    return MailResult(sent, listed, receipts, [position for position, _address in turn[tried:]], pause)


class Pause(Exception):
    """Nothing more can be sent for now; the letter at hand was not sent either."""


class _Post:
    """One connection to the mail server, opened again if it breaks."""

    def __init__(self, survey: Survey, letter: Letter) -> None:
        self._letter = letter
        contact = drafts.text(survey.questionnaire, "contact").strip()
        self._reply_to = [contact] if is_address(contact) else None
        self._connection: BaseEmailBackend | None = None
        self._put_off = 0

    def deliver(self, address: str, link: str) -> str:
        """Why it could not be sent; nothing if it was. `Pause` where the server takes none, or none just now."""
        try:
            connection = self._connected()
        except Exception:
            raise Pause(_("The email server could not be reached.")) from None
        body = self._letter.message.replace(LINK, link)
        message = EmailMessage(self._letter.subject, body, to=[address], reply_to=self._reply_to)
        try:
            connection.send_messages([message])
        except (smtplib.SMTPResponseException, smtplib.SMTPRecipientsRefused) as refusal:
            return self._refused(refusal)
        except Exception:
            # Its own message may contain the address, so it is dropped.
            self.close()
            return _("It could not be sent. The email server may have closed the connection.")
        self._put_off = 0
        return ""

    def _refused(self, refusal: smtplib.SMTPResponseException | smtplib.SMTPRecipientsRefused) -> str:
        """Codes from 400 to 499: the same letter may be taken later; 421: the server closes the connection."""
        if isinstance(refusal, smtplib.SMTPRecipientsRefused):
            code = next((code for code, _words in refusal.recipients.values()), 0)
            reason = _("The email server refused this address.")
        else:
            code = refusal.smtp_code
            reason = _("The email server refused it (%(code)s).") % {"code": code}
        if not 400 <= code < 500:
            self._put_off = 0
            return reason
        self._put_off += 1
        if code == CLOSING or self._put_off >= REFUSALS:
            raise Pause(_("The email server takes no more emails for now (%(code)s).") % {"code": code})
        return _("The email server takes it later (%(code)s). Send it again in a quarter of an hour.") % {
            "code": code
        }

    def _connected(self) -> BaseEmailBackend:
        if self._connection is None:
            connection = get_connection()
            connection.open()
            self._connection = connection
        return self._connection

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None


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
    speaker = promises.speaker_of(survey, language)
    hello = speaker.say("invite_hello", asker=asker, title=title)
    parts = [promises.rehearsed(survey, speaker), hello, why, promises.disguised(survey, speaker)]
    if reminder:
        parts.insert(0, speaker.say("invite_everybody"))
    if reminder and survey.invited:
        parts.append(speaker.say("invite_first_email"))
    else:
        parts += [speaker.say("invite_own_link" if survey.invited else "invite_same_link"), LINK]
    if contact:
        parts.append(speaker.say("invite_contact", contact=contact))
    subject = speaker.say("invite_again", title=title) if reminder else title
    return " ".join(subject.split()), "\n\n".join(part for part in parts if part)
