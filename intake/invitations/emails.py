"""Sends invitation and reminder emails to the addresses of one request.

The server knows the addresses only during the request: none is stored, queued or logged. Of an invitation only the hash
is stored, without an address.
"""

import smtplib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from django.conf import settings
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from intake.invitations import tokens
from intake.invitations.resumable_mailing_receipts import Mailing, is_address, unusable_address_reasons
from surveys import draft_json
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from ui.number_format import format_count

if TYPE_CHECKING:
    from accounts.models import Person

AT_ONCE = 50
"""Highest number of emails that one request sends."""
BUDGET = 20.0
"""Seconds after which a request starts no further email: a proxy in front gives up after sixty."""
REFUSALS = 3
"""Number of temporary refusals by the mail server in a row after which no more is sent for now."""
CLOSING = 421
LISTED = 10_000
"""Highest number of addresses in one list of invitations."""
LINK = "{link}"
Link = Callable[[str], str]
"""Function from a token (empty for the open link) to the complete address of the survey."""


@dataclass(frozen=True)
class EmailText:
    """The text of an email; in `message`, the placeholder {link} is replaced by the survey's address."""

    subject: str
    message: str
    is_reminder: bool = False


class Failure(NamedTuple):
    """An email that could not be sent. `position` counts from 1 in the list; `reason` never contains the address."""

    position: int
    reason: str


class MailResult(NamedTuple):
    """The result of one mailing request: the number of emails sent and the failures.

    `receipts`: for each address tried its position and a receipt. `untried`: positions for which there was no time.
    `pause`: the reason why the rest has to wait, if so.
    """

    sent: int
    failures: list[Failure]
    receipts: list[tuple[int, str]]
    untried: list[int]
    pause: str = ""


def has_mail_server() -> bool:
    """True if a mail server is set up; without one, emails would go into a log."""
    return not settings.EMAIL_BACKEND.endswith("console.EmailBackend")


def send_next_emails(
    survey: Survey,
    person: "Person",
    email: EmailText,
    addresses: Sequence[str],
    mailing: Mailing,
    link: Link,
    now: datetime,
) -> MailResult:
    """Sends the email to the next AT_ONCE addresses in `addresses` that were not tried yet in this mailing.

    If each address gets an invitation, `addresses` is the whole list: its distinct mailboxes are counted before
    anything is sent.
    """
    if survey.state != Survey.State.OPEN:
        raise NotAllowed(_("Emails can be sent only while the survey is open."))
    failures = unusable_address_reasons(addresses)
    brings_invitations = survey.invited and not email.is_reminder
    if brings_invitations and len(addresses) - len(failures) < survey.least:
        too_short = _(
            "The list is too short. Write to at least %(least)s people; addresses that differ only after a plus sign "
            "count once."
        )
        raise NotAllowed(too_short % {"least": format_count(survey.least)})
    left = [
        (position, address)
        for position, address in enumerate(addresses, 1)
        if position in failures or not mailing.has_tried(address)
    ]
    turn = [(position, address) for position, address in left[:AT_ONCE] if position not in failures]
    invitations = tokens.create_tokens(survey, len(turn)) if brings_invitations else [""] * len(turn)
    server = MailServer(survey, email)
    sent, tried, pause = 0, 0, ""
    began = time.monotonic()
    for (position, address), token in zip(turn, invitations, strict=True):
        if tried and time.monotonic() - began > BUDGET:
            break
        try:
            reason = server.deliver(address, link(token))
        except MailingPaused as words:
            pause = str(words)
            break
        tried += 1
        if reason:
            failures[position] = reason
            tokens.delete_unsent_invitation(survey, token)
        else:
            sent += 1
    server.close()
    for token in invitations[tried:]:
        tokens.delete_unsent_invitation(survey, token)
    if sent:
        action = "intake.reminders-mailed" if email.is_reminder else "intake.invitations-mailed"
        log_activity(person, action, survey, note=str(sent), when=now)
        tokens.add_to_totals(survey, sent=0 if email.is_reminder else sent)
    return MailResult(
        sent,
        [Failure(position, failures[position]) for position in sorted(failures)],
        [(position, mailing.sign_receipt(address)) for position, address in turn[:tried]],
        [position for position, _address in turn[tried:]],
        pause,
    )


class MailingPaused(Exception):
    """Raised if no email can be sent for now, including the current one."""


class MailServer:
    """A connection to the mail server, reopened if it breaks."""

    def __init__(self, survey: Survey, email: EmailText) -> None:
        self._email = email
        contact = draft_json.read_text(survey.questionnaire, "contact").strip()
        self._reply_to = [contact] if is_address(contact) else None
        self._connection: BaseEmailBackend | None = None
        self._refusals = 0

    def deliver(self, address: str, link: str) -> str:
        """Sends one email; returns the reason if it failed, else an empty text. Raises `MailingPaused` if the server
        takes none now."""
        if self._connection is None:
            try:
                connection = get_connection()
                connection.open()
            except Exception:
                raise MailingPaused(_("The email server could not be reached.")) from None
            self._connection = connection
        body = self._email.message.replace(LINK, link)
        message = EmailMessage(self._email.subject, body, to=[address], reply_to=self._reply_to)
        try:
            self._connection.send_messages([message])
        except smtplib.SMTPRecipientsRefused as refusal:
            code = next((code for code, _words in refusal.recipients.values()), 0)
            return self._refusal_reason_or_pause(code, _("The email server refused this address."))
        except smtplib.SMTPResponseException as refusal:
            words = _("The email server refused it (%(code)s).") % {"code": refusal.smtp_code}
            return self._refusal_reason_or_pause(refusal.smtp_code, words)
        except Exception:
            # Its own message may contain the address, so it is dropped.
            self.close()
            return _(
                "The email server broke off. If it was sent all the same, an invitation in it does not work. Send it "
                "again."
            )
        self._refusals = 0
        return ""

    def _refusal_reason_or_pause(self, code: int, reason: str) -> str:
        """Returns the reason of a mail server's refusal; raises `MailingPaused` after several in a row that ask to
        retry later.

        421 means that the server closes the connection.
        """
        if not 400 <= code < 500:
            self._refusals = 0
            return reason
        self._refusals += 1
        if code == CLOSING or self._refusals >= REFUSALS:
            raise MailingPaused(
                _("The email server takes no more emails for now (%(code)s).") % {"code": code}
            )
        return _("The email server takes it later (%(code)s). Send it again in a quarter of an hour.") % {
            "code": code
        }

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
