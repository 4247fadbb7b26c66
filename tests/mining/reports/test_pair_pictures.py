"""Numbers in the squares of the heatmap of pairs."""

from itertools import combinations

import pytest

from mining.reports.content import Pair
from mining.reports.naming import Naming
from mining.reports.pictures import pairs
from mining.reports.pictures.picture import Picture
from tests.intake import asked
from tests.mining.reports.test_pictures import NAMING, PAIRS


@pytest.mark.slow
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
    known = [Pair((f"q{a}=yes", f"q{b}=yes"), 2.0, 1.5, 2.5) for a, b in combinations(range(answers), 2)]
    picture = pairs.picture(known, Naming(design))
    assert picture
    return picture


@pytest.mark.slow
def test_a_pair_that_may_be_chance_has_no_number() -> None:
    found = pairs.picture([PAIRS[1]], NAMING)
    assert found
    specification = found.draw(700)
    assert "usermeta" not in specification
    assert {row["number"] for rows in specification["datasets"].values() for row in rows} == {""}
