"""Risk against loss over k: one curve for each method, and the same as a table.

All coordinates are whole numbers, so that no language writes them with a comma.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from releases.method_words import METHOD_NAMES

WIDTH, HEIGHT = 340, 220
LEFT, RIGHT, TOP, BOTTOM = 46, 20, 14, 40
TICKS = 4
ENDS = (0.04, 0.08, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Where an axis may end: every tick is then a whole number of percent."""
CHARACTER, LINE = 9, 16
"""Width and height of a character of a label."""


@dataclass(frozen=True)
class MethodRow:
    """`risk`: the largest P(value | class), without a sensitive column the chance to pick the right record, 1/k."""

    method: str
    name: str
    k: int
    loss: float | None
    risk: float | None
    discernibility: int | None
    hasr: float | None
    classes: int | None
    seconds: float | None
    refusal: str


@dataclass(frozen=True)
class DrawnPoint:
    x: int
    y: int
    k: int


@dataclass(frozen=True)
class PointLabel:
    """The numbers of k of points that are too near each other for a label each."""

    x: int
    y: int
    words: str


@dataclass(frozen=True)
class MethodCurve:
    name: str
    line: str
    points: tuple[DrawnPoint, ...]
    labels: tuple[PointLabel, ...]


@dataclass(frozen=True)
class ComparisonPicture:
    """`across` and `up`: places of the ticks, and what they say in percent."""

    curves: tuple[MethodCurve, ...]
    across: tuple[tuple[int, int], ...]
    up: tuple[tuple[int, int], ...]
    of_values: bool


def rows(compared: Sequence[Mapping[str, Any]]) -> list[MethodRow]:
    return [_row(row) for row in compared]


def _row(row: Mapping[str, Any]) -> MethodRow:
    share = row.get("max_frequency")
    risk = None if "ncp" not in row else 1 / row["k"] if share is None else share
    name = str(METHOD_NAMES.get(row["method"], row["method"]))
    values = (row.get(key) for key in ("discernibility", "hasr", "classes", "seconds", "refusal"))
    discernibility, hasr, classes, seconds, refusal = values
    return MethodRow(
        row["method"],
        name,
        row["k"],
        row.get("ncp"),
        risk,
        discernibility,
        hasr,
        classes,
        seconds,
        refusal or "",
    )


def picture(compared: Sequence[Mapping[str, Any]]) -> ComparisonPicture | None:
    """None where nothing can be drawn."""
    found = [row for row in rows(compared) if row.loss is not None and row.risk is not None]
    if not found:
        return None
    most_loss, most_risk = (_round_up(max(values)) for values in zip(*map(_place, found), strict=True))

    def at(row: MethodRow) -> DrawnPoint:
        loss, risk = _place(row)
        return DrawnPoint(_x(loss / most_loss), _y(risk / most_risk), row.k)

    names = dict.fromkeys(row.name for row in found)
    curves = []
    for name in names:
        points = tuple(at(row) for row in sorted(found, key=lambda row: row.k) if row.name == name)
        line = "M" + "L".join(f"{point.x} {point.y}" for point in points)
        curves.append(MethodCurve(name, line, points, tuple(_labels(points))))
    steps = range(TICKS + 1)
    return ComparisonPicture(
        tuple(curves),
        tuple((_x(step / TICKS), round(most_loss * step * 100 / TICKS)) for step in steps),
        tuple((_y(step / TICKS), round(most_risk * step * 100 / TICKS)) for step in steps),
        any(row.get("max_frequency") is not None for row in compared),
    )


def _labels(points: Sequence[DrawnPoint]) -> Iterator[PointLabel]:
    near: list[DrawnPoint] = []
    for point in points:
        if near and not _overlaps(_label(near), point):
            yield _label(near)
            near = []
        near.append(point)
    yield _label(near)


def _label(near: Sequence[DrawnPoint]) -> PointLabel:
    return PointLabel(near[0].x, min(point.y for point in near), ", ".join(str(point.k) for point in near))


def _overlaps(label: PointLabel, point: DrawnPoint) -> bool:
    """Whether a label of its own would stand on this one."""
    return point.x - label.x < CHARACTER * (len(label.words) + 1) and abs(point.y - label.y) < LINE


def _place(row: MethodRow) -> tuple[float, float]:
    return row.loss or 0.0, row.risk or 0.0


def _round_up(share: float) -> float:
    return next(end for end in ENDS if end >= min(share, 1.0))


def _x(share: float) -> int:
    return round(LEFT + share * (WIDTH - LEFT - RIGHT))


def _y(share: float) -> int:
    return round(HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP))
