from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import pi, prod, sqrt

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.guarantee.expected_error import (
    ErrorCurve,
    SectionParameters,
    SupposedSupports,
    choice_to_estimate,
    error_curve,
    itemset_error_curve,
)
from privacy.kinds.grouped.law import SectionLaw
from tests.privacy import strategies
from tests.privacy.strategies import Section, present

YES = 1
ONE = SectionParameters(0.5, (0.5,), 1)


def spread_of(part: SectionParameters, *supports: float, open_share: float = 0.0) -> ErrorCurve:
    return present(error_curve([part], 1, SupposedSupports(supports or (0.1,), open_share=open_share)))


def test_estimation_errors_by_hand() -> None:
    # Warner's: P* = .5 * .1 + .5 * .5 = .3; .3 * .7 / .5^2 = .84
    assert spread_of(ONE).variance == pytest.approx(0.84)
    undisguised = spread_of(SectionParameters(1.0, (0.5,), 1)).error_for(900)
    assert (undisguised.se, undisguised.expected_w) == pytest.approx((0.01, 0))
    # Asking a tenth of the people costs ten times the variance; undisguised it errs by the drawing alone.
    tenth = spread_of(SectionParameters(0.5, (0.5,) * 10, 1))
    assert tenth.variance == pytest.approx(8.4)
    assert tenth.error_for(5000).base == pytest.approx(500)
    found = spread_of(SectionParameters(1.0, (0.5,) * 10, 1)).error_for(5000)
    assert found.expected_w == pytest.approx(sqrt(2 / pi) * sqrt(0.09 * (1 / 500 - 1 / 5000)))
    # Open answers count without noise. Half: E z^2 = .1 in the open, .84 + .01 in disguise; less .01
    assert spread_of(ONE, open_share=0.5).variance == pytest.approx(0.5 * 0.1 + 0.5 * 0.85 - 0.01)
    assert spread_of(ONE, open_share=1.0).variance == pytest.approx(0.09)


def test_itemsets_that_are_never_asked_together_have_no_error() -> None:
    one_of_three, pairs = SectionParameters(0.5, (0.5,) * 3, 1), SupposedSupports((0.1, 0.01))
    assert error_curve([one_of_three], 2, pairs) is None
    assert itemset_error_curve([(one_of_three, [0, 1])], pairs) is None
    assert error_curve([ONE], 2, pairs) is None


def test_section_error_uses_the_law_and_the_wanted_choice() -> None:
    """Yes, else the choice with the most noise."""
    half, fifths = (Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 5), Fraction(3, 5), Fraction(1, 5))
    assert choice_to_estimate((Fraction(9, 10), Fraction(1, 10))) == choice_to_estimate(fifths) == 1
    law = SectionLaw(Fraction(1, 2), (half, fifths), 1)
    assert SectionParameters.from_law(law) == SectionParameters(0.5, (0.5, 0.6), 1)
    assert SectionParameters.from_law(law, [0, 2]) == SectionParameters(0.5, (0.5, 0.2), 1)


def test_respondents_needed_for_a_half_width_by_hand() -> None:
    # 1.96^2 * .84 / .02^2 = 8067.4
    assert spread_of(ONE).respondents_for_half_width(0.02) == 8068
    found = spread_of(SectionParameters(0.3, (0.4, 0.6, 0.5), 2), 0.15, open_share=0.2)
    needed = found.respondents_for_half_width(0.03)
    assert found.error_for(needed).half_width <= 0.03 < found.error_for(needed - 1).half_width
    # Nobody is promised an estimate below fifty asked.
    tenth = spread_of(SectionParameters(0.9, (0.5,) * 10, 1))
    assert tenth.respondents_for_half_width(0.9) == 500
    assert [tenth.error_for(n).has_enough_people for n in (500, 499)] == [True, False]


@st.composite
def yes_no_sections(draw: st.DrawFn) -> Section:
    total = draw(st.integers(2, 20))
    chances = st.tuples(st.integers(1, 9), st.integers(1, 9))
    noise = tuple(draw(st.lists(chances, min_size=1, max_size=3)))
    return (draw(st.integers(1, total - 1)), total), noise, draw(st.integers(1, len(noise)))


def some_asked_together(section: Section) -> st.SearchStrategy[list[int]]:
    _, noise, asked = section
    return st.permutations(range(len(noise))).map(lambda places: places[:asked])


def part_of(section: Section) -> SectionParameters:
    (kept, total), noise, asked = section
    return SectionParameters(kept / total, tuple(row[YES] / sum(row) for row in noise), asked)


def second_moment(section: Section, places: Sequence[int], truth: tuple[int, ...]) -> Fraction:
    """E z^2 of this section's factor given the truth, from the records of one draw that holds the places."""
    (kept, total), noise, asked = section
    others = [place for place in range(len(noise)) if place not in places]
    drawn = [*places, *others[: asked - len(places)]]
    table = strategies.records((kept, total), tuple(noise[p] for p in drawn), tuple(truth[p] for p in drawn))
    c = Fraction(total - kept, total) * prod(Fraction(noise[p][YES], sum(noise[p])) for p in places)
    moment = Fraction(0)
    for said, weight in table.items():
        held = all(code == YES for code in said[: len(places)])
        moment += weight * ((held - c) / Fraction(kept, total)) ** 2
    return moment / sum(table.values())


