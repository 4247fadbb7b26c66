from fractions import Fraction
from math import sqrt

import pytest

from ui.worked_example import WorkedExample, record_squares, shares_picture


def test_estimate_subtracts_the_random_yes() -> None:
    r = WorkedExample()
    # (431 - 300) / 500
    assert r.estimate == pytest.approx(0.262)
    assert (r.by_chance, r.random_yeses, r.true_yeses, r.truthful_records) == (500, 300, 131, 500)
    # Without disguise it is what was received.
    assert WorkedExample(keep=1.0).estimate == r.observed


def test_the_interval_the_posterior_and_the_worth_of_the_example_are_those_by_hand() -> None:
    # The interval ends where the received share is 1.96 errors away.
    for end in WorkedExample().interval:
        sent = 0.5 * end + 0.3
        assert abs(0.431 - sent) == pytest.approx(1.96 * sqrt(sent * (1 - sent) / 1000))
    # One yes moves a quarter to eight seventeenths: .25 * .8 against .75 * .3
    assert WorkedExample().posterior_after_yes == pytest.approx(float(Fraction(8, 17)))
    # A thousand disguised are worth 192 open ones: .25 * .75 / 192 is the variance of .425 * .575 / (1000 * .25)
    assert WorkedExample().equivalent_answers == pytest.approx(0.1875 / (0.425 * 0.575 / 250))
    assert round(WorkedExample().equivalent_answers) == 192


def test_wall_shows_the_received_share_of_yes() -> None:
    drawn = record_squares(WorkedExample())
    assert (len(drawn), sum(square.yes for square in drawn)) == (100, 43)
    assert len({(square.x, square.y) for square in drawn}) == 100


def test_picture_shows_the_truth_inside_the_interval() -> None:
    picture = shares_picture(WorkedExample())
    assert (picture.truth, picture.estimate, picture.received) == (125, 131, 216)
    assert picture.low < picture.truth < picture.estimate < picture.high < picture.received
