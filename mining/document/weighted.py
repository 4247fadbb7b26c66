"""Weighted shares of sensitive answers in a report, beside the unweighted ones (docs/mathematics.md, Weights)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WeightedShare:
    """Among the disguised records that were shown the question; without ends where the counts contradict each other.

    `is_large`: a weight is above 5 times the mean.
    """

    item: str
    share: float
    se: float
    low: float | None
    high: float | None
    is_large: bool


@dataclass(frozen=True, slots=True)
class Weighted:
    """`margins` is the name of what the records are weighted to."""

    margins: str
    shares: tuple[WeightedShare, ...]

    @property
    def has_large(self) -> bool:
        return any(one.is_large for one in self.shares)
