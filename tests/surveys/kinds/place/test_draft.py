"""A place in a draft: any JSON becomes orderly, what is unfinished stays, what is finished becomes a design."""

import json
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from importing import candor_format
from importing.draft_check import MOST_TEXTS, too_large_reason
from importing.faults import FileRefused
from privacy.kinds.place.section import MOST_SHAPES, PlaceSection
from surveys.kinds.place.map_cell_creation import Corners, grid_cells, spreadsheet_cell_name
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.design_from_draft import freeze_design
from surveys.lifecycle.draft_problems import draft_problems
from surveys.questionnaire.problems_and_refusals import path_in_words
from tests.builder.written import NORTH, SOUTH, grid, place, region, stored as written
from tests.surveys.drafts import complete, said

pytestmark = pytest.mark.page
TODAY = date(2026, 12, 1)


def normalized(given: Any) -> Any:
    return read_questionnaire(given).as_json()


def question(given: Any) -> Any:
    return given["sections"][0]["questions"][0]


def test_a_finished_place_is_in_order_becomes_a_design_and_comes_back_from_our_own_file() -> None:
    made = written(place("home", {**NORTH, "near": 4, "odds": "4.19"}, SOUTH, outline="land"))
    assert normalized(made) == made
    [section] = freeze_design(made).sections
    assert isinstance(section, PlaceSection)
    found = section.question
    assert [each.name for each in found.regions] == ["north", "south"]
    assert (found.level.near, found.level.odds, found.outline) == (2, 738, "land")
    assert draft_problems(made, TODAY, 20) == []
    made = written(place("home", outline=[[0, 0, 9, 0, 9, 9]]))
    again = candor_format.read(candor_format.write(made))
    assert again["sections"] == made["sections"]
    assert freeze_design(again).fingerprint == freeze_design(made).fingerprint


def changed(**change: Any) -> dict[str, Any]:
    return {"kind": "place", "questions": [{**place("home")["questions"][0], **change}]}


def test_an_unfinished_place_comes_back_and_names_what_is_missing() -> None:
    for unfinished in (
        place("home", {**NORTH, "cells": []}),
        place("home", SOUTH, near=4),
        place("home", region("west", "A1"), near=3),
        changed(regions=[]),
        changed(cells=[], regions=[]),
    ):
        made = written(unfinished)
        assert candor_format.read(candor_format.write(made))["sections"] == made["sections"]
        [found] = [each for each in draft_problems(made, TODAY, 20) if each.path.startswith("sections[0]")]
        assert found.path.startswith("sections[0].questions[0].")


def test_a_wrong_place_in_a_file_is_refused_with_place_and_reason() -> None:
    odds, many = "must lie between 1.01 and 1000.00", [{"name": f"c{n}", "at": [n, 0]} for n in range(4097)]
    here = {**NORTH, "near": 4, "odds": "4.18"}
    excess = "near times (odds - 1) differs from that of the question, so shares cannot be told"
    changes: list[tuple[dict[str, Any], str, str]] = [
        ({"odds": "1.00"}, ".odds", odds),
        ({"odds": "1000.01"}, ".odds", odds),
        ({"near": 0}, ".near", "must lie between 1 and 4096"),
        (
            {"regions": [NORTH, {**SOUTH, "cells": ["A1", "A3"]}]},
            ".regions[1].cells[1]",
            "'A3' lies in the region 'north' already",
        ),
        ({"regions": [{**NORTH, "cells": ["Z9"]}]}, ".regions[0].cells[0]", "no cell is called 'Z9'"),
        ({"cells": many}, ".cells", "at most 4096 cells"),
        ({"regions": [here, SOUTH]}, ".regions[0]", excess),
    ]
    for change, path, why in changes:
        draft = {**complete(), "sections": [changed(**change)], "expected": 5}
        with pytest.raises(FileRefused) as refused:
            candor_format.read(json.dumps(draft).encode())
        [fault] = refused.value.faults
        assert (fault.location, fault.reason) == (f"sections[0].questions[0]{path}", why)


