"""Disguises a table D again and again as D*, mines it, and compares what is found with the truth.

The rules of one disguise are listed with their errors. All repetitions together give precision, recall and W,
which is |S - S'|: how far a reconstructed support is from the true one.
"""

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mining.counting.mined_records import MinedRecords, pack_columns
from mining.engines import candor_engine
from mining.finite_numbers_for_json import finite_or_none
from mining.itemsets.candidates import ShowIfRouting, next_candidates, single_items
from mining.itemsets.frequent import search_itemsets_without_intervals
from mining.own_table.settings import Protection, Settings, design_for_table, protection
from mining.own_table.table import LEAST_ROWS, OwnTable
from mining.parameters import MAX_SIZE, Parameters
from mining.queries_and_counters import Numbering, Numbers, pad_rows, stack_tables
from mining.reconstruction import CachedCounter, estimate_supports_without_intervals
from mining.rules import Sides, reconstruct_rules
from mining.studies import comparison_with_truth
from privacy.designs import Design
from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.kinds.answer_code_array_type import Codes
from privacy.records.record import DISGUISED, OPEN
from privacy.simulation.disguise import disguise

REPETITIONS = 20
POINT_REPETITIONS = 5
"""Numbers of repetitions: of the experiment, and of each point of a curve."""
MOST_ITEMSETS = 5_000
"""Largest number of itemsets whose W is computed; where there are more, the larger itemsets are left out."""
MOST_LISTED = 200
"""Largest number of listed rules of each outcome."""
MOST_RESAMPLED = 200_000
MOST_CHECKED, MOST_CHECK_WORK = 50_000, 20_000_000
"""Largest number of rows of a check by mlxtend, which has fewer rows where itemsets are many.

MOST_RESAMPLED is the largest number of rows of a table drawn for a curve.
"""
Floats = NDArray[np.float64]
Itemset = tuple[int, ...]
Outcome = Literal["found", "missed", "false"]
OUTCOMES: tuple[Outcome, ...] = ("found", "missed", "false")
Step = Callable[[float], object]
"""Callback after each repetition: takes the finished share of all work; an exception from it ends the experiment."""


@dataclass(frozen=True, slots=True)
class ComparedRule:
    """A rule that is found in the true table D, in the disguised table D*, or in both, with its measures in each.

    `support` and `confidence` are those in D*, the confidence with its interval; None: nothing can be estimated. The
    interval of a rule found in D* allows for its place in the list; that of a missed rule does not.
    """

    antecedent: tuple[str, ...]
    consequent: tuple[str, ...]
    outcome: Outcome
    true_support: float
    true_confidence: float
    support: float | None
    confidence: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class MeanAndSpread:
    """The mean over repetitions, and the ends between which 90 % of them lie; None if fewer than half have a value."""

    mean: float | None
    low: float | None
    high: float | None

    @classmethod
    def from_values(cls, values: Sequence[float]) -> "MeanAndSpread":
        known = np.array([value for value in values if np.isfinite(value)])
        if 2 * len(known) < len(values) or not len(known):
            return cls(None, None, None)
        mean, (low, high) = float(known.mean()), np.quantile(known, [0.05, 0.95]).tolist()
        # A mean of equal values may be rounded past them.
        return cls(mean, min(low, mean), max(high, mean))


MEASURES = (
    "itemset_precision",
    "itemset_recall",
    "rule_precision",
    "rule_recall",
    "w_frequent",
    "w_all",
)


@dataclass(frozen=True, slots=True)
class Measures:
    """Precision and recall of itemsets and rules over repetitions, and the mean error W of supports.

    `w_frequent` is W of the itemsets that are frequent in the true table, `w_all` that of all, frequent or not.
    """

    itemset_precision: MeanAndSpread
    itemset_recall: MeanAndSpread
    rule_precision: MeanAndSpread
    rule_recall: MeanAndSpread
    w_frequent: MeanAndSpread
    w_all: MeanAndSpread


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of a curve: the measures at one value of the varied parameter."""

    value: float
    measures: Measures


Varied = Literal["keep", "open_share", "theta", "rows"]
CURVES: dict[Varied, tuple[float, ...]] = {
    "keep": tuple(round(step / 10, 1) for step in range(1, 10)),
    "open_share": tuple(round(step / 10, 1) for step in range(10)),
    "theta": tuple(round(step / 10, 1) for step in range(1, 10)),
    "rows": (0.125, 0.25, 0.5, 1, 2, 4),
}
"""Values of each varied parameter, the others fixed; numbers of rows are multiples of the table's."""


