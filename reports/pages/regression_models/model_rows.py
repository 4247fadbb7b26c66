"""Builds the rows of the page of models: coefficients with the sentences that explain them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _, ngettext

from jobs.progress_messages import Message
from mining.nodes.regression_nodes import ModelFit, ModelResult
from reports.answer_labels import Labels
from reports.estimate_texts import p_value_text
from reports.models import Decision
from reports.pages.reviewer_forms import RuleDecisionForm
from reports.review import regression_decisions as judging
from reports.texts.design_sentences import say, true_sentences
from reports.texts.regression_texts import SpecifiedModel, term_text
from runs.models import Model
from runs.rehearsal_truth import add_true_coefficients
from ui.number_format import format_count
from ui.sentence_joining import join_sentences
from ui.templatetags.ui import join_names

if TYPE_CHECKING:
    from reports.review.report_page_data import ReportPage


@dataclass(frozen=True)
class ModelRow:
    """A model as the page shows it. `judged` is the last verdict, empty if there is none; `left_out` and `assumes` are
    sentences. Without a `result` it could not be fitted, and `problem` says why.

    `seen`: the id of the newest decision on any model of the run.
    """

    model: Model
    specified: SpecifiedModel
    result: ModelResult | None
    whose: str
    fit: str
    left_out: list[str]
    assumes: list[str]
    judged: str
    seen: int

    @cached_property
    def form(self) -> RuleDecisionForm:
        """The form of a reviewer's decision; its element ids are unique on the page."""
        return RuleDecisionForm(
            initial={"verdict": self.judged, "seen": self.seen},
            auto_id=f"model-{self.number}-%s",
            use_required_attribute=False,
        )

    @property
    def number(self) -> int:
        return self.model.job.number

    @property
    def problem(self) -> str:
        return str(Message.from_json(self.model.problem or {}))

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


def model_rows(report: "ReportPage") -> list[ModelRow]:
    # Read before the decisions: one that comes between is refused rather than overlooked.
    seen = judging.newest_model_decision_id(report.review.run) if report.is_desk else 0
    models = judging.readable_models(report.review, whole=report.whole)
    verdicts = dict(judging.models_with_verdicts(report.review.run).values_list("pk", "verdict"))
    return [model_row(report, model, verdicts.get(model.pk) or "", seen) for model in models]


def model_row(report: "ReportPage", model: Model, verdict: str, seen: int) -> ModelRow:
    labels, asked = report.labels, model.specification
    if model.problem:
        specified = SpecifiedModel.from_specification(labels, asked)
        return ModelRow(model, specified, None, "", "", [], [], verdict, seen)
    result = add_true_coefficients(model, report.mined_design, report.known_truth)
    return ModelRow(
        model,
        SpecifiedModel.from_specification(labels, asked),
        result,
        say(f"model-people.{result.population}", report),
        fit_test_text(labels, result.fit),
        [*true_sentences(f"model-left-out.{result.population}", report), *left_out_sentences(labels, result)],
        [
            *assumption_sentences(logit=bool(asked.get("logit"))),
            *true_sentences(f"model-assumes.{result.population}", report),
        ],
        verdict,
        seen,
    )


def fit_test_text(labels: Labels, fit: ModelFit | None) -> str:
    if fit is None:
        return _("There is no product of two covariates for a test of fit.")
    products = join_names(term_text(labels, name) for name in fit.products)
    words = ngettext(
        "Test of fit: adding %(products)s (%(df)s coefficient), p %(p)s.",
        "Test of fit: adding %(products)s (%(df)s coefficients), p %(p)s.",
        fit.df,
    )
    said = words % {"products": products, "df": format_count(fit.df), "p": p_value_text(fit.p)}
    small = _("A small p says that the covariates do not simply add up.")
    return join_sentences([said, small])


def left_out_sentences(labels: Labels, result: ModelResult) -> Iterator[str]:
    yield _("Records are left out if the answer or a covariate was not asked or is hidden by a condition.")
    if result.fit and result.fit.left_out:
        products = join_names(term_text(labels, name) for name in result.fit.left_out)
        yield _(
            "The test of fit leaves out %(products)s, because some combination has fewer than 50 records or fewer "
            "than 20 direct ones."
        ) % {"products": products}


def assumption_sentences(*, logit: bool) -> Iterator[str]:
    if logit:
        yield _("The log odds of the answer are a sum of the covariates.")
        yield _("Intervals are wider than needed where the answer is rare.")
    else:
        yield _(
            "The share of the answer is a sum of the covariates. It may come out below 0 % or above 100 %."
        )
    yield _("People answer truthfully. Random answers make every difference look smaller.")
    yield _("A coefficient is a difference between people, not the effect of a change.")
