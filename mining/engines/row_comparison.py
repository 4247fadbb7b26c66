"""Compares the rows of a run with what means over its records and mlxtend's association_rules give.

The itemsets are given, so nothing is searched; `reference_list` says whether the list holds every itemset.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import combinations, pairwise
from math import isfinite, nan, pi, sqrt
from typing import Any

import numpy as np

from mining.disclosure.verdict import Verdict
from mining.engines.candor_engine import MiningResult
from mining.engines.record_means import (
    FEWEST,
    FEWEST_IN_GROUP,
    Means,
    RecordBits,
    Shape,
    all_parts,
    count_means,
    means_of_part,
    rows_by_shape,
)
from mining.parameters import Parameters
from mining.queries_and_counters import NONE, Numbering, Numbers
from privacy.designs import Design

EXACT, ERROR = 1e-12, 1e-5
"""Largest difference between two equal supports, where a record's score is of the size of 1, and between two equal
errors."""
ROUNDING = 1e-9
"""Tolerance of thresholds and of an antecedent of nothing."""
COUNTS = ("base", "n_open", "shown", "eligible")
ERRORS = ("se", "expected_w")
ITEMSET_COLUMNS = ("base", "n_open", "shown", "observed", "support", "pooled", *ERRORS, "share_shown")
RULE_COLUMNS = (
    *(
        "base",
        "eligible",
        "support",
        "antecedent_support",
        "consequent_support",
        "confidence",
        "converse",
        "lift",
    ),
    "both",
)
MEASURES = ("antecedent support", "consequent support", "confidence", "lift")
"""mlxtend's columns of rules that are read."""
LISTED = "listed"
"""In the place of a column: the row itself is missing, or should not be there."""

Itemset = frozenset[int]
Sides = tuple[Itemset, Itemset]
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Difference:
    """A row that differs: an itemset, or a rule if there is a `consequent`, and the column that differs.

    `candor` or `mlxtend` None: Candor's list, or what was computed anew, has no such row or number.
    """

    items: tuple[int, ...]
    consequent: tuple[int, ...]
    candor: float | None
    mlxtend: float | None
    column: str = LISTED


@dataclass(frozen=True)
class CheckedRows:
    """The rows of a run as they would be published: itemsets and rules, each with its numbers by column."""

    itemsets: Sequence[tuple[tuple[int, ...], Row]]
    rules: Sequence[tuple[tuple[int, ...], tuple[int, ...], Row]]

    @classmethod
    def from_columns(
        cls, itemsets: Mapping[str, Sequence[Any]], rules: Mapping[str, Sequence[Any]]
    ) -> "CheckedRows":
        """Makes the rows from the columns in which a run stores them."""
        numbers = [_numbers(text) for text in itemsets["items"]]
        sides = zip(map(_numbers, rules["antecedent"]), map(_numbers, rules["consequent"]), strict=True)
        return cls(
            list(zip(numbers, _rows(itemsets, ITEMSET_COLUMNS), strict=True)),
            [(*both, row) for both, row in zip(sides, _rows(rules, RULE_COLUMNS), strict=True)],
        )

    @classmethod
    def from_mining_result(cls, found: MiningResult) -> "CheckedRows":
        supports, rules = found.frequent.supports, found.rules
        columns = {name: getattr(supports, name) for name in ITEMSET_COLUMNS if name != "n_open"}
        listed = supports.itemsets.tolist()
        splits, converse = rules.splits, rules.splits.confidence[1 - rules.side, rules.split]
        is_listed = (rules.side == 0) | ~np.asarray(splits.reaches.all(axis=0))[rules.split]
        of_rules = {
            "base": splits.base[rules.split],
            "eligible": splits.eligible[rules.split],
            "support": splits.support[rules.split],
            **{
                name: rules[name]
                for name in ("antecedent_support", "consequent_support", "confidence", "lift")
            },
            "converse": converse,
            "both": np.asarray(splits.reaches.all(axis=0))[rules.split],
        }
        return cls(
            [
                (tuple(number for number in row if number != NONE), values)
                for row, values in zip(
                    listed, _rows({**columns, "n_open": supports.groups[:, 0]}), strict=True
                )
            ],
            [
                (*rules.sides(at), values)
                for at, (values, is_first) in enumerate(zip(_rows(of_rules), is_listed.tolist(), strict=True))
                if is_first
            ],
        )


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def _rows(columns: Mapping[str, Any], names: Iterable[str] = ()) -> Iterator[Row]:
    chosen = {name: columns[name] for name in names or columns}
    lists = [column.tolist() if isinstance(column, np.ndarray) else column for column in chosen.values()]
    return (dict(zip(chosen, row, strict=True)) for row in zip(*lists, strict=True))


