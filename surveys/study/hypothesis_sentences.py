"""Formulates hypotheses as sentences, with names of questions, answers and coefficients."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from privacy.designs import Design
from privacy.designs.hypothesis_plan import ARM, LESS, MORE, TIMES
from privacy.designs.labels import short_label
from surveys.kinds.number.item_text import number_item_text
from ui.number_format import format_exact_percent

Node = Mapping[str, Any]

BETWEEN = " × "
MODELS: dict[str, str | Promise] = {
    "linear": gettext_lazy("Linear (in points)"),
    "logit": gettext_lazy("Logistic (logit)"),
}
CHANGE_WORDS: dict[str, str | Promise] = {
    MORE: gettext_lazy("more people give this answer"),
    LESS: gettext_lazy("fewer people give this answer"),
}


class HypothesisWords:
    """Formulates hypotheses in one language; uses the names of questions if `design` is None."""

    def __init__(self, design: Design | None, language: str) -> None:
        self.language = language
        questions = [*design.questions, *design.mined.questions] if design else []
        self.labels = {question.name: short_label(question, language) for question in questions}
        self.choices = {
            f"{question.name}={choice.name}": number_item_text(question, code, language)
            or choice.label.in_language_or_first(language)
            or choice.name
            for question in questions
            for code, choice in enumerate(question.choices)
        }
        self.options = {
            question.name: f"{question.name}={question.choices[-1].name}"
            for question in questions
            if question.form == "many"
        }

    def question_text(self, name: str) -> str:
        """Returns the text of a question; for an option of a group, question and option."""
        if name == ARM:
            return _("asked directly or disguised")
        return self.item_text(self.options[name]) if name in self.options else self.labels.get(name, name)

    def covariate_text(self, name: str) -> str:
        """Returns the text of a covariate: a question, *asked directly or disguised*, or a product of two
        covariates."""
        return BETWEEN.join(map(self.question_text, name.split(TIMES)))

    def item_text(self, item: str) -> str:
        name, _sign, choice = item.partition("=")
        question, answer = self.labels.get(name, name), self.choices.get(item, choice)
        return _("%(question)s: %(answer)s") % {"question": question, "answer": answer}

    def coefficient_text(self, name: str) -> str:
        """Returns the text of a regression coefficient: an answer, *asked directly or disguised*, a step of a scale, or
        a product of two."""
        sides = []
        for side in name.split(TIMES):
            if "=" in side:
                sides.append(self.item_text(side))
            elif side == ARM:
                sides.append(self.question_text(side))
            else:
                sides.append(
                    _("%(question)s, per step of its scale") % {"question": self.question_text(side)}
                )
        return BETWEEN.join(sides)

    def hypothesis_sentence(self, hypothesis: Node) -> str:
        match hypothesis["kind"]:
            case "share":
                text = _("The share of “%(item)s” differs from %(than)s.")
                values = {"item": self.item_text(hypothesis["item"])}
                values["than"] = format_exact_percent(float(hypothesis["than"]))
            case "arms":
                text = _("The share of “%(item)s” differs between disguised and direct answers.")
                values = {"item": self.item_text(hypothesis["item"])}
            case "version":
                text = _("The share of “%(item)s” differs between the versions of “%(by)s”.")
                values = {
                    "item": self.item_text(hypothesis["item"]),
                    "by": self.question_text(hypothesis["by"]),
                }
            case "change":
                text = (
                    _("The share of “%(item)s” is larger than in the earlier survey.")
                    if hypothesis["direction"] == MORE
                    else _("The share of “%(item)s” is smaller than in the earlier survey.")
                )
                values = {"item": self.item_text(hypothesis["item"])}
            case "association":
                text, conjunction = _("“%(first)s” and “%(second)s” are associated."), _(" and ")
                first, second = hypothesis["antecedent"], hypothesis["consequent"]
                values = {"first": conjunction.join(map(self.item_text, first))}
                values["second"] = conjunction.join(map(self.item_text, second))
            case _:
                text = _("Model of “%(item)s” on %(on)s, %(model)s: the coefficient of “%(of)s” is not 0.")
                values = {
                    "item": self.item_text(hypothesis["item"]),
                    "of": self.coefficient_text(hypothesis["of"]),
                }
                values["on"] = ", ".join(map(self.covariate_text, hypothesis["covariates"]))
                values["model"] = str(MODELS[hypothesis["model"]])
        return text % values
