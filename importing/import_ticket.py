"""A questionnaire that was read and is not accepted yet: signed, in the page of the person who brought it.

Nothing of it is stored on the server. A ticket is of one person and expires.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from django.core import signing
from django.utils.translation import gettext as _

from importing.faults import Fault, FileRefused
from importing.import_result import ReadQuestionnaire
from importing.number_limits import Endless, endless_of
from surveys.draft_json import Draft

if TYPE_CHECKING:
    from accounts.models import Person

SALT = "surveys.import"
SECONDS = 6 * 3600
"""Until it expires."""
MOST_CHARACTERS = 2_000_000
"""Of a ticket, so that the form that returns it is taken."""


class TicketRefused(ValueError):
    """The ticket expired, was changed, or is somebody else's."""


class Waiting(NamedTuple):
    """The draft, the names of the questions of each row that a person has to agree to, and by name the lowest and the
    highest of the numbers of which the file lacks one."""

    draft: Draft
    unmarked: tuple[tuple[str, ...], ...]
    endless: Endless


def issued(person: "Person", taken: ReadQuestionnaire) -> str:
    """`FileRefused` where the draft is too large to be sent back."""
    unmarked = [line.questions for line in taken.lines if line.unmarked]
    endless = endless_of(taken.lines)
    ticket = signing.dumps([person.pk, taken.draft, unmarked, endless], salt=SALT, compress=True)
    if len(ticket) > MOST_CHARACTERS:
        raise FileRefused([Fault(_("the file"), _("holds more text than can be read through; split it"))])
    return ticket


def redeemed(person: "Person", ticket: str) -> Waiting:
    try:
        fields: list[Any] = signing.loads(ticket, salt=SALT, max_age=SECONDS)
    except signing.BadSignature:
        raise TicketRefused from None
    pk, draft, unmarked, endless = fields
    if pk != person.pk:
        raise TicketRefused
    return Waiting(draft, tuple(map(tuple, unmarked)), endless)