def test_cells_that_stand_together_are_moved_apart_and_one_of_two_regions_stays_in_the_first() -> None:
    cells = [{"name": "A", "at": [0, 0]}, {"name": "A", "at": [0, 0]}, {"name": "elsewhere"}, {"at": "x"}]
    made = question(written(place("home", region("r", "A"), cells=cells)))
    assert [each["at"] for each in made["cells"]] == [[0, 0], [1, 0], [2, 0], [3, 0]]
    names = [each["name"] for each in made["cells"]]
    assert len(set(names)) == 4
    assert "elsewhere" not in names
    made = question(written(place("home", NORTH, region("west", "A1", "A3", "Z9"))))
    assert [each["cells"] for each in made["regions"]] == [NORTH["cells"], ["A1"]]


def test_regions_need_a_label_in_every_language_and_cells_in_all_or_none() -> None:
    cells = [{**each, "label": said("Harbour")} if each["name"] == "A1" else each for each in grid()]
    made = written(place("home", cells=cells), languages=["en", "fr"])
    found = {
        each.path: each.reason for each in draft_problems(made, TODAY, 20) if "questions[0]." in each.path
    }
    path = "sections[0].questions[0]"
    assert found[f"{path}.regions[0].label.fr"] == "required in French"
    assert found[f"{path}.cells.fr"] == "1 label is missing in French"
    assert path_in_words(f"{path}.regions[1].label") == "Section 1, question 1, region 2, label"


def test_labels_of_cells_count_as_texts_and_cells_without_do_not() -> None:
    cells: list[dict[str, Any]] = [{"name": f"c{number}", "at": [number, 0]} for number in range(4096)]
    section = place("home", region("r", "c1"), near=1, cells=cells)
    assert too_large_reason({"sections": [section], "languages": ["en"]}) == ""
    labelled = [{**each, "label": dict.fromkeys("abcdefg", "x")} for each in cells]
    assert MOST_TEXTS < 7 * 4096
    many = place("home", region("r", "c1"), near=1, cells=labelled)
    assert "hold more questions and answers" in too_large_reason({"sections": [many], "languages": ["en"]})


words = st.sampled_from(["land", "7.38", "A1", "elsewhere"])
keys = st.sampled_from(
    ["name", "cells", "regions", "at", "shape", "near", "odds", "outline", "label", "en", "text"]
)
values = st.recursive(
    st.none() | st.integers(-3, 9) | st.text(max_size=3) | words,
    lambda inner: st.lists(inner, max_size=7) | st.dictionaries(keys, inner, max_size=6),
    max_leaves=25,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(["cells", "regions", "near", "odds", "outline", "name"]), values))
def test_any_json_becomes_an_orderly_place(given: dict[str, Any]) -> None:
    made = normalized({"sections": [{"kind": "place", "questions": [given]}]})
    assert normalized(made) == made
    names = [each["name"] for key in ("cells", "regions") for each in question(made)[key]]
    assert len(set(names)) == len(names)
    assert draft_problems(made, TODAY, 20)


# The cells of a grid; what the page refuses of one is in tests/importing/test_place_cells.py.


def test_cells_stand_row_by_row_from_the_north_west_and_with_corners_in_hundredths_of_a_degree() -> None:
    found = grid_cells(2, 2, None)
    places = [("A1", (1, 3)), ("B1", (3, 3)), ("A2", (1, 1)), ("B2", (3, 1))]
    assert [(cell.name, cell.at) for cell in found] == places
    assert found[3].shape == ((2, 0, 4, 0, 4, 2, 2, 2),)
    found = grid_cells(2, 1, Corners(Decimal("-0.5"), Decimal(1), Decimal(0), Decimal("1.1")))
    assert [cell.at for cell in found] == [(102, -25), (107, -25)]
    assert found[1].shape == ((105, -50, 110, -50, 110, 0, 105, 0),)
    columns = ((0, 0, "A1"), (25, 9, "Z10"), (26, 0, "AA1"), (701, 2, "ZZ3"), (702, 0, "AAA1"))
    for column, row, name in columns:
        assert spreadsheet_cell_name(column, row) == name, "letters as in a spreadsheet"


def test_a_grid_of_as_many_cells_as_a_place_holds_has_centres_alone_and_shapes_fit_into_a_question() -> None:
    found = grid_cells(64, 64, None)
    assert len({cell.at for cell in found}) == len({cell.name for cell in found}) == 4_096
    assert not any(cell.shape for cell in found)
    found = grid_cells(36, 36, Corners(Decimal(50), Decimal(-10), Decimal(60), Decimal(-1)))
    size = len(json.dumps([cell.shape for cell in found], separators=(",", ":")))
    assert MOST_SHAPES * 0.8 < size <= MOST_SHAPES
