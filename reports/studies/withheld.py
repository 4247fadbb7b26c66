"""What a publication leaves out of a study: direct answers of a few, small plain cells, and a plan that is not whole.

Direct records are used in a publication as open ones are: against every earlier one none or at least ten of them are
new (docs/mathematics.md, Differencing of models). The records behind a difference are equal to those of a difference of
the same answer that was published, or at least `least` more.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from mining.disclosure.open_records import LEAST, may_be_used
from mining.disclosure.plain_tables import rule_questions
from mining.studies.covariates import ARM_NAME
from mining.studies.differencing import RecordsApart
from privacy.designs.plan import factors
from reports.models import Publication
from reports.studies.reported import (
    ReportedArms,
    ReportedControls,
    ReportedDifference,
    ReportedHypothesis,
    ReportedPlan,
    ReportedStudy,
)
from reports.withholding import Withholding
from runs.models import Run
from runs.study_findings import DIRECT


@dataclass(frozen=True)
class EarlierDifferences:
    """The run of an earlier publication, and the answers whose differences between the arms it published."""

    run: Run
    items: frozenset[str]

    @property
    def direct(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.run.findings.get(DIRECT) or {}
        return found


@dataclass(frozen=True)
class StudyWithholding:
    """Decides what of a run's study may be published."""

    of: Withholding

    def study(self, found: ReportedStudy) -> ReportedStudy:
        arms = self.arms(found.arms) if found.arms else None
        return ReportedStudy(
            arms,
            self.controls(found.controls) if found.controls else None,
            self.plan(found.plan, arms) if found.plan else None,
        )

    # --- arms -----------------------------------------------------------------------------------------------

    def arms(self, found: ReportedArms) -> ReportedArms:
        """How many were asked directly is always told: no answer follows from it."""
        if not self.may_use_direct:
            return replace(found, items=(), controls=(), withheld=True)
        return replace(
            found,
            items=tuple(one for one in found.items if self.allows_difference(one)),
            controls=tuple(one for one in found.controls if self.allows_control(one)),
        )

    @cached_property
    def earlier(self) -> list[EarlierDifferences]:
        return [one for one in map(differences_of, self.of.earlier) if one.items]

    @cached_property
    def may_use_direct(self) -> bool:
        others = [one for one in self.earlier if one.run.through != self.of.run.through]
        return may_be_used(self._direct.get("groups"), [one.direct.get("groups") for one in others])

    @property
    def _direct(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.of.run.findings.get(DIRECT) or {}
        return found

    def allows_difference(self, found: ReportedDifference) -> bool:
        """The cells outside a place's regions are sent as they are, so how many did so is a plain count."""
        if found.difference is None or self.of.counts_cells(found.item):
            return False
        return self.of.allows((found.item,)) and self.too_near(found.item) is None

    def too_near(self, item: str) -> Run | None:
        """The run of an earlier publication whose difference is of nearly the same records, if there is one."""
        least = self.of.design.least
        for one in self.earlier:
            if item in one.items:
                counts = [direct.get("records", {}).get(item, 0) for direct in (self._direct, one.direct)]
                more = counts[0] - counts[1]
                if not RecordsApart(max(more, 0), max(-more, 0)).may_be_published(least):
                    return one.run
        return None

    def allows_control(self, found: ReportedDifference) -> bool:
        """Of a plain control item the direct records of each choice are counts of a plain answer."""
        if not self.allows_difference(found):
            return False
        if not self.of.is_plain(found.item):
            return True
        counts = self._direct.get("controls", {}).get(found.item)
        if counts is None or min(counts) < LEAST or self._is_routed(found.item):
            return False
        before = [
            one.direct.get("controls", {}).get(found.item) for one in self.earlier if found.item in one.items
        ]
        return self.of.allows_disguised((found.item,)) and all(
            one is not None and all(new == 0 or abs(new) >= LEAST for new in changes(counts, one))
            for one in before
        )

    def _is_routed(self, item: str) -> bool:
        """Whether rules hide it, or hide others by it: then counts of direct records could be combined."""
        design, place = self.of.design, self.of.naming.item(item)[0]
        routed = (of for of, question in enumerate(design.questions) if question.show_if)
        return bool(design.questions[place].show_if) or any(
            place in rule_questions(design, [of]) for of in routed
        )

    # --- control items --------------------------------------------------------------------------------------

    def controls(self, found: ReportedControls) -> ReportedControls:
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
        return self.of.allows_disguised((item,)) if self.of.is_plain(item) else self.of.allows((item,))

    def _allows_versions(self, item: str) -> bool:
        return self.allows_by(item, self.of.naming.turned_by(item))

    def allows_by(self, item: str, by: str) -> bool:
        """Whether an estimate of this answer may be published in each class of a plain question."""
        return all(self.of.allows((of_class, item)) for of_class in self.of.naming.choices(by))

    def _allows_drawn(self, question: str) -> bool:
        return all(self.of.allows((choice,)) for choice in self.of.naming.choices(question))

    # --- the plan -------------------------------------------------------------------------------------------

    def plan(self, found: ReportedPlan, arms: ReportedArms | None) -> ReportedPlan:
        """Whole, with the results that failed, or not at all."""
        compared = frozenset(one.item for one in arms.items) if arms else frozenset()
        if all(self.allows_result(one, compared) for one in found.hypotheses):
            return found
        return found.without_results

    def allows_result(self, found: ReportedHypothesis, compared: frozenset[str]) -> bool:
        """`compared` are the answers whose differences between the arms are published."""
        if found.estimate is None and found.p is None:
            return True
        return RESULTS[found.kind](self, found, compared)


# --- each kind of hypothesis ----------------------------------------------------------------------------


def _share(of: StudyWithholding, found: ReportedHypothesis, _compared: frozenset[str]) -> bool:
    return of.of.allows((found.item,))


def _arms(_of: StudyWithholding, found: ReportedHypothesis, compared: frozenset[str]) -> bool:
    return found.item in compared


def _version(of: StudyWithholding, found: ReportedHypothesis, _compared: frozenset[str]) -> bool:
    return of.allows_by(found.item, found.by)


def _association(of: StudyWithholding, found: ReportedHypothesis, _compared: frozenset[str]) -> bool:
    return of.of.allows((*found.antecedent, *found.consequent))


def _coefficient(of: StudyWithholding, found: ReportedHypothesis, compared: frozenset[str]) -> bool:
    names = set(factors(found.covariates))
    if ARM_NAME in names and found.item not in compared:
        return False
    return all(of.allows_by(found.item, name) for name in names - {ARM_NAME})


RESULTS: Mapping[str, Callable[[StudyWithholding, ReportedHypothesis, frozenset[str]], bool]] = (
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


def differences_of(publication: Publication) -> EarlierDifferences:
    """A publication without a study has none."""
    arms = (publication.content.get("study") or {}).get("arms") or {}
    listed = [*arms.get("items", ()), *arms.get("controls", ())]
    return EarlierDifferences(publication.run, frozenset(one["item"] for one in listed))


def changes(counts: Sequence[int], before: Sequence[int]) -> Iterator[int]:
    return (now - then for now, then in zip(counts, before, strict=True))
