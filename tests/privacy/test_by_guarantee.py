"""The keep, the rotation and the preset that a limit admits, by hand, by brute force and by trying all."""

from fractions import Fraction
from itertools import combinations, product
from math import comb, inf

import pytest
from hypothesis import given, strategies as st

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.expected_error import SectionParameters, SupposedSupports, max_inverse_asked_share
from privacy.guarantee.presets import BEFORE, PRESETS, best_section_law, limit_per_section
from privacy.guarantee.section_layouts import (
    LayoutAim,
    admissible_keep,
    best_one_section_layout,
    one_section_layout,
    one_section_layouts,
)
from privacy.kinds.grouped.law import SectionLaw
from tests.privacy.strategies import Section, brute_gamma, present, sections

HALF = (Fraction(1, 2), Fraction(1, 2))
AT_MOST_19 = GammaLimit(Fraction(19), strict=False)
NEVER_A_HALF = GammaLimit.never_reaches(Fraction(1, 20), Fraction(1, 2))
NEVER_ABOVE_A_HALF = GammaLimit.never_exceeds(Fraction(1, 20), Fraction(1, 2))
TEN = LayoutAim((HALF,) * 10, AT_MOST_19, SupposedSupports((0.1, 0.03, 0.01)))


def keep_in_ten_thousandths(asked: int, limit: GammaLimit, questions: int | None = None) -> int | None:
    """The admissible keep of yes/no questions with even noise, in ten-thousandths."""
    keep = admissible_keep((HALF,) * (questions or asked), asked, limit)
    return None if keep is None else int(keep * 10_000)


def test_largest_keep_within_a_limit_by_hand() -> None:
    asked = (1, 2, 3, 5, 8, 10, 20)
    assert [keep_in_ten_thousandths(n, AT_MOST_19) for n in asked] == [9000, 8181, 6923, 3600, 656, 172, None]
    # That five percent never becomes a half is strict, that it never exceeds a half is not.
    assert [keep_in_ten_thousandths(n, NEVER_A_HALF) for n in asked[1:-1]] == [8181, 6923, 3599, 656, 172]
    assert keep_in_ten_thousandths(5, NEVER_ABOVE_A_HALF) == 3600
    # Rotation is as admissible as asking only those; no keep amplifies by nothing, and none is one.
    assert keep_in_ten_thousandths(3, AT_MOST_19, questions=10) == keep_in_ten_thousandths(3, AT_MOST_19)
    one = Fraction(1)
    assert {
        keep_in_ten_thousandths(1, GammaLimit(*of)) for of in ((one, True), (one, False), (one / 2, False))
    } == {None}
    assert keep_in_ten_thousandths(1, GammaLimit(Fraction(10**9), False)) == 9999
    # The last place counts only where the limit is not strict.
    gamma = SectionLaw(Fraction(1, 10_000), (HALF,), 1).gamma
    assert [keep_in_ten_thousandths(1, GammaLimit(gamma, strict)) for strict in (False, True)] == [1, None]
    # The questions with the least noise count: (19 - 1) * .1 * .2 = .36, .36 / 1.36 = .26470...
    noise = (HALF, (Fraction(1, 10), Fraction(9, 10)), (Fraction(1, 5), Fraction(4, 5)))
    assert admissible_keep(noise, 2, AT_MOST_19) == Fraction(2647, 10_000)


@pytest.mark.proof
@given(sections(questions=5, most_work=300), st.integers(1001, 100_000), st.booleans())
def test_found_keep_is_admissible_and_the_next_is_not(
    section: Section, thousandths: int, strict: bool
) -> None:
    _, noise, asked = section
    limit = GammaLimit(Fraction(thousandths, 1000), strict)
    rows = tuple(tuple(Fraction(part, sum(row)) for part in row) for row in noise)
    keep = admissible_keep(rows, asked, limit) or Fraction(0)
    kept = int(keep * 10_000)
    assert keep == Fraction(kept, 10_000)
    assert not kept or limit.admits(brute_gamma((kept, 10_000), noise, asked))
    assert kept == 9999 or not limit.admits(brute_gamma((kept + 1, 10_000), noise, asked))


