"""Rules of frequent itemsets: mlxtend's measures, their errors, and the correction for testing many rules."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.verdict import Verdict
from mining.distinct_rows import row_sort_keys
from mining.inference.contingency_table import ContingencyTable
from mining.inference.intervals import two_sided_p
from mining.inference.score_test import SIDES, SplitTests
from mining.inference.selection_correction import (
    ALONE,
    HEADS,
    LISTED,
    NO_FRONT,
    RulePairCorrection,
    critical_z_by_rank,
    q_values,
)
from mining.itemsets.itemset_intervals import DIGITS, count_itemsets_by_size, count_splits
from mining.nodes.rule_lists import LARGER, PAIRS
from mining.queries_and_counters import NONE, Counter, Item, Numbers
from mining.reconstruction.cached_counter import CachedCounter, Counts, as_cached
from mining.reconstruction.disguise_probabilities import Floats
from mining.reconstruction.itemsets_grouped_by_shape import ItemsetGroup, group_by_shape
from mining.reconstruction.score_queries import ScoreQueries
from mining.reconstruction.supports import (
    Estimator,
    Supports,
    estimate_supports_without_intervals,
    reconstruct_supports,
)
from mining.rules import measures
from mining.rules.fold_redundant_rules import UNFOLDED, find_shorter_rules, in_antecedent
from mining.rules.itemset_splits import EligibleCounts, Split, list_splits as all_splits, table_queries
from mining.rules.pooled_and_combined_estimates import WeightedSides
from mining.rules.rule_intervals import (
    CONFIDENCE,
    LIFT,
    ListIntervals,
    SplitGroup,
    SplitGroups,
    confidence_intervals_contain,
    lift_zs,
)

Columns = dict[str, NDArray[Any]]
Order = NDArray[np.intp]
Sides = tuple[tuple[int, ...], tuple[int, ...]]
"""The numbers of the items of the antecedent and of the consequent."""

CHUNK = 4_096
"""Number of itemsets handled at a time."""


@dataclass(frozen=True)
class Splits:
    """Splits of itemsets into two sides A and C, one row each, of which at least one direction is a confident rule.

    Rows are in the order of two lists, pairs and then larger itemsets, each by p, the smallest first. All but the
    support is computed on E(S), the records of base(S) to which every item applies. NaN: not estimated, or no value.
    """

    itemset: NDArray[np.intp]  # row of the itemsets
    antecedent: NDArray[np.int64]  # bit i: item i of the itemset is in A
    base: NDArray[np.int64]  # records of base(S)
    eligible: NDArray[np.int64]  # records of E(S)
    support: Floats  # of the itemset on base(S)
    supports: Floats  # P_A and P_C
    share: Floats  # P_S
    confidence: Floats  # of A -> C and of C -> A
    reaches: NDArray[np.bool_]  # whether these two are confident
    z: Floats  # of no association
    is_larger: NDArray[np.bool_]  # whether it is of the second list
    level_rank: NDArray[np.int64]  # place by p in its list, of its critical z: rows that fold stand later
    association: NDArray[np.int64]  # 1: together more often than by chance, -1: less often, 0: not shown
    head_associations: NDArray[np.int64]  # those in shorter lists
    p: Floats
    q: Floats
    intervals: ListIntervals
    families: Mapping[str, int]  # by list the number of splits of which these were picked

    @property
    def interval_ends(self) -> Floats:
        """Kind (LIFT; CONFIDENCE of each rule) by row by level by end. Levels: ALONE, of a rule chosen before the
        survey; LISTED, at its place in the list; if asked for, HEADS, in shorter lists."""
        return self.intervals.all_ends[0]

    @property
    def base_rate_ends(self) -> Floats:
        """The ends of each side's base rate: side by row by end."""
        return self.intervals.all_ends[1]

    def __len__(self) -> int:
        return len(self.itemset)


