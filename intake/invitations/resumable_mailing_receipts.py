"""A mailing: one list of addresses that are invited together, in several requests.

Each request contains the whole list, so that the server counts its mailboxes each time and stores none.
Receipts prove for which addresses an email was tried before. The server signs them for one person, one survey
and one mailing. The name of a mailing is signed too, with the length of its first list: the list may be
corrected, but it cannot grow. So everybody who is invited was counted among at least `least` people.
"""

import re
import secrets
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.exceptions import ValidationError
from django.core.signing import BadSignature, TimestampSigner
from django.core.validators import validate_email
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from surveys.questionnaire.problems_and_refusals import NotAllowed
from ui.number_format import format_count

if TYPE_CHECKING:
    from accounts.models import Person
    from surveys.models import Survey

HOURS = 12
SALT = "intake.invitations.sitting"
QUOTED = re.compile(r'"(.*)"', re.DOTALL)


@dataclass(frozen=True)
class Mailing:
    """One person's mailing to one list of addresses; `receipts` came with the request."""

    name: str
    survey: int
    person: int
    receipts: frozenset[str] = frozenset()

    def sign_receipt(self, address: str) -> str:
        """Returns a signed receipt that an email to this mailbox was tried."""
        about = f"{self.name} {self.survey} {self.person} {mailbox_of_address(address)}"
        return salted_hmac(SALT, about, algorithm="sha256").hexdigest()[:32]

    def has_tried(self, address: str) -> bool:
        return self.sign_receipt(address) in self.receipts


def start_or_resume_mailing(survey: "Survey", person: "Person", name: str, receipts: str, n: int) -> Mailing:
    """Starts a mailing for a list of n addresses if `name` is empty, else resumes the mailing with that name.

    Raises `NotAllowed` if that mailing is too old, or its list was shorter.
    """
    signer = TimestampSigner(salt=SALT)
    if not name:
        return Mailing(signer.sign(f"{secrets.token_hex(16)}-{n}"), survey.pk, person.pk)
    try:
        first_length = int(signer.unsign(name, max_age=HOURS * 3600).rpartition("-")[2])
    except BadSignature:
        message = _(
            "This list was started more than %(hours)s hours ago. Load the page again and start a new list of the "
            "people who have not been invited yet."
        )
        raise NotAllowed(message % {"hours": HOURS}) from None
    if n > first_length:
        message = _(
            "This list started with %(n)s email addresses and cannot grow: a few late invitations "
            "would single people out. Reload the page and start a new list."
        )
        raise NotAllowed(message % {"n": format_count(first_length)})
    return Mailing(name, survey.pk, person.pk, frozenset(receipts.split()))


def split_addresses(text: str) -> list[str]:
    """Splits a text into addresses at line ends, commas and semicolons."""
    return [address for part in re.split(r"[\n,;]", text) if (address := part.strip())]


def unusable_address_reasons(addresses: Sequence[str]) -> dict[int, str]:
    """Returns the unusable addresses by position from 1, with the reason: invalid, or the mailbox was listed before."""
    seen: set[str] = set()
    reasons: dict[int, str] = {}
    for position, address in enumerate(addresses, 1):
        if not is_address(address):
            reasons[position] = _("This is not an email address.")
        elif mailbox_of_address(address) in seen:
            reasons[position] = _("This email address appears twice.")
        else:
            seen.add(mailbox_of_address(address))
    return reasons


def is_address(text: str) -> bool:
    try:
        validate_email(text)
    except ValidationError:
        return False
    return True


def mailbox_of_address(address: str) -> str:
    """Returns the mailbox that an address reaches, to find duplicates.

    Ignores case and the part after a plus sign, but not dots, which most servers distinguish.
    """
    local, _at, domain = unicodedata.normalize("NFKC", address).casefold().rpartition("@")
    if quoted := QUOTED.fullmatch(local):
        local = re.sub(r"\\(.)", r"\1", quoted[1])
    # Labels too long for a name, or an address in brackets, stay as they are written.
    with suppress(UnicodeError):
        domain = domain.encode("idna").decode()
    return f"{local.partition('+')[0] or local}@{domain}"
