"""The sides of rules: what a set of items of S is worth on base(S), and two such sets together.

A cell of a side holds the records of base(S) that contain exactly these of the side's parts, as in
`mining.reconstruction.cells`; two sides together have the parts of both, so where they share a section its part
of S is two. What a side needs alone is counted among those to whom all of it applies, two together among those
to whom all of both applies. Arrays are group by itemset.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mining.reconstruction.cells import (
    chances,
    disguised_scores,
    exactly,
    keeps,
    open_scores,
    quotient,
    subsets,
)
from mining.reconstruction.combined import combined
from mining.reconstruction.counted import Counts
from mining.reconstruction.moments import Moments
from mining.reconstruction.pooled import record_scores
from mining.reconstruction.shapes import Floats, Group, Laws, Places, Shape
from mining.reconstruction.supports import Estimator

Wanted = tuple[Places, Places]
"""Places of the items that records contain, and of the questions that a rule might hide from them but does not."""
Look = Callable[[Wanted], Counts]
Split = tuple[Places, Places]
"""The places of A and of C; A has the first item."""


def splits(shape: Shape) -> list[Split]:
    """Every unordered pair of sides of S."""
    found = []
    for mask in range(1, (1 << shape.size) - 1, 2):
        inside = [bool(mask >> place & 1) for place in shape.everything]
        found.append(
            (
                tuple(place for place in shape.everything if inside[place]),
                tuple(place for place in shape.everything if not inside[place]),
            )
        )
    return found


def parts(shape: Shape, side: Places) -> list[Places]:
    """What a side has in each sensitive section."""
    return _shared(shape.sections, side)


def atoms(shape: Shape, *sides: Places) -> list[Places]:
    """What the cells of these sides tell apart: the parts of each and its plain items."""
    return [part for side in sides for part in _shared((shape.plain, *shape.sections), side)]


def wanted(shape: Shape, *sides: Places) -> list[Wanted]:
    """What must be counted for the cells of these sides, in the order of the bits."""
    applies = [place for place in shape.hidden if any(place in side for side in sides)]
    return [
        (items, tuple(place for place in applies if place not in items))
        for items in subsets(atoms(shape, *sides))
    ]


def all_wanted(shape: Shape) -> Iterator[Wanted]:
    """Whatever the rules of itemsets of this shape depend on."""
    yield (), ()
    yield from wanted(shape, shape.everything)
    for first, second in splits(shape):
        yield from wanted(shape, first)
        yield from wanted(shape, second)
        yield from wanted(shape, first, second)


def _shared(sections: Sequence[Places], side: Places) -> list[Places]:
    shared = (tuple(place for place in section if place in side) for section in sections)
    return [part for part in shared if part]


@dataclass(frozen=True)
class Side:
    """`support` is its estimate on base(S), `weight` that of each group's mean in it."""

    places: Places
    support: Floats
    weight: Floats
    mean: Floats
    second: Floats
    disguised: Floats
    opened: Floats


class Sides:
    """The sides of itemsets of one shape. `look` gives the counts of `all_wanted`."""

    def __init__(self, group: Group, laws: Laws, look: Look, estimator: Estimator) -> None:
        self.group, self.shape, self.laws, self.look = group, group.shape, laws, look
        self.estimator = estimator
        self.base = look(((), ()))
        self.n = self.base.sum(axis=0)
        self.share = quotient(self.base, self.n)
        self._sides: dict[Places, Side] = {}

    def side(self, places: Places) -> Side:
        if places not in self._sides:
            self._sides[places] = self._side(places)
        return self._sides[places]

    @cached_property
    def lowering(self) -> Floats:
        """By how much a group's share of records with S falls when the support of S does by 1."""
        keep = keeps(self.group, self.laws, parts(self.shape, self.shape.everything))
        return np.stack([np.ones(len(self.n)), keep.prod(axis=0)])

    def _side(self, places: Places) -> Side:
        mine = parts(self.shape, places)
        keep, chance = keeps(self.group, self.laws, mine), chances(self.group, self.laws, mine)
        if self.estimator == "pooled":
            applies = tuple(place for place in self.shape.hidden if place in places)
            disguised = opened = record_scores(self.look(((), applies)), keep, chance)
        else:
            disguised, opened = disguised_scores(keep, chance), open_scores(1 << len(mine))
        side = Side(places, self.n, self.share, self.base, self.base, disguised, opened)
        cells = self.cells(places)
        scores = self.scores(side, places)
        weighted = [cells[:, place] * score for place, score in enumerate(scores)]
        mean = quotient(np.stack([column.sum(axis=0) for column in weighted]), self.base)
        squares = [(column * score).sum(axis=0) for column, score in zip(weighted, scores, strict=True)]
        second = quotient(np.stack(squares), self.base)
        support, weight = (self.share * mean).sum(axis=0), self.share
        if self.estimator == "combined":
            slope = ((1 - 2 * chance) / keep).prod(axis=0)
            of = Moments(mean, second, np.stack([np.ones(len(slope)), slope]), self.base)
            support, variance = combined(support, of)
            weight = quotient(1 / variance, (1 / variance).sum(axis=0))
        return Side(places, support, weight, mean, second, disguised, opened)

    def cells(self, *sides: Places) -> Counts:
        """Cells by group by itemset."""
        return exactly(np.stack([self.look(want) for want in wanted(self.shape, *sides)]))

    def scores(self, side: Side, *sides: Places) -> tuple[Floats, Floats]:
        """What open and disguised records score for `side`, in each cell of these sides."""
        found = atoms(self.shape, *sides)
        mine = [_bits(found, part) for part in parts(self.shape, side.places)]
        plain = _bits(found, tuple(place for place in self.shape.plain if place in side.places))
        rows, carried = [], []
        for cell in range(1 << len(found)):
            rows.append(sum(1 << at for at, bits in enumerate(mine) if cell & bits == bits))
            carried.append(cell & plain == plain)
        opened, disguised = side.opened[rows], side.disguised[rows]
        if plain:
            opened[~np.array(carried)] = 0.0
            disguised[~np.array(carried)] = 0.0
        return opened, disguised


def _bits(found: Sequence[Places], part: Places) -> int:
    return sum(1 << at for at, atom in enumerate(found) if set(atom) <= set(part))


def signs(cells: int) -> Floats:
    """How the count of those who contain everything enters each cell."""
    full = (cells - 1).bit_length()
    return np.array([(-1.0) ** (full - cell.bit_count()) for cell in range(cells)])