@dataclass(frozen=True)
class RowComparison:
    """What a comparison of rows found. `records`: how many were read. `itemsets`, `rules`: so many were compared, a
    rule and its converse as one in `rules` and as two in `directed`. `below`: itemsets with a part below the threshold.
    `above_one`: confidences above 1."""

    records: int
    itemsets: int
    rules: int
    directed: int
    differences: tuple[Difference, ...]
    below: frozenset[Itemset]
    above_one: int


def compare_rows(
    rows: CheckedRows,
    pieces: Iterable[RecordBits],
    design: Design,
    parameters: Parameters,
    verdict: Verdict | None = None,
    *,
    lists_all_rules: bool = True,
) -> RowComparison:
    """Compares each row with its means over all records, which come in `pieces`; rows with items of scores are left
    out, since no record has such an item or lacks it. A row is compared in the columns that it has.

    `lists_all_rules`: whether a confident rule of the itemsets that is not among the rows is a difference.
    """
    numbering = Numbering(design)
    scored = set(np.flatnonzero(numbering.scored[numbering.question]).tolist())
    is_itemset = partial(_is_itemset, numbering)
    invented = [
        *(
            Difference(items, (), row["support"], None)
            for items, row in rows.itemsets
            if not is_itemset(items)
        ),
        *(
            Difference(first, second, row["confidence"], None)
            for first, second, row in rows.rules
            if not is_itemset(sorted((*first, *second)))
        ),
    ]
    itemsets = [
        (items, row) for items, row in rows.itemsets if is_itemset(items) and scored.isdisjoint(items)
    ]
    rules = [
        rule
        for rule in rows.rules
        if is_itemset(items := sorted((*rule[0], *rule[1]))) and scored.isdisjoint(items)
    ]
    of_rules = (tuple(sorted((*first, *second))) for first, second, _row in rules)
    known = _compute_rows(
        sorted({*(items for items, _row in itemsets), *of_rules}), pieces, design, parameters
    )
    tolerance = {items: max(1.0, of.row["se"] * sqrt(of.row["base"])) for items, of in known.itemsets.items()}
    differences = [
        *invented,
        *_itemset_differences(itemsets, known, tolerance, parameters, verdict or Verdict(design)),
        *_rule_differences(rules, known, tolerance, parameters, lists_all=lists_all_rules),
    ]
    listed = {frozenset(items) for items, _row in itemsets}
    confidences = [
        row[name]
        for *_sides, row in rules
        for name in ("confidence", *(["converse"] if row.get("both") else []))
    ]
    return RowComparison(
        known.records,
        len(itemsets),
        len(rules),
        len(confidences),
        tuple(differences),
        frozenset(one for one in listed if not _parts(one) <= listed),
        sum((of or 0) > 1 + ROUNDING for of in confidences),
    )


def _is_itemset(numbering: Numbering, items: Sequence[int]) -> bool:
    """True for ascending numbers of items of different questions."""
    if not items or not all(0 <= number < len(numbering) for number in items):
        return False
    questions = numbering.question[list(items)].tolist()
    return all(one < other for one, other in pairwise(questions))


def _parts(itemset: Itemset) -> set[Itemset]:
    return {
        frozenset(part) for size in range(1, len(itemset)) for part in combinations(sorted(itemset), size)
    }


# --- what is computed anew


@dataclass(frozen=True)
class ComputedItemset:
    """An itemset with its numbers by column; `may_stand`: it has the records that Floors ask for, and is in one."""

    row: Row
    may_stand: bool


@dataclass(frozen=True)
class ComputedRows:
    """`rules`: each rule of the itemsets that has enough records, by its sides, with mlxtend's numbers."""

    records: int
    itemsets: dict[tuple[int, ...], ComputedItemset]
    rules: dict[Sides, Row]