@dataclass(frozen=True)
class Rules:
    """Confident rules, one row each, of `splits`: A -> C of row `split` where `side` is 0, C -> A where it is 1.

    `under`: the row of the shorter rule beneath which it is shown, or UNFOLDED.
    """

    itemsets: Numbers
    n: int
    splits: Splits
    split: NDArray[np.intp]
    side: NDArray[np.intp]
    under: NDArray[np.intp]

    @cached_property
    def itemset(self) -> NDArray[np.intp]:
        return self.splits.itemset[self.split]

    @cached_property
    def antecedent(self) -> NDArray[np.int64]:
        """Bit mask: item i of the itemset is in the antecedent."""
        mask = self.splits.antecedent[self.split]
        whole = (1 << (self.itemsets[self.itemset] != NONE).sum(axis=1)) - 1
        return np.where(self.side == 0, mask, whole - mask)

    @cached_property
    def rank(self) -> NDArray[np.int64]:
        """Rank in its list, from 1, which both directions of a split share."""
        return self.split + 1 - np.where(self.splits.is_larger, (~self.splits.is_larger).sum(), 0)[self.split]

    @property
    def list_name(self) -> NDArray[np.str_]:
        """Name of the list in which it has its rank."""
        return np.where(self.splits.is_larger, LARGER, PAIRS)[self.split]

    def __getitem__(self, column: str) -> NDArray[Any]:
        """Returns a column by its name; the ends of intervals are computed when the first of them is asked for."""
        return self._estimates[column] if column in self._estimates else self._interval_ends[column]

    @cached_property
    def _estimates(self) -> Columns:
        """`representativity`: the share of all records that were asked the whole itemset, |base(S)| / n."""
        of, row, side = self.splits, self.split, self.side
        share, confidence = of.share[row], of.confidence[side, row]
        first, second = of.supports[side, row], of.supports[1 - side, row]
        return {
            **{
                name: getattr(of, name)[row]
                for name in ("base", "eligible", "support", "association", "p", "q")
            },
            "share": share,
            "antecedent_support": first,
            "consequent_support": second,
            "confidence": confidence,
            "lift": measures.lift(share, first, second),
            "leverage": share - first * second,
            "conviction": measures.conviction(confidence, second),
            "zhangs_metric": measures.zhangs_metric(share, first, second),
            "jaccard": measures.jaccard(share, first, second),
            "certainty": measures.certainty(confidence, second),
            "kulczynski": measures.kulczynski(share, first, second),
            "representativity": of.base[row] / self.n,
        }

    @cached_property
    def _interval_ends(self) -> Columns:
        """`_listed`: at the place in the list."""
        ends, base_ends = self.splits.intervals.ends_covering(self.split)
        kinds = {"lift": np.full_like(self.side, LIFT), "confidence": CONFIDENCE + self.side}
        return {
            f"{name}_{end}{beyond}": ends[kind, self.split, level, place]
            for name, kind in kinds.items()
            for level, beyond in ((ALONE, ""), (LISTED, "_listed"))
            for place, end in enumerate(("low", "high"))
        } | {
            f"consequent_{end}": base_ends[1 - self.side, self.split, place]
            for place, end in enumerate(("low", "high"))
        }

    def __len__(self) -> int:
        return len(self.itemset)

    def take(self, rows: NDArray[Any]) -> "Rules":
        """Returns the rules of these `rows` (indexes or a mask)."""
        return replace(self, split=self.split[rows], side=self.side[rows], under=self.under[rows])

    def sides(self, row: int) -> Sides:
        """Returns the item numbers of a rule's antecedent and consequent."""
        return divide_itemset(self.itemsets[self.itemset[row]], int(self.antecedent[row]))


def divide_itemset(itemset: NDArray[np.integer], antecedent: int) -> Sides:
    """Returns the items of an itemset in two tuples, antecedent and consequent; bit i of `antecedent`: item i is in the
    antecedent."""
    items = [number for number in itemset.tolist() if number != NONE]
    first = tuple(number for index, number in enumerate(items) if antecedent >> index & 1)
    return first, tuple(number for index, number in enumerate(items) if not antecedent >> index & 1)


