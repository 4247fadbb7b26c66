"""What mining says of a kind whose question is counted by code: a sensitive number or a place."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from mining.counts import Counts
from mining.document.numbers import NumberNode
from mining.document.places import PlaceNode
from mining.inference.contingency_table import Floats
from privacy.kinds.section import Section

CountedNode = NumberNode | PlaceNode
S = TypeVar("S", bound=Section)
ByClass = Iterable[tuple[str, Sequence[Counts]]]
"""By plain question, by name, the counts of each class."""


@dataclass(frozen=True, slots=True)
class Likeliest:
    """The likeliest `share` by code after so many `steps`, and how far from the end these are, the `misfit`."""

    share: Floats
    steps: int
    misfit: float


@dataclass(frozen=True)
class CountedKind(Generic[S]):
    """`member` names the list of its nodes in a report, and among the findings of a run.

    `node` is that of the report: of everybody, and by class; last, whether people could choose no disguise. `described`
    is what the law promises of what `manage.py estimate` writes. Both take a section and counts by group (open,
    disguised) and code, of records to which the question applies; the latter also the quantiles that are asked for.
    """

    member: str
    node: Callable[[S, Counts, ByClass, bool], CountedNode]
    described: Callable[[S, Counts, Sequence[float]], dict[str, Any]]


def shares_to_json(
    question: str, named: Sequence[tuple[str, float | None, float | None, float | None]]
) -> list[dict[str, Any]]:
    return [
        {"item": f"{question}={item}", "support": share, "low": low, "high": high}
        for item, share, low, high in named
    ]
