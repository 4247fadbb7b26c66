"""The comparison engine: mines the disguised records by mlxtend's apriori and rules, and inverts itemset by itemset.

It checks Candor's engine, with which it shares only the smallest record counts and the standard errors and intervals.
It mines no items with scores, since its table holds only yes and no.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd
from mlxtend.frequent_patterns import apriori, association_rules

from mining.counting.mined_records import MinedRecords
from mining.disclosure.verdict import Verdict
from mining.distinct_rows import RowIndex
from mining.engines.candor_engine import Disagreement, MiningResult, make_rules
from mining.engines.comparison import (
    Comparison,
    compare_lists,
    limit_below_stopped_size,
    without_scores,
)
from mining.engines.record_means import RecordBits
from mining.engines.record_table_and_inversion import (
    Bits,
    Itemset,
    RecordTable,
    estimate_support,
    pooled_support,
)
from mining.engines.row_comparison import CheckedRows, compare_rows
from mining.itemsets.candidates import ShowIfRouting, next_candidates, single_items
from mining.itemsets.frequent import (
    ROUNDING,
    Frequent,
    Level,
    StoppedSearch,
    Watch,
    choose_pruning,
    concatenate_supports,
    ignore_progress,
    least_fitting_threshold,
    reaches_support,
    record_counts,
)
from mining.itemsets.itemset_intervals import add_intervals
from mining.parameters import Parameters
from mining.queries_and_counters import NONE, Counter, Numbers, pad_rows
from mining.reconstruction import CachedCounter, Supports, estimate_supports_without_intervals, least_count
from mining.reconstruction.cached_counter import as_cached
from mining.reconstruction.score_moments_by_group import LEAST_BASE, LEAST_GROUP
from mining.rules import Rules
from mining.rules.measures import confidence, is_zero

MEASURES = (
    "antecedent support",
    "consequent support",
    "support",
    "confidence",
    "lift",
    "leverage",
    "conviction",
    "zhangs_metric",
    "jaccard",
    "certainty",
    "kulczynski",
)
Split = tuple[frozenset[int], frozenset[int]]


def mine_rules_by_mlxtend(
    records: MinedRecords,
    counter: Counter | CachedCounter,
    parameters: Parameters,
    watch: Watch = ignore_progress,
    *,
    verdict: Verdict | None = None,
) -> MiningResult:
    """Mines itemsets and rules by mlxtend; `counter` counts the same records for standard errors and intervals, which
    mlxtend lacks."""
    search = make_search(records, counter, parameters, verdict)
    itemsets = search.find_itemsets(watch)
    itemsets = replace(itemsets, supports=search.add_intervals(itemsets.supports))
    return MiningResult(itemsets, search.make_rules(itemsets))


def find_itemsets_by_mlxtend(
    records: MinedRecords,
    counter: Counter | CachedCounter,
    parameters: Parameters,
    watch: Watch = ignore_progress,
    *,
    verdict: Verdict | None = None,
) -> dict[frozenset[int], float]:
    """Returns the itemsets that mlxtend's search finds, with their supports; without errors and rules."""
    supports = make_search(records, counter, parameters, verdict).find_itemsets(watch).supports
    return without_scores(supports.itemsets, supports.support, as_cached(counter).numbering)


def check_by_mlxtend(
    found: MiningResult,
    records: MinedRecords,
    counter: Counter | CachedCounter,
    parameters: Parameters,
    *,
    verdict: Verdict | None = None,
) -> Comparison:
    """Compares what Candor has `found`: its rows with means over the records, and its list with that of mlxtend's
    search in the same records."""
    stopped, known = found.frequent.stopped, as_cached(counter)
    parameters = limit_below_stopped_size(stopped.size if stopped else None, parameters)
    withheld = bool(known.withheld.any())
    bits = RecordBits.from_columns(
        known.design, [*records.complete, *records.without_plain], without_plain=withheld
    )
    candor = without_scores(found.frequent.itemsets, found.frequent.supports.support, known.numbering)
    return Comparison(
        compare_rows(CheckedRows.from_mining_result(found), [bits], known.design, parameters, verdict),
        compare_lists(candor, find_itemsets_by_mlxtend(records, known, parameters, verdict=verdict)),
    )


def make_search(
    records: MinedRecords,
    counter: Counter | CachedCounter,
    parameters: Parameters,
    verdict: Verdict | None,
) -> "MlxtendSearch":
    cache = as_cached(counter)
    return MlxtendSearch(
        RecordTable.from_records(records, cache), cache, parameters, verdict or Verdict(cache.design)
    )


