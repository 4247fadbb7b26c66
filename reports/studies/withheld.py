"""What a publication leaves out of a study: small plain cells, and a plan that is not whole.

Direct records are open ones: they are used once the survey is finished, and the same ones in every report.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from mining.document.study import (
    ArmDifference,
    Arms,
    Controls,
    HypothesisResult,
    PlanResult,
    Study,
)
from mining.studies.covariates import ARM_NAME
from privacy.designs.plan import factors
from reports.withholding import Withholding


@dataclass(frozen=True)
class StudyWithholding:
    """Decides what of a run's study may be published."""

    of: Withholding

    def study(self, found: Study) -> Study:
        arms = self.arms(found.arms) if found.arms else None
        return Study(
            arms,
            self.controls(found.controls) if found.controls else None,
            self.plan(found.plan, arms) if found.plan else None,
        )

    # --- arms -----------------------------------------------------------------------------------------------

    def arms(self, found: Arms) -> Arms:
        return replace(
            found,
            items=tuple(one for one in found.items if self.allows_difference(one)),
            controls=tuple(one for one in found.controls if self.allows_control(one)),
        )

    def allows_difference(self, found: ArmDifference) -> bool:
        """The cells outside a place's regions are sent as they are, so how many did so is a plain count."""
        if found.difference is None or self.of.counts_cells(found.item):
            return False
        return self.of.allows((found.item,))

    def allows_control(self, found: ArmDifference) -> bool:
        """Of a plain control item the direct records of each choice are counts of a plain answer."""
        place, _code = self.of.naming.item(found.item)
        is_told = not self.of.is_plain(found.item) or place in self.of.open_questions
        return self.allows_difference(found) and is_told

    # --- control items --------------------------------------------------------------------------------------

    def controls(self, found: Controls) -> Controls:
        kept = replace(
            found,
            words=tuple(one for one in found.words if self._allows_versions(one.item)),
            drawn=tuple(one for one in found.drawn if self._allows_drawn(one.question)),
        )
        if not found.item:
            return kept
        if not self._allows_seen(found.item):
            return replace(
                kept, seen=None, low=None, high=None, p=None, careless=None, items=(), withheld=True
            )
        return replace(
            kept, items=tuple(one for one in found.items if self.of.allows((found.item, one.item)))
        )

    def _allows_seen(self, item: str) -> bool:
        return self.of.allows((item,))

    def _allows_versions(self, item: str) -> bool:
        return self.allows_by(item, self.of.naming.turned_by(item))

    def allows_by(self, item: str, by: str) -> bool:
        """Whether an estimate of this answer may be published in each class of a plain question."""
        return all(self.of.allows((of_class, item)) for of_class in self.of.naming.choices(by))

    def _allows_drawn(self, question: str) -> bool:
        return all(self.of.allows((choice,)) for choice in self.of.naming.choices(question))

    # --- the plan -------------------------------------------------------------------------------------------

    def plan(self, found: PlanResult, arms: Arms | None) -> PlanResult:
        """Whole, with the results that failed, or not at all."""
        compared = frozenset(one.item for one in arms.items) if arms else frozenset()
        if all(self.allows_result(one, compared) for one in found.hypotheses):
            return found
        return found.without_results

    def allows_result(self, found: HypothesisResult, compared: frozenset[str]) -> bool:
        """`compared` are the answers whose differences between the arms are published."""
        if found.estimate is None and found.p is None:
            return True
        return RESULTS[found.kind](self, found, compared)


# --- each kind of hypothesis ----------------------------------------------------------------------------


def _share(of: StudyWithholding, found: HypothesisResult, _compared: frozenset[str]) -> bool:
    return of.of.allows((found.item,))


def _arms(_of: StudyWithholding, found: HypothesisResult, compared: frozenset[str]) -> bool:
    return found.item in compared


def _version(of: StudyWithholding, found: HypothesisResult, _compared: frozenset[str]) -> bool:
    return of.allows_by(found.item, found.by)


def _association(of: StudyWithholding, found: HypothesisResult, _compared: frozenset[str]) -> bool:
    return of.of.allows((*found.antecedent, *found.consequent))


def _coefficient(of: StudyWithholding, found: HypothesisResult, compared: frozenset[str]) -> bool:
    names = set(factors(found.covariates))
    if ARM_NAME in names and found.item not in compared:
        return False
    return all(of.allows_by(found.item, name) for name in names - {ARM_NAME})


RESULTS: Mapping[str, Callable[[StudyWithholding, HypothesisResult, frozenset[str]], bool]] = (
    MappingProxyType(
        {
            "share": _share,
            "arms": _arms,
            "version": _version,
            "association": _association,
            "coefficient": _coefficient,
        }
    )
)
