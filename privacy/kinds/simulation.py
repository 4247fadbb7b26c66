"""What every kind does for many simulated respondents at once: their disguise, and what is true of them.

The random numbers of these do not protect a person.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from privacy.kinds.codes import Codes
from privacy.kinds.section import Section
from privacy.kinds.usual_answers import UsualAnswers


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


S = TypeVar("S", bound=Section)
Mask = NDArray[np.bool_]


class SectionSimulation(ABC, Generic[S]):
    """Rows of codes are questions x respondents."""

    @abstractmethod
    def disguise(
        self, section: S, is_open: Mask, truth: Codes, codes: Codes, rng: np.random.Generator
    ) -> None:
        """Write the codes of records of people with these true codes, in place."""

    @abstractmethod
    def usual_answers(self, section: S, rng: np.random.Generator) -> list[UsualAnswers]:
        """What people usually answer to each of its questions: the default of a rehearsal."""

    def true_items(self, section: S, rows: Codes) -> Codes:
        """The true codes of its questions as mining sees them."""
        return rows

    def true_number(self, section: S, row: Codes) -> TrueNumber | None:
        """Of a number or a place, from the true codes of people to whom it applies; None of other kinds."""
        return None