@dataclass(frozen=True, slots=True)
class Curve:
    """A curve: the measures at several values of one parameter, the others fixed."""

    varied: Varied
    points: tuple[CurvePoint, ...]


@dataclass(frozen=True, slots=True)
class EngineCheck:
    """Comparison of mlxtend with Candor's engine in the first `rows` rows: True if both find the same in D, and in
    D*."""

    rows: int
    agree_on_true: bool
    agree_on_disguised: bool


@dataclass(frozen=True, slots=True)
class ExperimentResult:
    """The result of an experiment with a table of so many `rows`.

    `frequent` and `true_rules`: the number of itemsets and rules found in the true table. `all_itemsets`: the number of
    itemsets in `w_all`, of up to `largest` items. `unlisted`: the number of rules of an outcome beyond MOST_LISTED.
    """

    rows: int
    frequent: int
    true_rules: int
    all_itemsets: int
    largest: int
    rules: tuple[ComparedRule, ...]
    unlisted: int
    engines: EngineCheck
    measures: Measures
    curves: tuple[Curve, ...]
    protection: Protection


def run_experiment(
    table: OwnTable, settings: Settings, seed: int, step: Step = lambda _share: None
) -> ExperimentResult:
    """Disguises and mines the table by these settings, then with each parameter varied; the same seed gives the
    same result.

    `step` is called with the finished share.
    """
    design, mined = design_for_table(table, settings), settings.mining_parameters
    true = TrueTable.from_codes(table.codes, design, mined)
    total = REPETITIONS + POINT_REPETITIONS * sum(map(len, CURVES.values()))
    done = 0

    def measure_repetitions(
        true: TrueTable, settings: Settings, repetitions: int, key: Sequence[int]
    ) -> Measures:
        nonlocal done
        rng, rows = np.random.default_rng([seed, *key]), list[tuple[float, ...]]()
        design = design_for_table(table, settings)
        for _repetition in range(repetitions):
            rows.append(true.measure(mined, design, settings.open_share, rng))
            done += 1
            step(done / total)
        return Measures(*map(MeanAndSpread.from_values, zip(*rows, strict=True)))

    group, received = true.disguise(design, settings.open_share, np.random.default_rng([seed, 0]))
    disguised = CachedCounter(as_mined_records(design, group, received).counter())
    listed = compare_rules(true, disguised, mined, item_labels(table))
    engines = check_engines(true, design, group, received, mined)
    measures = measure_repetitions(true, settings, REPETITIONS, [1])
    curves = []
    for number, (varied, values) in enumerate(CURVES.items(), 2):
        points = []
        for index, value in enumerate(values):
            if varied == "rows":
                rows = round(value * table.rows)
                if rows > MOST_RESAMPLED:
                    continue
                rng = np.random.default_rng([seed, number, index, 0])
                chosen = rng.choice(table.rows, rows, replace=rows > table.rows)
                sampled = TrueTable.from_codes(table.codes[:, chosen], design, mined)
                points.append(
                    CurvePoint(
                        rows, measure_repetitions(sampled, settings, POINT_REPETITIONS, [number, index])
                    )
                )
            else:
                changed = replace(settings, **{varied: value})  # type: ignore[arg-type]
                points.append(
                    CurvePoint(value, measure_repetitions(true, changed, POINT_REPETITIONS, [number, index]))
                )
        curves.append(Curve(varied, tuple(points)))
    return ExperimentResult(
        table.rows,
        len(true.frequent),
        len(true.rules),
        len(true.candidates),
        int((true.candidates >= 0).sum(axis=1).max()),
        tuple(rule for outcome in OUTCOMES for rule in listed[outcome][:MOST_LISTED]),
        sum(max(len(listed[outcome]) - MOST_LISTED, 0) for outcome in OUTCOMES),
        engines,
        measures,
        tuple(curves),
        protection(design),
    )


