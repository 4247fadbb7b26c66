"""Hypotheses in words."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from privacy.designs import Design
from privacy.designs.labels import short_label
from privacy.designs.plan import ARM, TIMES
from surveys.kinds.number.items import item_text
from ui.numbers import exact_percent

Node = Mapping[str, Any]

BETWEEN = " × "
MODELS: dict[str, str | Promise] = {
    "linear": gettext_lazy("Linear (in points)"),
    "logit": gettext_lazy("Logistic (logit)"),
}


class HypothesisWords:
    """In the language of a questionnaire, as far as its design is known."""

    def __init__(self, design: Design | None, language: str) -> None:
        self.language = language
        questions = [*design.questions, *design.mined.questions] if design else []
        self.labels = {question.name: short_label(question, language) for question in questions}
        self.choices = {
            f"{question.name}={choice.name}": item_text(question, code, language)
            or choice.label.in_language(language)
            or choice.name
            for question in questions
            for code, choice in enumerate(question.choices)
        }
        self.options = {
            question.name: f"{question.name}={question.choices[-1].name}"
            for question in questions
            if question.form == "many"
        }

    def question(self, name: str) -> str:
        """Of an option of a group also the option, which alone tells it from others."""
        if name == ARM:
            return _("asked directly or disguised")
        return self.item(self.options[name]) if name in self.options else self.labels.get(name, name)

    def covariate(self, name: str) -> str:
        """A question or the arm; of a product both."""
        return BETWEEN.join(map(self.question, name.split(TIMES)))

    def item(self, written: str) -> str:
        name, _sign, choice = written.partition("=")
        said = {"question": self.labels.get(name, name), "answer": self.choices.get(written, choice)}
        return _("%(question)s: %(answer)s") % said

    def coefficient(self, name: str) -> str:
        """Of a product both sides."""
        return BETWEEN.join(
            self.item(side) if "=" in side else self.number(side) for side in name.split(TIMES)
        )

    def number(self, name: str) -> str:
        if name == ARM:
            return self.question(name)
        return _("%(question)s, per step of its scale") % {"question": self.question(name)}

    def of(self, hypothesis: Node) -> str:
        return SAID[hypothesis["kind"]](self, hypothesis)


def _share(words: HypothesisWords, hypothesis: Node) -> str:
    said = {"item": words.item(hypothesis["item"]), "than": exact_percent(float(hypothesis["than"]))}
    return _("The share of “%(item)s” differs from %(than)s.") % said


def _arms(words: HypothesisWords, hypothesis: Node) -> str:
    said = {"item": words.item(hypothesis["item"])}
    return _("The share of “%(item)s” differs between disguised and direct answers.") % said


def _version(words: HypothesisWords, hypothesis: Node) -> str:
    said = {"item": words.item(hypothesis["item"]), "by": words.question(hypothesis["by"])}
    return _("The share of “%(item)s” differs between the versions of “%(by)s”.") % said


def _association(words: HypothesisWords, hypothesis: Node) -> str:
    first, second = (
        _(" and ").join(words.item(item) for item in hypothesis[side])
        for side in ("antecedent", "consequent")
    )
    return _("“%(first)s” and “%(second)s” are associated.") % {"first": first, "second": second}


def _coefficient(words: HypothesisWords, hypothesis: Node) -> str:
    said = {
        "model": MODELS[hypothesis["model"]],
        "item": words.item(hypothesis["item"]),
        "on": ", ".join(map(words.covariate, hypothesis["covariates"])),
        "of": words.coefficient(hypothesis["of"]),
    }
    return _("Model of “%(item)s” on %(on)s, %(model)s: the coefficient of “%(of)s” is not 0.") % said


SAID: dict[str, Callable[[HypothesisWords, Node], str]] = {
    "share": _share,
    "arms": _arms,
    "version": _version,
    "association": _association,
    "coefficient": _coefficient,
}
