"""Tests the hypotheses of a plan and decides on them (docs/mathematics.md, Hypotheses).

All tests are by the estimator `stratified`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from mining.counting import MinedRecords
from mining.disclosure.verdict import Verdict
from mining.finite_numbers_for_json import finite_or_none
from mining.inference.contingency_table import Floats
from mining.inference.intervals import NORMAL_95, two_sided_p
from mining.inference.score_test import support_test
from mining.inference.selection_correction import FamilyCriticalZ, plan_critical_z
from mining.inference.share_differences import Differences
from mining.json_codec import node_from_json
from mining.nodes.regression_nodes import Coefficient, ModelResult
from mining.nodes.study_nodes import TOO_FEW, HypothesisResult, PlanResult
from mining.queries_and_counters import Counter, Item
from mining.reconstruction import CachedCounter, estimate_supports_without_intervals
from mining.reconstruction.itemsets_grouped_by_shape import as_item_numbers, group_by_shape
from mining.reconstruction.score_queries import count_support_tables
from mining.rules import measures
from mining.rules.rule_intervals import lift_intervals, lift_zs
from mining.rules.rules_from_frequent_itemsets import confident_splits
from mining.studies.control_item_correction import binomial_p
from mining.studies.direct_disguised_arm_comparison import arm_differences
from mining.studies.group_comparisons import decide_hypotheses
from mining.studies.model_fits import fit_model_from_counter, fit_records, read_request_allowing_arm
from mining.studies.model_request_and_columns import ARM_NAME, TIMES, ModelRequest, parse_item
from mining.studies.waves import compare_sides, version_side, wave_side
from privacy.designs import Design, InputError
from privacy.designs.hypothesis_plan import (
    ArmsHypothesis,
    AssociationHypothesis,
    ChangeHypothesis,
    CoefficientHypothesis,
    Hypothesis,
    Plan,
    ShareHypothesis,
    VersionHypothesis,
    distinct_names_in_covariates,
)
from privacy.designs.repeated_questions import reported_changes
from privacy.grammar.input_error import mark_for_translation as _, quote_value
from privacy.grammar.json_node import PARTS


@dataclass(frozen=True)
class PlannedRecords:
    """The records on which a plan is tested.

    `counter` counts both groups, `known` the records that estimates use (in a design with arms the disguised arm
    alone). `records` is None if only counts are available; `earlier` counts the survey that this one follows.
    """

    counter: Counter
    known: CachedCounter
    records: MinedRecords | None = None
    earlier: CachedCounter | None = None
    z0: float = NORMAL_95
    """Critical z of the intervals."""

    @classmethod
    def from_records(cls, records: MinedRecords, earlier: CachedCounter | None = None) -> "PlannedRecords":
        counter = records.counter()
        return cls(counter, CachedCounter(counter), records, earlier)

    @classmethod
    def from_counter(cls, counter: CachedCounter) -> "PlannedRecords":
        return cls(counter.whole, counter)

    @property
    def design(self) -> Design:
        return self.known.design

    def item(self, written: str) -> Item:
        return parse_item(self.design, written, "item")

    def fit_model(self, request: ModelRequest) -> ModelResult:
        return (
            fit_records(self.records, request)
            if self.records
            else fit_model_from_counter(self.counter, request)
        )


Tested = tuple[Floats | float, Floats | float, Floats | float, Floats | float]
"""The estimate of what a hypothesis is about, p of no effect, and the interval of the same test; NaN: too few
records, or no such end."""
NOTHING: Tested = (np.nan, np.nan, np.nan, np.nan)
NEAREST = 1e-9
"""End of a coefficient's interval next to 0, where the test excludes 0 and the plain interval does not."""


def unevaluated_result(hypothesis: Hypothesis) -> HypothesisResult:
    """Returns the report node of a hypothesis as the plan states it, without a result."""
    return node_from_json(
        HypothesisResult, {"name": hypothesis.name, "kind": hypothesis.kind, **hypothesis.as_json()}
    )


def evaluate_hypothesis(hypothesis: Hypothesis, records: PlannedRecords) -> HypothesisResult:
    """Returns the result of testing a hypothesis on the records; the reason instead if it cannot be tested."""
    frozen = unevaluated_result(hypothesis)
    try:
        numbers = TESTS[hypothesis.kind](records, hypothesis)
    except InputError as refusal:
        values = {
            name: value if isinstance(value, int) else str(value) for name, value in refusal.values.items()
        }
        return replace(frozen, why=str(refusal), reason={"text": refusal.template, "values": values})
    estimate, p, low, high = (finite_or_none(float(np.asarray(number).ravel()[0])) for number in numbers)
    if p is None:
        return replace(frozen, estimate=estimate, why=TOO_FEW, reason={"text": TOO_FEW, "values": {}})
    return replace(frozen, estimate=estimate, p=p, low=low, high=high)


