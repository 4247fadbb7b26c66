"""Which questions stand together, and how many of them are asked: the layout with the least error.

The error is the root mean square over all itemsets of the wanted length. Searched are even splits into
1, 2, ... N sections that ask equally many, the questions sorted by their noise and either dealt to and fro or
cut in order; two sections cut anywhere between unlike questions; and, of up to MOST_CUT questions, all cuts
(see `runs`), sorted by their noise or by the noise of the wanted choice. Of the splits that look best the
person's ln gamma is divided for the least error. Of up to five questions, alike or not, no layout that was ever
tried had less error by more than rounding the keeps costs (the tests compare with all of them); of more, the
result is good, not proven the best.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import inf, log, prod

from privacy.designs.node import PARTS
from privacy.guarantee.by_guarantee import Aim, Layout, Placed, laid_out
from privacy.guarantee.division import equal_gammas, equal_keeps, settled
from privacy.guarantee.segment_search import cuts
from privacy.guarantee.split import Group, Kind, Question, Split, questions_of, variance, ways_to_ask
from privacy.mechanisms.section import SectionLaw

MOST_CUT = 12
"""With more questions only even splits and cuts in two are tried."""
SHOWN = 3
"""Layouts offered, each with another number of sections."""
TRIED = 3
"""So many splits into each number of sections get their budget divided."""

Divided = tuple[float, Split, list[float]]
"""n se^2, and each group's ln gamma."""


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
    by_number: dict[int, dict[frozenset[Group], Divided]] = {}
    for found in sorted(_divided(aim, budget, rotation), key=lambda found: found[0]):
        groups = frozenset(found[1])
        by_number.setdefault(len(groups), {}).setdefault(groups, found)
    likeliest = [list(found.values())[:TRIED] for found in by_number.values()][:SHOWN]
    rounded = (_best(aim, found) for found in likeliest)
    return tuple(sorted(filter(None, rounded), key=lambda layout: layout.variance(aim.length)))


def _divided(aim: Aim, budget: float, rotation: bool) -> Iterator[Divided]:
    """Splits, some of them more than once, with a first division of the budget."""
    for split, budgets in _splits(aim, budget, rotation):
        error = variance(aim, split, budgets)
        if error < inf:
            yield error, split, budgets


def _splits(aim: Aim, budget: float, rotation: bool) -> Iterator[tuple[Split, list[float]]]:
    questions = questions_of(aim)
    for split in _even(aim, questions, budget, rotation):
        yield split, equal_gammas(split, budget)
        yield split, equal_keeps(split, budget)
    if len(questions) <= MOST_CUT:
        by_wanted = sorted(questions, key=lambda question: question.wanted)
        yield from cuts(aim, questions, budget, rotation)
        if by_wanted not in (questions, questions[::-1]):
            yield from cuts(aim, by_wanted, budget, rotation)


def _best(aim: Aim, found: Sequence[Divided]) -> Layout | None:
    settlements = ((*settled(aim, split, budgets), split) for _, split, budgets in found)
    _, budgets, split = min(settlements, key=lambda settlement: settlement[0])
    return _rounded(aim, split, budgets)


def _even(aim: Aim, questions: Sequence[Question], budget: float, rotation: bool) -> Iterator[Split]:
    """For each number of sections the even split that looks best when each may amplify alike."""
    for count in range(1, len(questions) + 1):
        best: tuple[float, Split] | None = None
        for dealt in _arrangements(questions, count):
            for split in _asked(aim, dealt, rotation):
                error = variance(aim, split, equal_gammas(split, budget))
                if error == inf:
                    break  # asking more only lowers the keeps
                if best is None or error < best[0]:
                    best = error, split
        if best:
            yield best[1]


def _arrangements(questions: Sequence[Question], count: int) -> Iterator[list[list[Question]]]:
    dealt: list[list[Question]] = [[] for _ in range(count)]
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


def _asked(aim: Aim, dealt: Sequence[Sequence[Question]], rotation: bool) -> Iterator[Split]:
    for most in ways_to_ask(max(map(len, dealt)), aim.length, rotation):
        yield tuple(Group.of(section, min(most, len(section))) for section in dealt)


def _rounded(aim: Aim, split: Split, budgets: Sequence[float]) -> Layout | None:
    """Keeps of four places whose exact gamma is admitted, and of which no kind could have .0001 more."""
    kinds = [group.kind for group in split]
    keeps = (group.part(budget).keep for group, budget in zip(split, budgets, strict=True))
    parts = {kind: min(int(keep * PARTS), PARTS - 1) for kind, keep in zip(kinds, keeps, strict=True)}

    def gamma(kind: Kind, part: int) -> Fraction:
        return (1 + Fraction(part, PARTS - part) / kind[0]) ** kinds.count(kind)

    def product() -> Fraction:
        return prod((gamma(*found) for found in parts.items()), start=Fraction(1))

    while min(parts.values()) > 0 and not aim.limit.admits(product()):
        parts = {kind: part - 1 for kind, part in parts.items()}
    if min(parts.values()) <= 0:
        return None
    total = product()
    for kind in sorted(parts, key=parts.__getitem__):
        others = total / gamma(kind, parts[kind])
        while parts[kind] + 1 < PARTS and aim.limit.admits(others * gamma(kind, parts[kind] + 1)):
            parts[kind] += 1
        total = others * gamma(kind, parts[kind])
    return laid_out(aim, tuple(_placed(aim, group, parts[group.kind]) for group in split))


def _placed(aim: Aim, group: Group, part: int) -> Placed:
    questions = tuple(sorted(group.questions))
    law = SectionLaw(Fraction(part, PARTS), tuple(aim.noise[place] for place in questions), group.asked)
    return Placed(questions, law)
