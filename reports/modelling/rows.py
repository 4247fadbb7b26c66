"""The rows of the page of models: coefficients in words, and the sentences around them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext as _, ngettext

from look.numbers import count
from mining.studies.covariates import ARM_NAME, TIMES
from reports.forms import RuleDecisionForm
from reports.measures import chance, decimal
from reports.modelling import judging, readable
from reports.modelling.words import SpecifiedModel, coefficient_text, covariate_text
from reports.models import Decision
from reports.naming import Naming
from runs import modelling
from runs.models import Model
from runs.true_models import true_coefficients
from surveys.study.hypothesis_words import BETWEEN

if TYPE_CHECKING:
    from reports.report_page import ReportPage

PERCENT, PLACES = 100, {False: 1, True: 2}
"""A linear coefficient is shown in percentage points to one place, one of a logit to two."""


@dataclass(frozen=True)
class CoefficientRow:
    """`truth` is of the same model fitted to a rehearsal's true answers; empty where it is not known."""

    words: str
    b: str
    se: str
    interval: str
    p: str
    truth: str


@dataclass(frozen=True)
class TermRow:
    """The test of all coefficients of a covariate or product that has several."""

    words: str
    df: int
    p: str


@dataclass(frozen=True)
class ModelRow:
    """`judged` is the last verdict, empty where there is none; `left_out` and `assumes` are sentences."""

    model: Model
    specified: SpecifiedModel
    coefficients: list[CoefficientRow]
    terms: list[TermRow]
    whose: str
    fit: str
    left_out: list[str]
    assumes: list[str]
    judged: str

    @cached_property
    def form(self) -> RuleDecisionForm:
        """Of a reviewer's decision; the ids are of this model alone."""
        return RuleDecisionForm(
            initial={"verdict": self.judged}, auto_id=f"model-{self.number}-%s", use_required_attribute=False
        )

    @property
    def number(self) -> int:
        return self.model.job.number

    @property
    def knows_truth(self) -> bool:
        return any(one.truth for one in self.coefficients)

    @property
    def is_logit(self) -> bool:
        return bool(self.model.specification.get("logit"))

    @property
    def is_published(self) -> bool:
        return hasattr(self.model, "publication")

    @property
    def is_accepted(self) -> bool:
        return self.judged == Decision.Verdict.ACCEPT

    @property
    def verdict(self) -> str:
        return str(Decision.Verdict(self.judged or Decision.Verdict.UNDECIDED).label)


def rows(report: "ReportPage") -> list[ModelRow]:
    models = readable.models_of(report.review, whole=report.whole)
    verdicts = dict(judging.with_verdicts(report.review.run).values_list("pk", "verdict"))
    return [row(report, model, verdicts.get(model.pk) or "") for model in models]


def row(report: "ReportPage", model: Model, judged: str) -> ModelRow:
    naming, asked, found = report.naming, model.specification, model.numbers
    logit = bool(asked.get("logit"))
    by_arm = report.design.has_arms and ARM_NAME in asked["on"]
    true = true_coefficients(modelling.request_of(report.mined, asked), report.known_truth)
    return ModelRow(
        model,
        SpecifiedModel.of(naming, asked),
        [_coefficient(naming, one, true.get(one["of"]), logit=logit) for one in found["coefficients"]],
        [
            TermRow(_term_text(naming, one["of"]), one["df"], chance(one["p"]))
            for one in found["terms"]
            if one["df"] > 1
        ],
        whose(report, by_arm=by_arm),
        fit_text(naming, found["fit"]),
        list(left_out(report, found["fit"], by_arm=by_arm)),
        list(assumptions(logit=logit, by_arm=by_arm)),
        judged,
    )


def _coefficient(
    naming: Naming, one: Mapping[str, Any], truth: float | None, *, logit: bool
) -> CoefficientRow:
    def shown(value: float) -> str:
        return decimal(value if logit else PERCENT * value, PLACES[logit])

    interval = _("%(low)s to %(high)s") % {"low": shown(one["low"]), "high": shown(one["high"])}
    words = coefficient_text(naming, one["of"])
    true = "" if truth is None else shown(truth)
    return CoefficientRow(words, shown(one["b"]), shown(one["se"]), interval, chance(one["p"]), true)


def _term_text(naming: Naming, name: str) -> str:
    return BETWEEN.join(covariate_text(naming, part) for part in name.split(TIMES))


def whose(report: "ReportPage", *, by_arm: bool) -> str:
    """Whose coefficients they are, where not of all respondents."""
    if by_arm:
        return _(
            "These coefficients are of both arms: people who were asked directly and people who were not."
        )
    if report.design.has_arms:
        return _("These coefficients are of the disguised arm alone.")
    if report.design.open_answers:
        return _("These coefficients are of people who chose disguise, not of all respondents.")
    return ""


def fit_text(naming: Naming, fit: Mapping[str, Any] | None) -> str:
    if fit is None:
        return _("There is no product of two covariates for a test of fit.")
    products = ", ".join(_term_text(naming, name) for name in fit["products"])
    words = ngettext(
        "Test of fit: adding %(products)s (%(df)s coefficient), p %(p)s.",
        "Test of fit: adding %(products)s (%(df)s coefficients), p %(p)s.",
        fit["df"],
    )
    said = words % {"products": products, "df": count(fit["df"]), "p": chance(fit["p"])}
    small = _("A small p says that the covariates do not simply add up.")
    return f"{said} {small}"


def left_out(report: "ReportPage", fit: Mapping[str, Any] | None, *, by_arm: bool) -> Iterator[str]:
    if report.design.open_answers and not by_arm:
        yield _(
            "Records without disguise are left out: beside other answers they could show what one person said."
        )
    if report.design.has_arms and not by_arm:
        yield _("Direct records are left out, because the arm is not a covariate.")
    yield _("Records are left out if the answer or a covariate was not asked or is hidden by a condition.")
    if fit and fit["left_out"]:
        products = ", ".join(_term_text(report.naming, name) for name in fit["left_out"])
        yield _(
            "The test of fit leaves out %(products)s, because some combination has fewer than 50 records or fewer "
            "than 20 direct ones."
        ) % {"products": products}


def assumptions(*, logit: bool, by_arm: bool) -> Iterator[str]:
    if logit:
        yield _("The log odds of the answer are a sum of the covariates.")
        yield _("Intervals are wider than needed where the answer is rare.")
    else:
        yield _(
            "The share of the answer is a sum of the covariates. It may come out below 0 % or above 100 %."
        )
    yield _("People answer truthfully. Random answers make every difference look smaller.")
    if by_arm:
        yield _("Whether more is truer is an assumption: a higher share in one arm need not be the true one.")
    yield _("A coefficient is a difference between people, not the effect of a change.")
