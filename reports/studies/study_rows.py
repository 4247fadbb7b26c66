"""What the page of a study lists, and the plan on the first page of a report."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, TypeVar

from django.utils.translation import gettext as _

from look.numbers import exact_percent, percent
from mining.document.study import (
    ArmDifference,
    Arms,
    Controls,
    Correction,
    DrawTest,
    HypothesisResult,
    PlanResult,
    WordTest,
)
from privacy.designs import Refusal
from reports import measures
from reports.modelling import differencing
from reports.modelling.words import coefficient_text
from reports.naming import AnswerText, Naming
from reports.studies.withheld import StudyWithholding
from reports.withholding import Withholding, earlier_disclosures
from surveys.problems import reason_of

if TYPE_CHECKING:
    from reports.report_page import ReportPage


F = TypeVar("F", ArmDifference, Correction, WordTest)


@dataclass(frozen=True)
class FoundRow(Generic[F]):
    """What was found about an answer."""

    answer: AnswerText
    found: F


@dataclass(frozen=True)
class ArmsTable:
    found: Arms
    rows: list[FoundRow[ArmDifference]]
    controls: list[FoundRow[ArmDifference]]

    @property
    def drawn(self) -> float:
        """The share of records that were asked directly."""
        n = self.found.direct + self.found.disguised
        return self.found.direct / n if n else 0.0


@dataclass(frozen=True)
class DrawRow:
    question: str
    choices: list[tuple[str, int]]
    found: DrawTest


@dataclass(frozen=True)
class ControlsTable:
    """`answer` of the control item; None where there is none."""

    found: Controls
    answer: AnswerText | None
    rows: list[FoundRow[Correction]]
    words: list[FoundRow[WordTest]]
    drawn: list[DrawRow]


@dataclass(frozen=True)
class HypothesisRow:
    """`reason`: why it cannot be computed, in the reader's language; empty where only `found.why` is stored."""

    found: HypothesisResult
    words: str
    estimate: str
    reason: str


@dataclass(frozen=True)
class PlanTable:
    found: PlanResult
    rows: list[HypothesisRow]

    @property
    def met(self) -> int:
        return sum(row.found.met for row in self.rows)

    @property
    def salt(self) -> str:
        return str((self.found.plan or {}).get("salt", ""))


def arms(report: "ReportPage") -> ArmsTable | None:
    found = report.content.study.arms
    if found is None:
        return None
    return ArmsTable(found, _rows(report.naming, found.items), _rows(report.naming, found.controls))


def _rows(naming: Naming, found: Sequence[F]) -> list[FoundRow[F]]:
    return [FoundRow(naming.answer(one.item), one) for one in found]


def controls(report: "ReportPage") -> ControlsTable | None:
    found, naming = report.content.study.controls, report.naming
    if found is None:
        return None
    return ControlsTable(
        found,
        naming.answer(found.item) if found.item else None,
        _rows(naming, found.items),
        _rows(naming, found.words),
        [_draw(naming, one) for one in found.drawn],
    )


def _draw(naming: Naming, found: DrawTest) -> DrawRow:
    counts = [(f"{found.question}={name}", n) for name, n in found.records.items()]
    choices = [(naming.answer(name).choice, n) for name, n in counts]
    return DrawRow(naming.answer(counts[0][0]).asked, choices, found)


def plan(report: "ReportPage") -> PlanTable | None:
    found = report.content.study.plan
    if found is None:
        return None
    return PlanTable(found, [hypothesis_row(report.naming, one) for one in found.hypotheses])


def hypothesis_row(naming: Naming, found: HypothesisResult) -> HypothesisRow:
    words, shown = KINDS[found.kind]
    return HypothesisRow(found, words(naming, found), shown(found), _reason_of(found))


def _reason_of(found: HypothesisResult) -> str:
    if not found.reason:
        return ""
    return reason_of(Refusal(found.name, found.reason["text"], **found.reason["values"]))


# --- the kinds of hypotheses ----------------------------------------------------------------------------


def _said_share(naming: Naming, found: HypothesisResult) -> str:
    said = {"answer": naming.short(found.item), "than": exact_percent(float(found.than))}
    return _("The share of “%(answer)s” is not %(than)s.") % said


def _said_arms(naming: Naming, found: HypothesisResult) -> str:
    return _("“%(answer)s” is not equally common among people asked directly and in disguise.") % {
        "answer": naming.short(found.item)
    }


def _said_version(naming: Naming, found: HypothesisResult) -> str:
    said = {"answer": naming.short(found.item), "by": naming.subject(found.by)}
    return _("The share of “%(answer)s” differs between the versions of “%(by)s”.") % said


def _said_association(naming: Naming, found: HypothesisResult) -> str:
    said = {"one": naming.together(found.antecedent), "other": naming.together(found.consequent)}
    return _("“%(one)s” and “%(other)s” are not independent.") % said


def _said_coefficient(naming: Naming, found: HypothesisResult) -> str:
    said = {"of": coefficient_text(naming, found.of), "answer": naming.short(found.item)}
    if found.model == "logit":
        return _("The coefficient of “%(of)s” in the logit model of “%(answer)s” is not 0.") % said
    return _("The coefficient of “%(of)s” in the linear model of “%(answer)s” is not 0.") % said


def _as_share(found: HypothesisResult) -> str:
    return percent(found.estimate)


def _as_points(found: HypothesisResult) -> str:
    if found.estimate is None:
        return "–"
    return _("%(points)s points") % {"points": measures.points(found.estimate)}


def _as_lift(found: HypothesisResult) -> str:
    return _("lift %(lift)s") % {"lift": measures.decimal(found.estimate)}


def _as_coefficient(found: HypothesisResult) -> str:
    return measures.decimal(found.estimate) if found.model == "logit" else _as_points(found)


Said = Callable[[Naming, HypothesisResult], str]
Shown = Callable[[HypothesisResult], str]
KINDS: Mapping[str, tuple[Said, Shown]] = MappingProxyType(
    {
        "share": (_said_share, _as_share),
        "arms": (_said_arms, _as_points),
        "version": (_said_version, _as_points),
        "association": (_said_association, _as_lift),
        "coefficient": (_said_coefficient, _as_coefficient),
    }
)


# --- what would be left out -----------------------------------------------------------------------------


def left_out(report: "ReportPage") -> list[str]:
    """What a publication now would leave out of the study, and why."""
    run, found = report.review.run, report.content.study
    if not found:
        return []
    withholding = StudyWithholding(Withholding(run, earlier_disclosures(run), report.naming))
    kept = withholding.study(found)
    said: list[str] = []
    if found.arms and kept.arms:
        said += _left_out_of_arms(report.naming, found.arms, kept.arms)
    if kept.controls and kept.controls.withheld:
        said.append(
            _("The control item and the corrected shares: fewer than 10 people gave one of its answers.")
        )
    if kept.plan and differencing.plan_beside(run, kept.plan).withheld:
        said.append(
            _("The plan: one of its results is left out here, and a plan is published whole or not at all.")
        )
    return said


def _left_out_of_arms(naming: Naming, found: Arms, kept: Arms) -> list[str]:
    shown = {one.item for one in (*kept.items, *kept.controls)}
    gone = [
        one.item
        for one in (*found.items, *found.controls)
        if one.item not in shown and one.difference is not None
    ]
    words = _("“%(answer)s” by arm: fewer than 10 people gave one of the answers.")
    return [words % {"answer": naming.short(item)} for item in gone]
