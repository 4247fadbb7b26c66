"""Report nodes of a study's design: arms, control items, understanding, plan of hypotheses, and earlier waves.

An answer is written `question=choice`. Members have the names that the commands print (docs/formats.md); None: too few
records, or not finite.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from mining.json_codec import OPTIONAL, omit_if_default
from privacy.grammar.input_error import mark_for_translation as _

TOO_FEW = _("too few records")
"""Why a hypothesis has no p, if so few people answered."""


@dataclass(frozen=True, slots=True)
class ArmDifference:
    """The share of an answer in each arm, and their difference, disguised less direct.

    The shares are among `n_direct` and `n_disguised` records to which the answer applies. Each share has its interval;
    `low` and `high` are the ends of the difference. `smallest_more` and `smallest_fewer`: the smallest differences that
    a test would have found four times out of five. `bounds`: of the difference if people left because of their arm. A
    control item, of which no difference is expected, has neither these nor `holm`. In a rehearsal `truth_direct` and
    `truth_disguised` are the true shares of each arm's simulated respondents, and `truth` is their difference.
    """

    item: str
    direct: float | None
    disguised: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    holm: float | None = omit_if_default(None)
    smallest_more: float | None = omit_if_default(None)
    smallest_fewer: float | None = omit_if_default(None)
    bounds: tuple[float | None, ...] = omit_if_default((None, None))
    n_direct: int | None = omit_if_default(None)
    direct_low: float | None = omit_if_default(None)
    direct_high: float | None = omit_if_default(None)
    n_disguised: int | None = omit_if_default(None)
    disguised_low: float | None = omit_if_default(None)
    disguised_high: float | None = omit_if_default(None)
    truth_direct: float | None = omit_if_default(None)
    truth_disguised: float | None = omit_if_default(None)
    truth: float | None = omit_if_default(None)

    @property
    def n(self) -> int:
        """Number of records in both arms."""
        return (self.n_direct or 0) + (self.n_disguised or 0)


@dataclass(frozen=True, slots=True)
class Completion:
    """The completion rate of the direct arm divided by that of the disguised arm; `p` tests that this ratio is 1."""

    completion: float | None
    low: float | None
    high: float | None
    p: float | None


@dataclass(frozen=True, slots=True)
class Arms:
    """Comparison of the arms: `direct` and `disguised` records.

    `share` is the stated share of devices asked directly. `controls` are the differences of all control items,
    plain ones too.
    """

    direct: int
    disguised: int
    share: float
    completion: Completion
    items: tuple[ArmDifference, ...]
    controls: tuple[ArmDifference, ...] = omit_if_default(())

    @property
    def direct_share(self) -> float:
        """The share of records that were asked directly."""
        n = self.direct + self.disguised
        return self.direct / n if n else 0.0


@dataclass(frozen=True, slots=True)
class Correction:
    """The share of an answer, and that share corrected for random answers, among `n` records shown the control
    item too.

    `truth`: the corrected share from the true answers of simulated respondents shown both, of whom a few answer
    at random.
    """

    item: str
    n: float | None
    share: float | None
    low: float | None
    high: float | None
    corrected: float | None
    corrected_low: float | None
    corrected_high: float | None
    truth: float | None = omit_if_default(None)


@dataclass(frozen=True, slots=True)
class WordTest:
    """Test whether people prefer one of the two answers (words) of a crosswise question, by the difference between its
    two versions.

    `truth`: the difference of the true shares of simulated respondents who drew the first version and the second.
    """

    item: str
    difference: float | None
    z: float | None
    p: float | None
    truth: float | None = omit_if_default(None)


@dataclass(frozen=True, slots=True)
class DrawTest:
    """Test whether the numbers of records with each choice of a drawn question (`records`) agree with the shares that
    the design states; `p` is its p-value."""

    question: str
    records: Mapping[str, int]
    p: float | None


@dataclass(frozen=True, slots=True)
class Controls:
    """Result of the control item `item`: its `known` share and the estimated share `seen`.

    `careless` is the estimated share of people who answer at random. Empty `item`: there is none, or
    `too_few` records have it. `withheld`: fewer than ten people gave that answer.
    """

    item: str = omit_if_default("")
    known: float | None = omit_if_default(None)
    seen: float | None = omit_if_default(None)
    low: float | None = omit_if_default(None)
    high: float | None = omit_if_default(None)
    p: float | None = omit_if_default(None)
    careless: float | None = omit_if_default(None)
    items: tuple[Correction, ...] = omit_if_default(())
    words: tuple[WordTest, ...] = omit_if_default(())
    drawn: tuple[DrawTest, ...] = omit_if_default(())
    too_few: bool = omit_if_default(False)
    withheld: bool = omit_if_default(False)


@dataclass(frozen=True, slots=True)
class UnderstandingShare:
    """One answer to the check of understanding: the number of disguised records with it (`having`) and their share."""

    item: str
    having: int | None
    share: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class UnderstandingCounts:
    """Shares of the `n` disguised records whose people understood the disguise or not: of all, or of those shown the
    crosswise `question`."""

    question: str
    n: int | None
    shares: tuple[UnderstandingShare, ...]


@dataclass(frozen=True, slots=True)
class UnderstandingDifference:
    """The share of an answer among people who understood the disguise, less that among the others, each with its
    interval.

    `n_understood` disguised records understood, at once or after the explanation, `n_not` did not; the answer
    applies to all of them. `holm`: p over all answers. In a rehearsal `truth` is the difference of the true
    shares, which is by chance alone: simulated respondents answer the check by chance.
    """

    item: str
    crosswise: bool
    n_understood: int | None
    understood: float | None
    understood_low: float | None
    understood_high: float | None
    n_not: int | None
    not_understood: float | None
    not_low: float | None
    not_high: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    holm: float | None
    truth: float | None = omit_if_default(None)


@dataclass(frozen=True, slots=True)
class Understanding:
    """Results of the check of understanding: how many people understood the disguise, and how their answers differ.

    Counts are of all disguised records, and of each crosswise question.
    """

    counts: tuple[UnderstandingCounts, ...]
    items: tuple[UnderstandingDifference, ...]

    @property
    def all_disguised_counts(self) -> UnderstandingCounts:
        return self.counts[0]


SHARE, ASSOCIATION = "share", "association"
"""Kinds of hypotheses whose value without an effect is not 0 (privacy/designs/hypothesis_plan.py)."""
CHANGE, MORE = "change", "more"
"""The kind of hypothesis with a direction, and one of its two directions."""


@dataclass(frozen=True, slots=True)
class HypothesisResult:
    """A hypothesis of the plan with its result: the `estimate`, and `p` that there is no effect.

    `low` and `high` are the interval at 1 - .05/h, for h hypotheses, by the same test; it is `met` where this
    excludes no effect, of a change: where all of it lies in the `direction`. A share has none here: its interval is
    that of the share. `than`: what a share is compared with. `n_earlier`, `n_later`: the people of a change in both
    surveys. `withheld`: its result is not published. `why`: the place and the reason why there is no p; then p counts
    as 1. `reason` is the same without its place, as a `text` and its `values`, which pages translate.
    """

    name: str
    kind: str
    item: str = omit_if_default("")
    than: str = omit_if_default("")
    by: str = omit_if_default("")
    direction: str = omit_if_default("")
    antecedent: tuple[str, ...] = omit_if_default(())
    consequent: tuple[str, ...] = omit_if_default(())
    model: str = omit_if_default("")
    covariates: tuple[str, ...] = omit_if_default(())
    of: str = omit_if_default("")
    estimate: float | None = None
    p: float | None = None
    holm: float = 1.0
    met: bool = False
    why: str | None = None
    reason: Mapping[str, Any] | None = None
    low: float | None = omit_if_default(None)
    high: float | None = omit_if_default(None)
    n_earlier: int | None = omit_if_default(None)
    n_later: int | None = omit_if_default(None)
    withheld: bool = omit_if_default(False)

    @property
    def without_result(self) -> "HypothesisResult":
        """The hypothesis as the plan states it, without its result."""
        nothing: dict[str, Any] = dict.fromkeys(("estimate", "p", "why", "reason", "low", "high"))
        return replace(self, **nothing, holm=1.0, met=False, withheld=True)

    @property
    def value_without_effect(self) -> float:
        """The estimate's value if there is no effect; for a share the number it is compared with."""
        if self.kind == SHARE:
            return float(self.than)
        return 1.0 if self.kind == ASSOCIATION else 0.0


