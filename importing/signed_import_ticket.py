"""Signed tickets: text with an imported questionnaire, kept in the page where a person reviews the import
before accepting it.

The server stores nothing until then. A ticket is valid for one person, and expires.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from django.core import signing
from django.utils.translation import gettext as _

from importing.faults import file_refusal
from importing.import_result import ImportResult
from importing.missing_number_limits_entry import MissingEnds, incomplete_ends_by_question
from surveys.draft_json import Draft

if TYPE_CHECKING:
    from accounts.models import Person

SALT = "surveys.import"
SECONDS = 6 * 3600
"""Lifetime of a ticket in seconds."""
MOST_CHARACTERS = 2_000_000
"""Highest number of characters of a ticket, so that the form that returns it is accepted."""


class TicketRefused(ValueError):
    """Raised for a ticket that is expired, altered, or issued to somebody else."""


class TicketContent(NamedTuple):
    """The content of a ticket: a draft with the open decisions about it.

    `unmarked`: for each row that a person has to confirm, the names of its questions. `endless`: for each
    number question whose lowest or highest number is missing in the file, both numbers, None if missing.
    """

    draft: Draft
    unmarked: tuple[tuple[str, ...], ...]
    endless: MissingEnds

    @classmethod
    def from_result(cls, result: ImportResult) -> "TicketContent":
        unmarked = tuple(line.questions for line in result.lines if line.unmarked)
        return cls(result.draft, unmarked, incomplete_ends_by_question(result.lines))


def sign(salt: str, content: list[Any]) -> str:
    """Returns signed text with this content; raises `FileRefused` if the content is too large for a form."""
    ticket = signing.dumps(content, salt=salt, compress=True)
    if len(ticket) > MOST_CHARACTERS:
        raise file_refusal(_("holds more text than can be read through; split it"))
    return ticket


def unsign(salt: str, ticket: str) -> list[Any] | None:
    """Returns the content of signed text; None if it is expired or altered."""
    try:
        content: list[Any] = signing.loads(ticket, salt=salt, max_age=SECONDS)
    except signing.BadSignature:
        return None
    return content


def issue_ticket(person: "Person", result: ImportResult) -> str:
    """Returns a ticket for an import result; raises `FileRefused` if it is too large."""
    return sign(SALT, [person.pk, *TicketContent.from_result(result)])


def redeem_ticket(person: "Person", ticket: str) -> TicketContent:
    """Returns the content of a ticket; raises `TicketRefused` if the ticket is not valid for this person."""
    pk, draft, unmarked, endless = unsign(SALT, ticket) or (None, {}, (), {})
    if pk != person.pk:
        raise TicketRefused
    return TicketContent(draft, tuple(map(tuple, unmarked)), endless)
