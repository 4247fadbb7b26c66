"""Hypotheses in words."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from look.numbers import exact_percent
from privacy.designs import Design
from privacy.designs.labels import short_label
from privacy.designs.plan import ARM, TIMES
from surveys.kinds.number.items import item_text

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
        self.labels = {of.name: short_label(of, language) for of in questions}
        self.choices = {
            f"{of.name}={choice.name}": item_text(of, code, language)
            or choice.label.in_language(language)
            or choice.name
            for of in questions
            for code, choice in enumerate(of.choices)
        }
        self.options = {of.name: f"{of.name}={of.choices[-1].name}" for of in questions if of.form == "many"}

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


def _share(words: HypothesisWords, of: Node) -> str:
    said = {"item": words.item(of["item"]), "than": exact_percent(float(of["than"]))}
    return _("The share of “%(item)s” differs from %(than)s.") % said


def _arms(words: HypothesisWords, of: Node) -> str:
    said = {"item": words.item(of["item"])}
    return _("The share of “%(item)s” differs between disguised and direct answers.") % said


def _version(words: HypothesisWords, of: Node) -> str:
    said = {"item": words.item(of["item"]), "by": words.question(of["by"])}
    return _("The share of “%(item)s” differs between the versions of “%(by)s”.") % said


def _association(words: HypothesisWords, of: Node) -> str:
    first, second = (
        _(" and ").join(words.item(item) for item in of[side]) for side in ("antecedent", "consequent")
    )
    return _("“%(first)s” and “%(second)s” are associated.") % {"first": first, "second": second}


def _coefficient(words: HypothesisWords, of: Node) -> str:
    said = {
        "model": MODELS[of["model"]],
        "item": words.item(of["item"]),
        "on": ", ".join(map(words.covariate, of["covariates"])),
        "of": words.coefficient(of["of"]),
    }
    return _("Model of “%(item)s” on %(on)s, %(model)s: the coefficient of “%(of)s” is not 0.") % said


SAID: dict[str, Callable[[HypothesisWords, Node], str]] = {
    "share": _share,
    "arms": _arms,
    "version": _version,
    "association": _association,
    "coefficient": _coefficient,
}
