"""Forms that start a run and forecast it."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.translation import gettext as _, gettext_lazy

from mining.parameters import ERRORS, MAX_SIZE, Parameters
from runs.models import Margins, MlxtendCheck

LARGEST = 6
"""Largest itemset size on offer; the errors of larger itemsets exceed their supports."""


class ShareField(forms.FloatField):
    """Form field of a threshold above 0 and at most 1, written as a percentage."""

    widget = forms.NumberInput(attrs={"step": "any", "min": "0", "max": "100", "inputmode": "decimal"})

    def clean(self, value: Any) -> float | None:
        """Returns the entered percentage as a share, such as 0.1 for 10."""
        percent = super().clean(value)
        return None if percent is None else round(percent / 100, 12)

    def validate(self, value: Any) -> None:
        super().validate(value)
        if value is not None and not 0 < value <= 100:
            raise ValidationError(_("Must be above 0 % and at most 100 %."))


class StartRunForm(forms.Form):
    min_support = ShareField(
        label=gettext_lazy("Minimum support (%)"),
        initial=10,
        help_text=gettext_lazy("Share of respondents who gave all the answers, in % (for example 10)"),
    )
    min_confidence = ShareField(
        label=gettext_lazy("Minimum confidence (%)"),
        initial=60,
        help_text=gettext_lazy(
            "Of the people who match the “if” part, the share who also match the “then” part."
        ),
    )
    max_size = forms.IntegerField(
        label=gettext_lazy("Most answers in a combination (itemset)"),
        initial=MAX_SIZE,
        min_value=1,
        max_value=LARGEST,
        help_text=gettext_lazy(
            "The error grows with each disguised answer, and so does the number of tests."
        ),
    )
    absences = forms.BooleanField(
        label=gettext_lazy("Count “no” and “prefer not to say” as answers of their own"),
        required=False,
        help_text=gettext_lazy(
            "Rules may then be about what people did not do or did not say. There are many more of them. The shares of "
            "these answers are listed either way."
        ),
    )
    estimator = forms.ChoiceField(
        label=gettext_lazy("Estimator"),
        widget=forms.RadioSelect,
        initial="stratified",
        choices=[
            (
                "stratified",
                gettext_lazy("Stratified: unbiased, whichever people chose no disguise (recommended)"),
            ),
            (
                "pooled",
                gettext_lazy("Pooled: the published formula; biased if the two groups differ"),
            ),
            (
                "combined",
                gettext_lazy("Combined (precision-weighted): most precise; biased if the two groups differ"),
            ),
        ],
        help_text=gettext_lazy(
            "People who choose no disguise are seldom like the others. Where half do, 10 % of them but 40 % of the "
            "others have done it, and the disguise sends 3 of 10 answers as they are, “pooled” says 17 % when 25 % is "
            "true. “Combined” has about half the error if the groups are alike and is wrong if they are not; the "
            "report says that you assumed it."
        ),
    )
    mlxtend = forms.ChoiceField(
        label=gettext_lazy("Check by mlxtend"),
        widget=forms.RadioSelect,
        initial=MlxtendCheck.AUTOMATIC,
        choices=MlxtendCheck,
        help_text=gettext_lazy(
            "Afterwards mlxtend, a public package, mines the same records, and both results are compared. Automatic: "
            "where that takes longer than a minute, on a sample, or not at all where even a sample takes too long."
        ),
    )
    exact = forms.BooleanField(
        label=gettext_lazy("Miss nothing, provably"),
        required=False,
        help_text=gettext_lazy(
            "Otherwise a candidate is dropped when even its estimate and some standard errors do not reach the "
            "threshold. With the 3 set here, nine of ten simulated surveys of 100 to 100,000 respondents lost "
            "no itemset by that, and the worst one an eighth of its own. This takes longer and misses none."
        ),
    )
    standard_errors = forms.FloatField(
        label=gettext_lazy("Standard errors"),
        initial=f"{ERRORS:g}",
        min_value=0,
        max_value=10,
        help_text=gettext_lazy("How many of them a candidate is given before it is dropped."),
    )
    margins = forms.ModelChoiceField(
        Margins.objects.none(),
        label=gettext_lazy("Weights"),
        required=False,
        empty_label=gettext_lazy("No weights"),
        help_text=gettext_lazy(
            "The report then shows weighted shares beside the others, of single sensitive answers. If nothing can be"
            " weighted, the report says so, and a reviewer sees why."
        ),
    )
    field_order = [
        *("min_support", "min_confidence", "max_size", "absences", "estimator", "mlxtend", "exact"),
        *("standard_errors", "margins"),
    ]

    def __init__(
        self, *args: Any, has_arms: bool = False, margins: QuerySet[Margins] | None = None, **kwargs: Any
    ) -> None:
        """Builds the fields. `has_arms`: only the disguised arm is mined, so that there is no estimator to choose.
        `margins`: those of the survey."""
        super().__init__(*args, **kwargs)
        if has_arms:
            del self.fields["estimator"]
        if margins is None or not margins.exists():
            del self.fields["margins"]
        else:
            self.fields["margins"].queryset = margins  # type: ignore[attr-defined]

    @property
    def parameters(self) -> Parameters:
        beside = ("margins", "mlxtend")
        given = {name: value for name, value in self.cleaned_data.items() if name not in beside}
        return Parameters(errors=given.pop("standard_errors"), **given)


class ForecastForm(StartRunForm):
    """Form of the settings that influence the number of itemsets, without the thresholds."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("min_support", "min_confidence", "mlxtend", "exact", "standard_errors"):
            del self.fields[name]

    @classmethod
    def usual_values(cls) -> dict[str, Any]:
        return {name: field.initial for name, field in cls.base_fields.items()}

    @property
    def parameters(self) -> Parameters:
        return Parameters(min_support=1, min_confidence=1, **self.cleaned_data)
