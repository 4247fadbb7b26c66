"""What left of a survey: what anybody may hold of its records, whoever let it go. Rooms register theirs here."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from surveys.models import Survey


@dataclass(frozen=True)
class Departure:
    """Something that left, of the records of the batches 1..through, or of the disguised ones among them.

    `key` names it for Candor, `what` for people. It shows either the answers to the plain questions `exact`, record by
    record (`by_record`) or counted, or the class of every record (`classes`, see intake/recordfiles/canonical.py).
    """

    key: str
    what: str
    when: datetime
    through: int
    exact: tuple[str, ...] = ()
    by_record: bool = False
    disguised_only: bool = False
    classes: bytes = b""


Departed = Callable[[Survey], Iterable[Departure]]
_registered: dict[str, Departed] = {}


def register(room: str, departed: Departed) -> None:
    """Make known what left through a room; called from AppConfig.ready."""
    _registered[room] = departed


def departures(survey: Survey) -> list[Departure]:
    """All that left of a survey, in the order in which it did."""
    found = [one for departed in _registered.values() for one in departed(survey)]
    return sorted(found, key=lambda one: (one.when, one.key))
