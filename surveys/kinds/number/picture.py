"""The limits or the window of a number on the distribution that is expected, as pictures and as tables.

All coordinates are whole numbers, so that no language writes them with a comma.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from privacy.guarantee.expected_numbers import ExpectedNumbers, Floats
from surveys.kinds.number.protection import ClassesProtection, WindowProtection
from ui.numbers import count

WIDTH, LEFT, RIGHT = 640, 76, 20
UPPER, LOWER = (14, 142), (166, 246)
"""Top and bottom of the estimates, and of the expected distribution."""
WHOLE = (14, 246)
APART = 60
"""Between the middles of two labels."""
MOST_POINTS, TABLE_ROWS = 160, 11
TICKS = (0, 50, 100)


def number_words(value: int) -> str:
    return count(value) if value >= 0 else f"\u2212{count(-value)}"


@dataclass(frozen=True)
class Label:
    x: int
    words: str
    anchor: str = "middle"


@dataclass(frozen=True)
class DrawnShare:
    """A share with the ends of its interval."""

    x: int
    y: int
    high: int
    low: int

    @property
    def cap(self) -> tuple[int, int]:
        return self.x - 7, self.x + 7


@dataclass(frozen=True)
class ClassesPicture:
    """`outline` is the path of the expected distribution, `ticks` the heights of percentages."""

    outline: str
    estimates: tuple[DrawnShare, ...]
    labels: tuple[Label, ...]
    ticks: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class WindowPicture:
    """Paths: the distributions expected, received, and as a report would draw it, with its band."""

    outline: str
    received: str
    blurred: str
    band: str
    labels: tuple[Label, ...]
    even: int


@dataclass(frozen=True)
class CurveRow:
    """Shares as multiples of what each number would have if all were equally likely."""

    number: str
    expected: float
    received: float
    blurred: float
    half_width: float


def classes_picture(protection: ClassesProtection) -> ClassesPicture:
    estimates = (
        DrawnShare(
            _x(protection.expected, each.limit),
            _y(each.share, UPPER),
            _y(min(1.0, each.share + each.half_width), UPPER),
            _y(max(0.0, each.share - each.half_width), UPPER),
        )
        for each in protection.shares
    )
    return ClassesPicture(
        _outline(protection.expected, LOWER, max(_densities(protection.expected))),
        tuple(estimates),
        tuple(
            _labels(
                protection.expected,
                (protection.expected.range.low, *protection.classes.limits, protection.expected.range.high),
            )
        ),
        tuple((_y(points / 100, UPPER), points) for points in TICKS),
    )


def window_picture(protection: WindowProtection) -> WindowPicture:
    numbers, values = protection.expected.range, protection.law.values
    places = np.unique(np.linspace(0, values - 1, min(values, MOST_POINTS)).round().astype(int))
    xs = [_x(protection.expected, numbers.low + numbers.step * int(index)) for index in places]
    shares = protection.blurred, protection.half_widths, protection.received
    blurred, half, received = (values * each[places] for each in shares)
    banded = half if protection.banded else np.zeros(len(places))
    most = max(1.2, float((blurred + banded).max()), *_densities(protection.expected))
    low = [(x, _y(float(y) / most, WHOLE)) for x, y in zip(xs, blurred - banded, strict=True)]
    high = [(x, _y(float(y) / most, WHOLE)) for x, y in zip(xs, blurred + banded, strict=True)]
    bottom = WHOLE[1]
    area = [(xs[0], bottom), *_line(xs, received / most), (xs[-1], bottom)]
    return WindowPicture(
        _outline(protection.expected, WHOLE, most),
        f"{_path(area)}Z",
        _path(_line(xs, blurred / most)),
        f"{_path([*high, *reversed(low)])}Z" if protection.banded else "",
        tuple(
            _labels(protection.expected, [numbers.low + numbers.step * int(each) for each in _spots(values)])
        ),
        _y(1 / most, WHOLE),
    )


def curve_rows(protection: WindowProtection) -> list[CurveRow]:
    numbers, values = protection.expected.range, protection.law.values
    curves = (protection.shares, protection.received, protection.blurred, protection.half_widths)
    return [
        CurveRow(
            number_words(numbers.low + numbers.step * at), *[float(values * curve[at]) for curve in curves]
        )
        for at in _spots(values)
    ]


def _spots(values: int) -> Sequence[int]:
    return [int(each) for each in np.unique(np.linspace(0, values - 1, min(values, TABLE_ROWS)).round())]


def _densities(expected: ExpectedNumbers) -> list[float]:
    """By class the share of one number, where 1 is that of an even distribution."""
    numbers = expected.range
    ends = (*expected.starts[1:], numbers.high + numbers.step)
    sizes = [(end - start) // numbers.step for start, end in zip(expected.starts, ends, strict=True)]
    return [share / size * numbers.values for share, size in zip(expected.shares, sizes, strict=True)]


def _outline(expected: ExpectedNumbers, frame: tuple[int, int], most: float) -> str:
    """The steps of the expected distribution, from the lower left corner to the lower right one."""
    ends = (*expected.starts[1:], expected.range.high)
    points = [(_x(expected, expected.range.low), frame[1])]
    for start, end, density in zip(expected.starts, ends, _densities(expected), strict=True):
        y = _y(density / most, frame)
        points += [(_x(expected, start), y), (_x(expected, end), y)]
    return _path([*points, (_x(expected, expected.range.high), frame[1])])


def _labels(expected: ExpectedNumbers, numbers: Sequence[int]) -> Iterator[Label]:
    """The ends, and of the others those that leave room."""
    xs = [_x(expected, each) for each in numbers]
    last = xs[0]
    for index, (x, number) in enumerate(zip(xs, numbers, strict=True)):
        inner = 0 < index < len(xs) - 1
        if inner and (x - last < APART or xs[-1] - x < APART):
            continue
        last = x
        yield Label(x, number_words(number))


def _line(xs: Sequence[int], shares: Floats) -> list[tuple[int, int]]:
    return [(x, _y(float(share), WHOLE)) for x, share in zip(xs, shares, strict=True)]


def _path(points: Sequence[tuple[int, int]]) -> str:
    drawn = [points[0], *(here for before, here in pairwise(points) if here != before)]
    return "M" + "L".join(f"{x} {y}" for x, y in drawn)


def _x(expected: ExpectedNumbers, number: int) -> int:
    numbers = expected.range
    return LEFT + round((number - numbers.low) / numbers.width * (WIDTH - LEFT - RIGHT))


def _y(share: float, frame: tuple[int, int]) -> int:
    top, bottom = frame
    return round(bottom - min(max(share, 0.0), 1.0) * (bottom - top))
