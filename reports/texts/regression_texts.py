"""Texts on a regression model: its specification, and the names of its coefficients."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from mining.studies.model_request_and_columns import ARM_NAME, INTERCEPT, TIMES
from reports.answer_labels import AnswerText, Labels
from surveys.study.hypothesis_sentences import BETWEEN
from ui.templatetags.ui import join_names


def covariate_text(labels: Labels, name: str) -> str:
    """Returns the name of a covariate in lists: the short label of its question, or the arm."""
    if name == ARM_NAME and name not in {question.name for question in labels.design.questions}:
        return _("Arm (asked directly or disguised)")
    question = labels.design.questions[labels.question_index(name)]
    return labels.subject(name) if question.choices else question.name


def coefficient_text(labels: Labels, name: str) -> str:
    """Returns a coefficient (`1`, `age=40+`, `age`, `age=40+*sex=m` or `arm`) in words."""
    return BETWEEN.join(_factor_text(labels, part) for part in name.split(TIMES))


def _factor_text(labels: Labels, name: str) -> str:
    if name == INTERCEPT:
        return _("Intercept")
    if name in labels.names:
        return labels.short(name)
    if name == ARM_NAME and name not in {question.name for question in labels.design.questions}:
        return _("Disguised arm")
    return _("%(question)s (per step)") % {"question": covariate_text(labels, name)}


def term_text(labels: Labels, name: str) -> str:
    """Returns a term (`age` or `age*sex`) in words."""
    return BETWEEN.join(covariate_text(labels, part) for part in name.split(TIMES))


@dataclass(frozen=True)
class SpecifiedModel:
    """A model specification (`runs.regression_job.Specification`) in words."""

    item: AnswerText
    covariates: Sequence[str]
    products: Sequence[str]
    among: Sequence[str]
    formula: str

    @classmethod
    def from_specification(cls, labels: Labels, specification: Mapping[str, Any]) -> "SpecifiedModel":
        numbers = set(specification.get("numbers", ()))
        as_number = _("%(question)s (as a number)")
        texts = {name: covariate_text(labels, name) for name in specification["on"]}
        return cls(
            labels.answer(specification["item"]),
            [as_number % {"question": text} if name in numbers else text for name, text in texts.items()],
            [
                BETWEEN.join(texts.get(name, name) for name in product.split(TIMES))
                for product in specification.get("products", ())
            ],
            [labels.short(name) for name in specification.get("among", ())],
            _("Logit") if specification.get("logit") else _("Linear"),
        )

    @property
    def title(self) -> str:
        """The model in one line, for lists."""
        parts = [*self.covariates, *self.products]
        return _("%(item)s by %(covariates)s") % {"item": self.item.short, "covariates": join_names(parts)}
