"""Weighted shares of sensitive answers in a report, beside the unweighted ones (docs/mathematics.md, Weights)."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from mining.document.codec import load
from reports.naming import Naming
from runs.models import Run


@dataclass(frozen=True)
class WeightedEstimate:
    """Among the disguised records that were shown the question; without ends where the counts contradict each other.

    `is_large`: a weight is above 5 times the mean."""

    item: str
    share: float
    se: float
    low: float | None
    high: float | None
    is_large: bool


@dataclass(frozen=True)
class WeightedShares:
    """`margins` is the name of what the records are weighted to."""

    margins: str
    shares: tuple[WeightedEstimate, ...]

    @property
    def has_large(self) -> bool:
        return any(one.is_large for one in self.shares)

    def among(self, known: Iterable[str]) -> "WeightedShares":
        """Those of these answers alone."""
        items = set(known)
        return replace(self, shares=tuple(one for one in self.shares if one.item in items))


def of_run(run: Run, naming: Naming) -> WeightedShares | None:
    found = run.findings.get("weighted")
    if not found:
        return None
    rows = ({**row, "item": naming.named(row["item"])} for row in found["shares"])
    return load(WeightedShares, {**found, "shares": rows})
