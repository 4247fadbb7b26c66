"""Which questions stand together, and how many of them are asked: the layout with the least error.

The error is the root mean square over all itemsets of the wanted length. Searched are even splits into
1, 2, ... N sections that ask equally many, the questions sorted by their noise and either dealt to and fro
or cut in order; two sections cut anywhere between unlike questions; and, for the splits that look best, every
division of the person's ln gamma on the line through *equal gamma* and *equal keep*. For questions alike no
uneven split was ever better (the tests compare with all of them); for unlike ones the result is good, not
proven the best.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import exp, expm1, inf, log, log1p, prod

from privacy.designs.node import PARTS
from privacy.guarantee.by_guarantee import Aim, Layout, Placed, laid_out
from privacy.guarantee.error import Part, spread
from privacy.mechanisms.section import SectionLaw, least_chance

GOLDEN = (5**0.5 - 1) / 2
STEPS = 12
"""Golden sections of the line: its best point to a hundredth, where the error is flat."""
MOST_LOG = 500.0
"""Of a limit so loose that doubles would overflow."""
REFINED = 3
"""So many of the splits that look best get their budget divided."""


def best_layout(aim: Aim, rotation: bool = True) -> Layout | None:
    """The layout with the least error for itemsets of the aim's length; None if the limit admits none.

    Without `rotation` everybody is asked every question.
    """
    return next(iter(layouts(aim, rotation)), None)


def layouts(aim: Aim, rotation: bool = True) -> tuple[Layout, ...]:
    """The few best, each with another number of sections, the least error first."""
    if aim.limit.gamma <= 1:
        return ()
    budget = log(aim.limit.gamma.numerator) - log(aim.limit.gamma.denominator)
    likeliest = sorted(_splits(aim, budget, rotation), key=lambda found: found[0])[:REFINED]
    found = (_rounded(aim, split, _divided(aim, split, budget)) for _, split in likeliest)
    return tuple(sorted(filter(None, found), key=lambda layout: layout.variance(aim.length)))


_Kind = tuple[Fraction, int, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class _Question:
    place: int
    least: Fraction
    wanted: float


@dataclass(frozen=True, slots=True)
class _Group:
    """A section without its keep yet: `least` is its Q."""

    questions: tuple[int, ...]
    asked: int
    least: Fraction
    wanted: tuple[float, ...]

    @property
    def kind(self) -> _Kind:
        return self.least, self.asked, self.wanted

    def part(self, log_gamma: float) -> Part:
        odds = expm1(min(log_gamma, MOST_LOG)) * float(self.least)
        return Part(odds / (1 + odds), self.wanted, self.asked)


_Split = tuple[_Group, ...]


def _splits(aim: Aim, budget: float, rotation: bool) -> Iterator[tuple[float, _Split]]:
    """For each number of sections the split that looks best when each may amplify alike."""
    known = enumerate(zip(aim.noise, aim.wanted, strict=True))
    questions = sorted(
        (_Question(place, min(noise), float(noise[choice])) for place, (noise, choice) in known),
        key=lambda question: (-question.least, question.wanted),
    )
    for count in range(1, len(questions) + 1):
        best: tuple[float, _Split] | None = None
        for dealt in _arrangements(questions, count):
            for split in _asked(aim, dealt, rotation):
                variance = _variance(aim, split, [budget / count] * count)
                if variance == inf:
                    break  # asking more only lowers the keeps
                if best is None or variance < best[0]:
                    best = variance, split
        if best:
            yield best


def _arrangements(questions: Sequence[_Question], count: int) -> Iterator[list[list[_Question]]]:
    dealt: list[list[_Question]] = [[] for _ in range(count)]
    for turn, question in enumerate(questions):
        row, column = divmod(turn, count)
        dealt[count - 1 - column if row % 2 else column].append(question)
    yield dealt
    if questions[0].least == questions[-1].least or count in (1, len(questions)):
        return
    ends = [round(len(questions) * turn / count) for turn in range(count + 1)]
    yield [list(questions[start:end]) for start, end in pairwise(ends)]
    if count == 2:
        for cut, (left, right) in enumerate(pairwise(questions), start=1):
            if left.least != right.least:
                yield [list(questions[:cut]), list(questions[cut:])]


def _asked(aim: Aim, dealt: Sequence[Sequence[_Question]], rotation: bool) -> Iterator[_Split]:
    largest = max(map(len, dealt))
    for most in range(min(aim.length, largest), largest + 1) if rotation else (largest,):
        yield tuple(_group(section, min(most, len(section))) for section in dealt)


def _group(section: Sequence[_Question], asked: int) -> _Group:
    return _Group(
        tuple(question.place for question in section),
        asked,
        least_chance((question.least for question in section), asked),
        tuple(question.wanted for question in section),
    )


def _variance(aim: Aim, split: _Split, budgets: Sequence[float]) -> float:
    parts = [group.part(budget) for group, budget in zip(split, budgets, strict=True)]
    if min(part.keep for part in parts) * PARTS < 1:
        return inf
    found = spread(parts, aim.length, aim.supposed)
    return found.variance if found else inf


def _divided(aim: Aim, split: _Split, budget: float) -> list[float]:
    """ln gamma of each section: the best on the line from equal gammas (0) to equal keeps (1), and beyond."""
    ends = [budget / len(split)] * len(split), _equal_keeps(split, budget)

    def at(place: float) -> list[float]:
        return [start + place * (end - start) for start, end in zip(*ends, strict=True)]

    if len({group.kind for group in split}) == 1:
        return ends[0]
    low, high = -0.5, 1.5
    for _ in range(STEPS):
        left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
        better_left = _variance(aim, split, at(left)) < _variance(aim, split, at(right))
        low, high = (low, right) if better_left else (left, high)
    return at((low + high) / 2)


def _equal_keeps(split: _Split, budget: float) -> list[float]:
    least = [float(group.least) for group in split]
    low, high = -40.0, 40.0  # ln(p / (1-p))
    for _ in range(60):
        middle = (low + high) / 2
        too_much = sum(log1p(exp(middle) / q) for q in least) > budget
        low, high = (low, middle) if too_much else (middle, high)
    return [log1p(exp(low) / q) for q in least]


def _rounded(aim: Aim, split: _Split, budgets: Sequence[float]) -> Layout | None:
    """Keeps of four places whose exact gamma is admitted, and of which no kind could have .0001 more."""
    kinds = [group.kind for group in split]
    keeps = (group.part(budget).keep for group, budget in zip(split, budgets, strict=True))
    parts = {kind: min(int(keep * PARTS), PARTS - 1) for kind, keep in zip(kinds, keeps, strict=True)}

    def gamma(kind: _Kind, part: int) -> Fraction:
        return (1 + Fraction(part, PARTS - part) / kind[0]) ** kinds.count(kind)

    def product() -> Fraction:
        return prod((gamma(*found) for found in parts.items()), start=Fraction(1))

    while min(parts.values()) > 0 and not aim.limit.admits(product()):
        parts = {kind: part - 1 for kind, part in parts.items()}
    if min(parts.values()) <= 0:
        return None
    total = product()
    for kind in parts:
        others = total / gamma(kind, parts[kind])
        while parts[kind] + 1 < PARTS and aim.limit.admits(others * gamma(kind, parts[kind] + 1)):
            parts[kind] += 1
        total = others * gamma(kind, parts[kind])
    return laid_out(aim, tuple(_placed(aim, group, parts[group.kind]) for group in split))


def _placed(aim: Aim, group: _Group, part: int) -> Placed:
    questions = tuple(sorted(group.questions))
    law = SectionLaw(Fraction(part, PARTS), tuple(aim.noise[place] for place in questions), group.asked)
    return Placed(questions, law)
