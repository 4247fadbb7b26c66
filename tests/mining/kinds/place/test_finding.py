"""What a run says of a place, and its JSON."""

import json
from dataclasses import replace

import numpy as np
import pytest

from mining.kinds.place.kind import make_node, place_to_json
from mining.kinds.place.report_node import place_node
from mining.report.json_codec import dump, load
from mining.report.place_nodes import OutsideShare, PlaceNode
from privacy.kinds.place.section import PlaceSection
from tests.privacy.questionnaires import design, place_in_row

# b = 10 / 15; seven cells, of which 3 and 6 lie outside.
FORM = design(place_in_row("home", {"north": [0, 1, 2], "south": [4, 5]}, 7, 2, "6"))
COUNTS = np.array([[0] * 7, [30, 20, 10, 20, 5, 5, 10]])
FEW_ELSEWHERE = np.array([[0] * 7, [30, 20, 10, 3, 20, 10, 2]])


def section() -> PlaceSection:
    found = FORM.sections[0]
    assert isinstance(found, PlaceSection)
    return found


def outside(found: PlaceNode) -> list[float | None]:
    return [one.share if one else None for one in found.outside]


def test_cells_outside_and_what_was_received_of_all() -> None:
    found = place_node(section(), COUNTS)
    assert (found.question, found.n_asked) == ("home", 100)
    assert outside(found) == pytest.approx([0.3, 0.15])
    assert found.received == pytest.approx((0.3, 0.2, 0.1, 0.2, 0.05, 0.05, 0.1))
    assert found.is_known
    assert sum(share or 0 for share in found.illustration) == pytest.approx(1)


def test_somebody_who_answered_openly_is_not_among_them() -> None:
    opened = COUNTS + np.array([[50] * 7, [0] * 7])
    disguised = replace(place_node(section(), COUNTS), disguised_only=True)
    assert make_node(section(), opened, (), True) == disguised


def test_a_description_has_the_regions_and_cells_outside_by_name() -> None:
    said = place_to_json(section(), COUNTS, ())
    assert said["base"] == 100
    assert {row["item"]: row["support"] for row in said["shares"]} == pytest.approx(
        {"home=north": 0.6, "home=south": -0.05, "home=c3": 0.3, "home=c6": 0.15}
    )


def test_maps_leave_out_what_would_tell_the_few_elsewhere() -> None:
    found = place_node(section(), FEW_ELSEWHERE)
    assert outside(found) == [None, None]
    for drawn in (found.received, found.illustration):
        assert [share is None for share in drawn] == [False, False, False, True, True, True, True]


def test_too_few_have_no_map() -> None:
    found = place_node(section(), COUNTS // 3)
    assert (found.received, found.illustration, found.is_known) == ((), (), False)
    assert outside(found) == [None, None]


def test_a_node_is_read_back() -> None:
    found = place_node(section(), COUNTS)
    assert isinstance(found.outside[0], OutsideShare)
    assert load(PlaceNode, json.loads(json.dumps(dump(found)))) == found
