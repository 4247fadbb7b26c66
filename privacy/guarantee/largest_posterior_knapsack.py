"""Exact knapsack solver: the set of answers within a prior probability that has the largest posterior."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class AnswerKind:
    """Answers that are equivalent for one record: equal prior probability, equal probability of sending the record.

    `mass`: the prior as an integer. `likelihood`: the probability of sending the record.
    """

    mass: int
    likelihood: Fraction
    answers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class PartialChoice:
    """A partial solution of the knapsack search: its gain, and the number of answers taken of each kind."""

    gain: Fraction
    taken: tuple[int, ...]


class Knapsack:
    """Exact knapsack solver: answers of mass at most `room` with the largest sum of mass times likelihood.

    This sum is their gain.
    """

    def __init__(self, kinds: Sequence[AnswerKind], room: int) -> None:
        self.kinds = sorted(kinds, key=lambda kind: (-kind.likelihood, -kind.mass))
        self.room = room
        masses = (kind.mass * len(kind.answers) for kind in self.kinds)
        gains = (kind.mass * kind.likelihood * len(kind.answers) for kind in self.kinds)
        self._masses = list(accumulate(masses, initial=0))
        self._gains = list(accumulate(gains, initial=Fraction(0)))

    @property
    def bound(self) -> Fraction:
        """Upper bound of the gain: the fractional knapsack, in which answers can be divided."""
        return self._fractional_gain(0, self.room)

    def solve(self) -> tuple[Fraction, frozenset[int]]:
        """Solves the knapsack; returns the largest gain and the answers that have it."""
        steps = {0: PartialChoice(Fraction(0), ())}
        best = self._greedy_gain()
        for index, kind in enumerate(self.kinds):
            grown: dict[int, PartialChoice] = {}
            for mass, step in steps.items():
                for taken in range(min(len(kind.answers), (self.room - mass) // kind.mass) + 1):
                    gain = step.gain + taken * kind.mass * kind.likelihood
                    used = mass + taken * kind.mass
                    if used not in grown or gain > grown[used].gain:
                        grown[used] = PartialChoice(gain, (*step.taken, taken))
            best = max(best, *(step.gain for step in grown.values()))
            steps = {
                mass: step
                for mass, step in grown.items()
                if step.gain + self._fractional_gain(index + 1, self.room - mass) >= best
            }
        winner = max(steps.values(), key=lambda step: step.gain)
        chosen = (kind.answers[:taken] for kind, taken in zip(self.kinds, winner.taken, strict=True))
        return winner.gain, frozenset(answer for answers in chosen for answer in answers)

    def _greedy_gain(self) -> Fraction:
        """Returns the gain of a greedy choice, a lower bound by which the search leaves out most partial solutions."""
        gain, room = Fraction(0), self.room
        for kind in self.kinds:
            taken = min(len(kind.answers), room // kind.mass)
            gain += taken * kind.mass * kind.likelihood
            room -= taken * kind.mass
        return gain

    def _fractional_gain(self, index: int, room: int) -> Fraction:
        """Returns the gain of the fractional knapsack of size `room` over the kinds from `index` on."""
        end = self._masses[index] + room
        last = bisect_right(self._masses, end) - 1
        gain = self._gains[last] - self._gains[index]
        if last < len(self.kinds):
            gain += (end - self._masses[last]) * self.kinds[last].likelihood
        return gain
