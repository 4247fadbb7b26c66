"""Defines the form by which a researcher specifies a regression model, by choosing from lists."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from mining.studies.model_request_and_columns import ARM_NAME, TIMES
from privacy.designs import Question
from reports.answer_labels import Labels
from reports.texts.regression_texts import covariate_text
from surveys.study.hypothesis_forms import add_product_fields, chosen_product_pairs, product_field_pairs

OUT, CATEGORIES, NUMBER = "out", "categories", "number"
FILTERS = 2
COVARIATE = "covariate_"


class ModelForm(forms.Form):
    """Form that specifies a model over the questions of a mined survey.

    Each plain question is left out, or taken as categories or as a number.
    """

    item = forms.ChoiceField(
        label=gettext_lazy("Answer"),
        help_text=gettext_lazy("The sensitive answer whose share the model explains."),
    )
    formula = forms.ChoiceField(
        label=gettext_lazy("Model"),
        widget=forms.RadioSelect,
        initial="linear",
        choices=[
            ("linear", gettext_lazy("Linear: coefficients in percentage points (recommended)")),
            (
                "logit",
                gettext_lazy("Logit: coefficients in log odds; often cannot be estimated for rare answers"),
            ),
        ],
    )

    def __init__(self, labels: Labels, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.labels = labels
        self.fields["item"].choices = [(_("Choose"), [("", "—")]), *self._answer_choices(sensitive=True)]  # type: ignore[attr-defined]
        names = [question.name for question in self._plain_questions()]
        for question in self._plain_questions():
            self.fields[COVARIATE + question.name] = _covariate_field(labels, question)
        if labels.design.has_arms:
            names.append(ARM_NAME)
            self.fields[COVARIATE + ARM_NAME] = _arm_field(labels)
        add_product_fields(self, [(name, covariate_text(labels, name)) for name in names])
        answers = [("", "—"), *self._answer_choices(sensitive=False)]
        for number in range(1, FILTERS + 1):
            self.fields[f"among{number}"] = forms.ChoiceField(
                label=_("Only people who answered (%(number)s)") % {"number": number},
                required=False,
                choices=answers,
            )

    def _answer_choices(self, *, sensitive: bool) -> Iterator[tuple[str, list[tuple[str, str]]]]:
        """Yields the answers grouped by question, for a select list."""
        answers_of: dict[str, list[tuple[str, str]]] = {}
        for name in self.labels.names:
            if self.labels.is_sensitive([name]) == sensitive:
                answer = self.labels.answer(name)
                answers_of.setdefault(answer.question, []).append((name, answer.choice))
        yield from answers_of.items()

    def _plain_questions(self) -> Iterator[Question]:
        for section in self.labels.design.sections:
            if not section.sensitive:
                yield from (question for question in section.questions if question.choices)

    @property
    def covariates(self) -> list[forms.BoundField]:
        return [self[name] for name in self.fields if name.startswith(COVARIATE)]

    @property
    def product_field_pairs(self) -> list[tuple[forms.BoundField, forms.BoundField]]:
        return product_field_pairs(self)

    @property
    def filters(self) -> list[forms.BoundField]:
        return [self[f"among{number}"] for number in range(1, FILTERS + 1)]

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if all(given.get(name) == OUT for name in self.fields if name.startswith(COVARIATE)):
            self.add_error(None, _("Choose at least one covariate."))
        return given

    @property
    def specification(self) -> dict[str, Any]:
        """The specification as `runs.regression_job` stores it."""
        given = self.cleaned_data
        roles = {
            name.removeprefix(COVARIATE): given[name]
            for name in self.fields
            if name.startswith(COVARIATE) and given[name] != OUT
        }
        return {
            "item": given["item"],
            "on": list(roles),
            "numbers": [name for name, role in roles.items() if role == NUMBER],
            "products": [TIMES.join(pair) for pair in chosen_product_pairs(given)],
            "among": [given[field.name] for field in self.filters if given[field.name]],
            "logit": given["formula"] == "logit",
        }


def _covariate_field(labels: Labels, question: Question) -> forms.ChoiceField:
    choices = [(OUT, _("left out")), (CATEGORIES, _("by categories"))]
    if question.form == "scale":
        choices.append((NUMBER, _("as a number: 0, 1, 2, …")))
    return forms.ChoiceField(label=covariate_text(labels, question.name), choices=choices)


def _arm_field(labels: Labels) -> forms.ChoiceField:
    choices = [(OUT, _("left out")), (CATEGORIES, _("by categories"))]
    return forms.ChoiceField(label=covariate_text(labels, ARM_NAME), choices=choices)
