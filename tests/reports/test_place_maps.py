"""What the maps of places draw: steps, stripes, shapes, and where they stand."""

import re
from dataclasses import replace
from typing import Any

import pytest

from mining.document.codec import load
from mining.document.places import PlaceNode
from mining.document.report import About, Estimate, Report
from privacy.kinds.place.section import PlaceQuestion
from reports.kinds.place import geometry, maps
from reports.kinds.place.geometry import Geometry
from reports.kinds.place.shown import ShownPlace
from reports.kinds.place.steps import Scale
from reports.labels import Labels
from tests.reports import made_places


def question(**home: Any) -> PlaceQuestion:
    found = made_places.design(home=home).questions[1]
    assert isinstance(found, PlaceQuestion)
    return found


ABOUT = About(
    run=1,
    fingerprint="0",
    rehearsal=False,
    day="2026-07-01",
    records=1656,
    n_open=150,
    disguised=1506,
    estimator="stratified",
    engine="bitmap",
    exact=True,
    min_support=0.1,
    min_confidence=0.5,
    max_size=3,
    absences=False,
    version="1",
)


def content(*shares: Estimate) -> Report:
    return Report(ABOUT, shares, (), (), (), ())


def share(item: str, value: float | None, around: float) -> Estimate:
    low, high = (None, None) if value is None else (value - around, value + around)
    return Estimate(
        (f"home={item}",), 1656, 150, 0.3, value, se=0.02, low=low, high=high, pooled=0.3, expected_w=0.01
    )


def place(*shares: Estimate, **home: Any) -> ShownPlace:
    design = made_places.design(home=home)
    asked = design.questions[1]
    assert isinstance(asked, PlaceQuestion)
    found = load(PlaceNode, made_places.finding())
    return ShownPlace(1, asked, Labels(design.mined), found, content(*shares))


# --- steps ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("most", "width"),
    [(0.5, 0.1), (0.51, 0.2), (1.2, 0.5), (0.009, 0.002), (0.05, 0.01), (0.0, 2e-7), (-0.1, 2e-7)],
)
def test_steps_have_the_smallest_round_width_that_reaches_the_most(most: float, width: float) -> None:
    assert Scale.up_to(most).width == pytest.approx(width)


@pytest.mark.parametrize(
    ("value", "step"), [(-0.2, 1), (0.0, 1), (0.1, 1), (0.1001, 2), (0.3, 3), (0.5, 5), (0.9, 5)]
)
def test_a_share_belongs_to_one_of_five_steps(value: float, step: int) -> None:
    assert Scale(0.1).step(value) == step


def test_steps_are_said_and_what_is_uncertain_is_known() -> None:
    # A share is uncertain where its interval is wider than a step.
    assert not Scale(0.1).is_uncertain(0.25, 0.35)
    assert Scale(0.1).is_uncertain(0.25, 0.36)
    # Steps are said with as many places as they need.
    assert [Scale(0.1).words(step) for step in (1, 2, 5)] == ["up to 10 %", "10 % to 20 %", "more than 40 %"]
    assert Scale(0.002).words(2) == "0.2 % to 0.4 %"


# --- where cells stand ----------------------------------------------------------------------------------


def numbers(path: str) -> list[float]:
    return [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]\d+)?", path)]


