"""Hierarchies of the values of a column: given, flat, or proposed (intervals, runs of neighbours, prefixes).

The leaves come first, in an order in which the leaves under every node are neighbours. So the lowest common node of a
set of values is that of its first and last value.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.tables.dates import coarser
from privacy.grammar.input_error import InputError, marked as _, quoted

EVERYTHING = "*"
"""What a class shows whose values have only the root in common."""
FINEST = 2.0**-24
"""The narrowest interval that is halved, as a share of the range; numbers nearer to one another part at once."""
MOST_PREFIXES = 60
"""The longest code that is shortened from its end."""
UP_TO = ".."
"""Between the ends of an interval or of a run."""
MISSING = "missing"
"""What a class shows of a number, a date or an ordered choice whose cells are all missing."""

Integers: TypeAlias = NDArray[np.int64]
Branch: TypeAlias = str | tuple[str, tuple["Branch", ...]]
"""A leaf, or a node's label and what is below it."""


@dataclass(frozen=True, slots=True)
class Hierarchy:
    """`labels`: leaves, then inner nodes, then the root, which is its own `parent`; `first` and `last` leaf of each."""

    labels: tuple[str, ...]
    parent: Integers
    first: Integers
    last: Integers

    @property
    def leaves(self) -> int:
        return int(self.last[-1]) + 1

    @property
    def root(self) -> int:
        return len(self.labels) - 1

    @property
    def penalties(self) -> NDArray[np.float64]:
        """Of each node: leaves below it / all leaves; 0 for a leaf (docs/mathematics.md, Anonymised tables)."""
        shares = (self.last - self.first + 1) / self.leaves
        shares[: self.leaves] = 0
        return shares

    def common(self, low: int, high: int) -> int:
        """The lowest node above both leaves; a leaf itself if they are the same."""
        node = low
        while self.last[node] < high:
            node = int(self.parent[node])
        return node


def made_of(branches: Sequence[Branch], where: str) -> Hierarchy:
    """The hierarchy with these branches below its root; a label or value that appears twice is refused."""
    leaves: list[str] = []
    inner: list[tuple[str, int, int, int]] = []  # label, first leaf, last leaf, parent among the inner nodes

    def visit(branch: Branch, parent: int) -> None:
        if isinstance(branch, str):
            leaves.append(branch)
            above.append(parent)
            return
        label, below = branch
        own = len(inner)
        inner.append((label, len(leaves), 0, parent))
        for child in below:
            visit(child, own)
        inner[own] = (label, inner[own][1], len(leaves) - 1, parent)

    above: list[int] = []
    for branch in branches:
        visit(branch, -1)
    labels = (*leaves, *(label for label, *_rest in inner), EVERYTHING)
    _once(labels, where)
    start, root = len(leaves), len(labels) - 1
    parents = [*above, *(parent for *_rest, parent in inner)]
    return Hierarchy(
        labels,
        np.array([*(start + parent if parent >= 0 else root for parent in parents), root]),
        np.array([*range(start), *(first for _label, first, _last, _parent in inner), 0]),
        np.array([*range(start), *(last for _label, _first, last, _parent in inner), start - 1]),
    )


def _once(labels: Sequence[str], where: str) -> None:
    names = set()
    for label in labels:
        if label in names:
            raise InputError(where, _("%(label)s appears twice"), label=quoted(label))
        names.add(label)


def flat(values: Sequence[str], where: str) -> Hierarchy:
    return made_of(values, where)


def runs(values: Sequence[str], where: str, missing: Sequence[str] = ()) -> Hierarchy:
    """Ordered values, two neighbours together at every level."""
    return _beside(_joined(list(values), list(values), list(values)), missing, where)


def _joined(branches: list[Branch], firsts: list[str], lasts: list[str]) -> Sequence[Branch]:
    while len(branches) > 2:
        pairs = [slice(start, start + 2) for start in range(0, len(branches), 2)]
        firsts, lasts = [firsts[pair][0] for pair in pairs], [lasts[pair][-1] for pair in pairs]
        branches = [
            (f"{first}{UP_TO}{last}", tuple(branches[pair])) if len(branches[pair]) > 1 else branches[pair][0]
            for pair, first, last in zip(pairs, firsts, lasts, strict=True)
        ]
    return branches


def intervals(
    positions: NDArray[np.float64], values: Sequence[str], where: str, missing: Sequence[str] = ()
) -> Hierarchy:
    """Numbers: the range halved again and again, to single values or until what is left is narrower than FINEST.

    `positions` from 0 to 1, ascending. A `missing` value is below the root, next to the numbers.
    """

    def below(start: int, end: int, low: float, high: float) -> Iterator[Branch]:
        if high - low < FINEST:
            yield from values[start:end]
            return
        middle = (low + high) / 2
        cut = start + int(np.searchsorted(positions[start:end], middle, side="right"))
        for begin, stop, least, most in ((start, cut, low, middle), (cut, end, middle, high)):
            if stop - begin == 1:
                yield values[begin]
            elif stop - begin == end - start:
                yield from below(begin, stop, least, most)
            elif stop > begin:
                yield f"{values[begin]}{UP_TO}{values[stop - 1]}", tuple(below(begin, stop, least, most))

    branches = list(values) if len(values) < 2 else list(below(0, len(values), 0.0, 1.0))
    return _beside(branches, missing, where)


def calendar(values: Sequence[str], where: str, missing: Sequence[str] = ()) -> Hierarchy:
    """Dates in their order, as `dates.label` writes them: days below months, quarters and years."""
    above = {text: coarser(text) for text in values}

    def below(members: Sequence[str], level: int) -> Iterator[Branch]:
        if level < 0:
            yield from members
            return
        for name, group in groupby(members, lambda text: above[text][level]):
            inside = list(group)
            branches = tuple(below(inside, level - 1))
            yield (name, branches) if len(inside) > 1 else inside[0]

    return _beside(list(below(values, len(above[values[0]]) - 1) if values else []), missing, where)


def _beside(present: Sequence[Branch], missing: Sequence[str], where: str) -> Hierarchy:
    """All known values are one branch where others are missing, so that a level tells which these are."""
    branches = list(present)
    if missing and len(branches) > 1:
        branches = [(f"{EVERYTHING} but {MISSING}", tuple(branches))]
    return made_of([*branches, *missing], where)


def prefixes(values: Sequence[str], where: str) -> Hierarchy:
    """Codes such as postcodes: one character less at every level, a star for each that is left out."""
    longest = max(map(len, values), default=0)
    if longest > MOST_PREFIXES:
        raise InputError(where, _("a code has at most %(most)s characters"), most=MOST_PREFIXES)

    def below(members: Sequence[str], length: int) -> Iterator[Branch]:
        groups: dict[str, list[str]] = {}
        for value in members:
            groups.setdefault(value[: length + 1], []).append(value)
        for prefix, inside in groups.items():
            if len(inside) == 1:
                yield inside[0]
            elif len(groups) == 1:
                yield from below(inside, length + 1)
            else:
                yield prefix + EVERYTHING * (longest - len(prefix)), tuple(below(inside, length + 1))

    return made_of(list(below(sorted(values), 0)), where)
