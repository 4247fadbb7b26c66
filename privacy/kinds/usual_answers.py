"""What people usually answer: the default population of a rehearsal, question by question."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from privacy.grammar.node import PARTS
from privacy.grammar.question import Question
from privacy.kinds.codes import Codes, narrowest

EVEN = 12.0
"""How evenly the choices of a question are taken: the parameter of a symmetric Dirichlet distribution."""

Shares = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class SkewedNumbers:
    """True codes of a number, most of them low and some far above the others, as of incomes or debts.

    Steps above the lowest number are log-normal: `median` is a share of all `codes`, `spread` the standard deviation
    of the logarithm. Those beyond the highest number give the highest.
    """

    codes: int
    median: float
    spread: float

    def draw(self, n: int, rng: np.random.Generator) -> Codes:
        steps = self.codes * self.median * rng.lognormal(0, self.spread, n)
        return np.minimum(steps, self.codes - 1).astype(narrowest(self.codes))


class UsualAnswers(Protocol):
    """What is usually answered to one question. `admitted`: which part of a class does not deny a sensitive one."""

    def among(self, admitted: float | None) -> Shares | SkewedNumbers: ...


@dataclass(frozen=True, slots=True)
class UsualShares:
    shares: Shares

    def among(self, admitted: float | None) -> Shares:
        """The usual shares; of a sensitive question those of all choices but the first, together `admitted`."""
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

    def among(self, admitted: float | None) -> SkewedNumbers:
        return SkewedNumbers(self.codes, self.median * (1 + (admitted or 0.0)), SPREAD)


@dataclass(frozen=True, slots=True)
class ControlShares:
    """Of a control item: people of every class who read it answer truthfully."""

    shares: Shares

    def among(self, admitted: float | None) -> Shares:
        return self.shares


def usual_shares(question: Question, rng: np.random.Generator) -> UsualShares | ControlShares:
    if question.known_parts is not None:
        yes = question.known_parts / PARTS
        return ControlShares((1 - yes, yes))
    return UsualShares(tuple(rng.dirichlet(np.full(question.true_codes, EVEN)).tolist()))
