"""The forms that add a hypothesis: every field offers what the design can name."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, ClassVar

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _, gettext_lazy

from privacy.designs.plan import MODELS as MODEL_NAMES, MOST_HYPOTHESES
from surveys import hypotheses
from surveys.builder.normal_values import Node
from surveys.builder.percent_fields import ProbabilityField, as_probability
from surveys.draft import Draft
from surveys.hypotheses import Subjects
from surveys.hypothesis_words import MODELS, HypothesisWords

Options = list[tuple[str, str]]


class HypothesisForm(forms.Form):
    kind: ClassVar[str]

    def __init__(
        self, draft: Draft, subjects: Subjects, words: HypothesisWords, data: Any = None, **options: Any
    ) -> None:
        super().__init__(data, **options)
        self.draft, self.subjects, self.words = draft, subjects, words
        self.offer()

    def offer(self) -> None:
        """Fill the lists of the fields."""
        raise NotImplementedError

    def said(self) -> Node:
        """The hypothesis without its name, of cleaned data."""
        raise NotImplementedError

    def set_options(self, name: str, options: Iterable[tuple[str, str]], *, optional: bool = False) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        empty: Options = [("", _("None") if optional else _("Choose …"))]
        field.choices = [*empty, *options]

    def items(self, names: Iterable[str]) -> Options:
        return [(name, self.words.item(name)) for name in names]

    def clean(self) -> dict[str, Any]:
        there = hypotheses.drafted(self.draft)
        if len(there) >= MOST_HYPOTHESES:
            words = _("A plan holds at most %(most)s hypotheses. Delete one first.")
            raise forms.ValidationError(words % {"most": MOST_HYPOTHESES})
        if not self.errors and any(self._is_same(each) for each in there):
            raise forms.ValidationError(_("This hypothesis is in the list already."))
        return self.cleaned_data

    def _is_same(self, other: Node) -> bool:
        return {**other, "name": ""} == {**self.said(), "name": ""}


class ShareHypothesisForm(HypothesisForm):
    kind = "share"
    item = forms.ChoiceField(label=gettext_lazy("Answer"))
    than = ProbabilityField(label=gettext_lazy("Share to compare with (%)"))

    def offer(self) -> None:
        self.set_options("item", self.items(self.subjects.items))

    def said(self) -> Node:
        than: Decimal = self.cleaned_data["than"]
        return {"kind": self.kind, "item": self.cleaned_data["item"], "than": as_probability(than)}


class ArmsHypothesisForm(HypothesisForm):
    kind = "arms"
    item = forms.ChoiceField(label=gettext_lazy("Answer"))

    def offer(self) -> None:
        self.set_options("item", self.items(self.subjects.sensitive_items))

    def said(self) -> Node:
        return {"kind": self.kind, "item": self.cleaned_data["item"]}


class VersionHypothesisForm(HypothesisForm):
    kind = "version"
    item = forms.ChoiceField(label=gettext_lazy("Answer"))
    by = forms.ChoiceField(label=gettext_lazy("Versions"))

    def offer(self) -> None:
        self.set_options("item", self.items(self.subjects.items))
        self.set_options("by", [(name, self.words.question(name)) for name in self.subjects.versions])

    def said(self) -> Node:
        return {"kind": self.kind, "item": self.cleaned_data["item"], "by": self.cleaned_data["by"]}


class AssociationHypothesisForm(HypothesisForm):
    kind = "association"
    first = forms.ChoiceField(label=gettext_lazy("First answer"))
    also = forms.ChoiceField(label=gettext_lazy("Together with"), required=False)
    second = forms.ChoiceField(label=gettext_lazy("Second answer"))

    def offer(self) -> None:
        for name, field in self.fields.items():
            self.set_options(name, self.items(self.subjects.items), optional=not field.required)

    def clean(self) -> dict[str, Any]:
        if not self.errors:
            items = [self.cleaned_data[name] for name in self.fields if self.cleaned_data[name]]
            if len({item.partition("=")[0] for item in items}) < len(items):
                raise forms.ValidationError(_("Choose answers to different questions."))
        return super().clean()

    def said(self) -> Node:
        first = [self.cleaned_data[name] for name in ("first", "also") if self.cleaned_data[name]]
        return {"kind": self.kind, "antecedent": first, "consequent": [self.cleaned_data["second"]]}


class CoefficientHypothesisForm(HypothesisForm):
    kind = "coefficient"
    item = forms.ChoiceField(label=gettext_lazy("Answer that the model explains"))
    covariates = forms.MultipleChoiceField(
        label=gettext_lazy("Covariates"),
        help_text=gettext_lazy("Questions that are not disguised."),
        widget=forms.CheckboxSelectMultiple,
    )
    of = forms.ChoiceField(
        label=gettext_lazy("Coefficient"),
        help_text=gettext_lazy("Of one of these covariates, compared with its first answer."),
    )
    model = forms.ChoiceField(label=gettext_lazy("Model"))

    def offer(self) -> None:
        known = self.subjects.covariates
        self.set_options("item", self.items(self.subjects.sensitive_items))
        covariates = self.fields["covariates"]
        assert isinstance(covariates, forms.MultipleChoiceField)
        covariates.choices = [(name, self.words.question(name)) for name in known]
        names = [each for found in known.values() for each in found]
        self.set_options("of", [(name, self.words.coefficient(name)) for name in names])
        model = self.fields["model"]
        assert isinstance(model, forms.ChoiceField)
        model.choices = [(name, MODELS[name]) for name in MODEL_NAMES]

    def clean(self) -> dict[str, Any]:
        if not self.errors:
            chosen = self.cleaned_data["covariates"]
            if self.cleaned_data["of"] not in [
                each for name in chosen for each in self.subjects.covariates[name]
            ]:
                self.add_error("of", _("Choose a coefficient of one of the selected covariates."))
        return super().clean()

    def said(self) -> Node:
        given = self.cleaned_data
        return {"kind": self.kind, **{name: given[name] for name in ("item", "model", "covariates", "of")}}


FORMS: dict[str, type[HypothesisForm]] = {
    form.kind: form
    for form in (
        ShareHypothesisForm,
        ArmsHypothesisForm,
        VersionHypothesisForm,
        AssociationHypothesisForm,
        CoefficientHypothesisForm,
    )
}
TITLES: dict[str, str | Promise] = {
    "share": gettext_lazy("A share differs from a number"),
    "arms": gettext_lazy("Direct and disguised answers differ"),
    "version": gettext_lazy("Two versions differ"),
    "association": gettext_lazy("Two answers are associated"),
    "coefficient": gettext_lazy("A coefficient of a model is not 0"),
}
WAYS: dict[str, str | Promise] = {
    "share": gettext_lazy("Add a question first."),
    "arms": gettext_lazy("Ask a share directly first."),
    "version": gettext_lazy("Add a question first that the device answers, with two versions."),
    "association": gettext_lazy("Add a second question first."),
    "coefficient": gettext_lazy("Add a question first that is not disguised."),
}
"""What to do where the design does not allow a kind."""
