"""The tests of a plan's hypotheses and the decisions on them (docs/mathematics.md, Hypotheses).

All are by the estimator `stratified`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from mining.counting import MinedRecords
from mining.counts import Counter, Item
from mining.disclosure.verdict import Verdict
from mining.document.codec import load
from mining.document.models import ModelResult
from mining.document.study import HypothesisResult, PlanResult
from mining.finite_numbers import finite
from mining.inference.contingency_table import Floats
from mining.inference.intervals import two_sided
from mining.inference.score import support_test
from mining.inference.selection import LEVEL, holm
from mining.reconstruction import CachedCounter, estimated
from mining.reconstruction.itemset_groups import as_numbers, grouped
from mining.reconstruction.support_tables import support_tables
from mining.rules import measures
from mining.rules.errors import lift_zs
from mining.rules.table import confident_splits
from mining.studies.answer_counts import read_records_of
from mining.studies.arms import differences_of
from mining.studies.controls import binomial_p
from mining.studies.covariates import ARM_NAME, TIMES, ModelRequest, item_named
from mining.studies.models import model_counted, model_of, requested
from mining.studies.waves import differences, version_side
from privacy.designs import Design, InputError, parse_file
from privacy.designs.plan import (
    ArmsHypothesis,
    AssociationHypothesis,
    CoefficientHypothesis,
    Hypothesis,
    Plan,
    ShareHypothesis,
    VersionHypothesis,
    check_frozen,
    check_plan,
    factors,
    parse_plan_file,
)
from privacy.grammar.input_error import marked as _, quoted
from privacy.grammar.node import PARTS


def decide(results: Sequence[HypothesisResult]) -> tuple[HypothesisResult, ...]:
    """The results of all hypotheses of a plan with p after Holm: one that could not be computed counts as p = 1."""
    chances = [None if one.p is None else finite(one.p) for one in results]
    adjusted = holm(np.array([1.0 if p is None else p for p in chances])).tolist()
    return tuple(
        replace(one, p=p, holm=after, met=after <= LEVEL)
        for one, p, after in zip(results, chances, adjusted, strict=True)
    )


@dataclass(frozen=True)
class PlannedRecords:
    """`counter` counts both groups; `known` what is estimated from (with arms the disguised arm).

    `records`: None where only their counts are at hand.
    """

    counter: Counter
    known: CachedCounter
    records: MinedRecords | None = None

    @classmethod
    def of(cls, records: MinedRecords, cache: Path) -> "PlannedRecords":
        counter = records.counter(cache)
        return cls(counter, CachedCounter(counter), records)

    @classmethod
    def counted(cls, counter: CachedCounter) -> "PlannedRecords":
        return cls(counter.whole, counter)

    @property
    def design(self) -> Design:
        return self.known.design

    def item(self, written: str) -> Item:
        return item_named(self.design, written, "item")

    def model(self, request: ModelRequest) -> ModelResult:
        return model_of(self.records, request) if self.records else model_counted(self.counter, request)


Tested = tuple[Floats | float, Floats | float]
"""The estimate of what a hypothesis is about, and p of no effect; NaN: too few records."""
TOO_FEW = _("too few records")


def tested(hypothesis: Hypothesis, records: PlannedRecords) -> HypothesisResult:
    """What it is about stands in the result as it was frozen."""
    frozen = load(
        HypothesisResult, {"name": hypothesis.name, "kind": hypothesis.kind, **hypothesis.as_json()}
    )
    try:
        numbers = TESTS[hypothesis.kind](records, hypothesis)
    except InputError as refusal:
        values = {
            name: value if isinstance(value, int) else str(value) for name, value in refusal.values.items()
        }
        return replace(frozen, why=str(refusal), reason={"text": refusal.template, "values": values})
    estimate, p = (finite(float(np.asarray(number).ravel()[0])) for number in numbers)
    if p is None:
        return replace(frozen, estimate=estimate, why=TOO_FEW, reason={"text": TOO_FEW, "values": {}})
    return replace(frozen, estimate=estimate, p=p)


def _share(records: PlannedRecords, hypothesis: ShareHypothesis) -> Tested:
    item, than = records.item(hypothesis.item), hypothesis.than / PARTS
    numbers = as_numbers(records.known.numbering, [(item,)])
    support = estimated(records.known, numbers, "stratified")
    if not support.enough[0]:
        return np.nan, np.nan
    if not records.known.laws.sensitive[item[0]]:
        having, base = round(support.observed[0] * support.base[0]), int(support.base[0])
        return support.support, binomial_p(having, base, than)
    (table,) = support_tables(records.known, list(grouped(records.known, numbers)))
    return support.support, two_sided(support_test(table).z(np.array([than])))


def _arms(records: PlannedRecords, hypothesis: ArmsHypothesis) -> Tested:
    if not records.design.has_arms:
        raise InputError("arms", _("the design has no direct arm"))
    item = records.item(hypothesis.item)
    if not records.known.laws.sensitive[item[0]]:
        raise InputError("arms", _("%(item)s is not disguised in either arm"), item=quoted(hypothesis.item))
    differences = differences_of(records.counter, [item])
    return differences.difference, differences.p


def _version(records: PlannedRecords, hypothesis: VersionHypothesis) -> Tested:
    names = [question.name for question in records.design.questions]
    by = names.index(hypothesis.by)
    drawn = records.design.questions[by]
    if not drawn.share_parts or drawn.codes != 2:
        raise InputError("by", _("%(name)s is not drawn from two choices"), name=quoted(hypothesis.by))
    item = records.item(hypothesis.item)
    first, second = (version_side(records.known, item, (by, code)) for code in range(2))
    difference = differences(first, second, shared=False)
    return difference.difference, difference.p


def _association(records: PlannedRecords, hypothesis: AssociationHypothesis) -> Tested:
    sides = [
        [records.item(written) for written in side] for side in (hypothesis.antecedent, hypothesis.consequent)
    ]
    every = sorted({*sides[0], *sides[1]})
    if len({index for index, _code in every}) < len(sides[0]) + len(sides[1]):
        raise InputError("association", _("names a question twice"))
    known = records.known
    numbers = as_numbers(known.numbering, [every])
    pieces, splits = confident_splits(known, numbers, -np.inf, "stratified")
    antecedent = sum(1 << every.index(item) for item in sides[0])
    either = (antecedent, (1 << len(every)) - 1 - antecedent)
    (row,) = np.flatnonzero(np.isin(splits["antecedent"], either))[:1].tolist() or [None]
    if row is None:
        return np.nan, np.nan
    z = lift_zs(pieces, len(splits["itemset"]), "stratified")
    supports = splits["supports"][:, row][:: 1 if splits["antecedent"][row] == antecedent else -1]
    return measures.lift(splits["share"][row], *supports), two_sided(z[row])


def coefficient_request(design: Design, hypothesis: CoefficientHypothesis) -> ModelRequest:
    """The model of a coefficient. A covariate that it names without a choice is taken as a number."""
    on = factors(hypothesis.covariates)
    products = [one for one in hypothesis.covariates if TIMES in one]
    numbers = [name for name in hypothesis.of.split(TIMES) if name in on and name != ARM_NAME]
    return requested(
        design,
        hypothesis.item,
        on,
        products=products,
        numbers=numbers,
        logit=hypothesis.model == "logit",
    )


def _coefficient(records: PlannedRecords, hypothesis: CoefficientHypothesis) -> Tested:
    for coefficient in records.model(coefficient_request(records.design, hypothesis)).coefficients:
        if coefficient.of == hypothesis.of:
            p = np.nan if coefficient.p is None else coefficient.p
            return coefficient.b, p
    raise InputError("of", _("the model has no coefficient %(name)s"), name=quoted(hypothesis.of))


TESTS: Mapping[str, Callable[[PlannedRecords, Any], Tested]] = MappingProxyType(
    {
        ShareHypothesis.kind: _share,
        ArmsHypothesis.kind: _arms,
        VersionHypothesis.kind: _version,
        AssociationHypothesis.kind: _association,
        CoefficientHypothesis.kind: _coefficient,
    }
)


def question_sets(plan: Plan, design: Design) -> list[tuple[int, ...]]:
    """The questions that each hypothesis is about."""
    index = {question.name: number for number, question in enumerate(design.questions)}
    return [
        tuple(
            sorted(
                {index[answer.partition("=")[0]] for answer in one.items}
                | {index[name] for name in one.questions}
            )
        )
        for one in plan.hypotheses
    ]


def may_be_told(hypothesis: Hypothesis, questions: Sequence[int], design: Design, verdict: Verdict) -> bool:
    """Coefficients and versions are made of all counts of the table of their `questions`.

    The cells outside a place's regions are sent as they are, so how many of an arm did so is a plain count.
    """
    items = [item_named(design, written, "item") for written in hypothesis.items]
    by_arm = isinstance(hypothesis, ArmsHypothesis) or (
        isinstance(hypothesis, CoefficientHypothesis) and ARM_NAME in factors(hypothesis.covariates)
    )
    if by_arm and any(verdict.counts_cells(question) for question, _code in items):
        return False
    return verdict.allows(items) and (not hypothesis.questions or verdict.allows_tables_of(questions))


def plan_result(plan: Plan, records: PlannedRecords, verdict: Verdict | None = None) -> PlanResult:
    """All hypotheses in their order, tests that failed included; its hash alone where one may not be told by the
    `verdict`: a plan is told whole or not at all."""
    design = records.design
    asked = zip(plan.hypotheses, question_sets(plan, design), strict=True)
    if verdict and not all(may_be_told(*one, design, verdict) for one in asked):
        return PlanResult(plan.fingerprint, withheld=True)
    return PlanResult(plan.fingerprint, hypotheses=decide([tested(one, records) for one in plan.hypotheses]))


def plan_file(path: Path, design_file: Path | None, records_file: Path | None, cache: Path) -> PlanResult:
    """The SHA-256 of a plan of hypotheses; with a design and its records the tests, if it is the design's plan.

    `path` is the file of the plan. `cache` is the folder of the compiled counting loop.
    """
    plan = parse_plan_file(path)
    if design_file is None or records_file is None:
        return PlanResult(plan.fingerprint)
    design = parse_file(design_file)
    check_frozen(plan, design.plan)
    check_plan(plan, design)
    return plan_result(plan, PlannedRecords.of(read_records_of(design, records_file), cache))
