"""Signed tickets that carry an imported questionnaire through the page where a person reviews it before accepting it.

The server stores nothing until then. A ticket is valid for one person, and expires.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from django.core import signing
from django.utils.translation import gettext as _

from importing.faults import file_refusal
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
    """What is left to decide of an import, which a valid ticket carries.

    `unmarked`: for each row that a person has to confirm, the names of its questions. `endless`: the lowest and highest
    number, by name, of number questions where the file lacks one.
    """

    draft: Draft
    unmarked: tuple[tuple[str, ...], ...]
    endless: MissingEnds

    @classmethod
    def of(cls, result: ImportResult) -> "TicketContent":
        unmarked = tuple(line.questions for line in result.lines if line.unmarked)
        return cls(result.draft, unmarked, missing_ends(result.lines))


def sign(salt: str, content: list[Any]) -> str:
    """Returns a signed ticket; raises `FileRefused` if the content is too large to travel through a form."""
    ticket = signing.dumps(content, salt=salt, compress=True)
    if len(ticket) > MOST_CHARACTERS:
        raise file_refusal(_("holds more text than can be read through; split it"))
    return ticket


def unsign(salt: str, ticket: str) -> list[Any] | None:
    """Returns the content of a ticket; None if it expired or was changed."""
    try:
        content: list[Any] = signing.loads(ticket, salt=salt, max_age=SECONDS)
    except signing.BadSignature:
        return None
    return content


def issue_ticket(person: "Person", result: ImportResult) -> str:
    """Returns the ticket of an import; raises `FileRefused` if it is too large."""
    return sign(SALT, [person.pk, *TicketContent.of(result)])


def redeem_ticket(person: "Person", ticket: str) -> TicketContent:
    """Returns the content of a ticket; raises `TicketRefused` if it is not valid for this person."""
    pk, draft, unmarked, endless = unsign(SALT, ticket) or (None, {}, (), {})
    if pk != person.pk:
        raise TicketRefused
    return TicketContent(draft, tuple(map(tuple, unmarked)), endless)
