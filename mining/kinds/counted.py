"""What mining says of a kind whose question is counted by code: a sensitive number or a place."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Generic, TypeVar

from mining.counts import Counts
from mining.document.numbers import NumberNode
from mining.document.places import PlaceNode
from privacy.kinds.section import Section

CountedNode = NumberNode | PlaceNode
S = TypeVar("S", bound=Section)
ByClass = Iterable[tuple[str, Sequence[Counts]]]
"""By plain question, by name, the counts of each class."""


class CountedKind(ABC, Generic[S]):
    """Counts are by group (open, disguised) and code, of records to which the question applies.

    `member` names the list of their nodes in a report, and among the findings of a run.
    """

    member: ClassVar[str]

    @abstractmethod
    def node(self, section: S, counts: Counts, by_class: ByClass, *, open_answers: bool) -> CountedNode:
        """The node of the report: of everybody, and by class; `open_answers`: people could choose no disguise."""

    @abstractmethod
    def described(self, section: S, counts: Counts, quantiles: Sequence[float]) -> dict[str, Any]:
        """What the law promises of what `manage.py estimate` writes."""


def named_shares(
    question: str, named: Sequence[tuple[str, float | None, float | None, float | None]]
) -> list[dict[str, Any]]:
    return [
        {"item": f"{question}={item}", "support": share, "low": low, "high": high}
        for item, share, low, high in named
    ]