def as_mined_records(design: Design, group: NDArray[np.uint8], codes: Codes) -> MinedRecords:
    return MinedRecords(design.mined, [pack_columns(design, group, codes)])


@dataclass(frozen=True)
class TrueTable:
    """The true table D with its frequent itemsets, its rules, and the itemsets whose error W is computed
    (`candidates`), with true supports."""

    codes: Codes
    counter: CachedCounter
    frequent: Numbers
    rules: frozenset[Sides]
    candidates: Numbers

    @classmethod
    def from_codes(cls, codes: Codes, design: Design, mined: Parameters) -> "TrueTable":
        everybody_open = np.full(codes.shape[1], OPEN, np.uint8)
        counter = CachedCounter(as_mined_records(design, everybody_open, codes).counter())
        found_itemsets = search_itemsets_without_intervals(counter, mined)
        if found_itemsets.stopped:
            raise too_many_itemsets_error(mined)
        frequent = found_itemsets.itemsets
        found = frozenset(candor_engine.confident_rule_sides(counter, frequent, mined))
        return cls(codes, counter, frequent, found, small_itemsets(design.mined))

    def shares(self, itemsets: Numbers) -> Floats:
        return comparison_with_truth.FileTruth(self.counter.counter).shares(itemsets)

    @cached_property
    def frequent_shares(self) -> Floats:
        return self.shares(self.frequent)

    @cached_property
    def candidate_shares(self) -> Floats:
        return self.shares(self.candidates)

    def disguise(
        self, design: Design, open_share: float, rng: "np.random.Generator"
    ) -> tuple[NDArray[np.uint8], Codes]:
        """Disguises the table: returns who answers openly, and the codes that are received (D*)."""
        group = np.where(rng.random(self.codes.shape[1]) < open_share, OPEN, DISGUISED).astype(np.uint8)
        return group, disguise(design, group, self.codes, rng)

    def measure(
        self, mined: Parameters, design: Design, open_share: float, rng: "np.random.Generator"
    ) -> tuple[float, ...]:
        """Disguises and mines the table once; returns precision, recall and errors (MEASURES), NaN where there is
        nothing to divide by."""
        received = CachedCounter(as_mined_records(design, *self.disguise(design, open_share, rng)).counter())
        searched = search_itemsets_without_intervals(received, mined)
        w_frequent, w_all = (
            np.abs(estimate_supports_without_intervals(received, numbers, mined.estimator).support - shares)
            for numbers, shares in (
                (self.frequent, self.frequent_shares),
                (self.candidates, self.candidate_shares),
            )
        )
        # Where the search stops, or too few people are in a group, nothing was found out about itemsets and rules.
        counts = [np.nan] * 4
        if not searched.stopped and np.isfinite(w_all).any():
            found = candor_engine.confident_rule_sides(received, searched.itemsets, mined)
            counts = [
                *_precision_and_recall(_as_sets(searched.itemsets), _as_sets(self.frequent)),
                *_precision_and_recall(found, self.rules),
            ]
        return (
            *counts,
            *(
                float(w[known].mean()) if (known := np.isfinite(w)).any() else np.nan
                for w in (w_frequent, w_all)
            ),
        )


def small_itemsets(design: Design) -> Numbers:
    """Returns all itemsets of up to three items of a design; only itemsets of one or two items if there would be more
    than MOST_ITEMSETS."""
    numbering = Numbering(design)
    routing = ShowIfRouting(design, numbering)
    levels = [single_items(design, numbering, absences=False)]
    left = MOST_ITEMSETS - len(levels[0])
    while len(levels) < MAX_SIZE:
        larger = next_candidates(levels[-1], numbering, max(left, 0), routing)
        if larger is None or not len(larger):
            break
        levels.append(larger)
        left -= len(larger)
    return stack_tables(levels)


