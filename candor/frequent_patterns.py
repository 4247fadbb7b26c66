"""mlxtend's `apriori` and `association_rules` with intervals, for disguised tables too.

Both take mlxtend's arguments in its order, and are mlxtend's without a design. With a design the table is a pandas
DataFrame of yes and no, a row per disguised record and a column per question of the design, which has two choices: no,
then yes. Supports are reconstructed. For a design that disguises nothing they are mlxtend's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import ceil

import numpy as np
import pandas as pd
from mlxtend.frequent_patterns import apriori as mlxtend_apriori, association_rules as mlxtend_rules

from mining.counting import MinedRecords, make_counter
from mining.counting.mined_records import pack_columns
from mining.engines.record_table_and_inversion import RecordTable, estimate_support
from mining.itemsets.frequent import ROUNDING, find_frequent_itemsets
from mining.parameters import MAX_SIZE, Parameters
from mining.queries_and_counters import NONE, Item
from mining.reconstruction import CachedCounter, Supports, reconstruct_supports
from mining.reconstruction.score_moments_by_group import LEAST_BASE
from mining.rules import reconstruct_rules as reconstructed_rules
from privacy.designs import Design, InputError
from privacy.grammar.input_error import mark_for_translation as _
from privacy.records import DISGUISED

SUPPORT_ENDS = ("support_low", "support_high")
MOST = 10**6
"""A search of more itemsets of one size is refused."""

Itemset = frozenset[str]


def apriori(
    df: pd.DataFrame,
    min_support: float = 0.5,
    use_colnames: bool = False,
    max_len: int | None = None,
    verbose: int = 0,
    low_memory: bool = False,
    n_jobs: int = 1,
    *,
    design: Design | None = None,
) -> pd.DataFrame:
    """Finds frequent itemsets: mlxtend's `support` and `itemsets`, and with a design their 95 % intervals.

    `support_low` and `support_high` are NaN below 50 records. `max_len`: by default up to three items if something is
    disguised, or any number. `verbose`, `low_memory` and `n_jobs` change nothing of a disguised table's search.
    """
    _refuse_earlier_order("apriori(df, 0.2, design=design)", min_support)
    if design is None:
        return mlxtend_apriori(df, min_support, use_colnames, max_len, verbose, low_memory, n_jobs)
    if not 0 < min_support <= 1:
        raise InputError("min_support", _("must be above 0 and at most 1"))
    table = _Table(df, design)
    found = table.frequent_itemsets(min_support, max_len)
    return found if use_colnames else found.assign(itemsets=list(map(table.places, found["itemsets"])))


def association_rules(
    df: pd.DataFrame,
    num_itemsets: int = 1,
    df_orig: pd.DataFrame | None = None,
    null_values: bool = False,
    metric: str = "confidence",
    min_threshold: float = 0.8,
    support_only: bool = False,
    return_metrics: Sequence[str] | None = None,
    *,
    design: Design | None = None,
) -> pd.DataFrame:
    """Returns the rules of the itemsets `df` with mlxtend's columns, and with a design 95 % intervals behind them.

    `df_orig`: with a design the disguised table that `df` was found in. `return_metrics`: by default all.
    `support_low` and `support_high` are for the itemset alone. `confidence_low`, `confidence_high`, `lift_low` and
    `lift_high` allow for the choice among all rules of these items. All are NaN if there are fewer than 50 records.
    Noise can make an itemset frequent and a part of it not: the support of such a part is reconstructed here.
    """
    _refuse_earlier_order("association_rules(itemsets, df_orig=df, design=design)", num_itemsets, df_orig)
    metrics = {} if return_metrics is None else {"return_metrics": list(return_metrics)}
    chosen = {"metric": metric, "min_threshold": min_threshold, "support_only": support_only, **metrics}
    if design is None:
        return mlxtend_rules(df, num_itemsets, df_orig, null_values, **chosen)
    if df_orig is None or null_values:
        raise InputError("df_orig", _("is the disguised table, which has no empty cells"))
    table = _Table(df_orig, design)
    by_name = [frozenset(map(table.name, itemset)) for itemset in df["itemsets"]]
    known = dict(zip(by_name, df["support"], strict=True))
    parts = [part for part in dict.fromkeys(_proper_subsets(by_name)) if part not in known]
    known |= dict(zip(parts, table.supports(parts)["support"], strict=True))
    known = known or {frozenset(df_orig.columns[:1]): 1.0}  # of one item, which makes no rule
    whole = pd.DataFrame({"support": list(known.values()), "itemsets": list(known)})
    with np.errstate(divide="ignore", invalid="ignore"):
        rules = mlxtend_rules(whole, num_itemsets, **chosen)
    asked = set(by_name)
    sides = list(zip(rules["antecedents"], rules["consequents"], strict=True))
    is_asked = np.array([one | other in asked for one, other in sides], np.bool_)
    rules = rules[is_asked].reset_index(drop=True)
    ends = table.rule_intervals([side for side, among in zip(sides, is_asked, strict=True) if among])
    if by_name and set(df["itemsets"]) != asked:
        for side in ("antecedents", "consequents"):
            rules[side] = list(map(table.places, rules[side]))
    shown = {"support"} if support_only else set(rules)
    return rules.assign(**{name: of for name, of in ends.items() if name.rpartition("_")[0] in shown})


def _refuse_earlier_order(call: str, *arguments: object) -> None:
    """Calls of before had the table or the design in the place of one of mlxtend's arguments."""
    for place, argument in enumerate(arguments):
        if isinstance(argument, Design) or (place == 0 and isinstance(argument, pd.DataFrame)):
            raise InputError("design", _("is given by its name: %(call)s"), call=call)


