"""Rounds the ends of published ranges outwards to a grid, so that no end is a person's value.

The lowest and highest ranges are open, with several people behind each open end.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.tables.hierarchies import EVERYTHING, UP_TO, Level, date_label, first_day_of_label

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GridEnds:
    """Rounding of the ends of a number: to multiples of `grid`, open below `under` and from `upward` on.

    `under` and `upward` None: the open ends reach only so far that each has enough records.
    """

    grid: Decimal
    under: Decimal | None = None
    upward: Decimal | None = None


@dataclass(frozen=True, slots=True)
class DateTails:
    """The dates before which (`under`) and from which on (`upward`) a specification leaves ranges of dates open.

    Both are first days of a year, quarter or month.
    """

    under: date | None = None
    upward: date | None = None


@dataclass(frozen=True, slots=True)
class Grid:
    """The bins of a column, ascending: each from one point of the grid to the next, the first and the last one open.

    By code: `bins`, its bin; `begins`, `ends`, the ends of that bin on a scale from 0 to 1. By bin: `first`, `last`,
    its first and last code; `low_texts`, `high_texts`, the texts of its ends, empty if open.
    """

    bins: Codes
    begins: Floats
    ends: Floats
    first: Codes
    last: Codes
    low_texts: tuple[str, ...]
    high_texts: tuple[str, ...]

    def cell_text(self, low: int, high: int) -> str:
        """Returns the published text of a class with codes from `low` to `high`, such as 20..24."""
        from_text, to_text = self.low_texts[self.bins[low]], self.high_texts[self.bins[high]]
        if not from_text and not to_text:
            return EVERYTHING
        return from_text if from_text == to_text else f"{from_text}{UP_TO}{to_text}"

    def read_code_ranges(self, cells: Iterable[str]) -> list[tuple[int, int]]:
        """Returns the first and last code that each published cell shows; an empty range if it is unknown."""
        firsts = dict(zip(self.low_texts, self.first.tolist(), strict=True))
        lasts = dict(zip(self.high_texts, self.last.tolist(), strict=True))

        def code_range(cell: str) -> tuple[int, int]:
            low, sign, high = ("", UP_TO, "") if cell == EVERYTHING else cell.partition(UP_TO)
            high = high if sign else low
            return (firsts[low], lasts[high]) if low in firsts and high in lasts else (1, 0)

        return [code_range(cell) for cell in cells]

    @property
    def is_single_value_bin(self) -> NDArray[np.bool_]:
        """True for each bin that can hold only a single value, which its text then reveals."""
        pairs = zip(self.low_texts, self.high_texts, strict=True)
        return np.array([low != "" and low == high for low, high in pairs])


BINS = 20
"""Approximate number of steps of a proposed grid between the first and the last percentile."""


def propose_grid_step(numbers: Sequence[Decimal], counts: Integers) -> Decimal | None:
    """Proposes the step of a grid to which numbers are rounded: 1, 2 or 5 times a power of ten.

    `counts`: number of records of each number. None if there are few numbers, or nearly all records have the same.
    """
    if len(numbers) <= BINS:
        return None
    order = np.argsort(np.array([float(number) for number in numbers]))
    shares = np.cumsum(counts[order]) / counts.sum()
    low, high = (numbers[order[np.searchsorted(shares, share)]] for share in (0.01, 0.99))
    step = (high - low) / BINS
    if not step:
        return None
    steps = [Decimal(factor).scaleb(step.adjusted()) for factor in (1, 2, 5, 10)]
    return min(grid for grid in steps if grid >= step)


def build_grid(numbers: Sequence[Decimal], counts: Integers, grid_ends: GridEnds, least: int) -> Grid:
    """Builds the grid to which ranges of a numeric column are rounded, from its numbers.

    `numbers`: ascending; `counts`: the number of records of each. The first and last bin are open: they reach as far
    inwards as `grid_ends` says, and until they hold at least `least` records. With whole numbers and a whole grid a bin
    ends at its last number (20..24), else at the next point (2.5..5).
    """
    exponents = (number.normalize().as_tuple().exponent for number in (*numbers, grid_ends.grid))
    unit = 10 ** max(0, *(-int(exponent) for exponent in exponents))
    step, whole = int(grid_ends.grid * unit), unit == 1
    places = np.array([int(number * unit) // step for number in numbers], np.int64)
    low, high = _tail_bin_ends(places, counts, grid_ends, least)
    clipped = np.clip(places, low - 1, high) if low <= high else np.zeros_like(places)
    tails, first, bins = np.unique(clipped, return_index=True, return_inverse=True)
    last = np.append(first[1:], len(places)) - 1
    # A bin reaches from one point to the next, a tail as far as the table does; it is shown open.
    points = [(int(begin), int(end) + 1) for begin, end in zip(places[first], places[last], strict=True)]
    open_below, open_above = low > high or tails[0] == low - 1, low > high or tails[-1] == high
    if low <= high:
        points[0] = (points[0][0], low) if open_below else points[0]
        points[-1] = (high, points[-1][1]) if open_above else points[-1]
    begins = [begin * step for begin, _end in points]
    ends = [end * step - whole for _begin, end in points]
    low_texts, high_texts = ([_decimal_text(value, unit) for value in values] for values in (begins, ends))
    low_texts[0] = "" if open_below else low_texts[0]
    high_texts[-1] = "" if open_above else high_texts[-1]
    span = max(ends[-1] - begins[0], 1)
    by_code = bins.ravel()
    return Grid(
        bins=by_code.astype(np.int32),
        begins=np.array([(begin - begins[0]) / span for begin in begins])[by_code],
        ends=np.array([(end - begins[0]) / span for end in ends])[by_code],
        first=first.astype(np.int32),
        last=last.astype(np.int32),
        low_texts=tuple(low_texts),
        high_texts=tuple(high_texts),
    )


def build_date_grid(
    texts: Sequence[str], positions: Floats, counts: Integers, tails: DateTails, level: Level, least: int
) -> Grid:
    """Builds the grid of ascending dates of one precision: a bin per date, open at the earliest and latest.

    `texts`, `positions`, `counts`: label, position from 0 to 1 and number of records of each date. An open
    bin ("..1949") reaches as far inwards as `tails` says, and until it has at least `least` records.
    """
    days, number = [first_day_of_label(text) for text in texts], len(texts)
    before, after = np.cumsum(counts), np.cumsum(counts[::-1])[::-1]
    below, above = np.flatnonzero(before >= least), np.flatnonzero(after >= least)
    low = int(below[0]) + 1 if len(below) else number
    high = int(above[-1]) if len(above) else 0
    if tails.under is not None:
        low = max(low, sum(day < tails.under for day in days))
    if tails.upward is not None:
        high = min(high, sum(day < tails.upward for day in days))
    if low > high:
        low, high = 0, 0
        bins = np.zeros(number, np.int64)
    else:
        bins = np.clip(np.arange(number), low - 1, high) - (low - 1)
    _numbers, first = np.unique(bins, return_index=True)
    last = np.append(first[1:], number) - 1
    low_texts, high_texts = [texts[at] for at in first], [texts[at] for at in last]
    low_texts[0], high_texts[-1] = "", ""
    if len(first) > 1:
        end = _point_if_between_days(days, low, tails.under) or days[low]
        high_texts[0] = date_label(end - timedelta(days=1), level)
        # For days, the one after the last that is not in the tail; a month, a quarter or a year is nobody's date.
        begin = days[high - 1] + timedelta(days=1) if level is Level.DAY else days[high]
        low_texts[-1] = date_label(_point_if_between_days(days, high, tails.upward) or begin, level)
    return Grid(
        bins=bins.astype(np.int32),
        begins=positions[first][bins],
        ends=positions[last][bins],
        first=first.astype(np.int32),
        last=last.astype(np.int32),
        low_texts=tuple(low_texts),
        high_texts=tuple(high_texts),
    )


def _point_if_between_days(days: Sequence[date], index: int, point: date | None) -> date | None:
    """Returns `point`, the start of an open tail of dates, if the date at `index` is the first from it on.

    Returns None if not.
    """
    return point if point is not None and days[index - 1] < point <= days[index] else None


def _tail_bin_ends(places: Integers, counts: Integers, ends: GridEnds, least: int) -> tuple[int, int]:
    """Returns where the two open bins end: the upper end of the lowest, the lower end of the highest bin."""
    before, after = np.cumsum(counts), np.cumsum(counts[::-1])[::-1]
    enough_below, enough_above = np.flatnonzero(before >= least), np.flatnonzero(after >= least)
    if not len(enough_below):
        return 1, 0
    low, high = int(places[enough_below[0]]) + 1, int(places[enough_above[-1]])
    if ends.under is not None:
        low = max(low, int(ends.under / ends.grid))
    if ends.upward is not None:
        high = min(high, int(ends.upward / ends.grid))
    return low, high


def _decimal_text(value: int, unit: int) -> str:
    text = format(Decimal(value) / unit, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
