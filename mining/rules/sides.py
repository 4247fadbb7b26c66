"""The sides of rules: what a set of items of S is worth on base(S), and two such sets together.

A cell of a side holds the records of base(S) that contain exactly these of the side's parts, as in
`mining.reconstruction.cells`; two sides together have the parts of both, so where they share a section its part
of S is two. What a side needs alone is counted among those to whom all of it applies, two together among those
to whom all of both applies.

A sum over cells is a sum over supersets with other factors, so nothing but sums of counts is needed. Arrays end
in one axis of itemsets; where these all have the same laws, what follows from the laws alone has length 1 there.

The stratified estimator is the mean score of all records, whatever their group: one pool. The others weigh the
groups' means: two pools, and weights that stand still.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain

import numpy as np

from mining.reconstruction.cells import chances, disguised_scores, keeps, open_scores, quotient, subsets
from mining.reconstruction.combined import combined, weights
from mining.reconstruction.laws import Floats, Laws
from mining.reconstruction.moments import Moments
from mining.reconstruction.pooled import record_scores
from mining.reconstruction.shapes import Group, Places, Shape
from mining.reconstruction.supports import Estimator

Wanted = tuple[Places, Places]
"""Places of the items that records contain, and of the questions that a rule might hide from them but does not."""
Split = tuple[Places, Places]
"""The places of A and of C; A has the first item."""


@cache
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


@cache
def atoms(shape: Shape, sides: tuple[Places, ...]) -> list[Places]:
    """What the cells of these sides tell apart: the parts of each and its plain items."""
    return [part for side in sides for part in _shared((shape.plain, *shape.sections), side)]


@cache
def wanted(shape: Shape, sides: tuple[Places, ...]) -> list[Wanted]:
    """What must be counted for the cells of these sides, in the order of the bits."""
    applies = [place for place in shape.hidden if any(place in side for side in sides)]
    return [
        (items, tuple(place for place in applies if place not in items))
        for items in subsets(atoms(shape, sides))
    ]


@cache
def all_wanted(shape: Shape) -> dict[Wanted, int]:
    """Whatever the rules of itemsets of this shape depend on, numbered."""
    found: list[Wanted] = [((), ()), *wanted(shape, (shape.everything,))]
    for split in splits(shape):
        for sides in (split[:1], split[1:], split):
            found += wanted(shape, sides)
    return {want: row for row, want in enumerate(dict.fromkeys(found))}


def _shared(sections: Sequence[Places], side: Places) -> list[Places]:
    shared = (tuple(place for place in section if place in side) for section in sections)
    return [part for part in shared if part]


@dataclass(frozen=True)
class Side:
    """`support` is its estimate on base(S); pool by itemset: the mean score, its square's, its weight."""

    support: Floats
    mean: Floats
    second: Floats
    weight: Floats


@dataclass(frozen=True)
class Together:
    """Two sides and the whole, and the means of the products of their scores; arrays are pool by itemset.

    `fall` says how much a mean falls, were the support of S lower by 1 and no other set's, `fall_of_s` that of z(S).
    """

    a: Side
    c: Side
    s: Side
    ac: Floats
    as_: Floats
    cs: Floats
    fall: dict[str, Floats]
    fall_of_s: Floats


Scores = tuple[Floats, Floats]
"""Of an open and of a disguised record: cells by itemset."""


