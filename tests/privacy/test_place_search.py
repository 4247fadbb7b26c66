"""The near cells and odds that a guarantee allows a place, against every setting that there is."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import asin, cos, exp, radians, sin, sqrt

import numpy as np
import pytest

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.best_place_settings import Wanted, best_place_level, largest_odds, place_errors
from privacy.kinds.place.law import PlaceLaw, PlaceLevel
from privacy.kinds.place.section import PlaceQuestion, with_level
from tests.privacy.kinds.place.test_form import read
from tests.privacy.questionnaires import design, grid, place, refusal
from tests.privacy.strategies import place_probabilities

WITHIN = GammaLimit(Fraction(369, 50), strict=False)
LIMITS = [GammaLimit(Fraction(3, 2), strict=False), WITHIN, GammaLimit(Fraction(60), strict=False)]
WANTED: list[Wanted] = ["regions", "map"]


COLUMNS = read(place("home", grid(6, 4), (0, 1, 6, 7, 12, 13), (2, 3, 4, 8, 9, 10, 14, 15), near=1))
PIECES = read(place("home", [(x * x, 0) for x in range(12)], (0, 11, 1, 10), (4, 5, 6), (8, 2, 3)))
"""Two regions of pieces that are farther from each other than from a cell of another region."""
WHOLE = read(place("home", grid(10, 10), range(100)))
LEANING = [float(1 + cell % 5) for cell in range(24)]


def by_definition(law: PlaceLaw, prior: Sequence[float], people: int) -> tuple[list[float], float, float]:
    """Standard errors of all shares, squared distance and that of the best constant, cell by cell."""
    inside, cells = list(law.cells_in_regions), range(len(law.points))
    rows = [list(map(float, place_probabilities(law, x))) for x in cells]
    errors = []
    for region in [*law.regions, *[law.cells_outside_regions] * bool(law.cells_outside_regions)]:
        sent = sum(prior[x] * rows[x][y] for x in cells for y in region) / sum(prior)
        # The score is linear in whether the region was received, so its variance is r (1 - r) / b^2.
        errors.append(sqrt(sent * (1 - sent) / people) / float(law.keep))
    within = sum(prior[x] for x in inside)

    def weighted_distance(x: int, y: int) -> float:
        squares = ((a - b) ** 2 for a, b in zip(law.points[x], law.points[y], strict=True))
        return prior[x] / within * sum(squares)

    distance = sum(rows[x][y] * weighted_distance(x, y) for x in inside for y in inside)
    return errors, distance, min(sum(weighted_distance(x, y) for x in inside) for y in inside)


TWO_LEVELS = place("home", grid(6, 4), (0, 1, 6, 7, 12, 13), (2, 3, 4, 8, 9, 10), near=5, odds="7.38")
TWO_LEVELS["questions"][0]["regions"][1] |= {"near": 2, "odds": "16.95"}
CASES = [
    (COLUMNS, [1.0] * 24),
    (with_level(COLUMNS, PlaceLevel(4, 738)), LEANING),
    (PIECES, [float(x) for x in range(12)]),
    (read(place("home", grid(2, 2), (0, 3), (1, 2))), [1.0, 2.0, 3.0, 4.0]),
]


def test_place_errors_match_their_definition() -> None:
    for question, prior in [*CASES, (read(TWO_LEVELS), LEANING)]:
        found = place_errors(question, 800, prior)
        errors, distance, constant = by_definition(question.law, prior, 800)
        assert [each.se for each in found.choices] == pytest.approx(errors)
        assert (found.squared_distance, found.constant) == pytest.approx((distance, constant))
        assert sum(each.share for each in found.choices) == pytest.approx(1)
        assert [each.name for each in found.choices] == [choice.name for choice in question.item_choices]
    assert place_errors(COLUMNS, 800) == place_errors(COLUMNS, 800, [3.0] * 24)
    for prior in ([1.0] * 23, [-1.0] + [1.0] * 23, [float(x % 6 == 5) for x in range(24)]):
        with pytest.raises(ValueError, match=r"prior|inside"):
            place_errors(COLUMNS, 1_000, prior)


def test_distance_on_land_is_in_kilometres() -> None:
    """By the haversine; on ways of some hundred kilometres it is a straight line to a thousandth."""
    points = [(800 + 90 * x, 4700 + 70 * y) for x, y in grid(4, 3)]
    regions = (0, 4, 1, 5), (2, 3, 6, 7)
    question = read(place("home", points, *regions, near=2, odds="7.38", outline="land"))
    law, prior = question.law, LEANING[: len(points)]

    def distance_in_kilometres(x: int, y: int) -> float:
        (a, b), (c, d) = ([radians(each / 100) for each in law.points[cell]] for cell in (x, y))
        part = sin((d - b) / 2) ** 2 + cos(b) * cos(d) * sin((c - a) / 2) ** 2
        return 2 * 6371.0088 * asin(sqrt(part))

    within = sum(prior[x] for x in law.cells_in_regions)
    inside = product(law.cells_in_regions, repeat=2)
    rows = {x: list(map(float, place_probabilities(law, x))) for x in law.cells_in_regions}
    squared = sum(prior[x] * rows[x][y] * distance_in_kilometres(x, y) ** 2 for x, y in inside) / within
    assert place_errors(question, 800, prior).kilometres == pytest.approx(sqrt(squared), rel=1e-3)
    assert place_errors(COLUMNS, 800).kilometres is None


def error(question: PlaceQuestion, wanted: Wanted, prior: Sequence[float]) -> float:
    found = place_errors(question, 1_000, prior)
    largest = max(each.se for each in found.choices[: len(question.regions)])
    return largest if wanted == "regions" else found.squared_distance


@pytest.mark.at_push(3)
@pytest.mark.proof
@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: f"{float(limit.gamma):.2f}")
@pytest.mark.parametrize(("question", "prior"), CASES)
def test_place_search_finds_the_least_error_within_the_limit(
    question: PlaceQuestion, prior: list[float], limit: GammaLimit, wanted: Wanted
) -> None:
    best = best_place_level(question, limit, wanted, 1_000, prior)
    chosen = with_level(question, best.level)
    assert limit.admits(chosen.law.gamma)
    assert place_errors(chosen, 1_000, prior) == best.errors
    most = min(len(region.cells) for region in question.regions)
    grid_of_odds = {101, 110, largest_odds(limit), *range(125, largest_odds(limit), 75)}
    others = [PlaceLevel(near, odds) for near in range(1, most + 1) for odds in grid_of_odds]
    least = min(error(with_level(question, level), wanted, prior) for level in others)
    assert error(chosen, wanted, prior) <= least * (1 + 1e-12)


def test_near_cells_are_a_whole_small_region_or_fewer_on_a_map() -> None:
    assert best_place_level(COLUMNS, WITHIN, "regions", 1_000).level == PlaceLevel(6, 738)
    levels = [best_place_level(WHOLE, limit, "map", 1_000).level for limit in LIMITS]
    assert [level.odds for level in levels] == [150, 738, 6000]
    # The larger the odds, the nearer the sent cell.
    assert [level.near for level in levels] == sorted((level.near for level in levels), reverse=True)
    assert 1 < levels[2].near < levels[0].near < 100


def test_limit_admits_its_largest_odds() -> None:
    assert largest_odds(WITHIN) == 738
    assert largest_odds(GammaLimit(Fraction(369, 50), strict=True)) == 737
    assert largest_odds(GammaLimit(Fraction(22, 3), strict=True)) == 733
    assert largest_odds(GammaLimit.never_reaches(Fraction(1, 20), Fraction(1, 2))) == 1899
    assert largest_odds(GammaLimit(Fraction(10**6), strict=False)) == 100_000
    none = "limit: no odds are within this limit: the smallest possible are 1.01"
    for limit in (GammaLimit(Fraction(101, 100), strict=True), GammaLimit(Fraction(1), strict=False)):
        assert refusal(best_place_level, COLUMNS, limit, "regions", 1_000).startswith(none)


def test_single_cell_for_everybody_is_as_near_for_small_odds() -> None:
    """Squared error rewards a constant answer below an epsilon of about 3."""
    for epsilon, rewards in {0.5: True, 1: True, 4: False, 6: False}.items():
        limit = GammaLimit(Fraction(exp(epsilon)), strict=False)
        errors = best_place_level(WHOLE, limit, "map", 1_000).errors
        assert errors.is_constant_better is rewards, epsilon
        assert (errors.constant <= errors.squared_distance) is rewards, epsilon


@pytest.mark.night
@pytest.mark.proof
def test_place_search_handles_the_most_cells() -> None:
    whole = read(place("home", [(10**6 * x, 10**6 * y) for x, y in grid(11, 8)], range(88)))
    many = read(place("home", grid(64, 64), range(4096)))
    few, most = (best_place_level(of, WITHIN, "map", 1_000) for of in (whole, many))
    assert 1 < few.level.near < 88
    # About as large a part of a grid is near, however fine it is.
    assert most.level.near / 4096 == pytest.approx(few.level.near / 88, rel=0.15)
    assert np.isfinite(most.errors.squared_distance)


def test_what_is_proposed_is_a_design() -> None:
    for wanted in WANTED:
        level = best_place_level(COLUMNS, WITHIN, wanted, 1_000).level
        again = with_level(COLUMNS, level).as_json()
        (found,) = design({"kind": "place", "questions": [again]}).questions
        assert found == with_level(COLUMNS, level)
