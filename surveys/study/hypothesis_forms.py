"""Forms of hypotheses, one for each kind; their fields offer only what the design can test."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from privacy.designs import InputError
from privacy.designs.hypothesis_plan import (
    MODELS as MODEL_NAMES,
    MOST_HYPOTHESES,
    TIMES,
    distinct_names_in_covariates,
)
from surveys.kinds.percent_fields import ProbabilityField, percent_text, probability_text
from surveys.questionnaire import hypotheses
from surveys.questionnaire.hypotheses import HypothesisSubjects
from surveys.questionnaire.problems_and_refusals import Problem, reason_text
from surveys.questionnaire.value_normalization import Node
from surveys.study.hypothesis_sentences import CHANGE_WORDS, MODELS, HypothesisWords


class HypothesisForm(forms.Form):
    """Base form of a hypothesis; `others` are the hypotheses that are already drafted."""

    kind: ClassVar[str]
    only_sensitive: ClassVar[bool] = False
    """True if the form's field `item` offers only sensitive answers."""

    def __init__(
        self,
        others: Sequence[Node],
        subjects: HypothesisSubjects,
        words: HypothesisWords,
        data: Any = None,
        **options: Any,
    ) -> None:
        super().__init__(data, **options)
        self.others, self.subjects, self.words = others, subjects, words
        self.fill_choices()

    def fill_choices(self) -> None:
        """Fills the lists of choices from what the design can test."""
        self.set_item_choices(
            "item", self.subjects.sensitive_items if self.only_sensitive else self.subjects.items
        )

    def hypothesis_json(self) -> Node:
        """Returns the hypothesis in the form's cleaned data as JSON, without its name."""
        return {"kind": self.kind, **{name: self.cleaned_data[name] for name in self.base_fields}}

    @classmethod
    def initial_values(cls, hypothesis: Mapping[str, Any]) -> Node:
        """Returns the values of the fields for a stored hypothesis."""
        return {key: value for key, value in hypothesis.items() if key in cls.base_fields}

    @property
    def shown_values(self) -> Node:
        """Values that the fields display: the input if the form was submitted, else the initial values."""
        return {name: self[name].value() for name in self.fields}

    def set_choices(self, name: str, choices: Iterable[Any], empty: str = "") -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", empty or _("Choose …")), *choices]

    def set_item_choices(self, name: str, items: Iterable[str], empty: str = "") -> None:
        self.set_choices(name, [(item, self.words.item_text(item)) for item in items], empty)

    def clean(self) -> dict[str, Any]:
        if len(self.others) >= MOST_HYPOTHESES:
            words = _("A plan holds at most %(most)s hypotheses. Delete one first.")
            raise forms.ValidationError(words % {"most": MOST_HYPOTHESES})
        if not self.errors and any(
            {"name": drafted["name"], **self.hypothesis_json()} == drafted for drafted in self.others
        ):
            raise forms.ValidationError(_("This hypothesis is in the list already."))
        return self.cleaned_data


class ShareHypothesisForm(HypothesisForm):
    kind = "share"
    item = forms.ChoiceField(label=gettext_lazy("Answer"))
    than = ProbabilityField(label=gettext_lazy("Share to compare with (%)"))

    @classmethod
    def initial_values(cls, hypothesis: Mapping[str, Any]) -> Node:
        return {"item": hypothesis["item"], "than": percent_text(hypothesis["than"])}

    def hypothesis_json(self) -> Node:
        return {**super().hypothesis_json(), "than": probability_text(self.cleaned_data["than"])}


class ArmsHypothesisForm(HypothesisForm):
    kind = "arms"
    only_sensitive = True
    item = forms.ChoiceField(label=gettext_lazy("Answer"))


class VersionHypothesisForm(HypothesisForm):
    kind = "version"
    item = forms.ChoiceField(label=gettext_lazy("Answer"))
    by = forms.ChoiceField(label=gettext_lazy("Versions"))

    def fill_choices(self) -> None:
        super().fill_choices()
        self.set_choices("by", [(name, self.words.question_text(name)) for name in self.subjects.versions])