@dataclass(frozen=True)
class MlxtendSearch:
    """One search by mlxtend: the table of records, apriori level by level, and mlxtend's rules."""

    table: RecordTable
    known: CachedCounter
    wanted: Parameters
    verdict: Verdict

    @cached_property
    def starting_items(self) -> Numbers:
        """The single yes/no items that the search starts from."""
        singles = single_items(
            self.table.design, self.table.numbering, absences=self.wanted.absences, verdict=self.verdict
        )
        yes_no: Numbers = singles[~self.known.numbering.scored_mask(singles)[:, 0]]
        return yes_no

    def add_intervals(self, supports: Supports) -> Supports:
        return add_intervals(
            self.known, supports, self.wanted, len(self.starting_items), self.verdict, heads=False
        )

    def find_itemsets(self, watch: Watch) -> Frequent:
        """Finds frequent itemsets by apriori, one size after the other, so that a level with too many candidates is
        never counted.

        The errors of the supports are computed by the counter, and prune as they do in Candor's engine.
        """
        wanted, numbering, singles = self.wanted, self.known.numbering, self.starting_items
        routing = ShowIfRouting(self.table.design, numbering)
        pruning = choose_pruning(self.known, singles, wanted, self.verdict)
        items = [numbering.item(int(number)) for number in singles[:, 0]]
        least = least_count(
            self.known, items, wanted.max_size, wanted.estimator, wanted.min_support - ROUNDING, self.verdict
        )
        frame = pd.DataFrame(self.table.has_item[singles[:, 0]].T, columns=singles[:, 0])
        levels: list[Level] = []
        survivors: list[Supports] = []
        candidates: Numbers | None = singles
        while candidates is not None and len(candidates):
            size = candidates.shape[1]
            watch(Level(size, len(candidates)))
            supports = self.invert_supports(_apriori(frame, least, size), survivors, routing)
            # Itemsets of plain and sensitive items are counted in the disguised records alone.
            is_growing = pruning.survivor_mask(supports, wanted.min_support) & (
                record_counts(supports) >= least
            )
            survivors.append(supports.take(is_growing))
            frequent = reaches_support(survivors[-1], wanted.min_support)
            levels.append(Level(size, len(candidates), len(survivors[-1]), int(frequent.sum())))
            watch(levels[-1])
            if size == wanted.max_size:
                break
            candidates = next_candidates(
                survivors[-1].itemsets, numbering, wanted.most, routing, self.verdict
            )
        levels_found = [
            supports.take(reaches_support(supports, wanted.min_support)) for supports in survivors
        ]
        nothing = estimate_supports_without_intervals(self.known, singles[:0], wanted.estimator)
        itemsets = concatenate_supports([nothing, *levels_found])
        if candidates is not None:
            return Frequent(itemsets, tuple(levels), None)
        fits = least_fitting_threshold(survivors, pruning, wanted, routing, self.verdict)
        return Frequent(itemsets, tuple(levels), StoppedSearch(len(survivors) + 1, wanted.most, fits))

    def invert_supports(self, seen: Numbers, smaller: list[Supports], routing: ShowIfRouting) -> Supports:
        """Returns the supports of itemsets by inversion, for those with enough records whose subsets all survived.

        Itemsets that the questionnaire implies or makes impossible, or that may not be published, are left out.
        """
        seen = seen[~routing.impossible_or_implied(seen)]
        seen = seen[self.verdict.allowed_itemsets(seen, self.known.numbering)]
        if smaller:
            before = RowIndex(smaller[-1].itemsets, len(self.known.numbering))
            seen = before.rows_with_indexed_subsets(seen, range(seen.shape[1]))
        supports = estimate_supports_without_intervals(self.known, seen, self.wanted.estimator)
        supports = supports.take(supports.enough)
        points = [self.point(row) for row in supports.itemsets.tolist()]
        support, by_inversion, observed, base = np.array(points).reshape(-1, 4).T
        return replace(
            supports, support=support, pooled=by_inversion, observed=observed, base=base.astype(np.int64)
        )

    def point(self, row: Sequence[int], among: Bits | None = None) -> tuple[float, float, float, float]:
        """Returns the support, the pooled support, the observed share and the number of records; `among`: of these
        records in the place of those asked all items."""
        itemset = self.items_from_numbers(row)
        base = self.table.records_asked(itemset) if among is None else among
        return (
            estimate_support(self.table, itemset, base, self.wanted.estimator),
            pooled_support(self.table, itemset, base),
            float(self.table.has_items(itemset)[base].mean()),
            float(base.sum()),
        )

    def items_from_numbers(self, row: Iterable[int]) -> Itemset:
        return tuple(self.known.numbering.item(number) for number in sorted(row) if number != NONE)

    def make_rules(self, itemsets: Frequent) -> Rules:
        """Returns the rules of these itemsets with mlxtend's measures, in the order and with the intervals of Candor's
        rules."""
        measured = self.rule_measures(itemsets)
        ours = make_rules(self.known, itemsets, self.wanted, verdict=self.verdict)
        sides: list[Split] = [
            (frozenset(first), frozenset(second)) for first, second in map(ours.sides, range(len(ours)))
        ]
        if set(sides) != set(measured):
            raise Disagreement
        points = np.array([measured[side] for side in sides]).reshape(-1, len(MEASURES))
        columns = dict(zip(MEASURES, points.T, strict=True))
        splits, split, side = ours.splits, ours.split, ours.side
        supports, share = splits.supports.copy(), splits.share.copy()
        supports[side, split] = columns["antecedent support"]
        supports[1 - side, split] = columns["consequent support"]
        share[split] = columns["support"]
        confident = confidence(share, supports)
        confident[side, split] = columns["confidence"]
        return replace(ours, splits=replace(splits, supports=supports, share=share, confidence=confident))

    def _has_enough_records(self, itemset: Itemset, eligible: Bits) -> bool:
        """Returns True if each group (open, disguised) has enough of the `eligible` records for rules of this
        itemset."""
        undisguised = [item for item in itemset if not self.table.chance_by_noise_alone((item,))]
        carrying = eligible & (self.table.has_items(undisguised) if undisguised else eligible)
        groups = (self.table.disguised, ~self.table.disguised)
        carried = [
            not (eligible & group).any() or int((carrying & group).sum()) >= LEAST_GROUP for group in groups
        ]
        return int(eligible.sum()) >= LEAST_BASE and all(carried)

    def rule_measures(self, itemsets: Frequent) -> dict[Split, list[float]]:
        """Returns the measures (`MEASURES`) of each rule that mlxtend finds in these itemsets, by the rule's two
        sides."""
        measured: dict[Split, list[float]] = {}
        for row in itemsets.itemsets.tolist():
            numbers = [number for number in row if number != NONE]
            if len(numbers) > 1:
                measured |= self._measures_of_itemset_rules(numbers)
        return measured

    def _measures_of_itemset_rules(self, numbers: list[int]) -> dict[Split, list[float]]:
        """Returns the measures of mlxtend's rules of exactly these items, from the supports of all their subsets.

        The supports are among the records to which all items apply.
        """
        whole = self.items_from_numbers(numbers)
        eligible = self.table.records_asked(whole) & self.table.applies_to_all(whole)
        if not self._has_enough_records(whole, eligible):
            return {}
        subsets = [
            frozenset(part) for size in range(1, len(numbers) + 1) for part in combinations(numbers, size)
        ]
        supports = [
            estimate_support(self.table, self.items_from_numbers(part), eligible, self.wanted.estimator)
            for part in subsets
        ]
        with np.errstate(divide="ignore", invalid="ignore"):
            rules = association_rules(
                pd.DataFrame({"itemsets": subsets, "support": supports}),
                metric="confidence",
                min_threshold=self.wanted.min_confidence - ROUNDING,
            )
        # Where the antecedent's estimate is 0, mlxtend gives inf or -inf, depending on rounding.
        rules = rules[~is_zero(rules["antecedent support"].to_numpy(np.float64))]
        every = frozenset(numbers)
        sides = zip(rules["antecedents"], rules["consequents"], strict=True)
        values = rules[list(MEASURES)].to_numpy().tolist()
        return {
            (first, second): row
            for (first, second), row in zip(sides, values, strict=True)
            if first | second == every
        }


