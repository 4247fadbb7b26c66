"""The heatmap of pairs."""

from itertools import combinations

import pytest

from mining.document.report import Pair
from reports.labels import Labels
from reports.pictures import pairs
from reports.pictures.picture import Picture
from tests.intake import asked
from tests.reports.test_pictures import LABELS, LATE, PAIRS, THEFT, drawn, named

pytestmark = pytest.mark.page


def test_numbers_are_promised_only_by_a_drawing_that_has_room_for_them() -> None:
    wide, narrow = (pairs_of(12).draw(width) for width in (700, 240))
    assert "The number in a square is its lift" in wide["usermeta"]["note"]
    assert "usermeta" not in narrow
    marks = [[layer["mark"]["type"] for layer in each["layer"]] for each in (wide, narrow)]
    assert ["text" in each for each in marks] == [True, False]
    assert "number" not in pairs_of(12).about


def pairs_of(answers: int) -> Picture:
    """All pairs of so many answers."""
    questions = [{"name": f"q{place}", "choices": ["no", "yes"]} for place in range(answers)]
    design = asked.written({"kind": "unrelated-question", "keep": "0.5", "questions": questions})
    known = [
        Pair((f"q{a}=yes", f"q{b}=yes"), 2.0, 1.5, 2.5, 1000) for a, b in combinations(range(answers), 2)
    ]
    picture = pairs.picture(known, Labels(design))
    assert picture
    return picture


def test_a_pair_that_may_be_chance_has_no_number() -> None:
    found = pairs.picture([PAIRS[1]], LABELS)
    assert found
    specification = found.draw(700)
    assert "usermeta" not in specification
    assert {row["number"] for rows in specification["datasets"].values() for row in rows} == {""}


def test_a_pair_stands_on_both_sides_of_the_diagonal() -> None:
    cells = [row for row in drawn(named("pairs")) if "more" in row]
    once = {(row["row"], row["column"]): row for row in cells}
    assert len(once) == 4
    assert {row["number"] for row in cells} == {"4.0", ""}


@pytest.mark.parametrize(
    ("lift", "more", "depth"),
    [(4.0, True, 1.0), (16.0, True, 1.0), (2.0, True, 0.53), (1.0, True, 0.06), (0.5, False, 0.53)],
)
def test_a_cell_is_the_darker_the_further_from_chance(lift: float, more: bool, depth: float) -> None:
    cell = pairs.cell(Pair((THEFT, LATE), lift, 0.1, 0.2, 1000), lift, LABELS, THEFT, LATE)
    assert (cell["more"], cell["depth"]) == (more, depth)


def test_a_lift_that_noise_put_below_nothing_is_shown_as_it_is() -> None:
    cell = pairs.cell(Pair((THEFT, LATE), -0.9, None, None, 1000), -0.9, LABELS, THEFT, LATE)
    assert (cell["says"], cell["more"]) == ("Yes · Theft + Yes · Late: −0.9", False)


def test_on_a_phone_the_pairs_have_numbers_and_a_key_below() -> None:
    phone, wide = named("pairs").draw(358), named("pairs").draw(700)
    assert phone["title"]["text"] == ["1 Yes · Theft", "2 Yes · Late", "3 Yes · Cash"]
    assert {row["row"] for rows in phone["datasets"].values() for row in rows} == {"1", "2", "3"}
    assert "title" not in wide
    assert "1 Yes · Theft" in {row["row"] for rows in wide["datasets"].values() for row in rows}
