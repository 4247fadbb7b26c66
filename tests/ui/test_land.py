import hashlib
import re
import xml.etree.ElementTree as ET
from functools import cache
from itertools import accumulate, pairwise
from pathlib import Path

import pytest

from ui import land_outline as outline, land_outline_path

NUMBER = re.compile(r"-?[0-9]+")
Point = tuple[int, int]


@cache
def drawn_rings() -> list[list[Point]]:
    """The rings that a browser draws of the path."""
    rings = []
    for subpath in land_outline_path.land_svg_path().removeprefix("M").split("M"):
        assert subpath.endswith("z")
        numbers = [int(number) for number in NUMBER.findall(subpath)]
        xs, ys = accumulate(numbers[::2]), accumulate(numbers[1::2])
        rings.append(list(zip(xs, ys, strict=True)))
    return rings


def on_land(longitude: float, latitude: float) -> bool:
    x, y = longitude * 100, latitude * 100
    return bool(
        sum(
            (b > y) != (d > y) and x < a + (y - b) * (c - a) / (d - b)
            for ring in drawn_rings()
            for (a, b), (c, d) in pairwise([*ring, ring[0]])
        )
        % 2
    )


def test_the_stored_outline_is_what_the_step_makes_of_the_package_and_another_is_refused() -> None:
    stored = (outline.ROOT / outline.TARGET).read_bytes()
    assert stored == outline.make_outline(outline.SOURCE.read_bytes())
    assert hashlib.sha256(stored).hexdigest() == outline.SHA256
    with pytest.raises(outline.OutlineMismatch, match="has the SHA-256 2cf24"):
        outline.verify_outline(b"hello")


@pytest.mark.page
def test_the_step_writes_the_outline_or_says_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "static/vendor").mkdir(parents=True)
    monkeypatch.setattr(outline, "ROOT", tmp_path)
    assert outline.main() == 0
    assert (tmp_path / outline.TARGET).read_bytes() == land_outline_path.FILE.read_bytes()
    monkeypatch.setattr(outline, "SHA256", "0" * 64)
    assert outline.main() == 1
    assert "has the SHA-256" in capsys.readouterr().err


def test_land_is_where_it_is_on_earth() -> None:
    found = {
        "Germany": on_land(10, 50),
        "Beijing": on_land(116.4, 39.9),
        "Brazil": on_land(-60, -10),
        "Antarctica": on_land(0, -80),
        "the Atlantic": on_land(-30, 40),
        "what would be Brazil with north down": on_land(-60, 39),
        "the Caspian Sea, a hole": on_land(51, 41.5),
    }
    assert [name for name, there in found.items() if there] == ["Germany", "Beijing", "Brazil", "Antarctica"]


def test_every_point_is_on_earth_and_differs_from_the_one_before() -> None:
    for ring in drawn_rings():
        assert len(set(ring)) > 2
        assert all(abs(x) <= 18_000 and abs(y) <= 9_000 for x, y in ring)
        assert all(a != b for a, b in pairwise([*ring, ring[0]]))


def test_arcs_are_steps_on_a_grid_and_are_joined_forwards_and_backwards() -> None:
    topology = {
        "transform": {"scale": [0.5, 0.25], "translate": [-1, 2]},
        "arcs": [[[0, 0], [2, 0], [0, 4]], [[0, 0], [0, 4], [2, 0]], [[8, 8], [0, 0], [0, 0]]],
        "objects": {"land": {"geometries": [{"arcs": [[[0, ~1]], [[2]]]}]}},
    }
    assert outline.polygon_rings(topology) == [[(-100, 200), (0, 200), (0, 300), (-100, 300)]]
    assert outline.ring_as_path([(-1, 2), (0, 2), (0, 1)]) == "M-1 2l1 0 0-1z"


def test_the_file_is_a_light_svg_with_one_path_and_says_whose_it_is() -> None:
    text = land_outline_path.FILE.read_text()
    assert len(list(ET.fromstring(text).iter("{http://www.w3.org/2000/svg}path"))) == 1
    assert "Natural Earth (public domain)" in text
    licence = land_outline_path.FILE.with_name("land.licence.txt").read_text()
    assert licence.startswith("Copyright 2013-2019 Michael Bostock")
    # It weighs no more than a picture.
    assert len(land_outline_path.land_svg_path()) < 32_000


def test_a_file_without_a_path_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    empty = tmp_path / "land.svg"
    empty.write_text("<svg/>")
    monkeypatch.setattr(land_outline_path, "FILE", empty)
    land_outline_path.land_svg_path.cache_clear()
    with pytest.raises(ValueError, match="holds no path"):
        land_outline_path.land_svg_path()
