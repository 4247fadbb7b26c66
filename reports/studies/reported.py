"""What a report says of a study, and its JSON: the arms, the control items and the plan.

An answer is written `question=choice`. Names are those of the commands (docs/formats.md). None: too few, or not finite.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mining.document.codec import load
from runs.models import Run
from runs.study_findings import ARMS, CONTROLS, PLAN


@dataclass(frozen=True, slots=True)
class ReportedDifference:
    """The share of an answer in each arm, disguised less direct; `bounds`: if people left because of their arm.

    `smallest_more` and `smallest_fewer`: what a test would have found four times out of five. A control item has
    neither these nor `holm` nor `bounds`. In a rehearsal `truth_direct` and `truth_disguised` are the true shares of
    the simulated respondents of each arm, `truth` is their difference.
    """

    item: str
    direct: float | None
    disguised: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    holm: float | None = None
    smallest_more: float | None = None
    smallest_fewer: float | None = None
    bounds: tuple[float | None, ...] = (None, None)
    truth_direct: float | None = None
    truth_disguised: float | None = None
    truth: float | None = None


@dataclass(frozen=True, slots=True)
class CompletionQuotient:
    """The direct arm's completion rate over the disguised arm's; `p` tests that it is 1."""

    completion: float | None
    low: float | None
    high: float | None
    p: float | None


@dataclass(frozen=True, slots=True)
class ReportedArms:
    """`direct` and `disguised` records, where a `share` was drawn to be asked directly."""

    direct: int
    disguised: int
    share: float
    left: CompletionQuotient
    items: tuple[ReportedDifference, ...]
    controls: tuple[ReportedDifference, ...] = ()


@dataclass(frozen=True, slots=True)
class ReportedCorrection:
    """The share of an answer among `n` shown the control item too, and the share corrected for random answers.

    `truth`: the same of the true answers of simulated respondents shown both, of whom a few answer at random.
    """

    item: str
    n: float | None
    share: float | None
    low: float | None
    high: float | None
    corrected: float | None
    corrected_low: float | None
    corrected_high: float | None
    truth: float | None = None


@dataclass(frozen=True, slots=True)
class ReportedWords:
    """Whether one of the two words of a crosswise question is preferred: the difference of its two versions.

    `truth`: the difference of the true shares of simulated respondents who drew the first version and the second.
    """

    item: str
    difference: float | None
    z: float | None
    p: float | None
    truth: float | None = None


@dataclass(frozen=True, slots=True)
class ReportedDraw:
    """The records by choice of a drawn question; `p` tests the stated shares."""

    question: str
    records: Mapping[str, int]
    p: float | None


@dataclass(frozen=True, slots=True)
class ReportedControls:
    """The control item `item`, of which a share `known` is true and `seen` was estimated; `careless` answer at random.

    Empty `item`: there is none, or `too_few` records have it. `withheld`: fewer than ten gave that answer.
    """

    item: str = ""
    known: float | None = None
    seen: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    careless: float | None = None
    items: tuple[ReportedCorrection, ...] = ()
    words: tuple[ReportedWords, ...] = ()
    drawn: tuple[ReportedDraw, ...] = ()
    too_few: bool = False
    withheld: bool = False


@dataclass(frozen=True, slots=True)
class ReportedHypothesis:
    """A hypothesis of the plan with its result. `why` there is no p; then it counts as 1.

    `reason`: the same as a `text` and its `values`, for pages.
    """

    name: str
    kind: str
    item: str = ""
    than: str = ""
    by: str = ""
    antecedent: tuple[str, ...] = ()
    consequent: tuple[str, ...] = ()
    model: str = ""
    covariates: tuple[str, ...] = ()
    of: str = ""
    estimate: float | None = None
    p: float | None = None
    holm: float = 1.0
    met: bool = False
    why: str | None = None
    reason: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class ReportedPlan:
    """The plan with its salt, as it was frozen. `withheld`: it is published whole or not at all."""

    sha256: str
    plan: Mapping[str, Any] | None
    hypotheses: tuple[ReportedHypothesis, ...]
    withheld: bool = False

    @property
    def without_results(self) -> "ReportedPlan":
        """Its hash alone."""
        return ReportedPlan(self.sha256, None, (), withheld=True)


@dataclass(frozen=True, slots=True)
class ReportedStudy:
    arms: ReportedArms | None = None
    controls: ReportedControls | None = None
    plan: ReportedPlan | None = None

    def __bool__(self) -> bool:
        return any((self.arms, self.controls, self.plan))


NO_STUDY = ReportedStudy()


def study(run: Run) -> ReportedStudy:
    """All that a run found."""
    found = {name: run.findings[name] for name in (ARMS, CONTROLS, PLAN) if name in run.findings}
    if found.get(CONTROLS, {}) is None:
        found[CONTROLS] = {"too_few": True}
    return load(ReportedStudy, found)
