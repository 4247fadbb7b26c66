"""What the maps of places draw: classes, steps, stripes, shapes, labels, and where they stand."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.inference.contingency_table import ANTECEDENT, ContingencyTable, ItemsetPart
from mining.inference.intervals import share_interval
from mining.inference.score_test import support_test
from mining.inference.selection_correction import critical_z
from mining.json_codec import node_from_json
from mining.nodes.place_nodes import PlaceNode
from mining.nodes.report_nodes import Cell, ClassDifference, Estimate, GroupRow, GroupTable, Report
from mining.nodes.study_nodes import HypothesisResult, PlanResult, Study
from privacy.kinds.place.section import PlaceQuestion
from reports.answer_labels import Labels
from reports.kinds.place import map_svg_paths, maps
from reports.kinds.place.map_fills import FillScale
from reports.kinds.place.map_labels import (
    NAME_SIZE,
    MapLabel,
    box_around,
    boxes_overlap,
    shorten_labels_to_fit,
    text_width,
)
from reports.kinds.place.map_svg_paths import MapGeometry
from reports.kinds.place.region_reference_comparison import (
    Comparison,
    compare_with_equal_share,
    compare_with_other_classes,
)
from reports.kinds.place.shown_place import ShownPlace
from tests.reports import made_nodes
from tests.reports.made_nodes import report

BELOW, NOT_TOLD, ABOVE = Comparison


def question(**home: Any) -> PlaceQuestion:
    found = made_nodes.places_design(home=home).questions[1]
    assert isinstance(found, PlaceQuestion)
    return found


def content(*shares: Estimate) -> Report:
    return report(shares=shares)


def share(item: str, value: float | None, around: float) -> Estimate:
    low, high = (None, None) if value is None else (value - around, value + around)
    return Estimate(
        (f"home={item}",), 1656, 150, 0.3, value, se=0.02, low=low, high=high, pooled=0.3, expected_w=0.01
    )


def shown_place(*shares: Estimate, **home: Any) -> ShownPlace:
    labels = Labels(made_nodes.places_design(home=home).mined)
    found = node_from_json(PlaceNode, made_nodes.places_finding())
    return ShownPlace(1, question(**home), labels, found, content(*shares))


def test_steps_have_the_smallest_round_width_that_reaches_the_most() -> None:
    widths = [(0.5, 0.1), (0.51, 0.2), (1.2, 0.5), (0.009, 0.002), (0.05, 0.01), (0.0, 2e-7), (-0.1, 2e-7)]
    for most, width in widths:
        assert FillScale.up_to(most).width == pytest.approx(width)
    # A share belongs to one of five steps.
    values = (-0.2, 0.0, 0.1, 0.1001, 0.3, 0.5, 0.9)
    assert [FillScale(0.1).step(value) for value in values] == [1, 1, 1, 2, 3, 5, 5]
    said = [FillScale(0.1).step_text(step) for step in (1, 2, 5)]
    assert said == ["up to 10 %", "10 % to 20 %", "more than 40 %"]
    assert FillScale(0.002).step_text(2) == "0.2 % to 0.4 %"


def numbers_in_path(path: str) -> list[float]:
    return [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?", path)]


def test_cells_stand_where_they_lie() -> None:
    # North is up and east is right.
    of = MapGeometry(question())
    north_west, south_east = numbers_in_path(of.cells_path([0])), numbers_in_path(of.cells_path([8]))
    assert max(north_west[::2]) < south_east[0]
    assert max(north_west[1::2]) < south_east[1]
    # Everything lies within the drawing.
    of = MapGeometry(question(outline=[[-50, -50, 400, -50, 400, 350, -50, 350]]))
    found = numbers_in_path(of.outline)
    assert all(0 < x < of.width for x in found[::2])
    assert all(0 < y < of.height for y in found[1::2])
    assert max(of.width, of.height) <= map_svg_paths.WIDTH
    # A cell without a shape is a circle and one with two rings two paths.
    assert MapGeometry(question()).cells_path([8]).count("a") == 2
    two = {**made_nodes.cell(0), "shape": [[0, 200, 40, 200, 0, 240], [60, 200, 100, 200, 100, 240]]}
    of = MapGeometry(question(cells=[two, *made_nodes.HOME["cells"][1:]]))
    assert of.cells_path([0]).count("M") == of.cells_path([0]).count("z") == 2
    # Cells on one line can be drawn.
    cells = [{"name": name, "at": [number * 7, 0]} for number, name in enumerate(made_nodes.CELLS)]
    of = MapGeometry(question(cells=cells))
    assert of.height >= 1
    assert of.radius > 0
    # A label stands on a cell of its region.
    of = MapGeometry(question())
    x, y = map(float, of.label_position(0))
    assert (x, y) == (float(of.x(150)), float(of.y(250)))


def test_region_is_highlighted_where_all_regions_allow_it() -> None:
    third = 1 / 3
    for share, low, high, regions, told in (
        (0.50, 0.45, 0.55, 1, ABOVE),
        (0.20, 0.15, 0.25, 1, BELOW),
        (0.38, 0.33, 0.43, 1, NOT_TOLD),
        # The interval touches the equal share, or is none, or has no width.
        (0.38, third, 0.43, 1, NOT_TOLD),
        (0.28, 0.23, third, 1, NOT_TOLD),
        (0.50, None, None, 1, NOT_TOLD),
        (0.50, 0.45, None, 1, NOT_TOLD),
        (0.50, 0.50, 0.50, 1, NOT_TOLD),
        # 2.35 errors away: enough for two regions (2.24), too little for three (2.39).
        (third + 0.06, third + 0.01, third + 0.11, 2, ABOVE),
        (third + 0.06, third + 0.01, third + 0.11, 3, NOT_TOLD),
        (third - 0.06, third - 0.11, third - 0.01, 2, BELOW),
        (third - 0.06, third - 0.11, third - 0.01, 3, NOT_TOLD),
        # The error grows towards the equal share: 2.35 at the end of the interval, fewer beyond it.
        (third - 0.06, third - 0.07, third - 0.01, 2, NOT_TOLD),
        # An impossible estimate, below its interval.
        (-0.02, 0.0, 0.03, 2, BELOW),
    ):
        row = (share, low, high, third, regions)
        assert compare_with_equal_share(*row) == told, row


@pytest.mark.parametrize("regions", [1, 4, 20])
@pytest.mark.parametrize(("keep", "noise"), [(0.5, 0.2), (0.74, 0.05), (0.3, 0.6)])
def test_told_regions_match_the_score_test(regions: int, keep: float, noise: float) -> None:
    # Of every share that could be received the interval at the level of all regions, computed anew from the counts.
    n, received = 1500, np.arange(0, 1501, 3)
    base = np.stack([np.zeros_like(received), np.full_like(received, n)])
    having = np.stack([np.zeros_like(received), received])
    keeps, noises = (np.full((1, len(received)), value) for value in (keep, noise))
    counts = np.stack([base, having]).astype(np.float64)
    test = support_test(ContingencyTable((ItemsetPart(ANTECEDENT, 0),), counts, keeps, noises))
    estimates, equal = test.estimate, 0.25
    low, high = share_interval(test)
    wide_low, wide_high = share_interval(test, critical_z(0.05 / regions))
    rows = zip(*(column.tolist() for column in (estimates, low, high, wide_low, wide_high)), strict=True)
    told = missed = 0
    for value, of, to, wide_of, wide_to in rows:
        if of != of:
            continue
        result = compare_with_equal_share(value, of, to, equal, regions)
        exact = ABOVE if wide_of > equal else BELOW if wide_to < equal else NOT_TOLD
        assert result in (exact, NOT_TOLD), (value, of, to)
        told, missed = told + (exact != NOT_TOLD), missed + (exact != result)
    # What it does not tell lies close to the limit: no more than a few received counts.
    assert told > 100
    assert missed <= 6


KNOWN = Cell(100, 0.3, 0.2, 0.4)


def classes_told(cells: list[Cell], of: Report | None = None, **row: Any) -> list[Comparison]:
    classes = tuple(f"age={name}" for name in "abc"[: len(cells)])
    table = GroupTable("age", classes, (GroupRow("home=north", tuple(cells), 0.3, 0.01, **row),))
    return list(compare_with_other_classes(of or content(), table, table.rows[0]))


def test_map_marks_the_class_of_cells_that_the_front_page_names() -> None:
    for cells, of_class, ends, told in (
        (2, "age=a", (0.02, 0.1), [ABOVE, BELOW]),
        (2, "age=b", (0.02, 0.1), [BELOW, ABOVE]),
        (2, "age=b", (-0.1, -0.02), [ABOVE, BELOW]),
        (2, "", (0.0, 0.0), [NOT_TOLD, NOT_TOLD]),
        # Of three classes only the one is told that differs most surely.
        (3, "age=b", (0.02, 0.1), [NOT_TOLD, ABOVE, NOT_TOLD]),
    ):
        front = ClassDifference(of_class, sum(ends) / 2, *ends, 0.0001) if of_class else None
        assert classes_told([KNOWN] * cells, front=front) == told, (cells, of_class)
    # Of three classes two are published: the front compares these two; withheld ones are not told.
    front = ClassDifference("age=a", 0.06, 0.02, 0.1, 0.0001)
    assert classes_told([KNOWN, KNOWN, Cell()], front=front) == [ABOVE, BELOW, NOT_TOLD]
    assert classes_told([Cell(), KNOWN, KNOWN], front=front) == [NOT_TOLD] * 3


def test_planned_region_has_its_verdict() -> None:
    sides: dict[str, Any] = {"antecedent": ("age=a",), "consequent": ("home=north",)}
    for met, low, told in (
        (True, 1.1, [ABOVE, BELOW]),
        (True, 0.5, [BELOW, ABOVE]),
        (False, 1.1, [NOT_TOLD, NOT_TOLD]),
    ):
        named = HypothesisResult("h", "association", **sides, met=met, low=low, high=low + 0.4)
        other = replace(named, consequent=("home=south",))
        of = replace(content(), study=Study(plan=PlanResult("0", hypotheses=(other, named))))
        assert classes_told([KNOWN] * 2, of, met=met) == told, (met, low)


def drawn_of(found: maps.PlaceMap | None) -> maps.PlaceMap:
    assert found
    return found


def fill_colours(drawn: maps.PlaceMap) -> list[str]:
    return [fill for fill, _path in drawn.panels[0].layers]


def words_of(drawn: maps.PlaceMap) -> list[str]:
    return [label.words for label in drawn.panels[0].labels]


def test_regions_are_filled_by_what_can_be_told() -> None:
    # An equal share is a third: the north, the south and elsewhere.
    drawn = drawn_of(maps.share_map(shown_place(share("north", 0.45, 0.02), share("south", 0.25, 0.2))))
    assert fill_colours(drawn) == ["outside", "region step-4", "region step-2", "uncertain"]
    assert words_of(drawn) == ["45 %", "25 %"]
    equal = "an equal share (33.3\u00a0%)"
    assert list(drawn.legend) == [
        ("region step-1", f"below {equal}"),
        ("uncertain", f"striped: no difference from {equal} is shown"),
        ("region step-4", f"above {equal}"),
        ("outside", "outside the regions"),
    ]
    assert "33.3 %, if all 3 answers had the same" in drawn.about
    # Regions of one class are two areas.
    of = shown_place(share("north", 0.45, 0.02), share("south", 0.45, 0.02))
    drawn = drawn_of(maps.share_map(of))
    paths = [path for fill, path in drawn.panels[0].layers if fill == "region step-4"]
    assert paths == [of.geometry.cells_path(made_nodes.NORTH), of.geometry.cells_path(made_nodes.SOUTH)]
    # A region without a share is drawn as withheld, without a class, and the legend says so.
    drawn = drawn_of(maps.share_map(shown_place(share("north", 0.25, 0.02), share("south", None, 0))))
    assert fill_colours(drawn) == ["outside", "region step-1", "region withheld"]
    assert words_of(drawn) == ["25 %", "–"]
    assert ("withheld", "withheld, or too few records") in drawn.legend
    # A region whose counts contradict each other has no interval, so it cannot be told.
    odd = replace(share("north", 0.45, 0.02), low=None, high=None)
    told = ["outside", "region step-2", "uncertain", "region step-1"]
    assert fill_colours(drawn_of(maps.share_map(shown_place(odd, share("south", 0.25, 0.02))))) == told
    # Where no region has a share there is no map.
    assert maps.share_map(shown_place(share("north", None, 0))) is None
    # Received cells are dotted in regions alone.
    of = shown_place()
    drawn = drawn_of(maps.received_map(of))
    (dots,) = [path for fill, path in drawn.panels[0].layers if fill == "received"]
    assert dots == of.geometry.cells_path([*made_nodes.NORTH, *made_nodes.SOUTH])
    assert "received" not in fill_colours(drawn_of(maps.likeliest_distribution_map(of)))


@pytest.mark.page
def test_four_thousand_cells_are_a_path_for_each_fill() -> None:
    cells = [{"name": f"c{number}", "at": [number % 64, number // 64]} for number in range(4096)]
    regions = [{"name": "north", "cells": [cell["name"] for cell in cells[:2000]]}]
    of = shown_place(cells=cells, regions=regions)
    received = tuple(n / 4096 / 2048 for n in range(4096))
    of = replace(of, node=replace(of.node, received=received, illustration=(), outside=()))
    drawn = drawn_of(maps.received_map(of))
    assert sorted(fill_colours(drawn)) == ["received", *(f"step-{step}" for step in range(1, 6))]
    assert len(drawn.rows) == 4096
    assert sum(len(path) for _fill, path in drawn.panels[0].layers) < 500_000


SIZE = (640, 400)


def region(middle: tuple[str, str], number: str, name: str) -> tuple[str, MapLabel]:
    return number, MapLabel(*middle, "17 %", name)


def fit_labels(*regions: tuple[tuple[str, str], str]) -> list[MapLabel]:
    labels = [region(at, str(number), name) for number, (at, name) in enumerate(regions, 1)]
    return list(shorten_labels_to_fit(*SIZE, labels))


def test_names_stand_where_there_is_room() -> None:
    # A name stands below its figure.
    (label,) = fit_labels((("320", "200"), "North"))
    assert (label.x, label.y, label.words) == ("320", "200", "17 %")
    assert (label.name, label.name_x, label.name_y) == ("North", "320.0", "224.0")
    # It touches its figure at any place, and covers it at none.
    assert all(fit_labels((("320", str(y / 10)), "Hills"))[0].name for y in range(200, 3000))
    # A name at the edge is moved inside.
    west, east = fit_labels((("5", "50"), "Westerland"), (("635", "50"), "Easterland"))
    half = text_width("Westerland", NAME_SIZE) / 2
    assert float(west.name_x) == round(half, 1)
    assert float(east.name_x) == round(640 - half, 1)
    # A name that would cover another label, or lie below the drawing, is left out, and the number stays.
    first, second = fit_labels((("300", "200"), "North"), (("310", "222"), "South"))
    assert (first.name, second.name) == ("", "South")
    assert (first.words, second.words) == ("1", "17 %")
    assert fit_labels((("320", "390"), "North"))[0].name == ""
    # A long name is cut between words.
    (label,) = fit_labels((("320", "200"), "The old town and everything around it"))
    assert label.name == "The old town and…"
    # Where that has no room it is shortened further, and keeps its figure.
    first, second = fit_labels((("200", "200"), "Harbour and the docks"), (("330", "224"), "South"))
    assert (first.name, first.words) == ("Harbour…", "17 %")
    assert second.name == "South"


@given(st.lists(st.tuples(st.integers(0, 640), st.integers(0, 400)), max_size=12))
def test_no_name_lies_outside_or_on_another(points: list[tuple[int, int]]) -> None:
    labels = shorten_labels_to_fit(*SIZE, [region((str(x), str(y)), "1", "Region") for x, y in points])
    size = text_width("Region", NAME_SIZE) - 0.2, NAME_SIZE - 0.2
    boxes = [box_around(float(label.name_x), float(label.name_y), *size) for label in labels if label.name]
    assert all(left >= 0 and right <= 640 and bottom <= 400 for left, _top, right, bottom in boxes)
    assert not any(boxes_overlap(one, other) for n, one in enumerate(boxes) for other in boxes[:n])