def _compute_rows(
    itemsets: Sequence[tuple[int, ...]], pieces: Iterable[RecordBits], design: Design, parameters: Parameters
) -> ComputedRows:
    first, plan = None, list[tuple[Numbers, Shape]]()
    n = np.zeros(2, np.int64)
    counted = list[Means]()
    for bits in pieces:
        n += bits.n
        if first is None:
            first = bits
            for size in sorted({*map(len, itemsets)}):
                numbers = np.array([one for one in itemsets if len(one) == size], np.int32)
                plan += [(numbers[rows], shape) for shape, rows in rows_by_shape(first.laws, numbers)]
        means = [count_means(bits, numbers, shape, with_parts=True) for numbers, shape in plan]
        counted = [one.plus(more) for one, more in zip(counted, means, strict=True)] if counted else means
    computed: dict[tuple[int, ...], ComputedItemset] = {}
    parts: list[tuple[Itemset, Itemset, float, int]] = []
    for (numbers, shape), means_of in zip(plan, counted, strict=True):
        assert first
        computed |= _itemset_rows(numbers, shape, means_of, design, first.withheld, n, parameters)
        if numbers.shape[1] > 1:
            parts += _eligible_parts(numbers, means_of, first.laws, parameters)
    return ComputedRows(int(n.sum()), computed, _rules_by_mlxtend(parts))


def _itemset_rows(
    numbers: Numbers,
    shape: Shape,
    means: Means,
    design: Design,
    withheld: Any,
    n: Any,
    parameters: Parameters,
) -> Iterator[tuple[tuple[int, ...], ComputedItemset]]:
    support, se = means.support_and_error(parameters.estimator)
    base, shown = means.base.sum(axis=0), means.applying.sum(axis=0)
    observed = means.at_least[shape.masks[-1]].sum(axis=0) / np.maximum(base, 1)
    question = Numbering(design).question[numbers]
    records = np.where(withheld[question].any(axis=1) | shape.is_mixed, n[1], n.sum())
    disguise = np.maximum(se**2 - support * (1 - support) / np.maximum(records, 1), 0.0)
    hidden = np.array([bool(one.show_if) for one in design.questions])[question].any(axis=1)
    among = means.at_least[0], means.at_least[means.undisguised]
    enough_shown = _has_enough(*among)
    with np.errstate(invalid="ignore", divide="ignore"):
        share_shown = np.where(hidden & enough_shown, support * base / shown, nan)
    columns = {
        "base": base,
        "n_open": means.base[0],
        "shown": shown,
        "observed": observed,
        "support": support,
        "pooled": means.pooled,
        "se": se,
        "expected_w": np.sqrt(2 / pi * disguise),
        "share_shown": share_shown,
    }
    may_stand = (means.enough & means.has_some).tolist()
    for items, row, enough in zip(numbers.tolist(), _rows(columns), may_stand, strict=True):
        yield tuple(items), ComputedItemset(row, enough)


def _has_enough(records: Any, carrying: Any) -> Any:
    carried = (records == 0) | (carrying >= FEWEST_IN_GROUP)
    return (records.sum(axis=0) >= FEWEST) & carried.all(axis=0)


def _eligible_parts(
    numbers: Numbers, means: Means, laws: Any, parameters: Parameters
) -> Iterator[tuple[Itemset, Itemset, float, int]]:
    """Yields each set of items of each itemset that has enough records for rules: the itemset, the items, their support
    among the records to which all of the itemset applies, and how many these are."""
    enough = _has_enough(means.at_least[0], means.at_least[means.undisguised])
    rows, eligible = numbers[enough], means.applying.sum(axis=0)[enough].tolist()
    for places in all_parts(numbers.shape[1]):
        part = means_of_part(means, places, laws, numbers)
        support = part.support_and_error(parameters.estimator)[0][enough].tolist()
        for items, value, many in zip(rows.tolist(), support, eligible, strict=True):
            yield frozenset(items), frozenset(items[place] for place in places), value, many


