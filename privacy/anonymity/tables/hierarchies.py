"""Generalisation hierarchies of a column's values: given, flat, or derived (intervals, calendar, runs, prefixes).

The leaves come first, ordered so that the leaves below each node are neighbours. So the lowest common node of a set of
values is that of its first and last value.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from itertools import groupby
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value

# --- dates
# Dates of a column: read in the order of their parts, and written as days, months, quarters or years.


class DateOrder(StrEnum):
    """The order of year, month and day in a cell."""

    YMD = "ymd"
    DMY = "dmy"
    MDY = "mdy"


class Level(StrEnum):
    """The precision with which a date is read and published."""

    DAY = "day"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"


DATE = {
    DateOrder.YMD: re.compile(
        r"(?P<y>[0-9]{4})(?P<sign>[-/.])(?P<m>[0-9]{1,2})(?P<again>[-/.])(?P<d>[0-9]{1,2})"
        r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?",
        re.ASCII,
    ),
    DateOrder.DMY: re.compile(
        r"(?P<d>[0-9]{1,2})(?P<sign>[-/.])(?P<m>[0-9]{1,2})(?P<again>[-/.])(?P<y>[0-9]{4})"
        r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?",
        re.ASCII,
    ),
    DateOrder.MDY: re.compile(
        r"(?P<m>[0-9]{1,2})(?P<sign>[-/.])(?P<d>[0-9]{1,2})(?P<again>[-/.])(?P<y>[0-9]{4})"
        r"(?:[T ][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:[.,][0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?",
        re.ASCII,
    ),
}
LABEL = re.compile(r"([0-9]{4})(?:-(?:Q([1-4])|([0-9]{2})(?:-([0-9]{2}))?))?", re.ASCII)
"""Pattern of a year, quarter, month or day as `date_label` writes it."""


def looks_like_date(cell: str, order: DateOrder) -> bool:
    """Returns True if a cell has the form of a date, even of one that does not exist."""
    match = DATE[order].fullmatch(cell)
    return match is not None and match["sign"] == match["again"]


def read_date(cell: str, order: DateOrder) -> date | None:
    """Reads the date of a cell without its time; None if it has another form or is not in the calendar (31.02.)."""
    match = DATE[order].fullmatch(cell) if looks_like_date(cell, order) else None
    try:
        return date(int(match["y"]), int(match["m"]), int(match["d"])) if match else None
    except ValueError:
        return None


def date_label(day: date, level: Level) -> str:
    """Writes the year, quarter, month or day of a date: 2020, 2020-Q1, 2020-03, 2020-03-31."""
    year = f"{day.year:04d}"
    if level is Level.YEAR:
        return year
    if level is Level.QUARTER:
        return f"{year}-Q{(day.month + 2) // 3}"
    return f"{year}-{day.month:02d}" if level is Level.MONTH else day.isoformat()


def first_day_of_label(text: str) -> date:
    """Returns the first day of the period in a date label: a year, quarter, month or day, such as 2020-Q1."""
    match = LABEL.fullmatch(text)
    assert match
    year, quarter, month, day = match.groups()
    return date(int(year), 3 * int(quarter) - 2 if quarter else int(month or 1), int(day or 1))


def coarser_date_labels(text: str) -> list[str]:
    """Returns the coarser labels of a date label: its month, quarter and year, as 2020-Q1 of 2020-03."""
    levels = list(Level)
    own = next(level for level in levels if date_label(first_day_of_label(text), level) == text)
    return [date_label(first_day_of_label(text), level) for level in levels[levels.index(own) + 1 :]]


# --- hierarchies

EVERYTHING = "*"
"""The cell of a class whose values have only the root in common."""
FINEST = 2.0**-24
"""Narrowest interval that is halved, as a share of the range; narrower ones split into single numbers."""
MOST_PREFIXES = 60
"""Longest code, in characters, for which prefixes are built."""
UP_TO = ".."
"""Separator between the ends of an interval or of a run of ordered choices."""
MISSING = "missing"
"""The cell of a class in which a number, a date or an ordered choice is always missing."""

Integers: TypeAlias = NDArray[np.int64]
Branch: TypeAlias = str | tuple[str, tuple["Branch", ...]]
"""Part of a hierarchy: a leaf, or a node's label and its child branches."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """A tree of labels above the values of a column, in arrays by node: leaves, then inner nodes, then the root.

    `parent`: the node above, the root's own for the root. `first`, `last`: first and last leaf below each node.
    """

    labels: tuple[str, ...]
    parent: Integers
    first: Integers
    last: Integers

    @property
    def leaves(self) -> int:
        """Number of leaves."""
        return int(self.last[-1]) + 1

    @property
    def root(self) -> int:
        """Index of the root node."""
        return len(self.labels) - 1

    @property
    def penalties(self) -> NDArray[np.float64]:
        """The information loss (NCP) of each node: leaves below it / all leaves; 0 for a leaf.

        docs/mathematics.md, Anonymised tables.
        """
        shares = (self.last - self.first + 1) / self.leaves
        shares[: self.leaves] = 0
        return shares

    def lowest_common_node(self, low: int, high: int) -> int:
        """Returns the lowest node above both leaves; the leaf itself if they are the same."""
        node = low
        while self.last[node] < high:
            node = int(self.parent[node])
        return node


def build_hierarchy(branches: Sequence[Branch], where: str) -> Hierarchy:
    """Builds the hierarchy of a column from the branches below its root; refuses a repeated label."""
    leaves: list[str] = []
    inner: list[tuple[str, int, int, int]] = []  # label, first leaf, last leaf, parent among the inner nodes

    def add_branch(branch: Branch, parent: int) -> None:
        if isinstance(branch, str):
            leaves.append(branch)
            above.append(parent)
            return
        label, below = branch
        own = len(inner)
        inner.append((label, len(leaves), 0, parent))
        for child in below:
            add_branch(child, own)
        inner[own] = (label, inner[own][1], len(leaves) - 1, parent)

    above: list[int] = []
    for branch in branches:
        add_branch(branch, -1)
    labels = (*leaves, *(label for label, *_rest in inner), EVERYTHING)
    _refuse_duplicates(labels, where)
    start, root = len(leaves), len(labels) - 1
    parents = [*above, *(parent for *_rest, parent in inner)]
    return Hierarchy(
        labels,
        np.array([*(start + parent if parent >= 0 else root for parent in parents), root]),
        np.array([*range(start), *(first for _label, first, _last, _parent in inner), 0]),
        np.array([*range(start), *(last for _label, _first, last, _parent in inner), start - 1]),
    )


def _refuse_duplicates(labels: Sequence[str], where: str) -> None:
    names = set()
    for label in labels:
        if label in names:
            raise InputError(where, _("%(label)s appears twice"), label=quote_value(label))
        names.add(label)


def build_flat_hierarchy(values: Sequence[str], where: str) -> Hierarchy:
    """Builds a hierarchy without inner nodes: all values are below the root."""
    return build_hierarchy(values, where)


def build_pairing_hierarchy(values: Sequence[str], where: str, missing: Sequence[str] = ()) -> Hierarchy:
    """Builds a binary hierarchy of ordered values: every level joins pairs of neighbouring nodes."""
    return _add_missing_branch(_pair_neighbours(list(values), list(values), list(values)), missing, where)


def _pair_neighbours(branches: list[Branch], firsts: list[str], lasts: list[str]) -> Sequence[Branch]:
    while len(branches) > 2:
        pairs = [slice(start, start + 2) for start in range(0, len(branches), 2)]
        firsts, lasts = [firsts[pair][0] for pair in pairs], [lasts[pair][-1] for pair in pairs]
        branches = [
            (f"{first}{UP_TO}{last}", tuple(branches[pair])) if len(branches[pair]) > 1 else branches[pair][0]
            for pair, first, last in zip(pairs, firsts, lasts, strict=True)
        ]
    return branches


def build_interval_hierarchy(
    positions: NDArray[np.float64], values: Sequence[str], where: str, missing: Sequence[str] = ()
) -> Hierarchy:
    """Builds the hierarchy of a numeric column: every level halves the range of numbers.

    It ends at single values or intervals narrower than FINEST. `positions`: positions of the values, ascending from 0
    to 1. A `missing` value is below the root, next to the numbers.
    """

    def build_interval_branches(start: int, end: int, low: float, high: float) -> Iterator[Branch]:
        if high - low < FINEST:
            yield from values[start:end]
            return
        middle = (low + high) / 2
        cut = start + int(np.searchsorted(positions[start:end], middle, side="right"))
        for begin, stop, least, most in ((start, cut, low, middle), (cut, end, middle, high)):
            if stop - begin == 1:
                yield values[begin]
            elif stop - begin == end - start:
                yield from build_interval_branches(begin, stop, least, most)
            elif stop > begin:
                yield (
                    f"{values[begin]}{UP_TO}{values[stop - 1]}",
                    tuple(build_interval_branches(begin, stop, least, most)),
                )

    branches = list(values) if len(values) < 2 else list(build_interval_branches(0, len(values), 0.0, 1.0))
    return _add_missing_branch(branches, missing, where)


def build_calendar_hierarchy(values: Sequence[str], where: str, missing: Sequence[str] = ()) -> Hierarchy:
    """Builds the hierarchy of ascending date labels: days below months, quarters and years."""
    above = {text: coarser_date_labels(text) for text in values}

    def build_calendar_branches(members: Sequence[str], level: int) -> Iterator[Branch]:
        if level < 0:
            yield from members
            return
        for name, group in groupby(members, lambda text: above[text][level]):
            inside = list(group)
            branches = tuple(build_calendar_branches(inside, level - 1))
            yield (name, branches) if len(inside) > 1 else inside[0]

    return _add_missing_branch(
        list(build_calendar_branches(values, len(above[values[0]]) - 1) if values else []), missing, where
    )


def _add_missing_branch(present: Sequence[Branch], missing: Sequence[str], where: str) -> Hierarchy:
    """Builds a hierarchy with all known values in one branch, and the missing value beside it."""
    branches = list(present)
    if missing and len(branches) > 1:
        branches = [(f"{EVERYTHING} but {MISSING}", tuple(branches))]
    return build_hierarchy([*branches, *missing], where)


def build_prefix_hierarchy(values: Sequence[str], where: str) -> Hierarchy:
    """Builds the hierarchy of codes such as postcodes: a star replaces one more character at every level."""
    longest = max(map(len, values), default=0)
    if longest > MOST_PREFIXES:
        raise InputError(where, _("a code has at most %(most)s characters"), most=MOST_PREFIXES)

    def build_prefix_branches(members: Sequence[str], length: int) -> Iterator[Branch]:
        groups: dict[str, list[str]] = {}
        for value in members:
            groups.setdefault(value[: length + 1], []).append(value)
        for prefix, inside in groups.items():
            if len(inside) == 1:
                yield inside[0]
            elif len(groups) == 1:
                yield from build_prefix_branches(inside, length + 1)
            else:
                yield (
                    prefix + EVERYTHING * (longest - len(prefix)),
                    tuple(build_prefix_branches(inside, length + 1)),
                )

    return build_hierarchy(list(build_prefix_branches(sorted(values), 0)), where)
