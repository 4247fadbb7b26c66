"""Base classes for simulating many respondents of each kind of section: true answers and their disguise.

Their random numbers do not protect a person.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from privacy.grammar.json_node import PARTS
from privacy.grammar.question import Question
from privacy.kinds.answer_code_array_type import Codes, smallest_code_type
from privacy.kinds.section import Section

# --- usual answers
# What people usually answer: the default population of a rehearsal, question by question.

EVEN = 12.0
"""Parameter of the symmetric Dirichlet distribution of the shares of choices; larger is more even."""

Shares = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SkewedNumbers:
    """A skewed distribution of true codes of a number, most low and some far above, as for incomes or debts.

    Steps above the lowest number are log-normal: `median` is a share of all `codes`, `spread` the standard
    deviation of the logarithm. Steps beyond the highest number count as the highest.
    """

    codes: int
    median: float
    spread: float

    def draw(self, n: int, rng: "np.random.Generator") -> Codes:
        """Draws the true codes of `n` respondents."""
        steps = self.codes * self.median * rng.lognormal(0, self.spread, n)
        return np.minimum(steps, self.codes - 1).astype(smallest_code_type(self.codes))


class UsualAnswers(Protocol):
    """Interface: the usual distribution of answers to one question, for simulations.

    `distribution_if_admitted` gives the distribution in a class of people, of whom the share `admitted` does not deny a
    sensitive answer; None: among all people.
    """

    def distribution_if_admitted(self, admitted: float | None) -> Shares | SkewedNumbers: ...


@dataclass(frozen=True, slots=True)
class UsualShares:
    """The usual shares of the choices of a question."""

    shares: Shares

    def distribution_if_admitted(self, admitted: float | None) -> Shares:
        """Returns the usual shares, scaled so that all choices but the first sum to `admitted`, unless this is None."""
        if admitted is None:
            return self.shares
        rest = np.array(self.shares[1:])
        rest = rest / rest.sum() * admitted
        return (1 - admitted, *rest.tolist())


SPREAD = 0.6


@dataclass(frozen=True, slots=True)
class UsualNumber:
    codes: int
    median: float

    def distribution_if_admitted(self, admitted: float | None) -> SkewedNumbers:
        return SkewedNumbers(self.codes, self.median * (1 + (admitted or 0.0)), SPREAD)


@dataclass(frozen=True, slots=True)
class ControlShares:
    """The shares of a control item (a question whose share of *yes* is known), the same among all people."""

    shares: Shares

    def distribution_if_admitted(self, admitted: float | None) -> Shares:
        return self.shares


def usual_shares(question: Question, rng: "np.random.Generator") -> UsualShares | ControlShares:
    """Draws usual shares of the choices of a question; a control item has its known share."""
    if question.known_parts is not None:
        yes = question.known_parts / PARTS
        return ControlShares((1 - yes, yes))
    return UsualShares(tuple(rng.dirichlet(np.full(question.true_codes, EVEN)).tolist()))


# --- simulation


@dataclass(frozen=True, slots=True)
class TrueNumber:
    """Summary of the true numbers of the `n` people to whom a question applies: sum, and counts by value or cell.

    A number beyond an end counts as the end. A window has counts by number; a place has counts by cell and no sum.
    """

    n: int
    total: int
    counts: tuple[int, ...] = ()

    @property
    def mean(self) -> float | None:
        """The mean of the true numbers; None if the question applies to nobody."""
        return self.total / self.n if self.n else None

    def __add__(self, other: "TrueNumber") -> "TrueNumber":
        counts = tuple(a + b for a, b in zip(self.counts, other.counts, strict=True))
        return TrueNumber(self.n + other.n, self.total + other.total, counts)


S = TypeVar("S", bound=Section)
Mask = NDArray[np.bool_]


class SectionSimulation(ABC, Generic[S]):
    """Base class: simulates sections of one kind for many respondents. Codes: question x respondent."""

    @abstractmethod
    def disguise(
        self, section: S, is_open: Mask, truth: Codes, codes: Codes, rng: "np.random.Generator"
    ) -> None:
        """Writes the codes of the records into `codes`, in place; `truth`: true codes; `is_open`: open respondents."""

    def usual_answers(self, section: S, rng: "np.random.Generator") -> list[UsualAnswers]:
        """Returns the usual distribution of answers to each question, the default of a rehearsal: of a kind with
        choices, random shares."""
        return [usual_shares(question, rng) for question in section.questions]

    def true_item_codes(self, section: S, rows: Codes) -> Codes:
        """Returns the true codes of the section's questions in the form that mining uses."""
        return rows

    def sum_true_numbers(self, section: S, row: Codes) -> TrueNumber | None:
        """Returns a summary of the true numbers or places of the people to whom the question applies; None for other
        kinds."""
        return None