def _rules_by_mlxtend(parts: Sequence[tuple[Itemset, Itemset, float, int]]) -> dict[Sides, Row]:
    """Returns the rules that mlxtend makes of each itemset of its parts' supports; in one call, in which each itemset
    has items of its own."""
    import pandas as pd  # late for cost
    from mlxtend.frequent_patterns import association_rules  # late for cost

    if not parts:
        return {}
    eligible = {whole: many for whole, _part, _support, many in parts}
    names = {whole: index for index, whole in enumerate(eligible)}
    frame = pd.DataFrame(
        {
            "itemsets": [
                frozenset((names[whole], item) for item in part) for whole, part, *_numbers in parts
            ],
            "support": [support for _whole, _part, support, _many in parts],
        }
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        rules = association_rules(frame, metric="support", min_threshold=-np.inf, return_metrics=[*MEASURES])
    made: dict[Sides, Row] = {}
    for first, second, antecedent, consequent, confidence, lift in zip(
        *(rules[name] for name in ("antecedents", "consequents", *MEASURES)), strict=True
    ):
        sides = frozenset(item for _name, item in first), frozenset(item for _name, item in second)
        whole = sides[0] | sides[1]
        # Rules of a part are those of another itemset, among other records.
        if names.get(whole) == next(iter(first))[0]:
            made[sides] = {
                "antecedent_support": antecedent,
                "consequent_support": consequent,
                "confidence": confidence if abs(antecedent) >= ROUNDING else nan,
                "lift": lift if abs(antecedent) >= ROUNDING else nan,
                "eligible": eligible[whole],
            }
    return made


# --- what differs


def _itemset_differences(
    itemsets: Sequence[tuple[tuple[int, ...], Row]],
    known: ComputedRows,
    tolerance: Mapping[tuple[int, ...], float],
    parameters: Parameters,
    verdict: Verdict,
) -> Iterator[Difference]:
    numbering, seen = Numbering(verdict.design), set[Itemset]()
    for items, row in itemsets:
        anew = known.itemsets[items]
        may_be_told = verdict.allows(map(numbering.item, items)) and len(items) <= parameters.max_size
        reaches = anew.row["support"] >= parameters.min_support - ROUNDING
        if not (may_be_told and anew.may_stand and reaches) or frozenset(items) in seen:
            yield Difference(items, (), row["support"], _number(anew.row["support"]) if may_be_told else None)
        seen.add(frozenset(items))
        for name in filter(row.__contains__, ITEMSET_COLUMNS):
            if not _is_equal(name, row[name], anew.row[name], EXACT * tolerance[items]):
                yield Difference(items, (), row[name], _number(anew.row[name]), name)


def _rule_differences(
    rules: Sequence[tuple[tuple[int, ...], tuple[int, ...], Row]],
    known: ComputedRows,
    tolerance: Mapping[tuple[int, ...], float],
    parameters: Parameters,
    *,
    lists_all: bool,
) -> Iterator[Difference]:
    least = parameters.min_confidence - ROUNDING
    wanted = {sides for sides, row in known.rules.items() if row["confidence"] >= least}
    listed = set[Sides]()
    for first, second, row in rules:
        sides, items = (frozenset(first), frozenset(second)), tuple(sorted((*first, *second)))
        itemset, anew = known.itemsets.get(items), known.rules.get(sides)
        if itemset is None or anew is None or sides not in wanted or sides in listed:
            yield Difference(first, second, row["confidence"], _number(anew["confidence"]) if anew else None)
            continue
        converse = known.rules[sides[::-1]]["confidence"]
        of_row = {name: itemset.row[name] for name in ("base", "support")}
        of_row |= {**anew, "converse": converse, "both": bool(converse >= least)}
        listed |= {sides, sides[::-1]} if row.get("both") else {sides}
        bound = EXACT * tolerance[items]
        for name in filter(row.__contains__, RULE_COLUMNS):
            if not _is_equal(name, row[name], of_row[name], bound * _growth(name, of_row)):
                yield Difference(first, second, row[name], _number(of_row[name]), name)
    missing = wanted - listed if lists_all else set[Sides]()
    for first_of, second_of in sorted(missing, key=lambda sides: [sorted(side) for side in sides]):
        confidence = known.rules[first_of, second_of]["confidence"]
        yield Difference(tuple(sorted(first_of)), tuple(sorted(second_of)), None, _number(confidence))


def _growth(name: str, row: Row) -> float:
    """How much larger an error of the supports is in a quotient of them: c = s/a, so that an error of d in s and a is
    one of d (1 + |c|) / |a| in c."""
    below = {"confidence": row["antecedent_support"], "converse": row["consequent_support"]}
    if name in below:
        return float((1 + abs(row[name])) / max(abs(below[name]), ROUNDING))
    if name == "lift":
        product = abs(row["antecedent_support"] * row["consequent_support"])
        return float((1 + abs(row["lift"])) * 2 / max(product, ROUNDING**2))
    return 1.0


def _is_equal(name: str, stored: float | None, anew: float, most: float) -> bool:
    if stored is None or not isfinite(stored):
        return not isfinite(anew)
    if not isfinite(anew):
        return False
    if name in COUNTS:
        return stored == anew
    return abs(stored - anew) <= max(most, ERROR if name in ERRORS else 0.0)


def _number(value: float) -> float | None:
    return float(value) if isfinite(value) else None
