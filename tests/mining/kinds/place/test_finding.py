"""What a run says of a place, and its JSON."""

import json

import numpy as np
import pytest

from mining.document.codec import dump, load
from mining.kinds.place.finding import (
    PlaceClasses,
    PlaceFinding,
    class_estimates,
    estimates,
)
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


def test_regions_elsewhere_and_cells_outside_by_name() -> None:
    found = estimates(section(), COUNTS)
    assert (found.base, found.opened) == (100, 0)
    assert {one.item: one.share for one in found.shares} == pytest.approx(
        {"north": 0.6, "south": -0.05, "elsewhere": 0.45}
    )
    assert {one.item: one.share for one in found.outside} == pytest.approx({"c3": 0.3, "c6": 0.15})
    assert found.received == pytest.approx((0.3, 0.2, 0.1, 0.2, 0.05, 0.05, 0.1))
    assert found.illustration
    assert sum(share or 0 for share in found.illustration) == pytest.approx(1)


def test_maps_leave_out_what_would_tell_the_few_elsewhere() -> None:
    found = estimates(section(), FEW_ELSEWHERE)
    assert [one.share is None for one in found.shares] == [False, True, True]
    assert all(one.share is None for one in found.outside)
    for drawn in (found.received, found.illustration):
        assert drawn
        assert [share is None for share in drawn] == [False, False, False, True, True, True, True]


def test_too_few_have_no_map() -> None:
    found = estimates(section(), COUNTS // 3)
    assert (found.received, found.illustration) == (None, None)
    assert all(one.share is None for one in (*found.shares, *found.outside))


def test_a_class_has_the_regions_and_no_single_cell_outside() -> None:
    first, second, third = class_estimates(section(), [COUNTS, FEW_ELSEWHERE, COUNTS // 3])
    assert [one.item for one in first.shares] == ["north", "south", "elsewhere"]
    assert (first.outside, first.illustration) == ((), None)
    assert first.received == (0.3, 0.2, 0.1, None, 0.05, 0.05, None)
    assert second.received == pytest.approx((30 / 95, 20 / 95, 10 / 95, None, None, None, None))
    assert third.received is None


def test_a_finding_is_read_back() -> None:
    groups = (PlaceClasses("age", class_estimates(section(), [COUNTS, FEW_ELSEWHERE])),)
    found = PlaceFinding("home", estimates(section(), COUNTS), groups)
    assert load(PlaceFinding, json.loads(json.dumps(dump(found)))) == found