def reconstruct_rules(
    counter: Counter | CachedCounter,
    itemsets: Supports | Sequence[tuple[Item, ...]] | Numbers,
    min_confidence: float,
    estimator: Estimator = "stratified",
    *,
    max_size: int,
    heads: bool = False,
    verdict: Verdict | None = None,
    front: RulePairCorrection = NO_FRONT,
) -> Rules:
    """Returns the rules of these itemsets with at least this confidence and enough records to which all items apply.

    q is corrected, by list, for all rules of up to `max_size` items that the items of these itemsets can form and that
    the `verdict` lets be published; without one, for all. Rules that the plan of `front` names are in no family, and
    have the plan's critical z everywhere; pairs on the front page have the front page's. With the `CachedCounter` that
    the itemsets were reconstructed with, few queries are counted anew. `heads`: also the intervals of all shorter lists
    in which a rule may stand.
    """
    cache = as_cached(counter)
    supports = (
        itemsets
        if isinstance(itemsets, Supports)
        else estimate_supports_without_intervals(cache, itemsets, estimator)
    )
    numbers = supports.itemsets
    pieces, columns = confident_splits(cache, numbers, min_confidence, estimator)
    pieces = pieces.with_tests_in_memory()
    columns |= {"z": lift_zs(pieces)}
    is_planned = _is_planned(columns, numbers, front)
    columns |= {
        "is_larger": ((numbers != NONE).sum(axis=1)[columns["itemset"]] > 2) & (not front.is_one_list)
    }
    order, level_rank, under = _order_and_fold(pieces, columns, supports, is_planned, cache.bound)
    columns = {name: of[..., order] for name, of in columns.items()}
    frequent = np.unique(numbers[numbers != NONE]).tolist()
    items = [*map(cache.numbering.item, frequent)]
    by_size = count_itemsets_by_size(verdict or Verdict(cache.design), items, max_size)
    pairs = count_splits(by_size[:3])
    families = front.families(pairs, count_splits(by_size) - pairs, {*frequent}, max_size)
    itemset, z, p = columns["itemset"], columns["z"], two_sided_p(columns["z"])
    in_lists = [
        (families.get(LARGER if larger else PAIRS, 0), columns["is_larger"] == larger)
        for larger in (False, True)
    ]
    critical_zs = np.concatenate(
        [critical_z_by_rank(level_rank[mine], family, heads=heads) for family, mine in in_lists]
    )
    critical_zs[:, LISTED:] = _front_page_critical_z(
        critical_zs[:, LISTED:],
        np.where(columns["is_larger"], np.nan, z),
        front,
        families[PAIRS],
        is_planned[order],
    )
    associations = np.where(np.abs(z)[:, None] > critical_zs, np.sign(np.nan_to_num(z))[:, None], 0).astype(
        np.int64
    )
    base_ends = _known_base_ends(columns, supports, cache, estimator)
    splits = Splits(
        base=supports.base[itemset],
        support=supports.support[itemset],
        level_rank=level_rank,
        association=associations[:, LISTED],
        head_associations=associations[:, HEADS:],
        p=p,
        q=np.concatenate([q_values(p[mine], family) for family, mine in in_lists]),
        intervals=ListIntervals.compute_first(pieces, order, critical_zs, base_ends),
        families=families,
        **columns,
    )
    return Rules(numbers, sum(cache.n), splits, *_confident_directions(columns), under)


def _order_and_fold(
    pieces: SplitGroups, columns: Columns, supports: Supports, is_planned: NDArray[np.bool_], bound: int
) -> tuple[Order, NDArray[np.int64], NDArray[np.intp]]:
    """Returns the order of the splits in the lists, the rank of the critical z of each, and for each confident rule,
    in that order, the index of the shorter rule beneath which it is shown, or UNFOLDED."""
    under = _shorter_rule_by_rule(pieces, columns, supports.itemsets, bound)
    split, side = _confident_directions(columns)
    under[is_planned[split]] = UNFOLDED
    folds = np.ones(len(is_planned), np.bool_)
    folds[split[under == UNFOLDED]] = False
    by_p = _list_order(columns, supports, bound)
    # Rows all of whose rules fold stand last, none of them a pair: places and critical z count those that a list shows.
    unfolded_first = np.argsort(folds[by_p], kind="stable")
    order = by_p[unfolded_first]
    in_order = np.lexsort((side, np.argsort(order)[split]))
    under = np.where(under == UNFOLDED, UNFOLDED, np.argsort(in_order)[under])[in_order]
    # A row that folds stands behind rows of larger p, whose place would make it look surer than it is.
    level_rank = np.minimum(np.arange(len(order)), unfolded_first) + 1
    is_larger = columns["is_larger"][order]
    return order, level_rank - np.where(is_larger, (~is_larger).sum(), 0), under