class ChangeHypothesisForm(HypothesisForm):
    kind = "change"
    item = forms.ChoiceField(label=gettext_lazy("Answer"))
    direction = forms.ChoiceField(
        label=gettext_lazy("Since the earlier survey"), choices=list(CHANGE_WORDS.items())
    )

    def fill_choices(self) -> None:
        self.set_item_choices("item", self.subjects.changes)


class AssociationHypothesisForm(HypothesisForm):
    kind = "association"
    first = forms.ChoiceField(label=gettext_lazy("First answer"))
    also = forms.ChoiceField(label=gettext_lazy("Together with"), required=False)
    second = forms.ChoiceField(label=gettext_lazy("Second answer"))

    def fill_choices(self) -> None:
        for name, field in self.fields.items():
            self.set_item_choices(name, self.subjects.items, "" if field.required else _("None"))

    def clean(self) -> dict[str, Any]:
        if not self.errors:
            items = [self.cleaned_data[name] for name in self.fields if self.cleaned_data[name]]
            if len({item.partition("=")[0] for item in items}) < len(items):
                raise forms.ValidationError(_("Choose answers to different questions."))
        return super().clean()

    @classmethod
    def initial_values(cls, hypothesis: Mapping[str, Any]) -> Node:
        first, also = (*hypothesis["antecedent"], "")[:2]
        return {"first": first, "also": also, "second": hypothesis["consequent"][0]}

    def hypothesis_json(self) -> Node:
        first = [self.cleaned_data[name] for name in ("first", "also") if self.cleaned_data[name]]
        return {"kind": self.kind, "antecedent": first, "consequent": [self.cleaned_data["second"]]}


class CoefficientHypothesisForm(HypothesisForm):
    """Form for a coefficient of a regression model; lists the coefficients of the chosen covariates and products, else
    all."""

    kind = "coefficient"
    only_sensitive = True
    template_name = "builder/coefficient.html"
    item = forms.ChoiceField(label=gettext_lazy("Answer that the model explains"))
    covariates = forms.MultipleChoiceField(
        label=gettext_lazy("Covariates"),
        help_text=gettext_lazy("Questions that are not disguised."),
        widget=forms.CheckboxSelectMultiple,
    )
    of = forms.ChoiceField(
        label=gettext_lazy("Coefficient"),
        help_text=gettext_lazy("Of one of these covariates or products, compared with its first answer."),
        error_messages={
            "invalid_choice": gettext_lazy("Choose a coefficient of one of the selected covariates.")
        },
    )
    model = forms.ChoiceField(label=gettext_lazy("Model"))

    def fill_choices(self) -> None:
        super().fill_choices()
        words, allowed = self.words, self.subjects.covariates
        covariates, model = self.fields["covariates"], self.fields["model"]
        assert isinstance(covariates, forms.MultipleChoiceField)
        assert isinstance(model, forms.ChoiceField)
        covariates.choices = options = [(name, words.question_text(name)) for name in allowed]
        model.choices = [(name, MODELS[name]) for name in MODEL_NAMES]
        add_product_fields(self, options)
        chosen = [name for name in self["covariates"].value() or () if name in allowed] or list(allowed)
        coefficients = self.subjects.coefficients_of_covariates(
            [*chosen, *products_among(chosen, self.shown_values)]
        )
        groups = [
            (words.covariate_text(covariate), [(name, words.coefficient_text(name)) for name in names])
            for covariate, names in coefficients.items()
            if names
        ]
        self.set_choices("of", groups)

    @property
    def product_field_pairs(self) -> list[tuple[forms.BoundField, forms.BoundField]]:
        return product_field_pairs(self)

    @property
    def has_products(self) -> bool:
        return any(chosen_product_pairs(self.shown_values))

    def clean(self) -> dict[str, Any]:
        chosen = self.cleaned_data.get("covariates", [])
        for first, second in self.product_field_pairs:
            pair = {self.cleaned_data.get(side.name, "") for side in (first, second)}
            if pair != {""} and ("" in pair or len(pair) < 2):
                self.add_error(second.name, _("Choose two different covariates, or none."))
            elif pair != {""} and not pair <= set(chosen):
                self.add_error(second.name, _("Select both covariates above as well."))
        if not self.errors:
            try:
                hypotheses.check_hypothesis(self.kind, self.hypothesis_json(), self.subjects)
            except InputError as refusal:
                raise forms.ValidationError(Problem("", reason_text(refusal)).sentence) from None
        return super().clean()

    @classmethod
    def initial_values(cls, hypothesis: Mapping[str, Any]) -> Node:
        covariates = hypothesis["covariates"]
        products = initial_product_values(name for name in covariates if TIMES in name)
        return {
            **super().initial_values(hypothesis),
            "covariates": distinct_names_in_covariates(covariates),
            **products,
        }

    def hypothesis_json(self) -> Node:
        chosen = [name for name in self.subjects.covariates if name in self.cleaned_data["covariates"]]
        covariates = [*chosen, *products_among(chosen, self.cleaned_data)]
        return {**super().hypothesis_json(), "covariates": covariates}


