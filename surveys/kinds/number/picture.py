"""Pictures of the limits or the window of a number on the expected distribution.

All coordinates are whole numbers, so that no language writes them with a comma.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from privacy.guarantee.best_number_classes import ExpectedShare
from privacy.guarantee.expected_numbers import ExpectedNumbers, Floats
from ui.numbers import format_count

WIDTH, LEFT, RIGHT = 640, 76, 20
# Top and bottom of a frame: of the estimates, of the expected distribution below them, of both.
UPPER, LOWER, WHOLE = (14, 142), (166, 246), (14, 246)
APART = 60
"""Least distance between the middles of two labels."""
MOST_POINTS = 160

Frame = tuple[int, int]
Point = tuple[int, int]


class Label(NamedTuple):
    x: int
    words: str
    anchor: str = "middle"


class DrawnShare(NamedTuple):
    """A share with its interval, as coordinates."""

    x: int
    y: int
    high: int
    low: int

    @property
    def whisker_ends(self) -> tuple[int, int]:
        """X coordinates, left and right, of the caps at the ends of an interval."""
        return self.x - 7, self.x + 7


class ExpectedClassesPicture:
    """Coordinates of a planning picture in two frames.

    The upper one has the share expected at each limit with the interval that it would get, and `ticks` at the heights
    of percentages; the lower one has the `outline` of the expected distribution.
    """

    def __init__(self, expected: ExpectedNumbers, shares: Sequence[ExpectedShare]) -> None:
        numbers = expected.range
        self.outline = distribution_svg_path(expected, LOWER, max(relative_class_densities(expected)))
        self.estimates = [
            DrawnShare(
                x_coordinate(expected, share.limit),
                y_coordinate(share.share, UPPER),
                y_coordinate(share.share + share.half_width, UPPER),
                y_coordinate(share.share - share.half_width, UPPER),
            )
            for share in shares
        ]
        limits = (share.limit for share in shares)
        self.labels = list(axis_labels(expected, [numbers.low, *limits, numbers.high]))
        self.ticks = [(y_coordinate(points / 100, UPPER), points) for points in (0, 50, 100)]


class WindowPicture:
    """Picture of the expected, the received and the estimated distribution with its band, as SVG paths.

    `even` is the height that each number would have if all were equally likely.
    """

    def __init__(
        self, expected: ExpectedNumbers, received: Floats, blurred: Floats, half_widths: Floats | None
    ) -> None:
        numbers, values = expected.range, len(received)
        rows = evenly_spaced_indices(values, MOST_POINTS)
        xs = [x_coordinate(expected, numbers.low + numbers.step * row) for row in rows]
        half = np.zeros(values) if half_widths is None else half_widths
        middle, low, high = (values * curve[rows] for curve in (blurred, blurred - half, blurred + half))
        most = max(1.2, float(high.max()), *relative_class_densities(expected))

        def line(heights: Floats) -> list[Point]:
            return [
                (x, y_coordinate(float(height) / most, WHOLE)) for x, height in zip(xs, heights, strict=True)
            ]

        bottom = WHOLE[1]
        area = [(xs[0], bottom), *line(values * received[rows]), (xs[-1], bottom)]
        self.outline = distribution_svg_path(expected, WHOLE, most)
        self.received = f"{svg_path(area)}Z"
        self.blurred = svg_path(line(middle))
        self.band = "" if half_widths is None else f"{svg_path([*line(high), *reversed(line(low))])}Z"
        ends = [numbers.low + numbers.step * row for row in evenly_spaced_indices(values)]
        self.labels = list(axis_labels(expected, ends))
        self.even = y_coordinate(1 / most, WHOLE)


def evenly_spaced_indices(values: int, most: int = 11) -> list[int]:
    """Returns at most `most` indices below `values`, evenly spaced, with both ends."""
    rows: list[int] = np.unique(np.linspace(0, values - 1, min(values, most)).round().astype(int)).tolist()
    return rows


def localized_number_text(value: int) -> str:
    """Formats a number with the reader's grouping of digits and a true minus sign."""
    return format_count(value) if value >= 0 else f"\u2212{format_count(-value)}"


def relative_class_densities(expected: ExpectedNumbers) -> list[float]:
    """Returns the share of one number in each class of the expected distribution, relative to a uniform one."""
    numbers = expected.range
    ends = (*expected.starts[1:], numbers.high + numbers.step)
    sizes = [(end - start) // numbers.step for start, end in zip(expected.starts, ends, strict=True)]
    return [share / size * numbers.values for share, size in zip(expected.shares, sizes, strict=True)]


def distribution_svg_path(expected: ExpectedNumbers, frame: Frame, most: float) -> str:
    """Returns the SVG path of the expected distribution, in steps from the lower left to the lower right corner."""
    ends = (*expected.starts[1:], expected.range.high)
    points = [(x_coordinate(expected, expected.range.low), frame[1])]
    for start, end, density in zip(expected.starts, ends, relative_class_densities(expected), strict=True):
        y = y_coordinate(density / most, frame)
        points += [(x_coordinate(expected, start), y), (x_coordinate(expected, end), y)]
    return svg_path([*points, (x_coordinate(expected, expected.range.high), frame[1])])


def axis_labels(expected: ExpectedNumbers, numbers: Sequence[int]) -> Iterator[Label]:
    """Yields labels of both ends, and of the numbers between them that leave room."""
    xs = [x_coordinate(expected, number) for number in numbers]
    last = xs[0]
    for index, (x, number) in enumerate(zip(xs, numbers, strict=True)):
        is_end = index in (0, len(xs) - 1)
        if is_end or (x - last >= APART and xs[-1] - x >= APART):
            last = x
            yield Label(x, localized_number_text(number))


def svg_path(points: Sequence[Point]) -> str:
    """Returns the SVG path through these points, without repeated points."""
    distinct = [points[0], *(point for before, point in pairwise(points) if point != before)]
    return "M" + "L".join(f"{x} {y}" for x, y in distinct)


def x_coordinate(expected: ExpectedNumbers, number: int) -> int:
    numbers = expected.range
    return LEFT + round((number - numbers.low) / numbers.width * (WIDTH - LEFT - RIGHT))


def y_coordinate(share: float, frame: Frame) -> int:
    top, bottom = frame
    return round(bottom - min(max(share, 0.0), 1.0) * (bottom - top))
