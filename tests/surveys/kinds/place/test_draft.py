"""A place in a draft: any JSON becomes orderly, what is unfinished stays, what is finished becomes a design."""

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from importing import candor_format
from importing.draft_check import MOST_TEXTS, too_large_reason
from importing.faults import FileRefused
from privacy.kinds.place.section import PlaceSection
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.draft_problems import draft_problems
from surveys.lifecycle.freeze_draft import freeze_design
from surveys.questionnaire.problems_and_refusals import path_in_words
from tests.builder.placed import NORTH, SOUTH, grid, place, region
from tests.builder.written import stored as written
from tests.surveys.drafts import complete, said

pytestmark = pytest.mark.page
TODAY = date(2026, 12, 1)


def normalized(given: Any) -> Any:
    return read_questionnaire(given).as_json()


def question(given: Any) -> Any:
    return given["sections"][0]["questions"][0]


def test_a_finished_place_is_in_order_and_becomes_a_design() -> None:
    made = written(place("home", {**NORTH, "near": 4, "odds": "4.19"}, SOUTH, outline="land"))
    assert normalized(made) == made
    [section] = freeze_design(made).sections
    assert isinstance(section, PlaceSection)
    found = section.question
    assert [each.name for each in found.regions] == ["north", "south"]
    assert (found.level.near, found.level.odds, found.outline) == (2, 738, "land")
    assert draft_problems(made, TODAY, 20) == []


def test_a_design_with_a_place_comes_back_from_our_own_file() -> None:
    made = written(place("home", outline=[[0, 0, 9, 0, 9, 9]]))
    again = candor_format.read(candor_format.write(made))
    assert again["sections"] == made["sections"]
    assert freeze_design(again).fingerprint == freeze_design(made).fingerprint


@pytest.mark.parametrize(
    "unfinished",
    [
        place("home", {**NORTH, "cells": []}),
        place("home", SOUTH, near=4),
        place("home", region("west", "A1"), near=3),
        {"kind": "place", "questions": [{**place("home")["questions"][0], "regions": []}]},
        {"kind": "place", "questions": [{**place("home")["questions"][0], "cells": [], "regions": []}]},
    ],
)
def test_an_unfinished_place_comes_back_and_names_what_is_missing(unfinished: dict[str, Any]) -> None:
    made = written(unfinished)
    assert candor_format.read(candor_format.write(made))["sections"] == made["sections"]
    [found] = [each for each in draft_problems(made, TODAY, 20) if each.path.startswith("sections[0]")]
    assert found.path.startswith("sections[0].questions[0].")


@pytest.mark.parametrize(
    ("change", "path", "why"),
    [
        ({"odds": "1.00"}, "sections[0].questions[0].odds", "must lie between 1.01 and 1000.00"),
        ({"odds": "1000.01"}, "sections[0].questions[0].odds", "must lie between 1.01 and 1000.00"),
        ({"near": 0}, "sections[0].questions[0].near", "must lie between 1 and 4096"),
        (
            {"regions": [NORTH, {**SOUTH, "cells": ["A1", "A3"]}]},
            "sections[0].questions[0].regions[1].cells[1]",
            "'A3' lies in the region 'north' already",
        ),
        (
            {"regions": [{**NORTH, "cells": ["Z9"]}]},
            "sections[0].questions[0].regions[0].cells[0]",
            "no cell is called 'Z9'",
        ),
        (
            {"cells": [{"name": f"c{number}", "at": [number, 0]} for number in range(4097)]},
            "sections[0].questions[0].cells",
            "at most 4096 cells",
        ),
        (
            {"regions": [{**NORTH, "near": 4, "odds": "4.18"}, SOUTH]},
            "sections[0].questions[0].regions[0]",
            "near times (odds - 1) differs from that of the question, so shares cannot be told",
        ),
    ],
)
def test_a_wrong_place_in_a_file_is_refused_with_place_and_reason(
    change: dict[str, Any], path: str, why: str
) -> None:
    section = {"kind": "place", "questions": [{**place("home")["questions"][0], **change}]}
    with pytest.raises(FileRefused) as refused:
        candor_format.read(json.dumps({**complete(), "sections": [section], "expected": 5}).encode())
    [fault] = refused.value.faults
    assert (fault.location, fault.reason) == (path, why)


def test_cells_that_stand_together_are_moved_apart_and_keep_their_names() -> None:
    cells = [{"name": "A", "at": [0, 0]}, {"name": "A", "at": [0, 0]}, {"name": "elsewhere"}, {"at": "x"}]
    made = question(written(place("home", region("r", "A"), cells=cells)))
    assert [each["at"] for each in made["cells"]] == [[0, 0], [1, 0], [2, 0], [3, 0]]
    names = [each["name"] for each in made["cells"]]
    assert len(set(names)) == 4
    assert "elsewhere" not in names


def test_a_cell_of_two_regions_stays_in_the_first() -> None:
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


values = st.recursive(
    st.none()
    | st.integers(-3, 9)
    | st.text(max_size=3)
    | st.sampled_from(["land", "7.38", "A1", "elsewhere"]),
    lambda inner: (
        st.lists(inner, max_size=7)
        | st.dictionaries(
            st.sampled_from(
                ["name", "cells", "regions", "at", "shape", "near", "odds", "outline", "label", "en", "text"]
            ),
            inner,
            max_size=6,
        )
    ),
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