def products_among(covariates: Sequence[str], values: Mapping[str, Any]) -> list[str]:
    """Returns the products of two covariates that the form fields select, each once; without products with any other
    covariate."""
    pairs = [pair for pair in chosen_product_pairs(values) if set(pair) <= set(covariates)]
    return list(dict.fromkeys(TIMES.join(sorted(pair, key=covariates.index)) for pair in pairs))


FORMS: dict[str, type[HypothesisForm]] = {
    form.kind: form
    for form in (
        ShareHypothesisForm,
        ArmsHypothesisForm,
        VersionHypothesisForm,
        ChangeHypothesisForm,
        AssociationHypothesisForm,
        CoefficientHypothesisForm,
    )
}
TITLES: dict[str, str | Promise] = {
    "share": gettext_lazy("A share differs from a number"),
    "arms": gettext_lazy("Direct and disguised answers differ"),
    "version": gettext_lazy("Two versions differ"),
    "change": gettext_lazy("A share changed since the earlier survey"),
    "association": gettext_lazy("Two answers are associated"),
    "coefficient": gettext_lazy("A coefficient of a model is not 0"),
}
WAYS: dict[str, str | Promise] = {
    "share": gettext_lazy("Add a question first."),
    "arms": gettext_lazy("Ask a share directly first."),
    "version": gettext_lazy("Add a question first that the device answers, with two versions."),
    "change": gettext_lazy(
        "Begin this survey as “A new wave” of an earlier one, and ask some of its questions again."
    ),
    "association": gettext_lazy("Add a second question first."),
    "coefficient": gettext_lazy("Add a question first that is not disguised."),
}
"""Advice on what to do first, for each kind that the design does not allow yet."""


# --- product fields
# The fields of a form that choose products of two covariates of a model.

PRODUCTS = 3
FIRST, SECOND = "product{}_first", "product{}_second"


def add_product_fields(form: forms.Form, covariates: Iterable[tuple[str, str]]) -> None:
    """Adds fields that select products of two covariates; `covariates` are pairs of name and label."""
    choices = [("", "—"), *covariates]
    for number in range(1, PRODUCTS + 1):
        for name, label in ((FIRST, _("First covariate")), (SECOND, _("Second covariate"))):
            form.fields[name.format(number)] = forms.ChoiceField(label=label, required=False, choices=choices)


def product_field_pairs(form: forms.Form) -> list[tuple[forms.BoundField, forms.BoundField]]:
    return [(form[FIRST.format(number)], form[SECOND.format(number)]) for number in range(1, PRODUCTS + 1)]


def chosen_product_pairs(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yields the two covariates of each selected product; a missing one is empty."""
    for number in range(1, PRODUCTS + 1):
        first, second = (str(values.get(name.format(number)) or "") for name in (FIRST, SECOND))
        if first or second:
            yield first, second


def initial_product_values(products: Iterable[str]) -> dict[str, str]:
    """Returns initial values of the product fields, from products such as `age*sex`."""
    initial: dict[str, str] = {}
    for number, product in enumerate(products, 1):
        first, _times, second = product.partition(TIMES)
        initial |= {FIRST.format(number): first, SECOND.format(number): second}
    return initial
