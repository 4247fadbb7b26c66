"""Frequent itemsets and association rules of disguised tables, with mlxtend's functions, columns and order, plus
intervals.

A table is a pandas DataFrame of yes and no, a row per disguised record and a column per question of the design, which
has two choices: no, then yes. mlxtend finds the itemsets that enough records contain; their supports are then
reconstructed. For a design that disguises nothing the result is mlxtend's.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import ceil

import numpy as np
import pandas as pd
from mlxtend.frequent_patterns import apriori as mlxtend_apriori, association_rules as mlxtend_rules

from mining.counting import HistogramCounter, MinedRecords, PatternHistogram, fits_in_histogram
from mining.counting.mined_records import pack_columns
from mining.engines.record_table_and_inversion import RecordTable, estimate_support
from mining.itemsets.frequent import ROUNDING
from mining.parameters import MAX_SIZE
from mining.queries_and_counters import Item
from mining.reconstruction import CachedCounter, least_count, reconstruct_supports
from mining.reconstruction.score_moments_by_group import LEAST_BASE
from mining.rules import reconstruct_rules as reconstructed_rules
from privacy.designs import Design, InputError
from privacy.grammar.input_error import mark_for_translation as _
from privacy.records import DISGUISED

Itemset = frozenset[str]


def apriori(
    frame: pd.DataFrame,
    design: Design,
    min_support: float = 0.5,
    use_colnames: bool = False,
    max_len: int | None = None,
) -> pd.DataFrame:
    """Finds frequent itemsets; returns `support`, `itemsets` and 95 % intervals `support_low`, `support_high`.

    The intervals are NaN below 50 records. `max_len`: by default up to three items, or any number if nothing is
    disguised.
    """
    if not 0 < min_support <= 1:
        raise InputError("min_support", _("must be above 0 and at most 1"))
    table = _Table(frame, design)
    found = table.frequent_itemsets(min_support, max_len)
    supports = {itemset: table.support(itemset) for itemset in found}
    itemsets = [itemset for itemset in found if supports[itemset] >= min_support - ROUNDING]
    place = {name: index for index, name in enumerate(frame.columns)}
    return pd.DataFrame(
        {
            "support": [supports[itemset] for itemset in itemsets],
            "itemsets": [
                itemset if use_colnames else frozenset(place[name] for name in itemset)
                for itemset in itemsets
            ],
            **table.intervals(itemsets),
        }
    )


def association_rules(
    itemsets: pd.DataFrame,
    frame: pd.DataFrame,
    design: Design,
    metric: str = "confidence",
    min_threshold: float = 0.8,
) -> pd.DataFrame:
    """Returns the rules of the itemsets with mlxtend's columns, then 95 % intervals.

    `itemsets`: the result of `apriori` for the frame. `support_low` and `support_high` are for the itemset
    alone. `confidence_low`, `confidence_high`, `lift_low` and `lift_high` allow for the choice among all
    rules of these items. All are NaN if there are fewer than 50 records. Noise can make an itemset frequent
    and a part of it not: the support of such a part is reconstructed here.
    """
    table = _Table(frame, design)
    by_name = [frozenset(table.name(item) for item in itemset) for itemset in itemsets["itemsets"]]
    named = dict(zip(by_name, itemsets["itemsets"], strict=True))
    known = dict(zip(by_name, itemsets["support"], strict=True))
    for itemset in by_name:
        for part in _proper_subsets(itemset):
            known.setdefault(part, table.support(part))
    known = known or {frozenset(frame.columns[:1]): 1.0}  # of one item, which makes no rule
    whole = pd.DataFrame({"support": list(known.values()), "itemsets": list(known)})
    with np.errstate(divide="ignore", invalid="ignore"):
        rules = mlxtend_rules(whole, metric=metric, min_threshold=min_threshold)
    unions = [
        first | second for first, second in zip(rules["antecedents"], rules["consequents"], strict=True)
    ]
    is_found = np.array([union in named for union in unions], np.bool_)
    rules = rules[is_found].reset_index(drop=True)
    intervals = table.intervals([union for union in unions if union in named])
    sides = list(zip(rules["antecedents"], rules["consequents"], strict=True))
    ends = table.rule_intervals(sides)
    positions = {name: index for index, name in enumerate(frame.columns)}
    if by_name and set(named.values()) != set(named):
        for side in ("antecedents", "consequents"):
            rules[side] = [frozenset(positions[name] for name in itemset) for itemset in rules[side]]
    return rules.assign(**intervals, **ends)


def _proper_subsets(itemset: Itemset) -> Iterable[Itemset]:
    """Yields all non-empty proper subsets of an itemset."""
    return (
        frozenset(part) for size in range(1, len(itemset)) for part in combinations(sorted(itemset), size)
    )


@dataclass(frozen=True)
class _Table:
    """A disguised table of yes and no, with cached counts and estimates."""

    frame: pd.DataFrame
    design: Design

    def __post_init__(self) -> None:
        names = [question.name for question in self.design.questions]
        if sorted(self.frame.columns) != sorted(names):
            raise InputError("frame", _("its columns are not the questions of the design"))
        if not self.frame.isin([False, True]).all(axis=None):
            raise InputError("frame", _("its values are True and False, or 1 and 0"))
        if self.design.has_arms or any(not _is_yes_no(self.design, name) for name in names):
            raise InputError(
                "design", _("a table of yes and no has two choices per question, asked of everybody")
            )

    def name(self, item: object) -> str:
        """Returns the name of a column from its name or its index."""
        return str(item) if item in self.frame.columns else str(self.frame.columns[item])

    @cached_property
    def records(self) -> MinedRecords:
        names = [question.name for question in self.design.questions]
        codes = self.frame[names].to_numpy().astype(bool).T.astype(np.int64)
        group = np.full(len(self.frame), DISGUISED, np.uint8)
        return MinedRecords(self.design.mined, [pack_columns(self.design, group, codes)])

    @cached_property
    def counter(self) -> CachedCounter:
        if not fits_in_histogram(self.design.mined, len(self.frame)):
            raise InputError("design", _("it has too many questions: choose some of the columns"))
        return CachedCounter(
            HistogramCounter(PatternHistogram.count_records(self.design.mined, self.records.complete))
        )

    @cached_property
    def table(self) -> RecordTable:
        return RecordTable.from_records(self.records)

    def items(self, itemset: Itemset) -> tuple[Item, ...]:
        places = {question.name: index for index, question in enumerate(self.design.questions)}
        return tuple(sorted((places[name], 1) for name in itemset))

    def support(self, itemset: Itemset) -> float:
        """Returns the reconstructed support of an itemset."""
        items = self.items(itemset)
        return estimate_support(self.table, items, self.table.records_asked(items), "stratified")

    def intervals(self, itemsets: list[Itemset]) -> dict[str, list[float]]:
        """Returns the 95 % intervals of the supports of these itemsets, by column of the result."""
        if not itemsets:
            return {"support_low": [], "support_high": []}
        supports = reconstruct_supports(self.counter, [self.items(itemset) for itemset in itemsets])
        return {"support_low": supports.low.tolist(), "support_high": supports.high.tolist()}

    def rule_intervals(self, sides: list[tuple[Itemset, Itemset]]) -> dict[str, list[float]]:
        """Returns the intervals of rules, each given by its antecedent and its consequent."""
        ends = {
            f"{measure}_{end}": f"{measure}_{end}_listed"
            for measure in ("confidence", "lift")
            for end in ("low", "high")
        }
        unions = sorted({self.items(first | second) for first, second in sides})
        if not unions:
            return {column: [] for column in ends}
        longest = max(map(len, unions))
        found = reconstructed_rules(self.counter, unions, -np.inf, max_size=longest)
        names, item = [question.name for question in self.design.questions], self.counter.numbering.item
        rows = {
            tuple(frozenset(names[item(number)[0]] for number in side) for side in found.sides(row)): row
            for row in range(len(found))
        }
        return {
            column: [float(found[listed][rows[rule]]) if rule in rows else np.nan for rule in sides]
            for column, listed in ends.items()
        }

    def frequent_itemsets(self, min_support: float, max_len: int | None) -> list[Itemset]:
        """Returns the itemsets in enough disguised records to reach this support after reconstruction, in mlxtend's
        order."""
        n = len(self.frame)
        if any(section.sensitive for section in self.design.sections):
            max_len = min(max_len or MAX_SIZE, len(self.frame.columns))
            singles = [item for name in self.frame.columns for item in self.items(frozenset([name]))]
            least = 1
            if n >= LEAST_BASE:
                least = least_count(self.counter, singles, max_len, "stratified", min_support - ROUNDING)
        else:
            least = max(ceil(min_support * n - ROUNDING), 1)
        if least > n:
            return []
        found = mlxtend_apriori(
            self.frame.astype(bool), (least - 0.5) / n, use_colnames=True, max_len=max_len, low_memory=True
        )
        return list(found["itemsets"])


def _is_yes_no(design: Design, name: str) -> bool:
    section = next(one for one in design.sections if any(question.name == name for question in one.questions))
    question = next(one for one in section.questions if one.name == name)
    always = section.asked == len(section.questions) and not question.show_if
    return always and not question.scored and len(question.choices) == 2