def test_asking_three_of_ten_has_22_to_30_times_less_error_than_asking_all() -> None:
    for percent in range(1, 100):
        aim = LayoutAim((HALF,) * 10, AT_MOST_19, SupposedSupports((percent / 100,)))
        three, all_ten = present(one_section_layout(aim, 3)), present(one_section_layout(aim, 10))
        assert 22 <= (all_ten.variance(1) / three.variance(1)) ** 0.5 <= 30.05


def test_best_number_to_ask_is_found_and_grows_with_itemset_size() -> None:
    laws = [layout.sections[0].law for layout in one_section_layouts(TEN)]
    assert [law.asked for law in laws] == list(range(1, 11))
    assert laws[2].keep == Fraction(6923, 10_000)
    for length, asked in ((1, 2), (2, 3), (3, 4)):
        best = present(best_one_section_layout(LayoutAim(TEN.noise, TEN.limit, TEN.supposed, length)))
        # by hand: P* (1 - P*) / (p^2 r), P* = pP + (1-p) / 2^length
        variances = {}
        for drawn in range(length, 11):
            odds = 18 / 2**drawn
            p = int(odds / (1 + odds) * 10_000) / 10_000
            seen = p * (0.1, 0.03, 0.01)[length - 1] + (1 - p) / 2**length
            share = comb(10 - length, drawn - length) / comb(10, drawn)
            variances[drawn] = seen * (1 - seen) / p**2 / share
        assert min(variances, key=variances.__getitem__) == best.sections[0].law.asked == asked
        assert best.variance(length) == pytest.approx(variances[asked])
    layout = present(one_section_layout(TEN, 2))
    assert (layout.error_curves[2], layout.errors(1000)[2], layout.variance(3)) == (None, None, inf)


# --- presets


def test_presets_state_the_posterior_of_a_5_percent_suspicion() -> None:
    """Odds of 1/19: times 19/3 is 1/3, times 19 is 1, times 57 is 3."""
    assert Fraction(1, 20) == BEFORE
    assert [each.limit.gamma for each in PRESETS.values()] == [Fraction(19, 3), 19, 57]
    assert not any(each.limit.strict for each in PRESETS.values())


def test_section_keeps_as_much_as_its_share_of_the_limit_allows() -> None:
    """18/2 is .9 to .1; 18/4 = 4.5 is .8181; .2/2 = .1 is .0909, of which
    one of two has 1.35 times less error than .0476 of both."""
    for gamma, questions, asked, keep in ((19, 1, 1, "0.9"), (19, 4, 2, "0.8181"), (1.2, 2, 1, "0.0909")):
        law = present(best_section_law((HALF,) * questions, GammaLimit(Fraction(str(gamma)), strict=False)))
        assert (law.asked, law.keep) == (asked, Fraction(keep))
    assert best_section_law((HALF,), GammaLimit(Fraction(1), strict=False)) is None
    for number in (1, 2, 3, 7):
        share = limit_per_section(GammaLimit(Fraction(19), strict=True), number)
        assert share.strict
        assert 18.99 < share.gamma**number <= 19


def test_itemset_asked_of_fewest_people_matches_brute_force() -> None:
    for shapes in product([(1, 1), (3, 1), (3, 2), (4, 2), (5, 5)], repeat=2):
        many = [SectionParameters(0.5, (0.5,) * size, asked) for size, asked in shapes]
        places = [(number, row) for number, (size, _asked) in enumerate(shapes) for row in range(size)]
        for length in range(1, min(3, len(places)) + 1):
            worst = 1.0
            for itemset in combinations(places, length):
                share = 1.0
                for number, part in enumerate(many):
                    size = sum(each[0] == number for each in itemset)
                    share *= part.share_asked_together(size) if size <= part.asked else 0
                worst = min(worst, share)
            assert max_inverse_asked_share(many, length) == (pytest.approx(1 / worst) if worst else inf)
