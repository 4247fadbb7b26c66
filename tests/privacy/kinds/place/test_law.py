"""The law of a place by brute force over every pair of cells, in exact fractions."""

import json
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

from privacy.designs import parse_design
from privacy.guarantee.amplification import Guarantee
from privacy.guarantee.design_guarantees import audit
from privacy.kinds.place.law import PlaceLaw, PlaceLevel
from tests.privacy.kinds.place.test_form import read
from tests.privacy.questionnaires import HALF, grid, make_design, place, question, sensitive
from tests.privacy.strategies import GridPlace, grid_places

THREE = (0, 1, 6, 7), (8, 9, 14, 15, 2), (28, 29, 34, 35, 22, 23)
SIX = place("home", grid(6, 6), *THREE, near=3, odds="7.38")


def sides_by_cell(law: PlaceLaw, x: int) -> list[int]:
    """For each cell the number of coin sides that send it if the true cell is x."""
    sent = Counter(law.cell_to_send(x, coin) for coin in range(law.coin_sides))
    return [sent[cell] for cell in range(len(law.points))]


def test_the_law_of_the_example() -> None:
    """Number 27 of the vectors of numbers, places and studies."""
    law = read(SIX).law
    assert (law.coin_sides, law.keep, law.gamma) == (3414, Fraction(319, 569), Fraction(369, 50))
    # Near cells come in the order of their distance, then of their number.
    assert (law.near_cells(7), law.near_cells(14)) == ((7, 1, 6), (14, 8, 15))
    for x, own in ((7, Fraction(1157, 1707)), (3, Fraction(200, 1707))):
        sides = sides_by_cell(law, x)
        by_region = [Fraction(sum(sides[y] for y in region), law.coin_sides) for region in law.regions]
        assert by_region == [own, Fraction(250, 1707), Fraction(100, 569)], x


@pytest.mark.proof
@given(grid_places())
def test_the_definition_is_that_of_the_law_and_each_region_a_choice(made: GridPlace) -> None:
    """A cell outside comes from itself alone, with probability b (the second condition of utility-optimised local
    privacy); each region is the choice of an unrelated question from every cell."""
    law, rows = made.law, made.weights
    assert {sum(weights) for weights in rows} == {law.coin_sides}
    for y in law.cells_outside_regions:
        assert {x: row[y] for x, row in enumerate(rows) if row[y]} == {y: law.keep * law.coin_sides}
    for x, row in enumerate(rows):
        home = law.region_by_cell.get(x, len(law.regions))
        for place_of, region in enumerate(law.regions):
            share = Fraction(len(region), len(law.cells_in_regions))
            expected = law.keep * (x in region) + (1 - law.keep) * share
            assert Fraction(sum(row[y] for y in region), law.coin_sides) == expected
            assert law.law_of_regions.probability((home,), (place_of,)) == expected


@pytest.mark.proof
@given(grid_places(largest=4), st.randoms(use_true_random=False))
def test_a_probability_is_the_share_of_coins_that_send_the_cell(made: GridPlace, rng: Any) -> None:
    law, x = made.law, rng.randrange(len(made.law.points))
    # Sides of 1,000 and more in a row send one cell: the ends of the runs say all.
    sent = [law.cell_to_send(x, coin) for coin in range(law.coin_sides)]
    for y in range(len(law.points)):
        assert made.weights[x][y] == sent.count(y)


@pytest.mark.proof
@given(grid_places())
def test_for_a_cell_inside_all_rows_are_within_the_odds(made: GridPlace) -> None:
    """The first condition of utility-optimised local privacy; with two levels, each with the odds of its own region."""
    law, rows = made.law, made.weights
    for y in law.cells_in_regions:
        least, most = min(row[y] for row in rows), max(row[y] for row in rows)
        assert Fraction(most, least) <= law.gamma
        for x in law.cells_in_regions:
            assert Fraction(rows[x][y], least) <= law.odds(law.region_by_cell[x])
            assert Fraction(rows[x][y], most) >= 1 / law.gamma


def true_gamma(law: PlaceLaw, rows: list[list[int]]) -> Fraction:
    """The largest P(y|x) / P(y|x') over x inside, y inside, x' anywhere; `rows`: Z P(y|x)."""
    return max(
        Fraction(max(rows[x][y] for x in law.cells_in_regions), min(row[y] for row in rows))
        for y in law.cells_in_regions
    )


@pytest.mark.proof
@given(grid_places())
def test_the_stated_gamma_is_the_true_one(made: GridPlace) -> None:
    """Unless all cells are in one region and near: then a record says nothing at all."""
    law = made.law
    stated, true = Guarantee((law,)).gamma, true_gamma(law, made.weights)
    assert stated >= true
    assert stated == true or len(law.cells_in_regions) == len(law.points) == law.levels[0].near


def test_odd_levels_of_small_places() -> None:
    """Where all cells are near, a record says nothing and more is stated; what fits no region is no law."""
    law = PlaceLaw(((0, 0), (1, 0)), ((0, 1),), (PlaceLevel(2, 300),))
    rows = [sides_by_cell(law, x) for x in range(len(law.points))]
    assert (true_gamma(law, rows), law.gamma) == (Fraction(1), Fraction(3))
    for level in (PlaceLevel(0, 200), PlaceLevel(3, 200), PlaceLevel(1, 100)):
        with pytest.raises(ValueError, match="does not fit"):
            PlaceLaw(((0, 0), (1, 0), (2, 0)), ((0, 1),), (level,))
    with pytest.raises(ValueError, match="differs"):
        PlaceLaw(((0, 0), (1, 0)), ((0,), (1,)), (PlaceLevel(1, 200), PlaceLevel(1, 201)))


def stated_figures(*sections: dict[str, Any]) -> Any:
    found = audit(parse_design(json.dumps(make_design(*sections))), *map(Fraction, ("0.05", "0.05", "0.5")))
    return json.loads(json.dumps(found.as_json()))


def test_an_audit_states_the_odds_for_people_inside_and_no_keep() -> None:
    (found,) = stated_figures(SIX)["sections"]
    del found["leakage"]  # tests/privacy/test_leakage.py
    # ln 7.38 = 1.9987736...; odds 1:19 times 7.38 are a probability of .279757...
    figures = {"gamma": "369/50", "epsilon": 1.998774, "posterior": 0.279758}
    assert found == figures | {"protects": "inside", "admissible_keep": None, "admissible": True}


def test_with_two_levels_the_larger_odds_are_stated_and_where_no_cell_is_outside_no_keep_either() -> None:
    (found,) = stated_figures(place("home", grid(2, 2), (0, 1), (2, 3)))["sections"]
    assert (found["gamma"], found["admissible_keep"]) == ("2/1", None)
    section = place("home", grid(3, 2), (0, 1, 2), (3, 4))
    low, high = {"near": 2, "odds": "2.5"}, {"near": 1, "odds": "4"}
    for of_question, of_region in ((high, low), (low, high)):
        section["questions"][0] |= of_question
        section["questions"][0]["regions"][1] |= of_region
        assert stated_figures(section)["sections"][0]["gamma"] == "4/1"


def test_a_person_with_a_place_and_a_question_is_protected_inside_only() -> None:
    found = stated_figures(SIX, sensitive("0.5", question("theft", *HALF)))
    # 7.38 * 3
    assert (found["person"]["gamma"], found["person"]["protects"]) == ("1107/50", "inside")
    assert found["together"]["breaks"] == ["sections[0]", "sections[1]"]
    assert "nothing is promised to anybody outside them" in found["together"]["says"]
    assert found["sections"][1]["admissible_keep"] == "0.8999"