def _evaluate_share(records: PlannedRecords, hypothesis: ShareHypothesis) -> Tested:
    item, than = records.item(hypothesis.item), hypothesis.than / PARTS
    numbers = as_item_numbers(records.known.numbering, [(item,)])
    support = estimate_supports_without_intervals(records.known, numbers, "stratified")
    if not support.enough[0]:
        return NOTHING
    if not records.known.laws.sensitive[item[0]]:
        having, base = round(support.observed[0] * support.base[0]), int(support.base[0])
        return support.support, binomial_p(having, base, than), np.nan, np.nan
    (table,) = count_support_tables(records.known, list(group_by_shape(records.known, numbers)))
    return support.support, two_sided_p(support_test(table).z(np.array([than]))), np.nan, np.nan


def _evaluate_arms(records: PlannedRecords, hypothesis: ArmsHypothesis) -> Tested:
    if not records.design.has_arms:
        raise InputError("arms", _("the design has no direct arm"))
    item = records.item(hypothesis.item)
    if not records.known.laws.sensitive[item[0]]:
        raise InputError(
            "arms", _("%(item)s is not disguised in either arm"), item=quote_value(hypothesis.item)
        )
    return _difference_p_and_ends(arm_differences(records.counter, [item], _planned_row_critical_z(records)))


def _planned_row_critical_z(records: PlannedRecords) -> FamilyCriticalZ:
    return FamilyCriticalZ(np.ones(1, np.bool_), records.z0)


def _difference_p_and_ends(result: Differences) -> Tested:
    return result.difference, result.p, result.low, result.high


def _evaluate_version(records: PlannedRecords, hypothesis: VersionHypothesis) -> Tested:
    names = [question.name for question in records.design.questions]
    by = names.index(hypothesis.by)
    drawn = records.design.questions[by]
    if not drawn.share_parts or drawn.codes != 2:
        raise InputError("by", _("%(name)s is not drawn from two choices"), name=quote_value(hypothesis.by))
    item = records.item(hypothesis.item)
    first, second = (version_side(records.known, item, (by, code)) for code in range(2))
    return _difference_p_and_ends(
        compare_sides(first, second, shared=False, critical_zs=_planned_row_critical_z(records))
    )


def _evaluate_change(records: PlannedRecords, hypothesis: ChangeHypothesis) -> Tested:
    if records.earlier is None:
        raise InputError("change", _("needs the records of the survey that this one follows"))
    after = records.item(hypothesis.item)
    changes = {one: before for before, one in reported_changes(records.earlier.design, records.design)}
    sides = wave_side(records.earlier, [changes[after]]), wave_side(records.known, [after])
    return _difference_p_and_ends(
        compare_sides(*sides, shared=True, critical_zs=_planned_row_critical_z(records))
    )


def _evaluate_association(records: PlannedRecords, hypothesis: AssociationHypothesis) -> Tested:
    sides = [
        [records.item(written) for written in side] for side in (hypothesis.antecedent, hypothesis.consequent)
    ]
    every = sorted({*sides[0], *sides[1]})
    if len({index for index, _code in every}) < len(sides[0]) + len(sides[1]):
        raise InputError("association", _("names a question twice"))
    known = records.known
    numbers = as_item_numbers(known.numbering, [every])
    pieces, splits = confident_splits(known, numbers, -np.inf, "stratified")
    antecedent = sum(1 << every.index(item) for item in sides[0])
    either = (antecedent, (1 << len(every)) - 1 - antecedent)
    (row,) = np.flatnonzero(np.isin(splits["antecedent"], either))[:1].tolist() or [None]
    if row is None:
        return NOTHING
    z = lift_zs(pieces)[row]
    low, high = lift_intervals(pieces, np.array([[records.z0]]), np.array([row]))[0, 0]
    if not np.isfinite(low) and abs(z) > records.z0:
        # Nearly everybody has a side: the test says on which side of 1 the lift is, and nothing else.
        low, high = (1.0, np.nan) if z > 0 else (0.0, 1.0)
    supports = splits["supports"][:, row][:: 1 if splits["antecedent"][row] == antecedent else -1]
    return measures.lift(splits["share"][row], *supports), two_sided_p(z), low, high