@dataclass(frozen=True, slots=True)
class PlanResult:
    """The plan of a study, fixed before the survey, with its salt and the results of its hypotheses; each result is
    published or withheld on its own."""

    sha256: str
    plan: Mapping[str, Any] | None = omit_if_default(None)
    hypotheses: tuple[HypothesisResult, ...] = omit_if_default(())

    @property
    def met(self) -> int:
        """Number of hypotheses of the plan that are met."""
        return sum(one.met for one in self.hypotheses)

    @property
    def published_hypotheses(self) -> "tuple[HypothesisResult, ...]":
        """The hypotheses with a result that may be published: all that are not `withheld`."""
        return tuple(one for one in self.hypotheses if not one.withheld)

    @property
    def salt(self) -> str:
        return str((self.plan or {}).get("salt", ""))


@dataclass(frozen=True, slots=True)
class WaveDifference:
    """The share of an answer in each of two waves, and their difference, later less earlier.

    The shares are among `n_earlier` and `n_later` people to whom the answer applies, in a report with `disguised_only`
    among those who chose disguise. `holm`: p over all answers that are compared and that no plan names. `truth`: the
    true difference, where both waves are rehearsals.
    """

    item: str
    earlier: float | None
    later: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    holm: float | None
    n_earlier: int
    n_later: int
    disguised_only: bool = omit_if_default(False)
    truth: float | None = omit_if_default(None)


@dataclass(frozen=True, slots=True)
class Waves:
    """Comparison of two waves of a survey with `earlier` and `later` records.

    `same_people`: the same people may have answered both.
    """

    earlier: int
    later: int
    same_people: bool
    items: tuple[WaveDifference, ...]


@dataclass(frozen=True, slots=True)
class Study:
    """All study results of a report: arms, control items, plan, understanding, and changes since an earlier wave.

    None: the design has no such part, or nothing is known of it yet. `waves` is never stored: a reader who may read a
    report of the earlier survey too gets it from both.
    """

    arms: Arms | None = None
    controls: Controls | None = None
    plan: PlanResult | None = None
    understanding: Understanding | None = field(default=None, metadata=OPTIONAL)
    waves: Waves | None = field(default=None, metadata=OPTIONAL)

    def __bool__(self) -> bool:
        return any((self.arms, self.controls, self.plan, self.understanding, self.waves))


NO_STUDY = Study()
