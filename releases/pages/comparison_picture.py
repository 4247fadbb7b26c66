"""Risk against loss over methods and k: one chart, and the same as a table.

All coordinates are whole numbers, so that no language writes them with a comma.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from releases.pages.method_words import METHOD_NAMES, rank

WIDTH, HEIGHT = 340, 260
LEFT, RIGHT, TOP, BOTTOM = 40, 16, 16, 30
TICKS = 4
ENDS = (0.04, 0.08, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Where an axis may end: every tick is then a whole number of percent."""
CHARACTER, LINE = 8, 14
"""Width and height of a character of a label."""
MARKS = (
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z",
    "M-4-4h8v8h-8z",
    "M0-5L5 4H-5z",
    "M0 5L5-4H-5z",
    "M-2-5h4v3h3v4h-3v3h-4v-3h-3v-4h3z",
    "M-5 0L-3-4H3L5 0L3 4H-3z",
)
"""Outlines around 0, one for each method: circle, square, triangles, cross, hexagon."""


@dataclass(frozen=True)
class MethodRow:
    """`risk`: of picking the right record of a person, one in the smallest class; `share`: the largest of a sensitive
    value in a class. `front`: its number on the front from 1, 0 elsewhere."""

    method: str
    name: str
    k: int
    loss: float | None
    risk: float | None
    share: float | None
    refusal: str
    front: int = 0

    @property
    def key(self) -> str:
        return f"{self.method} {self.k}"


@dataclass(frozen=True)
class DrawnPoint:
    """`words`: its method and k."""

    x: int
    y: int
    mark: str
    words: str
    front: int


@dataclass(frozen=True)
class PointLabel:
    """The numbers of points of the front that are too near each other for a label each."""

    x: int
    y: int
    words: str


@dataclass(frozen=True)
class ComparisonPicture:
    """`line`: along the front; `across` and `up`: places of the ticks, and what they say in percent.

    `marks`: by name of a method its outline.
    """

    points: tuple[DrawnPoint, ...]
    line: str
    labels: tuple[PointLabel, ...]
    across: tuple[tuple[int, int], ...]
    up: tuple[tuple[int, int], ...]
    marks: tuple[tuple[str, str], ...]


def rows(compared: Sequence[Mapping[str, Any]]) -> list[MethodRow]:
    """The rows, those of the front first, by their loss: no row is better in one of loss and risk and as good in the
    other. Of rows that reach the same, the one with the largest k is on the front, which promises most."""
    every_row = sorted(map(_row, compared), key=lambda row: (rank(row.method), row.k))
    front: list[MethodRow] = []
    for row in sorted(every_row, key=lambda row: (*_place(row), -row.k)):
        if row.loss is not None and (not front or _place(row)[1] < _place(front[-1])[1]):
            front.append(row)
    rest = [row for row in every_row if row not in front]
    return [replace(row, front=number) for number, row in enumerate(front, 1)] + rest


def _row(row: Mapping[str, Any]) -> MethodRow:
    name = str(METHOD_NAMES.get(row["method"], row["method"]))
    risk = 1 / row.get("smallest", row["k"]) if "ncp" in row else None
    share, refusal = row.get("max_frequency"), row.get("refusal") or ""
    return MethodRow(row["method"], name, row["k"], row.get("ncp"), risk, share, refusal)


def best(rows: Sequence[MethodRow], k: int) -> MethodRow | None:
    """The row with this k that loses least."""
    return min((row for row in rows if row.k == k and row.loss is not None), key=_place, default=None)


def picture(rows: Sequence[MethodRow]) -> ComparisonPicture | None:
    """None where nothing can be drawn."""
    measured = [row for row in rows if row.loss is not None]
    if not measured:
        return None
    most_loss, most_risk = (_round_up(max(values)) for values in zip(*map(_place, measured), strict=True))
    methods = sorted({row.method for row in measured}, key=rank)
    marks = {method: MARKS[index % len(MARKS)] for index, method in enumerate(methods)}

    def at(row: MethodRow) -> DrawnPoint:
        loss, risk = _place(row)
        x, y = _x(loss / most_loss), _y(risk / most_risk)
        return DrawnPoint(x, y, marks[row.method], f"{row.name}, k = {row.k}", row.front)

    points = [at(row) for row in measured]
    front = [point for point in points if point.front]
    names = {row.method: row.name for row in measured}
    steps = range(TICKS + 1)
    return ComparisonPicture(
        # The front is drawn last, above the others.
        tuple(sorted(points, key=lambda point: point.front)),
        "M" + "L".join(f"{point.x} {point.y}" for point in front),
        tuple(_labels(front)),
        tuple((_x(step / TICKS), round(most_loss * step * 100 / TICKS)) for step in steps),
        tuple((_y(step / TICKS), round(most_risk * step * 100 / TICKS)) for step in steps),
        tuple((names[method], mark) for method, mark in marks.items()),
    )


def _labels(points: Sequence[DrawnPoint]) -> Iterator[PointLabel]:
    near: list[DrawnPoint] = []
    for point in points:
        if near and not _overlaps(_label(near), point):
            yield _label(near)
            near = []
        near.append(point)
    if near:
        yield _label(near)


def _label(near: Sequence[DrawnPoint]) -> PointLabel:
    first, last = near[0].front, near[-1].front
    words = str(first) if first == last else f"{first}–{last}"
    return PointLabel(near[0].x, min(point.y for point in near), words)


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