class Sides:
    """The sides of itemsets of one shape. `counts` has the pairs of counts of `all_wanted`, in its order."""

    def __init__(self, group: Group, laws: Laws, counts: Floats, estimator: Estimator) -> None:
        self.group, self.shape, self.laws = group, group.shape, laws
        self.counts, self.estimator = counts, estimator
        self.whole = self.shape.everything
        self.row = all_wanted(self.shape)
        self.base = counts[self.row[(), ()]]
        self.n = self.base.sum(axis=0)
        self.pools = ((0, 1),) if estimator == "stratified" else ((0,), (1,))
        self.records = np.stack([sum(self.base[group] for group in pool) for pool in self.pools])
        self.per_record = quotient(np.ones(1), self.records)
        kinds = laws.kind[group.items]
        self.one_law = group.take(slice(1)) if bool((kinds == kinds[:1]).all()) else group
        self._own: dict[Places, Scores] = {}
        self.keep = self._laws(self.whole)[0].prod(axis=0)
        self.of = self._all_sides()

    def together(self, split: Split) -> Together:
        a, c, s = (self._scores(side, split) for side in (*split, self.whole))
        pairs = {"ac": _times(a, c), "as": _times(a, s), "cs": _times(c, s), "ss": _times(s, s)}
        factors = {name: _on_supersets(pair) for name, pair in pairs.items()}
        means = [self._mean(split, factors[name]) for name in ("ac", "as", "cs")]
        fall = {name: self._fall(factor) for name, factor in factors.items()}
        sides = [self.of[side] for side in (*split, self.whole)]
        return Together(
            sides[0], sides[1], sides[2], means[0], means[1], means[2], fall, self._fall(_on_supersets(s))
        )

    def _all_sides(self) -> dict[Places, Side]:
        found = {}
        for side in [self.whole, *chain.from_iterable(splits(self.shape))]:
            scores = self._scores(side, (side,))
            mean = self._mean((side,), _on_supersets(scores))
            second = self._mean((side,), _on_supersets(_times(scores, scores)))
            found[side] = self._side(side, mean, second)
        return found

    def _side(self, places: Places, mean: Floats, second: Floats) -> Side:
        if self.estimator == "stratified":
            return Side(mean[0], mean, second, np.ones((1, 1)))
        share = quotient(self.records, self.n)
        if self.estimator == "pooled":
            return Side((share * mean).sum(axis=0), mean, second, share)
        keep, chance = self._laws(places)
        slope = np.broadcast_to(((1 - 2 * chance) / keep).prod(axis=0), self.n.shape)
        of = Moments(mean, second, np.stack([np.ones(len(slope)), slope]), self.base)
        support, variance = combined((share * mean).sum(axis=0), of)
        return Side(support, mean, second, weights(variance))

    def _laws(self, side: Places) -> tuple[Floats, Floats]:
        of = parts(self.shape, side)
        return keeps(self.one_law, self.laws, of), chances(self.one_law, self.laws, of)

    def _scores(self, side: Places, sides: tuple[Places, ...]) -> Scores:
        """What records score for `side` in each cell of these sides."""
        opened, disguised = self._own_scores(side)
        found = atoms(self.shape, sides)
        mine = [_bits(found, part) for part in parts(self.shape, side)]
        plain = _bits(found, tuple(place for place in self.shape.plain if place in side))
        rows = [
            sum(1 << at for at, bits in enumerate(mine) if cell & bits == bits)
            for cell in range(1 << len(found))
        ]
        carried = np.array([[float(cell & plain == plain)] for cell in range(1 << len(found))])
        return opened[rows] * carried, disguised[rows] * carried

    def _own_scores(self, side: Places) -> Scores:
        """In the cells of the side's sensitive parts alone."""
        if side not in self._own:
            keep, chance = self._laws(side)
            if self.estimator == "pooled":
                applies = tuple(place for place in self.shape.hidden if place in side)
                applying = alike(self.counts[self.row[(), applies]])
                scores = record_scores(applying, keep, chance)
                self._own[side] = scores, scores
            else:
                self._own[side] = open_scores(1 << len(keep)), disguised_scores(keep, chance)
        return self._own[side]

    def _mean(self, sides: tuple[Places, ...], factors: Scores) -> Floats:
        """Over the records of base(S): pool by itemset."""
        found = np.zeros(self.records.shape)
        for at, pool in enumerate(self.pools):
            for group in pool:
                for want, factor in zip(wanted(self.shape, sides), factors[group], strict=True):
                    if factor.any():
                        found[at] += factor * self.counts[self.row[want], group]
        return found * self.per_record

    def _fall(self, factors: Scores) -> Floats:
        """S's share of a group falls by prod p, if its support does by 1; each time by the factor of its count."""
        kept = (1.0, self.keep)
        falls = np.zeros(self.records.shape)
        for at, pool in enumerate(self.pools):
            for group in pool:
                falls[at] += kept[group] * factors[group][-1] * self.base[group]
        return falls * self.per_record


def alike(values: Floats) -> Floats:
    """One column, where all are the same."""
    first = values[..., :1]
    return first if bool((values == first).all()) else values


def _times(one: Scores, other: Scores) -> Scores:
    return one[0] * other[0], one[1] * other[1]


def _bits(found: Sequence[Places], part: Places) -> int:
    return sum(1 << at for at, atom in enumerate(found) if set(atom) <= set(part))


def _on_supersets(scores: Scores) -> Scores:
    """The factors of how many contain at least these parts, from those of how many contain exactly these."""
    factors = scores[0].copy(), scores[1].copy()
    for of_group in factors:
        for bit in range(len(of_group).bit_length() - 1):
            halves = of_group.reshape(-1, 2, 1 << bit, of_group.shape[1])
            halves[:, 1] -= halves[:, 0]
    return factors
