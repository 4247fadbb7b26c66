"""Coordinates for the pictures of the home page, whole numbers so that no language writes them with a comma."""

from dataclasses import dataclass
from random import Random

from ui.rehearsal import Rehearsal


@dataclass(frozen=True)
class Square:
    x: int
    y: int
    yes: bool


def squares(rehearsal: Rehearsal, columns: int = 20, rows: int = 5, step: int = 15) -> list[Square]:
    """A hundred of the records as a wall of squares; which of them say yes is decided once and for all."""
    count = columns * rows
    yes = set(Random(2024).sample(range(count), round(count * rehearsal.observed)))  # noqa: S311
    return [Square(i % columns * step, i // columns * step, i in yes) for i in range(count)]


@dataclass(frozen=True)
class AxisTick:
    x: int
    percent: int


@dataclass(frozen=True)
class SharesPicture:
    """Positions along a line of 300 units from 0 to 60 per cent."""

    received: int
    estimate: int
    low: int
    high: int
    truth: int
    ticks: tuple[AxisTick, ...]


def shares(rehearsal: Rehearsal) -> SharesPicture:
    low, high = rehearsal.interval
    return SharesPicture(
        received=_along(rehearsal.observed),
        estimate=_along(rehearsal.estimate),
        low=_along(low),
        high=_along(high),
        truth=_along(rehearsal.truth),
        ticks=tuple(AxisTick(_along(percent / 100), percent) for percent in (0, 20, 40, 60)),
    )


def _along(share: float) -> int:
    return round(share * 500)