def test_cells_stand_where_they_lie() -> None:
    # North is up and east is right.
    of = Geometry(question())
    north_west, south_east = numbers(of.path([0])), numbers(of.path([8]))
    assert max(north_west[::2]) < south_east[0]
    assert max(north_west[1::2]) < south_east[1]
    # Everything lies within the drawing.
    of = Geometry(question(outline=[[-50, -50, 400, -50, 400, 350, -50, 350]]))
    found = numbers(of.outline)
    assert all(0 < x < of.width for x in found[::2])
    assert all(0 < y < of.height for y in found[1::2])
    assert max(of.width, of.height) <= geometry.WIDTH
    # A cell without a shape is a circle and one with two rings two paths.
    assert Geometry(question()).path([8]).count("a") == 2
    two = {**made_places.cell(0), "shape": [[0, 200, 40, 200, 0, 240], [60, 200, 100, 200, 100, 240]]}
    of = Geometry(question(cells=[two, *made_places.HOME["cells"][1:]]))
    assert of.path([0]).count("M") == of.path([0]).count("z") == 2
    # Cells on one line can be drawn.
    cells = [{"name": name, "at": [number * 7, 0]} for number, name in enumerate(made_places.NAMES)]
    of = Geometry(question(cells=cells))
    assert of.height >= 1
    assert of.radius > 0
    # A label stands on a cell of its region.
    of = Geometry(question())
    x, y = map(float, of.label_position(made_places.NORTH))
    assert (x, y) == (float(of.x(150)), float(of.y(250)))


# --- maps -----------------------------------------------------------------------------------------------


def fills(drawn: maps.PlaceMap | None) -> list[str]:
    assert drawn
    return [fill for fill, _path in drawn.panels[0].layers]


def test_regions_are_filled_by_their_shares() -> None:
    # Regions are filled by their share and striped where uncertain.
    drawn = maps.of_shares(place(share("north", 0.45, 0.02), share("south", 0.25, 0.2)))
    assert fills(drawn) == ["outside", "region step-5", "region step-3", "uncertain"]
    assert drawn
    assert [label.words for label in drawn.panels[0].labels] == ["45 %", "25 %"]
    assert [fill for fill, _words in drawn.legend][5:] == ["uncertain", "outside"]
    # Regions of one shade are two areas.
    of = place(share("north", 0.45, 0.02), share("south", 0.45, 0.02))
    drawn = maps.of_shares(of)
    assert drawn
    paths = [path for fill, path in drawn.panels[0].layers if fill == "region step-5"]
    assert paths == [of.geometry.path(made_places.NORTH), of.geometry.path(made_places.SOUTH)]
    # A region without a share is drawn as withheld and the legend says so.
    drawn = maps.of_shares(place(share("north", 0.45, 0.02), share("south", None, 0)))
    assert fills(drawn) == ["outside", "region step-5", "withheld"]
    assert drawn
    assert "withheld" in [fill for fill, _words in drawn.legend]
    # A region whose counts contradict each other is uncertain.
    odd = replace(share("north", 0.45, 0.02), low=None, high=None)
    assert "uncertain" in fills(maps.of_shares(place(odd, share("south", 0.25, 0.02))))
    # Where no region has a share there is no map.
    assert maps.of_shares(place(share("north", None, 0))) is None
    # Received cells are dotted in regions alone.
    of = place()
    drawn = maps.of_received(of)
    assert drawn
    (dots,) = [path for fill, path in drawn.panels[0].layers if fill == "received"]
    assert dots == of.geometry.path([*made_places.NORTH, *made_places.SOUTH])
    assert "received" not in fills(maps.of_illustration(of))


@pytest.mark.page
def test_four_thousand_cells_are_a_path_for_each_fill() -> None:
    cells = [{"name": f"c{number}", "at": [number % 64, number // 64]} for number in range(4096)]
    regions = [{"name": "north", "cells": [cell["name"] for cell in cells[:2000]]}]
    design = made_places.design(home={"cells": cells, "regions": regions})
    asked = design.questions[1]
    assert isinstance(asked, PlaceQuestion)
    found = replace(
        load(PlaceNode, made_places.finding()),
        received=tuple(n / 4096 / 2048 for n in range(4096)),
        illustration=(),
        outside=(),
    )
    of = ShownPlace(1, asked, Labels(design.mined), found, content())
    drawn = maps.of_received(of)
    assert sorted(fills(drawn)) == ["received", *(f"step-{step}" for step in range(1, 6))]
    assert drawn
    assert len(drawn.rows) == 4096
    assert sum(len(path) for _fill, path in drawn.panels[0].layers) < 500_000