@pytest.mark.proof
@given(yes_no_sections(), yes_no_sections(), st.lists(st.integers(1, 9), min_size=7, max_size=7), st.data())
def test_variance_matches_its_definition(
    first: Section, second: Section, weights: list[int], data: st.DataObject
) -> None:
    sizes = len(first[1]), len(second[1])
    places = [data.draw(some_asked_together(section)) for section in (first, second)]
    length = len(places[0]) + len(places[1])
    # Exchangeable truths: how likely one is depends only on the number of its yeses.
    truths = {x: Fraction(weights[sum(x)]) for x in product((0, 1), repeat=sum(sizes))}
    total = sum(truths.values())
    supports = [sum(w for x, w in truths.items() if all(x[:size])) / total for size in range(1, length + 1)]
    moment, share = Fraction(0), Fraction(1)
    for x, weight in truths.items():
        of_first = second_moment(first, places[0], x[: sizes[0]])
        moment += weight / total * of_first * second_moment(second, places[1], x[sizes[0] :])
    for (_, noise, asked), chosen in zip((first, second), places, strict=True):
        drawn = [set(chosen) <= set(subset) for subset in combinations(range(len(noise)), asked)]
        share *= Fraction(sum(drawn), len(drawn))
    parts = list(zip(map(part_of, (first, second)), places, strict=True))
    found = present(itemset_error_curve(parts, SupposedSupports(tuple(map(float, supports)))))
    assert found.variance == pytest.approx(float((moment - supports[-1] ** 2) / share))
    assert found.error_for(1000).base == pytest.approx(float(1000 * share))


@given(st.lists(yes_no_sections(), min_size=1, max_size=3), st.integers(1, 3))
def test_mean_error_equals_averaging_each_itemset(sections: list[Section], length: int) -> None:
    parts = [part_of(section) for section in sections]
    supposed = SupposedSupports((0.2, 0.07, 0.03), open_share=0.3)
    questions = [(place, question) for place, part in enumerate(parts) for question in range(len(part.noise))]
    each = []
    for itemset in combinations(questions, length):
        own = [[question for place, question in itemset if place == at] for at in range(len(parts))]
        each.append(itemset_error_curve(list(zip(parts, own, strict=True)), supposed))
    found = error_curve(parts, length, supposed)
    if not each or None in each:
        assert found is None
        return
    assert found is not None
    assert found.second == pytest.approx(np.mean([one.second for one in each if one]))
    assert found.scarcity == pytest.approx(np.mean([one.scarcity for one in each if one]))


SIMULATED = [
    ([(0.5, 0.5, 1, 1)], [[0]], 0.0, "alone"),
    ([(0.36, 0.6, 3, 3)], [[0, 1]], 0.0, "pair"),
    ([(0.6, 0.4, 2, 4)], [[1, 3]], 0.0, "rotated pair"),
    ([(0.5, 0.5, 2, 2), (0.7, 0.3, 1, 2)], [[0], [1]], 0.0, "across"),
    ([(0.5, 0.5, 2, 2), (0.7, 0.3, 2, 2)], [[0, 1], [1]], 0.4, "across with open"),
]


@pytest.mark.at_push(3)
@pytest.mark.proof
@pytest.mark.parametrize("alike", [False, True], ids=["independent", "all alike"])
@pytest.mark.parametrize(("sections", "items", "k", "name"), SIMULATED, ids=[row[3] for row in SIMULATED])
def test_the_expected_errors_are_those_of_a_simulation(
    sections: list[tuple[float, float, int, int]], items: list[list[int]], k: float, name: str, alike: bool
) -> None:
    n, runs, prevalence = 300, 3000, 0.3
    random = np.random.default_rng(20)
    one_truth = random.random((runs, n)) < prevalence
    is_open = random.random((runs, n)) < k
    base, held, score = np.ones((runs, n), bool), np.ones((runs, n), bool), np.ones((runs, n))
    for (keep, noise, asked, questions), wanted in zip(sections, items, strict=True):
        shape = (runs, n, questions)
        truth = one_truth[..., None] | np.zeros(shape, bool) if alike else random.random(shape) < prevalence
        kept = random.random((runs, n, 1)) < keep
        said = np.where(kept, truth, random.random(shape) < noise)
        if asked < questions:
            order = random.random(shape).argsort(axis=-1).argsort(axis=-1)
            base &= (order[..., wanted] < asked).all(axis=-1)
        held &= truth[..., wanted].all(axis=-1)
        score *= (said[..., wanted].all(axis=-1) - (1 - keep) * noise ** len(wanted)) / keep
    score = np.where(is_open, held, score)
    estimates = (score * base).sum(axis=1) / base.sum(axis=1)
    length = sum(map(len, items))
    supports = tuple(prevalence if alike else prevalence**size for size in range(1, length + 1))
    parts = [
        (SectionParameters(keep, (noise,) * questions, asked), wanted)
        for (keep, noise, asked, questions), wanted in zip(sections, items, strict=True)
    ]
    expected = present(itemset_error_curve(parts, SupposedSupports(supports, k))).error_for(n)
    # 3,000 runs know a standard deviation to 1.3 %, a mean deviation to 1.4 %.
    assert estimates.std() == pytest.approx(expected.se, rel=0.05)
    assert np.abs(estimates - held.mean(axis=1)).mean() == pytest.approx(expected.expected_w, rel=0.055)
    assert estimates.mean() == pytest.approx(supports[-1], abs=4 * expected.se / sqrt(runs))
