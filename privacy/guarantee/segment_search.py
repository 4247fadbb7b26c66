"""Cutting sorted questions into runs: of all 2^(N-1) ways, those whose error looks least.

The person's ln gamma comes in STEPS equal steps. Each section takes some; the best cut of the first j questions
with k steps is the best over its last run, how many of it are asked, and how many steps it takes.

This needs an error that is a sum over sections. That of single items is one. For itemsets of `length`, the sum
over all of them is the coefficient of t^length in the product over sections of A(t) = 1 + a_1 t + a_2 t^2 + ...,
a_i being the section's own sum over its i-itemsets. For every t the product divided by t^length is no less, for
the best t hardly more, and its logarithm is a sum over sections: so a few t are tried, and what they find is
weighed exactly by the caller.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, log1p
from operator import add

from privacy.guarantee.by_guarantee import Aim
from privacy.guarantee.error import Supposed, all_itemsets
from privacy.guarantee.split import Group, Question, Split, is_possible, ways_to_ask

STEPS = 24
TILTS = tuple(4.0**power for power in range(-2, 4))
"""Of t, around where singles asked alone would have it."""

Row = list[float]
"""What a section costs with 0, 1, ... STEPS steps of the budget."""


@dataclass(frozen=True, slots=True)
class Option:
    """One run asked in one way; weights[k] are a_1, a_2, ... with k steps, nothing where they do not suffice."""

    group: Group
    weights: tuple[tuple[float, ...], ...]

    def row(self, length: int, tilt: float) -> Row:
        if length == 1:
            return [each[0] if each else inf for each in self.weights]
        powers = [tilt**size for size in range(1, length + 1)]
        return [
            log1p(sum(power * weight for power, weight in zip(powers, each, strict=False))) if each else inf
            for each in self.weights
        ]

    def is_never_better_than(self, other: "Option") -> bool:
        pairs = zip(self.weights, other.weights, strict=True)
        return all(not mine or (theirs and all(map(float.__ge__, mine, theirs))) for mine, theirs in pairs)


Options = dict[tuple[int, int], list[Option]]
"""By the first question of a run and the first after it."""


def cuts(
    aim: Aim, questions: Sequence[Question], budget: float, rotation: bool
) -> Iterator[tuple[Split, list[float]]]:
    """Promising cuts of these questions, in this order, each with a division of the budget."""
    options = _options(aim, questions, budget, rotation)
    alone = [options[place, place + 1][0].weights for place in range(len(questions))]
    if not all(weights[STEPS] for weights in alone):
        return
    first = (next(filter(None, weights[STEPS // len(questions) :])) for weights in alone)
    tilt = aim.length / sum(weights[0] for weights in first)
    for times in TILTS if aim.length > 1 else (1.0,):
        table = _Table(options, len(questions), aim.length, tilt * times)
        for split, steps in table.found():
            yield split, [budget * taken / sum(steps) for taken in steps]


def _options(aim: Aim, questions: Sequence[Question], budget: float, rotation: bool) -> Options:
    options: Options = {}
    for end in range(1, len(questions) + 1):
        for start in range(end):
            ways: list[Option] = []
            for asked in ways_to_ask(end - start, aim.length, rotation):
                group = Group.of(questions[start:end], asked)
                option = Option(
                    group, tuple(_weights(aim, group, budget * k / STEPS) for k in range(STEPS + 1))
                )
                if ways and option.is_never_better_than(ways[-1]):
                    break
                ways.append(option)
            options[start, end] = ways
    return options


def _weights(aim: Aim, group: Group, budget: float) -> tuple[float, ...]:
    part = group.part(budget)
    if not is_possible(part):
        return ()
    sums = enumerate(all_itemsets(part, aim.length))
    return tuple(_weight(aim.supposed, aim.length, size, *each) for size, each in sums if size)


def _weight(supposed: Supposed, length: int, size: int, scarce: float, held: float, chance: float) -> float:
    """The sum of n se^2 over itemsets of one size; for parts of longer ones, of E z^2 / r."""
    support, k = supposed.support(size), supposed.open_share
    second = k * support * scarce + (1 - k) * (held * support + chance)
    return second - support**2 * scarce if length == 1 else second


class _Table:
    """cost[j][k]: the least cost of the first j questions with k steps, all of them taken."""

    def __init__(self, options: Options, questions: int, length: int, tilt: float) -> None:
        self.questions = questions
        self.rows = {
            run: [(option.group, option.row(length, tilt)) for option in ways]
            for run, ways in options.items()
        }
        self.cost: list[Row] = [[0.0] + [inf] * STEPS]
        for end in range(1, questions + 1):
            self.cost.append([inf] * (STEPS + 1))
            for start in range(end):
                self._add(start, end)

    def _add(self, start: int, end: int) -> None:
        before, cost = self.cost[start], self.cost[end]
        for _group, row in self.rows[start, end]:
            falling = row[::-1]
            for k in range(1, STEPS + 1):
                # 0, 1, ... k steps before it, and of its own the k, k-1, ... 0 that are left.
                least = min(map(add, before[: k + 1], falling[STEPS - k :]))
                if least < cost[k]:
                    cost[k] = least

    def found(self) -> Iterator[tuple[Split, list[int]]]:
        """The best for each last run."""
        for start in range(self.questions):
            ends = (
                (self.cost[start][STEPS - taken] + row[taken], taken, way)
                for way, (_group, row) in enumerate(self.rows[start, self.questions])
                for taken in range(1, STEPS + 1)
            )
            cost, taken, way = min(ends)
            if cost < inf:
                split, steps = self._back(start, STEPS - taken)
                yield (*split, self.rows[start, self.questions][way][0]), [*steps, taken]

    def _back(self, end: int, left: int) -> tuple[list[Group], list[int]]:
        split: list[Group] = []
        steps: list[int] = []
        while end:
            end, taken, group = next(
                (start, taken, group)
                for start in range(end)
                for group, row in self.rows[start, end]
                for taken in range(1, left + 1)
                if self.cost[start][left - taken] + row[taken] == self.cost[end][left]
            )
            left -= taken
            split.append(group)
            steps.append(taken)
        return split, steps
