"""Interface of a kind of question whose answers mining counts by code, not as items: sensitive numbers and places."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from mining.inference.contingency_table import Floats
from mining.nodes.number_nodes import NumberNode
from mining.nodes.place_nodes import PlaceNode
from mining.queries_and_counters import Counts
from privacy.kinds.section import Section

CountedNode = NumberNode | PlaceNode
S = TypeVar("S", bound=Section)
ByClass = Iterable[tuple[str, Sequence[Counts]]]
"""Name of each plain question, with the counts of each of its classes."""


@dataclass(frozen=True, slots=True)
class LikeliestShares:
    """Maximum-likelihood shares by code after so many `steps`."""

    share: Floats
    steps: int


@dataclass(frozen=True)
class CountedKind(Generic[S]):
    """Functions by which mining reports one kind of question that is counted by code, such as a number.

    `member` names its list in a report and in a run's findings. `node` makes the report node (a part of a report), of
    everybody and by class; its last argument is whether people could choose no disguise. `described` makes the JSON
    that `candor estimate` prints, also for the quantiles asked for. Both take a section and counts by group (open,
    disguised) and code, of records to which the question applies.
    """

    member: str
    node: Callable[[S, Counts, ByClass, bool], CountedNode]
    described: Callable[[S, Counts, Sequence[float]], dict[str, Any]]


def shares_to_json(
    question: str, named: Sequence[tuple[str, float | None, float | None, float | None]]
) -> list[dict[str, Any]]:
    """Converts shares to JSON: each of `named` is the choice of the question, its share and the ends of its
    interval."""
    return [
        {"item": f"{question}={item}", "support": share, "low": low, "high": high}
        for item, share, low, high in named
    ]