def too_many_itemsets_error(mined: Parameters) -> InputError:
    words = _(
        "more than %(most)s candidate itemsets at these thresholds: choose a higher smallest support, or fewer columns"
    )
    return InputError("min_support", words, most=mined.most)


def _as_sets(itemsets: Numbers) -> set[Itemset]:
    return {tuple(number for number in row if number >= 0) for row in itemsets.tolist()}


def _precision_and_recall(found: Set[object], true: Set[object]) -> tuple[float, float]:
    right = len(found & true)
    return right / len(found) if found else np.nan, right / len(true) if true else np.nan


def item_labels(table: OwnTable) -> list[str]:
    """Returns the name of each item of the table, such as `column=value`, in the order of item numbers."""
    return [f"{column.name}={value}" for column in table.columns for value in column.values]


def compare_rules(
    true: TrueTable, disguised: CachedCounter, mined: Parameters, labels: Sequence[str]
) -> dict[Outcome, list[ComparedRule]]:
    """Returns the rules of the true and of the disguised table by outcome (found, false, missed), the most confident
    first, with intervals of the confidence in the disguised table."""
    result = candor_engine.mine_rules(disguised, mined)
    if result.frequent.stopped:
        raise too_many_itemsets_error(mined)
    found = result.rules
    reported = {found.sides(row): row for row in range(len(found))}
    missed = [sides for sides in true.rules if sides not in reported]
    # Of rules that D* does not report everything is estimated again, at whatever confidence they have there.
    others = reconstruct_rules(
        disguised,
        pad_rows(sorted({tuple(sorted((*first, *second))) for first, second in missed})),
        -np.inf,
        mined.estimator,
        max_size=mined.max_size,
    )
    estimates = {others.sides(row): row for row in range(len(others))}
    everything = [*reported, *missed]
    wholes, antecedents = (
        true.shares(pad_rows(itemsets))
        for itemsets in (
            [tuple(sorted((*first, *second))) for first, second in everything],
            [first for first, _second in everything],
        )
    )
    listed: dict[Outcome, list[ComparedRule]] = {outcome: [] for outcome in OUTCOMES}
    for sides, whole, antecedent in zip(everything, wholes.tolist(), antecedents.tolist(), strict=True):
        row, table, ends = reported.get(sides), found, "_listed"
        if row is None:
            row, table, ends = estimates.get(sides), others, ""
        outcome: Outcome = "missed" if sides not in reported else "found" if sides in true.rules else "false"
        columns = ("support", "confidence", f"confidence_low{ends}", f"confidence_high{ends}")
        support, estimate, low, high = (
            None if row is None else finite_or_none(float(table[name][row])) for name in columns
        )
        first, second = (tuple(labels[number] for number in side) for side in sides)
        confidence = whole / antecedent if antecedent else 0.0
        listed[outcome].append(
            ComparedRule(first, second, outcome, whole, confidence, support, estimate, low, high)
        )
    for rows in listed.values():
        rows.sort(key=lambda rule: (-(rule.confidence or 0.0), rule.antecedent, rule.consequent))
    return listed


def check_engines(
    true: TrueTable,
    design: Design,
    group: NDArray[np.uint8],
    received: Codes,
    mined: Parameters,
) -> EngineCheck:
    """Mines the true and the disguised table by mlxtend too; returns, for each, whether it finds the same itemsets and
    rules as Candor."""
    from mining.engines import mlxtend_engine  # late for cost

    looked_at = len(true.frequent) + len(true.candidates)
    rows = min(true.codes.shape[1], MOST_CHECKED, max(MOST_CHECK_WORK // looked_at, LEAST_ROWS))

    def engines_agree(group: NDArray[np.uint8], codes: Codes) -> bool:
        records = as_mined_records(design, group[:rows], codes[:, :rows])
        counter = CachedCounter(records.counter())
        exact = replace(mined, exact=True)
        return (
            mlxtend_engine.check_by_mlxtend(
                candor_engine.mine_rules(counter, exact), records, counter, exact
            ).difference
            is None
        )

    return EngineCheck(
        rows, engines_agree(np.full_like(group, OPEN), true.codes), engines_agree(group, received)
    )
