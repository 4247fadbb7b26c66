"""Signed tickets that carry an imported questionnaire through the page where a person reviews it before accepting it.

The server stores nothing until then. A ticket is valid for one person, and expires.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from django.core import signing
from django.utils.translation import gettext as _

from importing.faults import Fault, FileRefused
from importing.import_result import ImportResult
from importing.number_limits import MissingEnds, missing_ends
from surveys.draft_json import Draft

if TYPE_CHECKING:
    from accounts.models import Person

SALT = "surveys.import"
SECONDS = 6 * 3600
"""Until it expires."""
MOST_CHARACTERS = 2_000_000
"""Of a ticket, so that the form that returns it is taken."""


class TicketRefused(ValueError):
    """Raised for a ticket that expired, was changed, or belongs to somebody else."""


class TicketContent(NamedTuple):
    """Content of a valid ticket.

    `unmarked`: for each row that a person has to confirm, the names of its questions. `endless`: the lowest and highest
    number, by name, of number questions where the file lacks one.
    """

    draft: Draft
    unmarked: tuple[tuple[str, ...], ...]
    endless: MissingEnds


def issue_ticket(person: "Person", result: ImportResult) -> str:
    """Returns the signed ticket; raises `FileRefused` if the draft is too large to travel through a form."""
    unmarked = [line.questions for line in result.lines if line.unmarked]
    endless = missing_ends(result.lines)
    ticket = signing.dumps([person.pk, result.draft, unmarked, endless], salt=SALT, compress=True)
    if len(ticket) > MOST_CHARACTERS:
        raise FileRefused([Fault(_("the file"), _("holds more text than can be read through; split it"))])
    return ticket


def redeem_ticket(person: "Person", ticket: str) -> TicketContent:
    """Returns the content of a ticket; raises `TicketRefused` if it is not valid for this person."""
    try:
        fields: list[Any] = signing.loads(ticket, salt=SALT, max_age=SECONDS)
    except signing.BadSignature:
        raise TicketRefused from None
    pk, draft, unmarked, endless = fields
    if pk != person.pk:
        raise TicketRefused
    return TicketContent(draft, tuple(map(tuple, unmarked)), endless)