def _apriori(frame: pd.DataFrame, least: int, size: int) -> Numbers:
    """Returns the itemsets of this size that mlxtend finds in at least `least` records, sorted."""
    n = len(frame)
    rows: list[list[int]] = []
    if least <= n:
        # Half a record below the threshold, so that no rounding decides.
        itemsets = apriori(frame, (least - 0.5) / n, use_colnames=True, max_len=size, low_memory=True)
        rows = sorted(sorted(itemset) for itemset in itemsets["itemsets"] if len(itemset) == size)
    return pad_rows(rows) if rows else np.empty((0, size), np.int32)


# --- how long it takes


@dataclass(frozen=True)
class Trial:
    """A search that is tried on the first records, for a prediction of how long it takes on all."""

    search: MlxtendSearch
    frame: pd.DataFrame

    @classmethod
    def of_some(cls, search: MlxtendSearch, items: Numbers, most: int) -> "Trial":
        """Takes about `most` records, evenly."""
        table, step = search.table, max(len(search.table.disguised) // most, 1)
        bits = (table.disguised, table.has_item, table.asked, table.applies)
        some = RecordTable(table.design, *(rows[..., ::step].copy() for rows in bits))
        return cls(replace(search, table=some), pd.DataFrame(some.has_item[items].T, columns=items))

    @property
    def records(self) -> int:
        return len(self.frame)

    def seconds_of_inversion(self, itemsets: Sequence[Sequence[int]], clock: Callable[[], float]) -> float:
        """Returns the mean time to invert one of these itemsets."""
        asked = [
            (row, self.search.table.records_asked(self.search.items_from_numbers(row))) for row in itemsets
        ]
        begin = clock()
        for row, base in asked:
            # Of few records none may have been asked all; the work is the same among all of them.
            self.search.point(row, None if base.sum() >= LEAST_BASE else np.ones_like(base))
        return (clock() - begin) / len(itemsets)

    def seconds_of_candidate(self, clock: Callable[[], float]) -> float:
        """Returns the mean time that apriori takes for an itemset of one or two items."""
        items = self.frame.shape[1]
        begin = clock()
        _apriori(self.frame, 1, 2)
        return 2 * (clock() - begin) / int(items * (items + 1))
