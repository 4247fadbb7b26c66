"""The rules of frequent itemsets: mlxtend's measures, their errors, and the correction for so many tests."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.counts import NONE, Counter, Item, Numbers
from mining.inference.intervals import two_sided
from mining.inference.score import SIDES, SplitTests
from mining.inference.selection import list_levels, q_values
from mining.itemsets.family import itemsets_by_size, splits_of
from mining.itemsets.search_evidence import DIGITS
from mining.reconstruction.counter_cache import CachedCounter, Counts, cached
from mining.reconstruction.itemset_groups import ItemsetGroup, grouped
from mining.reconstruction.laws import Floats
from mining.reconstruction.supports import Estimator, Supports, estimated
from mining.rules import measures
from mining.rules.errors import Piece, base_columns, confidence_columns, lift_columns, lift_zs
from mining.rules.redundant import redundant
from mining.rules.sides import Eligible, all_wanted, splits
from mining.rules.weighted import WeightedSides

Columns = dict[str, NDArray[Any]]
Sides = tuple[tuple[int, ...], tuple[int, ...]]
"""The numbers of the items of the antecedent and of the consequent."""

CHUNK = 4_096
"""Itemsets at a time."""


@dataclass(frozen=True)
class Splits:
    """What both rules of a split, an unordered pair of sides, have in common.

    `z` is that of no association; `rank` the place in the list of all pairs, from 1: by p, the smallest first.

    `association`: 1 where both go together more often than by chance, -1 less often, 0 where neither is shown: where
    `z` exceeds the level of the interval in the list.
    """

    lift_low: Floats
    lift_high: Floats
    lift_low_listed: Floats
    lift_high_listed: Floats
    z: Floats
    rank: NDArray[np.int64]
    association: NDArray[np.int64]
    p: Floats
    q: Floats


@dataclass(frozen=True)
class Rules:
    """One row per rule. `itemset` is a row of `itemsets`; bit i of `antecedent`: its item i is in the antecedent.

    `support` is that of the itemset on base(S), which has `base` of the `n` records. All else is computed on E(S), the
    `eligible` records of these to which every item applies; `share` is P_S there. NaN: not estimated, or no value.
    `split` is a row of `splits`. `confidence_low` and `_high`: of a rule chosen before the survey; `_listed`: at its
    place in the list, which is the order of the rows.
    """

    itemsets: Numbers
    n: int
    splits: Splits
    split: NDArray[np.intp]
    itemset: NDArray[np.intp]
    antecedent: NDArray[np.int64]
    base: NDArray[np.int64]
    eligible: NDArray[np.int64]
    antecedent_support: Floats
    consequent_support: Floats
    support: Floats
    share: Floats
    confidence: Floats
    confidence_low: Floats
    confidence_high: Floats
    confidence_low_listed: Floats
    confidence_high_listed: Floats
    consequent_low: Floats
    consequent_high: Floats
    consequent_low_listed: Floats
    consequent_high_listed: Floats
    redundant: NDArray[np.bool_]

    @cached_property
    def lift_low(self) -> Floats:
        return self.splits.lift_low[self.split]

    @cached_property
    def lift_high(self) -> Floats:
        return self.splits.lift_high[self.split]

    @cached_property
    def lift_low_listed(self) -> Floats:
        return self.splits.lift_low_listed[self.split]

    @cached_property
    def lift_high_listed(self) -> Floats:
        return self.splits.lift_high_listed[self.split]

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        return self.splits.rank[self.split]

    @cached_property
    def association(self) -> NDArray[np.int64]:
        return self.splits.association[self.split]

    @cached_property
    def p(self) -> Floats:
        return self.splits.p[self.split]

    @cached_property
    def q(self) -> Floats:
        return self.splits.q[self.split]

    @cached_property
    def lift(self) -> Floats:
        return measures.lift(self.share, self.antecedent_support, self.consequent_support)

    @cached_property
    def leverage(self) -> Floats:
        return self.share - self.antecedent_support * self.consequent_support

    @cached_property
    def conviction(self) -> Floats:
        return measures.conviction(self.confidence, self.consequent_support)

    @cached_property
    def zhangs_metric(self) -> Floats:
        return measures.zhangs_metric(self.share, self.antecedent_support, self.consequent_support)

    @cached_property
    def jaccard(self) -> Floats:
        return measures.jaccard(self.share, self.antecedent_support, self.consequent_support)

    @cached_property
    def certainty(self) -> Floats:
        return measures.certainty(self.confidence, self.consequent_support)

    @cached_property
    def kulczynski(self) -> Floats:
        return measures.kulczynski(self.share, self.antecedent_support, self.consequent_support)

    @cached_property
    def representativity(self) -> Floats:
        """|base(S)| / n."""
        return self.base / self.n

    def __len__(self) -> int:
        return len(self.itemset)

    def take(self, rows: NDArray[Any]) -> "Rules":
        """The rows at these places, or where this mask is true."""
        return replace(self, **{name: getattr(self, name)[rows] for name in OF_RULES})

    def sides(self, row: int) -> Sides:
        """The numbers of the items of the antecedent and of the consequent."""
        return divided(self.itemsets[self.itemset[row]], int(self.antecedent[row]))


def divided(itemset: NDArray[np.integer], antecedent: int) -> Sides:
    """The items of an itemset in the antecedent and in the consequent; bit i of the mask: item i is in the former."""
    items = [number for number in itemset.tolist() if number != NONE]
    first = tuple(number for place, number in enumerate(items) if antecedent >> place & 1)
    return first, tuple(number for place, number in enumerate(items) if not antecedent >> place & 1)


OF_RULES = tuple(field.name for field in fields(Rules) if field.name not in ("itemsets", "n", "splits"))
"""The columns with one row per rule."""


def rules(
    counter: Counter | CachedCounter,
    itemsets: Supports | Sequence[tuple[Item, ...]] | Numbers,
    min_confidence: float,
    estimator: Estimator = "stratified",
    *,
    max_size: int,
) -> Rules:
    """The rules of these itemsets with at least this confidence and with enough records in E(S).

    q is over the family of all rules of up to `max_size` items that the items of these itemsets can make. With the
    `CachedCounter` that the itemsets were reconstructed with, little is counted anew.
    """
    known = cached(counter)
    supports = itemsets if isinstance(itemsets, Supports) else estimated(known, itemsets, estimator)
    numbers = supports.itemsets
    pieces, columns = confident_rules(known, numbers, min_confidence, estimator)
    items = [known.numbering.item(number) for number in np.unique(numbers[numbers != NONE]).tolist()]
    family = splits_of(itemsets_by_size(known.design, items, max_size))
    itemset, split = columns["itemset"], columns["split"]
    z = lift_zs(pieces, sum(len(piece.split) for piece in pieces), estimator)
    rank = _ranks(z, split, columns, supports)
    levels, p = list_levels(rank, family), two_sided(z)
    columns |= confidence_columns(pieces, len(itemset), estimator, levels[split])
    columns |= base_columns(pieces, len(itemset), estimator, levels[split])
    made = Rules(
        itemsets=numbers,
        n=sum(known.n),
        splits=Splits(
            z=z,
            rank=rank,
            association=np.where(np.abs(z) > levels, np.sign(np.nan_to_num(z)), 0).astype(np.int64),
            p=p,
            q=q_values(p, family),
            **lift_columns(pieces, len(z), estimator, levels),
        ),
        base=supports.base[itemset],
        support=supports.support[itemset],
        redundant=redundant(numbers, known.bound, itemset, columns["antecedent"], columns["confidence"]),
        **columns,
    )
    return made.take(np.lexsort((np.arange(len(itemset)), rank[split])))


def _ranks(z: Floats, split: NDArray[np.intp], columns: Columns, supports: Supports) -> NDArray[np.int64]:
    """The place of each split in the list, from 1: by p, then the larger support, then by the items of both sides."""
    first = np.empty(len(z), np.intp)
    # The rule that comes last has the larger antecedent mask; the first one of a split decides.
    first[split[::-1]] = np.arange(len(split))[::-1]
    itemset, antecedent = columns["itemset"][first], columns["antecedent"][first]
    numbers = supports.itemsets[itemset]
    inside = (antecedent[:, None] >> np.arange(numbers.shape[1]) & 1).astype(np.bool_)
    sides = [np.sort(np.where(side, numbers, NONE), axis=1).T for side in (inside, ~inside)]
    by_items = [column for side in sides[::-1] for column in side[::-1]]
    strongest_first = np.where(np.isnan(z), np.inf, -np.abs(z).round(DIGITS))
    order = np.lexsort((*by_items, -supports.support[itemset].round(DIGITS), strongest_first))
    rank = np.empty(len(z), np.int64)
    rank[order] = np.arange(1, len(z) + 1)
    return rank


def reported_sides(
    known: CachedCounter, itemsets: Numbers, min_confidence: float, estimator: Estimator
) -> Iterator[Sides]:
    """The sides of the rules that `rules` would return, without the errors, which take most of the time."""
    _pieces, found = confident_rules(known, itemsets, min_confidence, estimator)
    for row, antecedent in zip(found["itemset"].tolist(), found["antecedent"].tolist(), strict=True):
        yield divided(itemsets[row], antecedent)


def confident_rules(
    known: CachedCounter, numbers: Numbers, min_confidence: float, estimator: Estimator
) -> tuple[list[Piece], Columns]:
    """The rules that reach the confidence, with their estimates, and the pieces that they come from."""
    groups, counts = counted_for_rules(known, numbers)
    pieces: list[Piece] = []
    found: list[Columns] = [_NO_RULES]
    splits_so_far = rules_so_far = 0
    for group in groups:
        of_group = np.stack([next(counts).T for _ in all_wanted(group.shape)])
        eligible = Eligible.of(group, known.laws, of_group)
        eligible = eligible.take(np.flatnonzero(eligible.enough))
        for piece, columns in _passing(eligible, min_confidence, estimator):
            rows = len(columns["itemset"])
            pieces.append(piece.later(splits_so_far, rules_so_far))
            found.append(columns | {"split": columns["split"] + splits_so_far})
            splits_so_far, rules_so_far = splits_so_far + len(piece.split), rules_so_far + rows
    return pieces, {name: np.concatenate([columns[name] for columns in found]) for name in _NO_RULES}


def counted_for_rules(known: CachedCounter, numbers: Numbers) -> tuple[list[ItemsetGroup], Iterator[Counts]]:
    """The itemsets of two items or more, and the counts that their rules need."""
    groups = [group for group in grouped(known, numbers) if group.shape.size > 1]
    queries = [group.queries(items) for group in groups for items in all_wanted(group.shape)]
    return groups, iter(known.count(queries))


def _passing(
    eligible: Eligible, min_confidence: float, estimator: Estimator
) -> Iterator[tuple[Piece, Columns]]:
    """Pieces with at least one confident rule, and the columns of these; both are numbered from 0 in each piece."""
    for start in range(0, len(eligible.group.rows), CHUNK):
        chunk = eligible.take(slice(start, start + CHUNK))
        for split in splits(chunk.group.shape):
            table = chunk.table(split)
            sides = SplitTests(table) if estimator == "stratified" else WeightedSides(table, estimator)
            *supports, share = sides.supports
            confidence = [measures.confidence(share, support) for support in supports]
            with np.errstate(invalid="ignore"):
                passes = np.stack([of >= min_confidence for of in confidence])
            some = np.flatnonzero(passes.any(axis=0))
            if not len(some):
                continue
            mask = sum(1 << place for place in split[0])
            ways = (mask, (1 << chunk.group.shape.size) - 1 - mask)
            passes, share = passes[:, some], share[some]
            of = chunk.take(some)
            columns = [
                {
                    "split": rows,
                    "itemset": of.group.rows[rows],
                    "antecedent": np.full(len(rows), ways[side], np.int64),
                    "eligible": of.records[rows],
                    "antecedent_support": supports[side][some][rows],
                    "consequent_support": supports[1 - side][some][rows],
                    "share": share[rows],
                    "confidence": confidence[side][some][rows],
                }
                for side, rows in zip(SIDES, map(np.flatnonzero, passes), strict=True)
            ]
            second = len(columns[0]["itemset"])
            numbers = np.cumsum(passes, axis=1) - 1 + np.array([[0], [second]])
            forward, backward = np.where(passes, numbers, -1)
            piece = Piece(of, split, np.arange(len(some)), (forward, backward))
            yield piece, {name: np.concatenate([one[name] for one in columns]) for name in columns[0]}


_NO_RULES: Columns = {
    "split": np.empty(0, np.intp),
    "itemset": np.empty(0, np.intp),
    "antecedent": np.empty(0, np.int64),
    "eligible": np.empty(0, np.int64),
    "antecedent_support": np.empty(0),
    "consequent_support": np.empty(0),
    "share": np.empty(0),
    "confidence": np.empty(0),
}
