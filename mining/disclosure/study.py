"""What a publication leaves out of a study: small plain cells, and a plan that is not whole.

Direct records are open ones: they are used once the survey is finished, and the same ones in every report.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol

from mining.document.names import Names
from mining.document.report import Weighted
from mining.document.study import (
    ArmDifference,
    Arms,
    Controls,
    HypothesisResult,
    PlanResult,
    Study,
    Understanding,
    UnderstandingCounts,
    UnderstandingShare,
)
from privacy.designs.design import UNDERSTOOD
from privacy.designs.plan import ARM, factors


class Verdict(Protocol):
    """What may be told of a run beside all that was told before; `allows` numbers about these answers together."""

    @property
    def naming(self) -> Names: ...

    @property
    def open_questions(self) -> frozenset[int]: ...

    def allows(self, names: tuple[str, ...]) -> bool: ...

    def allows_tables_of(self, questions: Iterable[int]) -> bool: ...

    def counts_cells(self, name: str) -> bool: ...

    def is_plain(self, name: str) -> bool: ...


def withhold_study(study: Study, verdict: Verdict) -> Study:
    arms = withhold_arms(study.arms, verdict) if study.arms else None
    return Study(
        arms,
        withhold_controls(study.controls, verdict) if study.controls else None,
        withhold_plan(study.plan, arms, verdict) if study.plan else None,
        withhold_understanding(study.understanding, verdict) if study.understanding else None,
    )


def withhold_arms(arms: Arms, verdict: Verdict) -> Arms:
    return replace(
        arms,
        items=tuple(one for one in arms.items if _allows_difference(one, verdict)),
        controls=tuple(one for one in arms.controls if _allows_control(one, verdict)),
    )


def _allows_difference(difference: ArmDifference, verdict: Verdict) -> bool:
    """The cells outside a place's regions are sent as they are, so how many did so is a plain count."""
    if difference.difference is None or verdict.counts_cells(difference.item):
        return False
    return verdict.allows((difference.item,))


def _allows_control(control: ArmDifference, verdict: Verdict) -> bool:
    """Of a plain control item the direct records of each choice are counts of a plain answer."""
    index, _code = verdict.naming.item(control.item)
    is_told = not verdict.is_plain(control.item) or index in verdict.open_questions
    return _allows_difference(control, verdict) and is_told


def withhold_controls(controls: Controls, verdict: Verdict) -> Controls:
    answers = verdict.naming
    kept = replace(
        controls,
        words=tuple(
            one for one in controls.words if _allows_by(one.item, answers.turned_by(one.item), verdict)
        ),
        drawn=tuple(
            one
            for one in controls.drawn
            if all(verdict.allows((choice,)) for choice in answers.choices(one.question))
        ),
    )
    if not controls.item:
        return kept
    if not verdict.allows((controls.item,)):
        return replace(kept, seen=None, low=None, high=None, p=None, careless=None, items=(), withheld=True)
    return replace(
        kept, items=tuple(one for one in controls.items if verdict.allows((controls.item, one.item)))
    )


def _allows_by(item: str, by: str, verdict: Verdict) -> bool:
    """Whether an estimate of this answer may be published in each class of a plain question."""
    return all(verdict.allows((of_class, item)) for of_class in verdict.naming.choices(by))


def withhold_understanding(understanding: Understanding, verdict: Verdict) -> Understanding:
    """A difference tells the class of those who did not understand, and that of all others as one."""
    not_understood = verdict.naming.choices(UNDERSTOOD)[-1]
    return Understanding(
        tuple(_withhold_counts(one, verdict) for one in understanding.counts),
        tuple(
            one
            for one in understanding.items
            if one.difference is not None
            and not verdict.counts_cells(one.item)
            and verdict.allows((not_understood, one.item))
        ),
    )


def _withhold_counts(counts: UnderstandingCounts, verdict: Verdict) -> UnderstandingCounts:
    """Without the numbers of small classes."""
    beside = tuple(verdict.naming.choices(counts.question)[1:]) if counts.question else ()
    told = [verdict.allows((one.item, *beside)) for one in counts.shares]
    return replace(
        counts,
        n=counts.n if any(told) else None,
        shares=tuple(
            one if is_told else UnderstandingShare(one.item, None, None, None, None)
            for one, is_told in zip(counts.shares, told, strict=True)
        ),
    )


def withhold_plan(plan: PlanResult, arms: Arms | None, verdict: Verdict) -> PlanResult:
    """Whole, with the results that failed, or not at all; `arms` as they are published."""
    compared = frozenset(one.item for one in arms.items) if arms else frozenset()
    if all(_allows_result(one, compared, verdict) for one in plan.hypotheses):
        return plan
    return plan.without_results


def _allows_result(result: HypothesisResult, compared: frozenset[str], verdict: Verdict) -> bool:
    if result.estimate is None and result.p is None:
        return True
    return RESULTS[result.kind](result, compared, verdict)


def _share(result: HypothesisResult, _compared: frozenset[str], verdict: Verdict) -> bool:
    return verdict.allows((result.item,))


def _arms(result: HypothesisResult, compared: frozenset[str], _verdict: Verdict) -> bool:
    return result.item in compared


def _version(result: HypothesisResult, _compared: frozenset[str], verdict: Verdict) -> bool:
    return _allows_by(result.item, result.by, verdict)


def _association(result: HypothesisResult, _compared: frozenset[str], verdict: Verdict) -> bool:
    return verdict.allows((*result.antecedent, *result.consequent))


def _coefficient(result: HypothesisResult, compared: frozenset[str], verdict: Verdict) -> bool:
    names = set(factors(result.covariates))
    if ARM in names and result.item not in compared:
        return False
    return all(_allows_by(result.item, name, verdict) for name in names - {ARM})


RESULTS: Mapping[str, Callable[[HypothesisResult, frozenset[str], Verdict], bool]] = MappingProxyType(
    {
        "share": _share,
        "arms": _arms,
        "version": _version,
        "association": _association,
        "coefficient": _coefficient,
    }
)


def withhold_weighted(
    weighted: Weighted, told: Collection[str], margins: Collection[int], verdict: Verdict
) -> Weighted | None:
    """Exact weighted shares tell each count of the table of the questions `margins`; `told`: the published answers."""
    item = verdict.naming.item
    allowed = {name for name in told if verdict.allows_tables_of([item(name)[0], *margins])}
    shares = tuple(one for one in weighted.shares if one.item in allowed)
    return replace(weighted, shares=shares) if allowed else None