def _confident_directions(columns: Columns) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Returns, for each confident rule, the index of its split and its side: 0 for A -> C, 1 for C -> A."""
    split, side = np.nonzero(columns["reaches"].T)
    return split, side


def _shorter_rule_by_rule(
    pieces: SplitGroups, columns: Columns, numbers: Numbers, bound: int
) -> NDArray[np.intp]:
    """Returns, for each confident rule, the index of the shorter rule beneath which it is shown, or UNFOLDED."""
    split, side = _confident_directions(columns)
    itemset = columns["itemset"][split]
    whole = (1 << (numbers[itemset] != NONE).sum(axis=1)) - 1
    first = columns["antecedent"][split]
    antecedent = np.where(side == 0, first, whole - first)

    def contains(rules: NDArray[np.intp], t: Floats) -> NDArray[np.bool_]:
        inside = np.zeros(len(rules), np.bool_)
        for of in SIDES:
            mine = np.flatnonzero(side[rules] == of)
            inside[mine] = confidence_intervals_contain(pieces, of, split[rules[mine]], t[mine])
        return inside

    return find_shorter_rules(
        numbers, bound, itemset, antecedent, columns["confidence"][side, split], contains
    )


def _known_base_ends(
    columns: Columns, supports: Supports, cache: CachedCounter, estimator: Estimator
) -> Floats:
    """Returns the known base-rate intervals: side by split by end; NaN where they must be computed.

    The base rate of one answer is its share if all records asked the answer count for the rule, so its
    interval is known.
    """
    numbers = supports.itemsets[columns["itemset"]]
    everybody = supports.base[columns["itemset"]] == columns["eligible"]
    in_first = in_antecedent(columns["antecedent"], numbers.shape[1])
    inside = np.stack([in_first, ~in_first]) & (numbers != NONE)
    ends = np.full((*inside.shape[:2], 2), np.nan)
    side, split = np.nonzero((inside.sum(axis=2) == 1) & everybody)
    if len(split):
        answers, of_row = np.unique(numbers[split, inside[side, split].argmax(axis=1)], return_inverse=True)
        shares = reconstruct_supports(cache, answers[:, None].astype(np.int32), estimator)
        same = shares.base[of_row] == columns["eligible"][split]
        ends[side[same], split[same]] = np.stack([shares.low, shares.high], axis=1)[of_row[same]]
    return ends


def _list_order(columns: Columns, supports: Supports, bound: int) -> Order:
    """Returns the row numbers of the splits sorted as in lists: pairs first; by p, then by support, largest first, then
    by the items of both sides, whose numbers are below `bound`."""
    itemset, antecedent = columns["itemset"], columns["antecedent"]
    numbers = supports.itemsets[itemset]
    inside = in_antecedent(antecedent, numbers.shape[1])
    sides = [np.sort(np.where(side, numbers, NONE), axis=1) for side in (inside, ~inside)]
    by_items = row_sort_keys(np.concatenate(sides, axis=1), bound)
    z = columns["z"]
    by_support = -supports.support[itemset].round(DIGITS)
    strongest_first = np.where(np.isnan(z), np.inf, -np.abs(z).round(DIGITS))
    return np.lexsort((*by_items[::-1], by_support, strongest_first, columns["is_larger"]))


def split_sides(columns: Columns, numbers: Numbers) -> Iterator[Sides]:
    """Yields the item numbers of both sides of each split."""
    masks = columns["antecedent"].tolist()
    return (
        divide_itemset(itemset, mask)
        for itemset, mask in zip(numbers[columns["itemset"]], masks, strict=True)
    )


def _is_planned(columns: Columns, numbers: Numbers, front: RulePairCorrection) -> NDArray[np.bool_]:
    """Returns True for each split that the plan of `front` names."""
    if not front.planned:
        return np.zeros(len(columns["itemset"]), np.bool_)
    return np.array(
        [frozenset(map(frozenset, both)) in front.planned for both in split_sides(columns, numbers)], np.bool_
    )


def _front_page_critical_z(
    critical_zs: Floats, z: Floats, front: RulePairCorrection, family: int, is_planned: NDArray[np.bool_]
) -> Floats:
    """Returns the `critical_zs` of lists, replaced by the plan's for planned rows, and raised to the front page's
    for pairs on the front page, whose `z` is NaN elsewhere."""
    least = front.front_page_critical_z(family)
    beyond = np.abs(np.nan_to_num(z)) > least
    widened = np.where(
        beyond[:, None], np.fmax(critical_zs, np.where(np.isnan(critical_zs), np.nan, least)), critical_zs
    )
    widened[is_planned] = np.where(np.isnan(widened[is_planned]), np.nan, front.plan_critical_z)
    return widened


def reported_sides(
    counter: CachedCounter, itemsets: Numbers, min_confidence: float, estimator: Estimator
) -> Iterator[Sides]:
    """Yields antecedent and consequent of each rule that `reconstruct_rules` would return, without its intervals, which
    take most of the time."""
    _pieces, columns = confident_splits(counter, itemsets, min_confidence, estimator)
    rows = zip(
        columns["itemset"].tolist(),
        columns["antecedent"].tolist(),
        columns["reaches"].T.tolist(),
        strict=True,
    )
    for row, antecedent, (forward, backward) in rows:
        first, second = divide_itemset(itemsets[row], antecedent)
        if forward:
            yield first, second
        if backward:
            yield second, first


def confident_splits(
    counter: CachedCounter, numbers: Numbers, min_confidence: float, estimator: Estimator
) -> tuple[SplitGroups, Columns]:
    """Returns the splits with at least one rule that reaches the confidence, as pieces, and their estimates as
    columns."""
    groups, of_scores, counts = count_for_rules(counter, numbers)
    pieces: list[SplitGroup] = []
    parts: list[Columns] = [_NO_SPLITS]
    before = 0
    for group, scores in zip(groups, of_scores, strict=True):
        eligible = EligibleCounts.read_counts(group, counter.laws, scores, counts)
        eligible = eligible.take(np.flatnonzero(eligible.has_enough_records))
        for itemsets, split, sides, columns in _confident_by_split(eligible, min_confidence, estimator):
            rows = np.arange(before, before + len(itemsets.rows))
            pieces.append(SplitGroup(itemsets, split, sides, rows, len(counter.design.questions)))
            parts.append(columns)
            before += len(rows)
    return SplitGroups(pieces), {
        name: np.concatenate([columns[name] for columns in parts], axis=-1) for name in _NO_SPLITS
    }


def count_for_rules(
    counter: CachedCounter, numbers: Numbers
) -> tuple[list[ItemsetGroup], list[ScoreQueries], Iterator[Counts]]:
    """Returns the itemsets of two or more items grouped by shape, the groups' queries of scores, and the counts that
    their rules need."""
    groups = [group for group in group_by_shape(counter, numbers) if group.shape.size > 1]
    of_scores = [ScoreQueries.for_group(counter, group, table_queries, None) for group in groups]
    asked = zip(groups, of_scores, strict=True)
    queries = [query for group, more in asked for query in (*table_queries(group), *more.all_queries)]
    return groups, of_scores, iter(counter.count(queries))


def _confident_by_split(
    eligible: EligibleCounts, min_confidence: float, estimator: Estimator
) -> Iterator[tuple[ItemsetGroup, Split, SplitTests | WeightedSides, Columns]]:
    """Yields, for each way to split, the itemsets with a confident rule, the estimates of their sides, and columns for
    `Splits`."""
    for start in range(0, len(eligible.group.rows), CHUNK):
        chunk = eligible.take(slice(start, start + CHUNK))
        for split in all_splits(chunk.group.shape):
            table = chunk.contingency_table(split)
            sides = _estimate_sides(table, estimator)
            *both, share = sides.supports
            supports = np.stack(both)
            confidence = measures.confidence(share, supports)
            with np.errstate(invalid="ignore"):
                reaches = confidence >= min_confidence
            some = np.flatnonzero(reaches.any(axis=0))
            if not len(some):
                continue
            group = chunk.group.take(some)
            yield (
                group,
                split,
                sides.take(some),
                {
                    "itemset": group.rows,
                    "antecedent": np.full(len(some), sum(1 << index for index in split[0]), np.int64),
                    "eligible": chunk.records[some],
                    "supports": supports[:, some],
                    "share": share[some],
                    "confidence": confidence[:, some],
                    "reaches": reaches[:, some],
                },
            )


def _estimate_sides(table: ContingencyTable, estimator: Estimator) -> SplitTests | WeightedSides:
    """Returns the estimates of both sides of each split: by score tests, or by weighted groups for `pooled` and
    `combined` if no item has scores."""
    is_tested = estimator == "stratified" or table.scores
    return SplitTests(table) if is_tested else WeightedSides(table, estimator)


_NO_SPLITS: Columns = {
    "itemset": np.empty(0, np.intp),
    "antecedent": np.empty(0, np.int64),
    "eligible": np.empty(0, np.int64),
    "supports": np.empty((2, 0)),
    "share": np.empty(0),
    "confidence": np.empty((2, 0)),
    "reaches": np.empty((2, 0), np.bool_),
}
