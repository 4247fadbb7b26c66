"""Pictures for planning a number: its limits or its window, drawn on the distribution that the researcher expects.

All coordinates are integers, so that no language writes them with a comma.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from privacy.guarantee.best_number_classes import ExpectedShare
from privacy.guarantee.number_distribution import ExpectedNumbers, Floats
from ui.number_format import format_count

WIDTH, LEFT, RIGHT = 640, 76, 20
# Top and bottom of a frame: of the estimates, of the expected distribution below them, of both.
UPPER, LOWER, WHOLE = (14, 142), (166, 246), (14, 246)
APART = 60
"""Least distance between the middles of two labels, in the picture's coordinates."""
MOST_POINTS = 160

Frame = tuple[int, int]
Point = tuple[int, int]


class AxisLabel(NamedTuple):
    x: int
    words: str
    anchor: str = "middle"


class ShareWithInterval(NamedTuple):
    """Coordinates of a share with its interval in the picture."""

    x: int
    y: int
    high: int
    low: int

    @property
    def whisker_ends(self) -> tuple[int, int]:
        """X coordinates of the left and right end of the caps of an interval."""
        return self.x - 7, self.x + 7


class ExpectedClassesPicture:
    """Coordinates of the planning picture of a number disguised by classes.

    The upper frame shows the expected share at each limit with its interval, and `ticks` at percentages. The
    lower frame shows the `outline` of the expected distribution.
    """

    def __init__(self, expected: ExpectedNumbers, shares: Sequence[ExpectedShare]) -> None:
        numbers = expected.range
        self.outline = distribution_svg_path(expected, LOWER, max(densities_relative_to_uniform(expected)))
        self.estimates = [
            ShareWithInterval(
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
    """SVG paths of the expected distribution of a number, of the distribution received, and of the estimate
    with its band.

    `even` is the height of a uniform distribution.
    """

    def __init__(
        self, expected: ExpectedNumbers, received: Floats, blurred: Floats, half_widths: Floats | None
    ) -> None:
        numbers, values = expected.range, len(received)
        rows = evenly_spaced_indices(values, MOST_POINTS)
        xs = [x_coordinate(expected, numbers.low + numbers.step * row) for row in rows]
        half = np.zeros(values) if half_widths is None else half_widths
        middle, low, high = (values * curve[rows] for curve in (blurred, blurred - half, blurred + half))
        most = max(1.2, float(high.max()), *densities_relative_to_uniform(expected))

        def curve_points(heights: Floats) -> list[Point]:
            return [
                (x, y_coordinate(float(height) / most, WHOLE)) for x, height in zip(xs, heights, strict=True)
            ]

        bottom = WHOLE[1]
        area = [(xs[0], bottom), *curve_points(values * received[rows]), (xs[-1], bottom)]
        self.outline = distribution_svg_path(expected, WHOLE, most)
        self.received = f"{svg_path(area)}Z"
        self.blurred = svg_path(curve_points(middle))
        self.band = (
            "" if half_widths is None else f"{svg_path([*curve_points(high), *reversed(curve_points(low))])}Z"
        )
        ends = [numbers.low + numbers.step * row for row in evenly_spaced_indices(values)]
        self.labels = list(axis_labels(expected, ends))
        self.even = y_coordinate(1 / most, WHOLE)


def evenly_spaced_indices(values: int, most: int = 11) -> list[int]:
    """Returns at most `most` evenly spaced indices below `values`, the first and the last included."""
    rows: list[int] = np.unique(np.linspace(0, values - 1, min(values, most)).round().astype(int)).tolist()
    return rows


def localized_number_text(value: int) -> str:
    """Formats an integer with the reader's grouping of digits and a true minus sign."""
    return format_count(value) if value >= 0 else f"\u2212{format_count(-value)}"


def densities_relative_to_uniform(expected: ExpectedNumbers) -> list[float]:
    """Returns the density of each class of the expected distribution, relative to a uniform one."""
    numbers = expected.range
    ends = (*expected.starts[1:], numbers.high + numbers.step)
    sizes = [(end - start) // numbers.step for start, end in zip(expected.starts, ends, strict=True)]
    return [share / size * numbers.values for share, size in zip(expected.shares, sizes, strict=True)]


def distribution_svg_path(expected: ExpectedNumbers, frame: Frame, most: float) -> str:
    """Returns the SVG path of the expected distribution, as steps from the lower left to the lower right corner of the
    frame."""
    ends = (*expected.starts[1:], expected.range.high)
    points = [(x_coordinate(expected, expected.range.low), frame[1])]
    for start, end, density in zip(
        expected.starts, ends, densities_relative_to_uniform(expected), strict=True
    ):
        y = y_coordinate(density / most, frame)
        points += [(x_coordinate(expected, start), y), (x_coordinate(expected, end), y)]
    return svg_path([*points, (x_coordinate(expected, expected.range.high), frame[1])])


def axis_labels(expected: ExpectedNumbers, numbers: Sequence[int]) -> Iterator[AxisLabel]:
    """Yields axis labels for both ends, and for those of `numbers` between the ends that have room."""
    xs = [x_coordinate(expected, number) for number in numbers]
    last = xs[0]
    for index, (x, number) in enumerate(zip(xs, numbers, strict=True)):
        is_end = index in (0, len(xs) - 1)
        if is_end or (x - last >= APART and xs[-1] - x >= APART):
            last = x
            yield AxisLabel(x, localized_number_text(number))


def svg_path(points: Sequence[Point]) -> str:
    """Returns the SVG path through these points, leaving out points equal to the previous one."""
    distinct = [points[0], *(point for before, point in pairwise(points) if point != before)]
    return "M" + "L".join(f"{x} {y}" for x, y in distinct)


def x_coordinate(expected: ExpectedNumbers, number: int) -> int:
    numbers = expected.range
    return LEFT + round((number - numbers.low) / numbers.width * (WIDTH - LEFT - RIGHT))


def y_coordinate(share: float, frame: Frame) -> int:
    top, bottom = frame
    return round(bottom - min(max(share, 0.0), 1.0) * (bottom - top))
