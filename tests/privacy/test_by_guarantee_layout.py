from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product
from math import comb, expm1, inf, log, prod

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import minimize

from privacy.guarantee.amplification import Limit
from privacy.guarantee.by_guarantee import Aim, Layout, best_rotation
from privacy.guarantee.error import Supposed
from privacy.guarantee.layout import best_layout, layouts
from privacy.mechanisms.section import SectionLaw

HALF = (Fraction(1, 2), Fraction(1, 2))
AT_MOST_19 = Limit(Fraction(19), strict=False)
SUPPOSED = Supposed((0.1, 0.03, 0.01))


def aim(noise: Sequence[tuple[Fraction, ...]], limit: Limit = AT_MOST_19, length: int = 1) -> Aim:
    return Aim(tuple(noise), limit, SUPPOSED, length)


def laid(layout: Layout | None) -> Layout:
    assert layout is not None
    return layout


def shape(layout: Layout) -> list[tuple[int, int]]:
    return sorted((len(placed.questions), placed.law.asked) for placed in layout.sections)


def test_ten_questions_asked_of_everybody_stand_best_in_pairs() -> None:
    found = laid(best_layout(aim([HALF] * 10), rotation=False))
    assert shape(found) == [(2, 2)] * 5
    # 19^(1/5) = 1.80198..., t = .80198/4 = .200495, p = .16701
    assert {placed.law.keep for placed in found.sections} == {Fraction(1670, 10_000)}
    # P* = .167 * .1 + .833 / 2
    assert found.variance(1) == pytest.approx(0.4332 * 0.5668 / 0.167**2)


def test_wanting_triples_keeps_them_in_one_section() -> None:
    found = laid(best_layout(aim([HALF] * 10, length=3), rotation=False))
    assert shape(found) == [(10, 10)]


@pytest.mark.parametrize("length", [1, 2, 3])
def test_with_rotation_one_section_is_best_and_is_the_best_rotation(length: int) -> None:
    wanted = aim([HALF] * 10, length=length)
    assert laid(best_layout(wanted)) == laid(best_rotation(wanted))


def test_layouts_come_with_the_least_error_first() -> None:
    variances = [layout.variance(1) for layout in layouts(aim([HALF] * 7), rotation=False)]
    assert len(variances) == 3
    assert variances == sorted(variances)


def test_without_rotation_everybody_is_asked_everything() -> None:
    for layout in layouts(aim([HALF] * 7), rotation=False):
        assert all(placed.law.asked == len(placed.questions) for placed in layout.sections)


def test_a_question_with_little_noise_is_set_apart() -> None:
    # Beside a question that says yes by chance once in a hundred, pairs would have Q = .005.
    noise = [HALF] * 6 + [(Fraction(99, 100), Fraction(1, 100))]
    wanted = aim(noise)
    assert shape(laid(best_layout(wanted))) == [(1, 1), (6, 1)]
    assert laid(best_layout(wanted)).variance(1) < laid(best_rotation(wanted)).variance(1) / 5


def test_a_limit_that_admits_nothing_has_no_layout() -> None:
    assert best_layout(aim([HALF] * 3, Limit(Fraction(1), strict=False))) is None
    assert best_layout(aim([HALF] * 3, Limit(Fraction(100_001, 100_000), strict=False))) is None


def test_a_limit_beyond_all_doubles_keeps_nearly_everything() -> None:
    found = laid(best_layout(aim([HALF] * 3, Limit(Fraction(10**400), strict=False))))
    assert {placed.law.keep for placed in found.sections} == {Fraction(9999, 10_000)}


@pytest.mark.parametrize("rotation", [True, False])
def test_noise_that_is_next_to_nothing_admits_no_layout(rotation: bool) -> None:
    tiny = (Fraction(1, 10_000), Fraction(9999, 10_000))
    assert best_layout(aim([tiny] * 2, Limit(Fraction(3, 2), strict=False)), rotation) is None


def test_a_hundred_questions_find_their_layout() -> None:
    assert shape(laid(best_layout(aim([HALF] * 100)))) == [(100, 2)]


def kind(law: SectionLaw) -> tuple[object, ...]:
    return sorted(law.noise), law.asked


