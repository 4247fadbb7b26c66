"""What a publication leaves out of a study: small plain cells, and a plan that is not whole.

Direct records are open ones: they are used once the survey is finished, and the same ones in every report.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Protocol

from mining.document.names import Names
from mining.document.study import ArmDifference, Arms, Controls, HypothesisResult, PlanResult, Study
from mining.document.weighted import Weighted
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


def withhold_study(found: Study, verdict: Verdict) -> Study:
    arms = withhold_arms(found.arms, verdict) if found.arms else None
    return Study(
        arms,
        withhold_controls(found.controls, verdict) if found.controls else None,
        withhold_plan(found.plan, arms, verdict) if found.plan else None,
    )


def withhold_arms(found: Arms, verdict: Verdict) -> Arms:
    return replace(
        found,
        items=tuple(one for one in found.items if _allows_difference(one, verdict)),
        controls=tuple(one for one in found.controls if _allows_control(one, verdict)),
    )


def _allows_difference(found: ArmDifference, verdict: Verdict) -> bool:
    """The cells outside a place's regions are sent as they are, so how many did so is a plain count."""
    if found.difference is None or verdict.counts_cells(found.item):
        return False
    return verdict.allows((found.item,))


def _allows_control(found: ArmDifference, verdict: Verdict) -> bool:
    """Of a plain control item the direct records of each choice are counts of a plain answer."""
    place, _code = verdict.naming.item(found.item)
    is_told = not verdict.is_plain(found.item) or place in verdict.open_questions
    return _allows_difference(found, verdict) and is_told


def withhold_controls(found: Controls, verdict: Verdict) -> Controls:
    answers = verdict.naming
    kept = replace(
        found,
        words=tuple(one for one in found.words if _allows_by(one.item, answers.turned_by(one.item), verdict)),
        drawn=tuple(
            one
            for one in found.drawn
            if all(verdict.allows((choice,)) for choice in answers.choices(one.question))
        ),
    )
    if not found.item:
        return kept
    if not verdict.allows((found.item,)):
        return replace(kept, seen=None, low=None, high=None, p=None, careless=None, items=(), withheld=True)
    return replace(kept, items=tuple(one for one in found.items if verdict.allows((found.item, one.item))))


def _allows_by(item: str, by: str, verdict: Verdict) -> bool:
    """Whether an estimate of this answer may be published in each class of a plain question."""
    return all(verdict.allows((of_class, item)) for of_class in verdict.naming.choices(by))


def withhold_plan(found: PlanResult, arms: Arms | None, verdict: Verdict) -> PlanResult:
    """Whole, with the results that failed, or not at all; `arms` as they are published."""
    compared = frozenset(one.item for one in arms.items) if arms else frozenset()
    if all(_allows_result(one, compared, verdict) for one in found.hypotheses):
        return found
    return found.without_results


def _allows_result(found: HypothesisResult, compared: frozenset[str], verdict: Verdict) -> bool:
    if found.estimate is None and found.p is None:
        return True
    return RESULTS[found.kind](found, compared, verdict)


def _share(found: HypothesisResult, _compared: frozenset[str], verdict: Verdict) -> bool:
    return verdict.allows((found.item,))


def _arms(found: HypothesisResult, compared: frozenset[str], _verdict: Verdict) -> bool:
    return found.item in compared


def _version(found: HypothesisResult, _compared: frozenset[str], verdict: Verdict) -> bool:
    return _allows_by(found.item, found.by, verdict)


def _association(found: HypothesisResult, _compared: frozenset[str], verdict: Verdict) -> bool:
    return verdict.allows((*found.antecedent, *found.consequent))


def _coefficient(found: HypothesisResult, compared: frozenset[str], verdict: Verdict) -> bool:
    names = set(factors(found.covariates))
    if ARM in names and found.item not in compared:
        return False
    return all(_allows_by(found.item, name, verdict) for name in names - {ARM})


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
    found: Weighted, told: Collection[str], margins: Collection[int], verdict: Verdict
) -> Weighted | None:
    """Exact weighted shares tell each count of the table of the questions `margins`; `told`: the published answers."""
    item = verdict.naming.item
    allowed = {name for name in told if verdict.allows_tables_of([item(name)[0], *margins])}
    shares = tuple(one for one in found.shares if one.item in allowed)
    return replace(found, shares=shares) if allowed else None
