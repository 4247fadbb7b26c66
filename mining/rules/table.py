"""Rules of frequent itemsets: mlxtend's measures, their errors, what they are worth among so many."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.counts import NONE, Counter, Item, Numbers
from mining.reconstruction.counted import Counted, counted
from mining.reconstruction.laws import Floats, Laws
from mining.reconstruction.shapes import Group, as_numbers, grouped
from mining.reconstruction.supports import Estimator
from mining.rules import measures
from mining.rules.errors import Errors, errors
from mining.rules.family import family_size, q_values
from mining.rules.redundant import redundant
from mining.rules.sides import Sides, Split, all_wanted, splits

Columns = dict[str, NDArray[Any]]

CHUNK = 16_384
"""So many itemsets at a time."""


@dataclass(frozen=True)
class Splits:
    """What is the same for both rules of an unordered pair of sides."""

    lift_low: Floats
    lift_high: Floats
    leverage_low: Floats
    leverage_high: Floats
    p: Floats
    q: Floats


@dataclass(frozen=True)
class Rules:
    """One row per rule. `itemset` is a row of `itemsets`, bit i of `antecedent` says that its item i stands there.

    All is computed on base(S), of `base` of the `n` records. NaN: cannot be estimated, or has no value. `split` is
    a row of `splits`.
    """

    itemsets: Numbers
    n: int
    splits: Splits
    split: NDArray[np.intp]
    itemset: NDArray[np.intp]
    antecedent: NDArray[np.int64]
    base: NDArray[np.int64]
    antecedent_support: Floats
    consequent_support: Floats
    support: Floats
    confidence: Floats
    confidence_low: Floats
    confidence_high: Floats
    redundant: NDArray[np.bool_]

    @cached_property
    def lift_low(self) -> Floats:
        return self.splits.lift_low[self.split]

    @cached_property
    def lift_high(self) -> Floats:
        return self.splits.lift_high[self.split]

    @cached_property
    def leverage_low(self) -> Floats:
        return self.splits.leverage_low[self.split]

    @cached_property
    def leverage_high(self) -> Floats:
        return self.splits.leverage_high[self.split]

    @cached_property
    def p(self) -> Floats:
        return self.splits.p[self.split]

    @cached_property
    def q(self) -> Floats:
        return self.splits.q[self.split]

    @cached_property
    def lift(self) -> Floats:
        return measures.lift(self.support, self.antecedent_support, self.consequent_support)

    @cached_property
    def leverage(self) -> Floats:
        return self.support - self.antecedent_support * self.consequent_support

    @cached_property
    def conviction(self) -> Floats:
        return measures.conviction(self.confidence, self.consequent_support)

    @cached_property
    def zhangs_metric(self) -> Floats:
        return measures.zhangs_metric(self.support, self.antecedent_support, self.consequent_support)

    @cached_property
    def jaccard(self) -> Floats:
        return measures.jaccard(self.support, self.antecedent_support, self.consequent_support)

    @cached_property
    def certainty(self) -> Floats:
        return measures.certainty(self.confidence, self.consequent_support)

    @cached_property
    def kulczynski(self) -> Floats:
        return measures.kulczynski(self.support, self.antecedent_support, self.consequent_support)

    @cached_property
    def representativity(self) -> Floats:
        """The share of all records that base(S) is."""
        return self.base / self.n

    def __len__(self) -> int:
        return len(self.itemset)

    def take(self, rows: NDArray[Any]) -> "Rules":
        """The rows at these places, or where this is true."""
        return replace(self, **{name: getattr(self, name)[rows] for name in (*_NO_RULES, "redundant")})

    def sides(self, row: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The numbers of the items of the antecedent and of the consequent."""
        items = [number for number in self.itemsets[self.itemset[row]].tolist() if number != NONE]
        mask = int(self.antecedent[row])
        first = tuple(number for place, number in enumerate(items) if mask >> place & 1)
        return first, tuple(number for place, number in enumerate(items) if not mask >> place & 1)


def rules(
    counter: Counter | Counted,
    itemsets: Sequence[tuple[Item, ...]] | Numbers,
    min_confidence: float,
    estimator: Estimator = "stratified",
    *,
    max_size: int,
) -> Rules:
    """The rules of these itemsets with at least this confidence.

    q is over the family of all rules of up to `max_size` items that the items of these itemsets could make: the
    frequent ones, and those that are frequent only together. Handed the `Counted` that the itemsets were
    reconstructed with, it counts little that is new.
    """
    known = counted(counter)
    numbers = as_numbers(known.numbering, itemsets)
    of, of_splits = _found(known, numbers, min_confidence, estimator)
    items = map(known.numbering.item, np.unique(numbers[numbers != NONE]).tolist())
    q = q_values(of_splits["p"], family_size(known.design, items, max_size))
    return Rules(
        itemsets=numbers,
        n=sum(known.n),
        splits=Splits(q=q, **of_splits),
        redundant=redundant(numbers, known.bound, of["itemset"], of["antecedent"], of["confidence"]),
        **of,
    )