noise_laws = st.integers(1, 9).map(lambda part: (Fraction(part, 10), Fraction(10 - part, 10)))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(noise_laws, min_size=1, max_size=7),
    st.integers(1100, 50_000).map(lambda n: Fraction(n, 1000)),
    st.booleans(),
    st.booleans(),
    st.integers(1, 3),
)
def test_every_layout_keeps_the_persons_limit_and_places_each_question_once(
    noise: list[tuple[Fraction, ...]], gamma: Fraction, strict: bool, rotation: bool, length: int
) -> None:
    limit = Limit(gamma, strict)
    for layout in layouts(aim(noise, limit, length), rotation):
        assert layout.gamma == prod(placed.law.gamma for placed in layout.sections)
        assert limit.admits(layout.gamma)
        placed = sorted(place for section in layout.sections for place in section.questions)
        assert placed == list(range(len(noise)))
        for section in layout.sections:
            assert section.law.noise == tuple(noise[place] for place in section.questions)
            assert section.law.keep * 10_000 == int(section.law.keep * 10_000) > 0
            alike = [other.law for other in layout.sections if kind(other.law) == kind(section.law)]
            more = replace(section.law, keep=section.law.keep + Fraction(1, 10_000))
            others = layout.gamma / section.law.gamma ** len(alike)
            assert more.keep == 1 or not limit.admits(others * more.gamma ** len(alike))


Shape = tuple[tuple[int, int], ...]
"""For each section how many questions and how many asked."""


def partitions(total: int, largest: int) -> Iterator[tuple[int, ...]]:
    if not total:
        yield ()
    for first in range(min(total, largest), 0, -1):
        for rest in partitions(total - first, first):
            yield (first, *rest)


def shapes(total: int, length: int, rotation: bool) -> Iterator[Shape]:
    for sizes in partitions(total, total):
        options = [range(min(length, size), size + 1) if rotation else [size] for size in sizes]
        for asked in product(*options):
            yield tuple(zip(sizes, asked, strict=True))


def variance(shape: Shape, keeps: Sequence[float], length: int) -> float:
    """The mean of n se^2 over all itemsets, one by one, for theta = 1/2."""
    questions = [place for place, (size, _) in enumerate(shape) for _ in range(size)]
    supports = (1.0, *SUPPOSED.supports)
    total = 0.0
    for itemset in combinations(questions, length):
        counts = {place: itemset.count(place) for place in set(itemset)}
        share, moment = 1.0, 0.0
        for place, count in counts.items():
            size, asked = shape[place]
            share *= comb(size - count, asked - count) / comb(size, asked)
        for held in product((True, False), repeat=len(counts)):
            term = supports[sum(count for count, yes in zip(counts.values(), held, strict=True) if yes)]
            for (place, count), yes in zip(counts.items(), held, strict=True):
                c = (1 - keeps[place]) / 2**count
                term *= (1 - 2 * c) / keeps[place] if yes else c * (1 - c) / keeps[place] ** 2
            moment += term
        total += (moment - supports[length] ** 2) / share
    return total / comb(len(questions), length)


def least_variance(shape: Shape, gamma: float, length: int) -> float:
    """Over all divisions of ln gamma between the sections."""

    def of(shares: np.ndarray) -> float:
        weights = np.exp(shares - shares.max())
        odds = [
            expm1(log(gamma) * w) / 2**asked
            for w, (_, asked) in zip(weights / weights.sum(), shape, strict=True)
        ]
        return variance(shape, [t / (1 + t) for t in odds], length) if min(odds) > 1e-9 else inf

    if len(shape) == 1:
        return of(np.zeros(1))
    start = np.zeros(len(shape))
    found = minimize(of, start, method="Nelder-Mead", options={"xatol": 1e-3})  # type: ignore[no-untyped-call]
    return float(found.fun)


@pytest.mark.slow
@pytest.mark.parametrize("rotation", [False, True])
@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("gamma", [3, 19])
@pytest.mark.parametrize("questions", [4, 5, 6])
def test_no_division_into_sections_has_less_error(
    questions: int, gamma: int, length: int, rotation: bool
) -> None:
    least = min(least_variance(shape, gamma, length) for shape in shapes(questions, length, rotation))
    found = laid(best_layout(aim([HALF] * questions, Limit(Fraction(gamma), False), length), rotation))
    # Four places of keep cost a little; where p is small, a little more.
    assert found.variance(length) <= least * 1.01
