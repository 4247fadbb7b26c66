"""Presets of protection, and how rarely the rarest itemset is asked, by trying all."""

from fractions import Fraction
from itertools import combinations, product
from math import inf

import pytest

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.expected_error import SectionParameters, max_inverse_asked_share
from privacy.guarantee.presets import BEFORE, PRESETS, best_section_law, split_limit

HALVES = (Fraction(1, 2), Fraction(1, 2))


def test_presets_say_what_a_suspicion_of_one_in_twenty_becomes() -> None:
    """Odds of 1/19: times 19/3 is 1/3, times 19 is 1, times 57 is 3."""
    assert Fraction(1, 20) == BEFORE
    assert [each.limit.gamma for each in PRESETS.values()] == [Fraction(19, 3), 19, 57]
    assert not any(each.limit.strict for each in PRESETS.values())


def test_a_section_keeps_as_much_as_its_share_allows(subtests: pytest.Subtests) -> None:
    """18/2 is .9 to .1; 18/4 = 4.5 is .8181; .2/2 = .1 is .0909, of which
    one of two has 1.35 times less error than .0476 of both."""
    cases: list[tuple[Fraction | int, int, int, str]] = [
        (19, 1, 1, "0.9"),
        (19, 4, 2, "0.8181"),
        (Fraction(6, 5), 2, 1, "0.0909"),
    ]
    for gamma, questions, asked, keep in cases:
        with subtests.test(f"{gamma!r:.60} {questions}"):
            law = best_section_law((HALVES,) * questions, GammaLimit(Fraction(gamma), strict=False))
            assert law is not None
            assert (law.asked, law.keep) == (asked, Fraction(keep))


def test_a_share_that_admits_nothing_gives_no_section() -> None:
    assert best_section_law((HALVES,), GammaLimit(Fraction(1), strict=False)) is None


def test_equal_shares_stay_within_the_limit(subtests: pytest.Subtests) -> None:
    for sections in [1, 2, 3, 7]:
        with subtests.test(f"{sections}"):
            limit = GammaLimit(Fraction(19), strict=True)
            share = split_limit(limit, sections)
            assert share.strict
            assert 18.99 < share.gamma**sections <= 19


def test_the_itemset_asked_of_the_fewest_is_found_by_trying_all() -> None:
    for shapes in product([(1, 1), (3, 1), (3, 2), (4, 2), (5, 5)], repeat=2):
        parts = [SectionParameters(0.5, (0.5,) * size, asked) for size, asked in shapes]
        places = [(number, row) for number, (size, _asked) in enumerate(shapes) for row in range(size)]
        for length in (1, 2, 3):
            if length > len(places):
                continue
            worst = 1.0
            for itemset in combinations(places, length):
                share = 1.0
                for number, part in enumerate(parts):
                    size = sum(each[0] == number for each in itemset)
                    share *= part.share_asked_together(size) if size <= part.asked else 0
                worst = min(worst, share)
            assert max_inverse_asked_share(parts, length) == (pytest.approx(1 / worst) if worst else inf)
