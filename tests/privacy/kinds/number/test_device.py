"""Every coin of small numbers, against their law; tests/privacy/mechanisms compares both languages."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
import pytest

from privacy.designs import Design
from privacy.kinds.number.form import ThresholdsQuestion, WindowSection
from privacy.kinds.number.thresholds_device import moved
from privacy.mechanisms.coins import Coins, sides
from privacy.mechanisms.disguise import disguised_codes
from privacy.records import DISGUISED, OPEN
from privacy.simulation.disguise import disguise
from tests.privacy.questionnaires import design, thresholds, window

pytestmark = pytest.mark.proof
MODULUS = 4
"""Every probability below is a multiple of a quarter."""
SMALL = [
    design(window("a", 5, 1, "0.25"), open_answers=True),
    design(thresholds("a", "0.75", 0, 3, 5, 9), open_answers=True),
    design(thresholds("a", "0.25", -2, 0, 4, step=2, mean=True), open_answers=True),
]


def enumerated(of: Design, group: int, true: int) -> dict[int, Fraction]:
    """By code how likely it is, from every tuple of coins."""
    numbers = sides(of, MODULUS)
    found = Counter(
        disguised_codes(of, Coins(coins, MODULUS), group, [true])[0]
        for coins in product(*map(range, numbers))
    )
    return {code: Fraction(count, prod(numbers)) for code, count in found.items()}


def by_definition(of: Design, true: int) -> dict[int, Fraction]:
    (section,) = of.sections
    (question,) = section.questions
    if isinstance(section, WindowSection):
        law = section.law.law
        return {code: law.probability(true, code) for code in range(question.codes)}
    assert isinstance(question, ThresholdsQuestion)
    number, keep = question.number(true), Fraction(section.mined.keep_parts, 10_000)
    share: dict[int, Fraction] = {}
    for place, threshold in enumerate(question.thresholds):
        below = question.points[place]
        above = Fraction(number >= threshold)
        if question.mean:
            above = min(max(Fraction(number - below, threshold - below), Fraction(0)), Fraction(1))
        yes = (keep * above + (1 - keep) / 2) / len(question.thresholds)
        share |= {2 * place: Fraction(1, len(question.thresholds)) - yes, 2 * place + 1: yes}
    return share


@pytest.mark.parametrize("of", SMALL)
def test_every_tuple_of_coins_gives_exactly_the_stated_law(of: Design) -> None:
    for true in range(of.questions[0].true_codes):
        expected = {code: chance for code, chance in by_definition(of, true).items() if chance}
        assert enumerated(of, DISGUISED, true) == expected


@pytest.mark.parametrize("of", SMALL)
def test_no_record_changes_the_odds_of_two_numbers_by_more_than_gamma(of: Design) -> None:
    law = of.sections[0].law
    assert law is not None
    rows = [by_definition(of, true) for true in range(of.questions[0].true_codes)]
    assert max(one[code] / other[code] for one in rows for other in rows for code in one) == law.gamma


def test_an_open_number_goes_out_as_it_is() -> None:
    assert enumerated(SMALL[0], OPEN, 3) == {3: 1}
    third = Fraction(1, 3)
    assert enumerated(SMALL[1], OPEN, 4) == {1: third, 2: third, 4: third}


def test_moved_numbers_follow_the_example() -> None:
    """Number 24 of the vectors: 4 between 3 and 5, L = 12."""
    (of,) = design(thresholds("a", "0.5", 0, 3, 5, 9, mean=True)).questions
    assert isinstance(of, ThresholdsQuestion)
    assert of.multiple == 12
    assert [moved(of, 4, coin) for coin in range(12)] == [5] * 6 + [3] * 6
    assert {moved(of, point, coin) == point for point in (0, 3, 5, 9) for coin in range(12)} == {True}


def test_a_number_is_moved_up_in_proportion_to_its_distance() -> None:
    """Number 25 of the vectors."""
    (of,) = design(thresholds("a", "0.7142", 0, 500, 1000, 2000, 5000, 10000, mean=True)).questions
    assert isinstance(of, ThresholdsQuestion)
    assert of.multiple == 15_000
    assert (moved(of, 1700, 10_499), moved(of, 1700, 10_500)) == (2000, 1000)


@pytest.mark.parametrize("of", SMALL)
def test_simulated_respondents_follow_the_same_law(of: Design) -> None:
    n, rng = 40_000, np.random.default_rng(3)
    for true in range(of.questions[0].true_codes):
        truth = np.full((1, n), true, np.uint8)
        codes = disguise(of, np.full(n, DISGUISED, np.uint8), truth, rng)[0]
        for code, chance in by_definition(of, true).items():
            share = float(chance)
            assert abs((codes == code).mean() - share) < 5 * (share * (1 - share) / n) ** 0.5 + 1e-12