def coefficient_request(design: Design, hypothesis: CoefficientHypothesis) -> ModelRequest:
    """Returns the request for the model to which the coefficient of a hypothesis belongs.

    A covariate named without a choice counts as a number.
    """
    on = distinct_names_in_covariates(hypothesis.covariates)
    products = [one for one in hypothesis.covariates if TIMES in one]
    numbers = [name for name in hypothesis.of.split(TIMES) if name in on and name != ARM_NAME]
    return read_request_allowing_arm(
        design,
        hypothesis.item,
        on,
        products=products,
        numbers=numbers,
        logit=hypothesis.model == "logit",
    )


def _evaluate_coefficient(records: PlannedRecords, hypothesis: CoefficientHypothesis) -> Tested:
    for coefficient in records.fit_model(coefficient_request(records.design, hypothesis)).coefficients:
        if coefficient.of == hypothesis.of:
            if coefficient.p is None:
                return coefficient.b, np.nan, np.nan, np.nan
            return coefficient.b, coefficient.p, *_coefficient_interval(coefficient, records.z0)
    raise InputError("of", _("the model has no coefficient %(name)s"), name=quote_value(hypothesis.of))


def _coefficient_interval(coefficient: Coefficient, z0: float) -> tuple[float, float]:
    """Returns the interval of a coefficient, b -+ z0 se, moved to exclude or include 0 as the test of the coefficient
    does."""
    low, high = coefficient.b - z0 * coefficient.se, coefficient.b + z0 * coefficient.se
    if coefficient.p is not None and coefficient.p <= float(two_sided_p(np.array(z0))):
        return (max(low, NEAREST), high) if coefficient.b > 0 else (low, min(high, -NEAREST))
    return min(low, 0.0), max(high, 0.0)


TESTS: Mapping[str, Callable[[PlannedRecords, Any], Tested]] = MappingProxyType(
    {
        ShareHypothesis.kind: _evaluate_share,
        ArmsHypothesis.kind: _evaluate_arms,
        VersionHypothesis.kind: _evaluate_version,
        ChangeHypothesis.kind: _evaluate_change,
        AssociationHypothesis.kind: _evaluate_association,
        CoefficientHypothesis.kind: _evaluate_coefficient,
    }
)


def question_indexes_by_hypothesis(plan: Plan, design: Design) -> list[tuple[int, ...]]:
    """Returns, for each hypothesis of a plan, the indexes of the questions that it is about."""
    return [_hypothesis_questions(hypothesis, design) for hypothesis in plan.hypotheses]


def _hypothesis_questions(hypothesis: Hypothesis, design: Design) -> tuple[int, ...]:
    index = {question.name: number for number, question in enumerate(design.questions)}
    of_items = {index[answer.partition("=")[0]] for answer in hypothesis.items}
    return tuple(sorted(of_items | {index[name] for name in hypothesis.questions}))


def may_be_published(hypothesis: Hypothesis, design: Design, verdict: Verdict) -> bool:
    """Returns True if the result of the hypothesis may be published.

    Coefficients and comparisons of versions need the full table of their questions to be publishable. Places with cells
    outside their regions may not be compared between arms, since such cells are sent undisguised. A change is told from
    the reports of both surveys, to those who may read both (mining/studies/group_comparisons.py:add_change_results).
    """
    if isinstance(hypothesis, ChangeHypothesis):
        return False
    items = [parse_item(design, written, "item") for written in hypothesis.items]
    by_arm = isinstance(hypothesis, ArmsHypothesis) or (
        isinstance(hypothesis, CoefficientHypothesis)
        and ARM_NAME in distinct_names_in_covariates(hypothesis.covariates)
    )
    if by_arm and any(verdict.has_outside_cells(question) for question, _code in items):
        return False
    tables = _hypothesis_questions(hypothesis, design) if hypothesis.questions else ()
    return verdict.allows(items) and (not tables or verdict.allows_full_table(tables))


def plan_result(plan: Plan, records: PlannedRecords, verdict: Verdict | None = None) -> PlanResult:
    """Returns the results of all hypotheses of a plan, in order, with the decision on each; also of hypotheses that
    could not be tested.

    Results that the `verdict` does not let be published are not computed, and Holm's p counts them as p = 1. Without a
    verdict all are published.
    """
    at_z0 = replace(records, z0=plan_critical_z(len(plan.hypotheses)))
    results = [
        evaluate_hypothesis(hypothesis, at_z0)
        if verdict is None or may_be_published(hypothesis, records.design, verdict)
        else unevaluated_result(hypothesis).without_result
        for hypothesis in plan.hypotheses
    ]
    return PlanResult(plan.fingerprint, hypotheses=decide_hypotheses(results))