def _found(
    known: Counted, numbers: Numbers, min_confidence: float, estimator: Estimator
) -> tuple[Columns, Columns]:
    """The columns of all rules, and those of all splits."""
    laws = known.laws
    groups = [group for group in grouped(known, numbers) if group.shape.size > 1]
    wanted = [all_wanted(group.shape) for group in groups]
    queries = [group.queries(*want) for group, wants in zip(groups, wanted, strict=True) for want in wants]
    counts = iter(known.count(queries))
    pieces, of_splits = [_NO_RULES], [_NO_SPLITS]
    splits_so_far = 0
    for group, wants in zip(groups, wanted, strict=True):
        of = np.empty((len(wants), 2, len(group.rows)))
        for pairs in of:
            pairs[:] = next(counts).T
        for sides, split, passes in _passing(group, laws, of, min_confidence, estimator):
            found = errors(sides, split)
            either: NDArray[np.bool_] = np.asarray(passes.any(axis=0))
            at = splits_so_far + np.cumsum(either) - 1
            pieces += _both_ways(sides, split, passes, found, at)
            of_splits.append(_chosen(_of_split(found), either))
            splits_so_far += int(either.sum())
    return _together(pieces), _together(of_splits)


def _together(pieces: Sequence[Columns]) -> Columns:
    return {name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]}


def _chosen(columns: Columns, rows: NDArray[np.bool_]) -> Columns:
    return columns if rows.all() else {name: values[rows] for name, values in columns.items()}


def _of_split(found: Errors) -> Columns:
    return {
        "lift_low": found.lift[0],
        "lift_high": found.lift[1],
        "leverage_low": found.leverage[0],
        "leverage_high": found.leverage[1],
        "p": found.p,
    }


def _passing(
    group: Group, laws: Laws, counts: Floats, min_confidence: float, estimator: Estimator
) -> Iterator[tuple[Sides, Split, NDArray[np.bool_]]]:
    """Splits of which some rule is confident enough: A -> C in the first row, C -> A in the second."""
    for start in range(0, len(group.rows), CHUNK):
        chunk = slice(start, start + CHUNK)
        sides = Sides(group.take(chunk), laws, counts[..., chunk], estimator)
        whole = sides.of[sides.whole].support
        passing = {
            split: np.stack([measures.confidence(whole, sides.of[side].support) for side in split])
            >= min_confidence
            for split in splits(group.shape)
        }
        some = np.any(list(passing.values()), axis=(0, 1))
        if some.any() and not some.all():
            sides = Sides(group.take(chunk).take(some), laws, counts[..., chunk][..., some], estimator)
        for split, passes in passing.items():
            if passes.any():
                yield sides, split, passes[:, some]


def _both_ways(
    sides: Sides, split: Split, passes: NDArray[np.bool_], found: Errors, at: NDArray[np.intp]
) -> Iterator[Columns]:
    supports = [sides.of[side].support for side in split]
    same = {
        "itemset": sides.group.rows,
        "split": at,
        "base": sides.n,
        "support": sides.of[sides.whole].support,
    }
    for way, passed in enumerate(passes):
        columns = same | {
            "antecedent": np.full(len(passed), sum(1 << place for place in split[way]), np.int64),
            "antecedent_support": supports[way],
            "consequent_support": supports[1 - way],
            "confidence": measures.confidence(same["support"], supports[way]),
            "confidence_low": found.confidence[way][0],
            "confidence_high": found.confidence[way][1],
        }
        yield _chosen(columns, passed)


_NO_RULES: Columns = {
    "itemset": np.empty(0, np.intp),
    "split": np.empty(0, np.intp),
    "antecedent": np.empty(0, np.int64),
    "base": np.empty(0, np.int64),
    "antecedent_support": np.empty(0),
    "consequent_support": np.empty(0),
    "support": np.empty(0),
    "confidence": np.empty(0),
    "confidence_low": np.empty(0),
    "confidence_high": np.empty(0),
}
_NO_SPLITS: Columns = {
    name: np.empty(0) for name in ("lift_low", "lift_high", "leverage_low", "leverage_high", "p")
}
