"""What is true of a whole number or a place among simulated respondents."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TrueNumber:
    """The true numbers of `n` respondents to whom the question applies: their sum, and of a window how often each is.

    A number beyond an end counts as the end. Of a place how often each cell is, and no sum.
    """

    n: int
    total: int
    counts: tuple[int, ...] = ()

    @property
    def mean(self) -> float | None:
        """None: it applies to nobody."""
        return self.total / self.n if self.n else None

    def __add__(self, other: "TrueNumber") -> "TrueNumber":
        counts = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        return TrueNumber(self.n + other.n, self.total + other.total, counts)

    def as_json(self) -> dict[str, Any]:
        return {"n": self.n, "total": self.total, "counts": list(self.counts)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "TrueNumber":
        return cls(data["n"], data["total"], tuple(data["counts"]))
