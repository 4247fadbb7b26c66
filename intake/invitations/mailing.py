"""A mailing: one list of addresses that are invited together, in several requests.

The whole list comes with each request, so that the server counts it each time; it stores nothing of it. Receipts prove
for which addresses a letter was tried already. The server signs them for one person, one survey and one mailing. The
name of a mailing is signed too, with the length of its first list: the list may be corrected, but it cannot grow. So
everybody who is invited was counted among at least `least` people.
"""

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.core.signing import BadSignature, TimestampSigner
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from intake.invitations.mailboxes import mailbox
from surveys.questionnaire.problems import NotAllowed
from ui.numbers import count

if TYPE_CHECKING:
    from accounts.models import Person
    from surveys.models import Survey

HOURS = 12
SALT = "intake.invitations.sitting"


@dataclass(frozen=True)
class Mailing:
    """`tried` are the receipts that came with a request."""

    name: str
    survey: int
    person: int
    tried: frozenset[str] = frozenset()

    def receipt(self, address: str) -> str:
        """Says that a letter to this mailbox was tried."""
        about = f"{self.name} {self.survey} {self.person} {mailbox(address)}"
        return salted_hmac(SALT, about, algorithm="sha256").hexdigest()[:32]

    def has_tried(self, address: str) -> bool:
        return self.receipt(address) in self.tried


def mailing_of(survey: "Survey", person: "Person", name: str, receipts: str, n: int) -> Mailing:
    """That of a list of n addresses: a new one where no name came, else the one of that name, if it goes on."""
    signer = TimestampSigner(salt=SALT)
    if not name:
        return Mailing(signer.sign(f"{secrets.token_hex(16)}-{n}"), survey.pk, person.pk)
    try:
        began_with = int(signer.unsign(name, max_age=HOURS * 3600).rpartition("-")[2])
    except BadSignature:
        over = _(
            "This list was started more than %(hours)s hours ago. Load the page again and start a new list of the "
            "people who have not been invited yet."
        )
        raise NotAllowed(over % {"hours": HOURS}) from None
    if n > began_with:
        grown = _(
            "This list started with %(n)s email addresses and cannot grow: a few late invitations "
            "would single people out. Reload the page and start a new list."
        )
        raise NotAllowed(grown % {"n": count(began_with)})
    return Mailing(name, survey.pk, person.pk, frozenset(receipts.split()))