def _proper_subsets(itemsets: Sequence[Itemset]) -> Iterator[Itemset]:
    """Yields all non-empty proper subsets of each itemset."""
    for itemset in itemsets:
        for size in range(1, len(itemset)):
            yield from map(frozenset, combinations(sorted(itemset), size))


@dataclass(frozen=True)
class _Table:
    """A disguised table of yes and no, with cached counts and estimates."""

    frame: pd.DataFrame
    design: Design

    def __post_init__(self) -> None:
        names = [question.name for question in self.design.questions]
        if sorted(self.frame.columns) != sorted(names):
            raise InputError("df", _("its columns are not the questions of the design"))
        if not self.frame.dtypes.eq(np.bool_).all() and not self.frame.isin([False, True]).all(axis=None):
            raise InputError("df", _("its values are True and False, or 1 and 0"))
        if self.design.has_arms or any(not _is_yes_no(self.design, name) for name in names):
            raise InputError(
                "design", _("a table of yes and no has two choices per question, asked of everybody")
            )

    def name(self, item: object) -> str:
        """Returns the name of a column from its name or its index."""
        return str(item) if item in self.frame.columns else str(self.frame.columns[item])

    def places(self, itemset: Itemset) -> frozenset[int]:
        """Returns the indexes of these columns."""
        return frozenset(self._place[name] for name in itemset)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.frame.columns)}

    @cached_property
    def _records(self) -> MinedRecords:
        names = [question.name for question in self.design.questions]
        codes = self.frame[names].to_numpy().astype(bool).T.astype(np.uint8)
        group = np.full(len(self.frame), DISGUISED, np.uint8)
        return MinedRecords(self.design.mined, [pack_columns(self.design, group, codes)])

    @cached_property
    def _counter(self) -> CachedCounter:
        return CachedCounter(make_counter(self.design.mined, self._records.complete))

    @cached_property
    def _questions(self) -> dict[str, int]:
        return {question.name: index for index, question in enumerate(self.design.questions)}

    def items(self, itemset: Itemset) -> tuple[Item, ...]:
        return tuple(sorted((self._questions[name], 1) for name in itemset))

    def supports(self, itemsets: Sequence[Itemset]) -> pd.DataFrame:
        """Returns the reconstructed supports of these itemsets and their 95 % intervals."""
        items = [self.items(itemset) for itemset in itemsets]
        if items and len(self.frame) >= LEAST_BASE:
            return _support_columns(reconstruct_supports(self._counter, items), itemsets)
        supports = np.empty(0)
        if items:
            table = RecordTable.from_records(self._records)
            supports = np.array(
                [estimate_support(table, one, table.records_asked(one), "stratified") for one in items]
            )
        return pd.DataFrame(
            {"support": supports, "itemsets": itemsets, **dict.fromkeys(SUPPORT_ENDS, np.nan)}
        )

    def rule_intervals(self, sides: Sequence[tuple[Itemset, Itemset]]) -> dict[str, list[float]]:
        """Returns the intervals of rules, each given by its antecedent and its consequent."""
        listed = {
            f"{measure}_{end}": f"{measure}_{end}_listed"
            for measure in ("confidence", "lift")
            for end in ("low", "high")
        }
        unions = sorted({self.items(first | second) for first, second in sides})
        if not unions:
            return {column: [] for column in (*SUPPORT_ENDS, *listed)}
        supports = self.supports([first | second for first, second in sides])
        found = reconstructed_rules(self._counter, unions, -np.inf, max_size=max(map(len, unions)))
        names, item = [*self._questions], self._counter.numbering.item
        rows = {
            tuple(frozenset(names[item(number)[0]] for number in side) for side in found.sides(row)): row
            for row in range(len(found))
        }
        places = [rows.get(rule) for rule in sides]
        return {name: supports[name].tolist() for name in SUPPORT_ENDS} | {
            column: [np.nan if row is None else float(ends[row]) for row in places]
            for column, ends in ((column, found[name]) for column, name in listed.items())
        }

    def frequent_itemsets(self, min_support: float, max_len: int | None) -> pd.DataFrame:
        """Returns the itemsets of this support, with the columns of `supports`, in mlxtend's order."""
        n = len(self.frame)
        is_disguised = any(section.sensitive for section in self.design.sections)
        if is_disguised and n >= LEAST_BASE:
            return self._search(min_support, max_len or MAX_SIZE)
        least = 1 if is_disguised else max(ceil(min_support * n - ROUNDING), 1)
        if least > n:
            return self.supports([])
        found = mlxtend_apriori(
            self.frame.astype(bool),
            (least - 0.5) / n,
            use_colnames=True,
            max_len=min(max_len or MAX_SIZE, len(self.frame.columns)) if is_disguised else max_len,
            low_memory=True,
        )
        supports = self.supports(list(found["itemsets"]))
        return supports[supports["support"] >= min_support - ROUNDING].reset_index(drop=True)

    def _search(self, min_support: float, max_len: int) -> pd.DataFrame:
        parameters = Parameters(min_support, 1.0, exact=True, max_size=max_len, most=MOST)
        found = find_frequent_itemsets(self._counter, parameters)
        if found.stopped:
            raise InputError(
                "min_support",
                _("more than %(most)s itemsets of %(size)s items: choose a higher one"),
                most=MOST,
                size=found.stopped.size,
            )
        names, question = [*self._questions], self._counter.numbering.question
        itemsets = [
            frozenset(names[question[item]] for item in row if item != NONE) for row in found.itemsets
        ]
        order = sorted(
            range(len(itemsets)), key=lambda row: (len(itemsets[row]), sorted(self.places(itemsets[row])))
        )
        return _support_columns(found.supports, itemsets).iloc[order].reset_index(drop=True)


def _support_columns(supports: Supports, itemsets: Sequence[Itemset]) -> pd.DataFrame:
    ends = {name: getattr(supports, name.removeprefix("support_")) for name in SUPPORT_ENDS}
    return pd.DataFrame({"support": supports.support, "itemsets": itemsets, **ends})


def _is_yes_no(design: Design, name: str) -> bool:
    section = next(one for one in design.sections if any(question.name == name for question in one.questions))
    question = next(one for one in section.questions if one.name == name)
    always = section.asked == len(section.questions) and not question.show_if
    return always and not question.scored and len(question.choices) == 2
