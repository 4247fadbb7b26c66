from fractions import Fraction
from math import comb

import pytest
from hypothesis import given, strategies as st

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.expected_error import SupposedSupports
from privacy.guarantee.section_layouts import (
    Layout,
    LayoutAim,
    admissible_keep,
    best_rotation,
    one_section_layout,
    rotation_layouts,
)
from privacy.kinds.grouped.law import SectionLaw
from tests.privacy.definition import Noise, brute_gamma, sections

HALF = (Fraction(1, 2), Fraction(1, 2))
AT_MOST_19 = GammaLimit(Fraction(19), strict=False)
NEVER_A_HALF = GammaLimit.never_reaches(Fraction(1, 20), Fraction(1, 2))
TEN = LayoutAim((HALF,) * 10, AT_MOST_19, SupposedSupports((0.1, 0.03, 0.01)))


def rate(parts: int) -> Fraction:
    return Fraction(parts, 10_000)


def laid(layout: Layout | None) -> Layout:
    assert layout is not None
    return layout


def test_the_largest_keep_with_an_amplification_of_at_most_19(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, int]] = [(2, 8181), (3, 6923), (5, 3600), (8, 656), (10, 172)]
    for questions, parts in cases:
        with subtests.test(f"{questions} {parts}"):
            assert admissible_keep((HALF,) * questions, questions, AT_MOST_19) == rate(parts)


def test_that_five_percent_never_becomes_a_half_is_strict(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, int]] = [(2, 8181), (3, 6923), (5, 3599), (8, 656), (10, 172)]
    for questions, parts in cases:
        with subtests.test(f"{questions} {parts}"):
            assert admissible_keep((HALF,) * questions, questions, NEVER_A_HALF) == rate(parts)


def test_that_five_percent_never_exceeds_a_half_is_not_strict() -> None:
    limit = GammaLimit.never_exceeds(Fraction(1, 20), Fraction(1, 2))
    assert admissible_keep((HALF,) * 5, 5, limit) == rate(3600)


def test_rotation_is_as_admissible_as_asking_only_those() -> None:
    assert admissible_keep((HALF,) * 10, 3, AT_MOST_19) == admissible_keep((HALF,) * 3, 3, AT_MOST_19)


def test_the_questions_with_the_least_noise_count() -> None:
    # (19 - 1) * .1 * .2 = .36, .36 / 1.36 = .26470...
    noise = (HALF, (Fraction(1, 10), Fraction(9, 10)), (Fraction(1, 5), Fraction(4, 5)))
    assert admissible_keep(noise, 2, AT_MOST_19) == rate(2647)


def test_no_keep_amplifies_by_nothing(subtests: pytest.Subtests) -> None:
    cases: list[GammaLimit] = [
        GammaLimit(Fraction(1), True),
        GammaLimit(Fraction(1), False),
        GammaLimit(Fraction(1, 2), False),
    ]
    for limit in cases:
        with subtests.test(f"{limit!r:.60}"):
            assert admissible_keep((HALF,), 1, limit) is None


def test_twenty_questions_asked_of_everybody_admit_no_keep() -> None:
    assert admissible_keep((HALF,) * 20, 20, AT_MOST_19) is None


def test_a_keep_is_never_one() -> None:
    assert admissible_keep((HALF,), 1, GammaLimit(Fraction(10**9), False)) == rate(9999)


def test_a_keep_of_exactly_the_last_place_counts_only_where_the_limit_is_not_strict() -> None:
    gamma = SectionLaw(rate(1), (HALF,), 1).gamma
    assert admissible_keep((HALF,), 1, GammaLimit(gamma, False)) == rate(1)
    assert admissible_keep((HALF,), 1, GammaLimit(gamma, True)) is None


@pytest.mark.proof
@given(sections(questions=5, most_work=300), st.integers(1001, 100_000), st.booleans())
def test_the_keep_found_is_admitted_and_the_next_is_not(
    section: tuple[tuple[int, int], Noise, int], thousandths: int, strict: bool
) -> None:
    _, noise, asked = section
    limit = GammaLimit(Fraction(thousandths, 1000), strict)
    rows = tuple(tuple(Fraction(part, sum(row)) for part in row) for row in noise)
    keep = admissible_keep(rows, asked, limit)
    parts = 0 if keep is None else int(keep * 10_000)
    if keep is not None:
        assert keep == rate(parts)
        assert limit.admits(brute_gamma((parts, 10_000), noise, asked))
    if parts < 9999:
        assert not limit.admits(brute_gamma((parts + 1, 10_000), noise, asked))


def test_asking_three_of_ten_has_22_to_30_times_less_error_than_asking_all() -> None:
    for percent in range(1, 100):
        aim = LayoutAim((HALF,) * 10, AT_MOST_19, SupposedSupports((percent / 100,)))
        three, all_ten = laid(one_section_layout(aim, 3)), laid(one_section_layout(aim, 10))
        times = (all_ten.variance(1) / three.variance(1)) ** 0.5
        assert 22 <= times <= 30.05


def test_every_number_of_questions_to_ask_is_tried() -> None:
    assert [layout.sections[0].law.asked for layout in rotation_layouts(TEN)] == list(range(1, 11))
    assert [layout.sections[0].law.keep for layout in rotation_layouts(TEN)][2] == rate(6923)


def test_the_best_number_to_ask_grows_with_the_itemsets(subtests: pytest.Subtests) -> None:
    cases: list[tuple[int, int]] = [(1, 2), (2, 3), (3, 4)]
    for length, asked in cases:
        with subtests.test(f"{length} {asked}"):
            aim = LayoutAim(TEN.noise, TEN.limit, TEN.supposed, length)
            best = laid(best_rotation(aim))
            assert best.sections[0].law.asked == asked
            # by hand: P* (1 - P*) / (p^2 r), P* = pP + (1-p) / 2^length
            support = (0.1, 0.03, 0.01)[length - 1]
            variances = {}
            for drawn in range(length, 11):
                odds = 18 / 2**drawn
                p = int(odds / (1 + odds) * 10_000) / 10_000
                seen = p * support + (1 - p) / 2**length
                share = Fraction(comb(10 - length, drawn - length), comb(10, drawn))
                variances[drawn] = seen * (1 - seen) / p**2 / share
            assert min(variances, key=variances.__getitem__) == asked
            assert best.variance(length) == pytest.approx(variances[asked])


def test_itemsets_longer_than_what_is_asked_are_not_estimated() -> None:
    layout = laid(one_section_layout(TEN, 2))
    assert layout.error_curves[2] is None
    assert layout.errors(1000)[2] is None
    assert layout.variance(3) == float("inf")
