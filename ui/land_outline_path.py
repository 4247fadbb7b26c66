"""Reads the outline of all land, which `python -m ui.land_outline` makes."""

import re
from functools import cache
from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "static/vendor/land.svg"
PATH = re.compile(r' d="([^"]+)"')


@cache
def land_svg_path() -> str:
    """Returns the outline of land as an SVG path: x is the longitude, y the latitude, in hundredths of a degree,
    north up; fill it even-odd."""
    match = PATH.search(FILE.read_text())
    if match is None:
        raise ValueError(f"{FILE} holds no path")
    return match[1]
