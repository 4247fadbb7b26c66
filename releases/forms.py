"""The forms of releases: upload, roles of columns, values of a column, criteria, decisions."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext as _, gettext_lazy

from privacy.anonymity.hierarchies import UP_TO
from privacy.anonymity.specification import MOST_SECONDS
from releases import hierarchy_text
from releases.roles import QUASI, ColumnRole
from releases.survey_tables import LEAST_K
from surveys.models import Survey
from surveys.refused import Refused

MOST_NAMED = 10
"""Missing values that an error names."""

ROLE_CHOICES = [
    (
        gettext_lazy("Others may know it (quasi-identifier)"),
        [
            (ColumnRole.NUMBER.value, gettext_lazy("number: becomes a range")),
            (ColumnRole.ORDERED.value, gettext_lazy("ordered values: neighbours are joined")),
            (ColumnRole.CATEGORY.value, gettext_lazy("categories: replaced by a group")),
        ],
    ),
    (
        gettext_lazy("Published as it is"),
        [
            (ColumnRole.SENSITIVE.value, gettext_lazy("sensitive: nobody may find it out")),
            (ColumnRole.OTHER.value, gettext_lazy("other: nobody knows it and it harms nobody")),
        ],
    ),
    (
        gettext_lazy("Not published"),
        [
            (ColumnRole.IDENTIFIER.value, gettext_lazy("identifier, such as a name or a number of a person")),
            (ColumnRole.DROPPED.value, gettext_lazy("left out")),
        ],
    ),
]


class UploadForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("CSV file"),
        help_text=gettext_lazy(
            "At most 50 megabytes, UTF-8, one person per row. The first line holds the names of the columns."
        ),
        max_length=200,
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )


class SurveyReleaseForm(forms.Form):
    which = forms.ChoiceField(
        label=gettext_lazy("Which answers?"),
        widget=forms.RadioSelect,
        initial="plain",
        choices=[
            ("plain", gettext_lazy("The plain answers of all respondents, without any sensitive question")),
            (
                "disguised",
                gettext_lazy("Plain and disguised answers, of the respondents who chose disguise only"),
            ),
        ],
        help_text=gettext_lazy(
            "The true answers of respondents who did not choose disguise never leave Candor in a release."
        ),
    )

    @property
    def disguised_only(self) -> bool:
        return bool(self.cleaned_data["which"] == "disguised")


class RolesForm(forms.Form):
    """One select per column; the names of the fields are numbers, since a column can have any name."""

    def __init__(self, columns: Sequence[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.columns = columns
        for number, column in enumerate(columns):
            self.fields[f"role-{number}"] = forms.ChoiceField(label=column, choices=ROLE_CHOICES)

    @property
    def wanted(self) -> dict[str, ColumnRole]:
        return {
            column: ColumnRole(self.cleaned_data[f"role-{number}"])
            for number, column in enumerate(self.columns)
        }

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors and not any(role in QUASI for role in data.values()):
            raise ValidationError(
                _(
                    "Choose at least one column that others may know. Without one there is nothing to protect: "
                    "nobody could tell any row from another."
                )
            )
        return data


class OrderForm(forms.Form):
    """The order of the values; with `optional`, an empty list says that they have none."""

    order = forms.CharField(
        label=gettext_lazy("Values in order"),
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text=gettext_lazy("One value per line, from the lowest to the highest."),
        max_length=200_000,
    )

    def __init__(self, values: Sequence[str], *args: Any, optional: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.values = values
        if optional:
            self.fields["order"].required = False
            self.fields["order"].help_text = _(
                "One value per line, from the lowest to the highest. Leave it empty if the values have no order."
            )

    def clean_order(self) -> list[str]:
        order = [line.strip() for line in self.cleaned_data["order"].splitlines() if line.strip()]
        twice = next((value for place, value in enumerate(order) if value in order[:place]), None)
        if twice is not None:
            raise ValidationError(_("“%(value)s” is there twice. Leave one of them out.") % {"value": twice})
        if any(UP_TO in value for value in order):
            raise ValidationError(
                _(
                    "A value with “..” has no place in an order, since “..” stands between the ends of a range."
                )
            )
        if len(order) == 1:
            raise ValidationError(_("Give at least two values, each on a line of its own."))
        if order:
            refuse_missing(self.values, order)
        return order


def refuse_missing(values: Sequence[str], given: Sequence[str]) -> None:
    """Refuse an order or a hierarchy without some of the column's values."""
    known = frozenset(given)
    missing = [value for value in values if value not in known]
    if missing:
        named = ", ".join(missing[:MOST_NAMED]) + (" …" if len(missing) > MOST_NAMED else "")
        raise ValidationError(_("These values of the column are missing: %(values)s.") % {"values": named})


class HierarchyForm(forms.Form):
    hierarchy = forms.ChoiceField(
        label=gettext_lazy("How are values made coarser?"),
        widget=forms.RadioSelect,
        choices=[
            ("flat", gettext_lazy("Flat: a value is shown, or “*” for any")),
            ("prefixes", gettext_lazy("Prefixes: the end of a code is left out, as 101** of 10115")),
            ("given", gettext_lazy("My own groups, written below")),
        ],
    )
    groups = forms.CharField(
        label=gettext_lazy("Groups"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
        help_text=gettext_lazy(
            "One group or value per line. Indent what belongs to a group below it. Every value of the column must "
            "be there once."
        ),
        max_length=1_000_000,
    )
    empty = forms.BooleanField(
        label=gettext_lazy("An empty cell is a value of its own"),
        required=False,
        help_text=gettext_lazy(
            'Otherwise an empty cell is refused. Write it as "" where you write your own groups.'
        ),
    )

    def __init__(self, values: Sequence[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.values = values

    def clean_groups(self) -> hierarchy_text.Nodes:
        if self.cleaned_data.get("hierarchy") != "given":
            return []
        try:
            nodes = hierarchy_text.read(self.cleaned_data["groups"])
        except Refused as refused:
            raise ValidationError(str(refused)) from None
        refuse_missing(self.values, list(hierarchy_text.leaves(nodes)))
        return nodes


class PercentField(forms.DecimalField):
    """A share in percent, with at most two places; the specification holds ten-thousandths."""

    def __init__(self, *, low: str = "0.01", high: str = "99.99", **kwargs: Any) -> None:
        super().__init__(
            min_value=Decimal(low), max_value=Decimal(high), max_digits=5, decimal_places=2, **kwargs
        )
        self.widget.attrs["inputmode"] = "decimal"


METHOD_NAMES = {
    "tree": gettext_lazy("Tree"),
    "bottom-up": gettext_lazy("Bottom-up"),
    "samarati": gettext_lazy("Samarati"),
    "datafly": gettext_lazy("Datafly"),
    "kacluk": gettext_lazy("KACLUK"),
    "ilp": gettext_lazy("ILP"),
    "exhaustive": gettext_lazy("Exhaustive search"),
}
METHODS = {
    "tree": gettext_lazy("Tree: cuts the table into ever smaller classes; changes and leaves out nothing"),
    "bottom-up": gettext_lazy("Bottom-up: joins classes until each keeps the criteria; slow on large tables"),
    "samarati": gettext_lazy("Samarati: one level of detail for each whole column; may leave records out"),
    "datafly": gettext_lazy("Datafly: coarsens the column with most values again and again; a baseline"),
    "kacluk": gettext_lazy("KACLUK: clusters by a weighted distance, then joins small classes"),
    "ilp": gettext_lazy("ILP: joins classes by the information-loss penalty"),
    "exhaustive": gettext_lazy("Exhaustive: tries every level of detail; only for small tables"),
}
"""What a method does, in words; a method that is not here is shown by its name."""


WEIGHTS = [
    ("unit", gettext_lazy("the same in every column")),
    ("data", gettext_lazy("more where a column and the sensitive value go together in the table")),
    ("expert", gettext_lazy("as the specification says")),
]
MOST_K = 1_000_000


class CriteriaForm(forms.Form):
    """What every class of records must keep, and how the classes are searched."""

    k = forms.IntegerField(
        label=gettext_lazy("Smallest class (k)"),
        min_value=2,
        max_value=MOST_K,
        help_text=gettext_lazy(
            "k-anonymity: nobody can be told from at least k − 1 others by what others may know of them."
        ),
    )
    max_frequency = PercentField(
        label=gettext_lazy("Largest share of one sensitive value in a class, in percent"),
        required=False,
        help_text=gettext_lazy(
            "With 50, no class gives a sensitive value away with more than 50 %. Leave it empty to ask for no limit."
        ),
    )
    l_kind = forms.ChoiceField(
        label=gettext_lazy("l-diversity"),
        help_text=gettext_lazy("Every class must hold several sensitive values."),
        choices=[
            ("", gettext_lazy("not asked for")),
            ("distinct", gettext_lazy("distinct: at least l different values")),
            ("entropy", gettext_lazy("entropy: as varied as l equally frequent values")),
            ("recursive", gettext_lazy("recursive (c, l): the most frequent value is not too frequent")),
        ],
        required=False,
    )
    l_value = forms.IntegerField(
        label=gettext_lazy("l, the number of values"), min_value=1, max_value=1_000_000, required=False
    )
    l_c = forms.DecimalField(
        label=gettext_lazy("c, for the recursive kind"),
        min_value=Decimal("0.0001"),
        max_digits=10,
        decimal_places=4,
        required=False,
        help_text=gettext_lazy(
            "The most frequent value is less than c times as frequent as all from the l-th on together."
        ),
    )
    l_joint = forms.BooleanField(
        label=gettext_lazy("Also when all other sensitive values of a person are known"), required=False
    )
    t = PercentField(
        label=gettext_lazy("t-closeness, in percent"),
        required=False,
        help_text=gettext_lazy(
            "The sensitive values of a class are at most this far (earth mover’s distance) from those of the whole "
            "table. Leave it empty not to ask for it."
        ),
    )
    rho1 = PercentField(
        label=gettext_lazy("Breach: what is at most this likely without the table (ρ₁), in percent"),
        required=False,
    )
    rho2 = PercentField(
        label=gettext_lazy("Breach: must stay less likely than this with the table (ρ₂), in percent"),
        required=False,
    )
    method = forms.ChoiceField(label=gettext_lazy("Method"), widget=forms.RadioSelect)
    suppression = PercentField(
        label=gettext_lazy("Records that may be left out, in percent"), required=False, low="0", high="50"
    )
    falsification = PercentField(
        label=gettext_lazy("Records whose sensitive value may be changed, in percent"),
        required=False,
        low="0",
        high="50",
        help_text=gettext_lazy("Changed values are false. Only some methods use this."),
    )
    weights = forms.ChoiceField(
        label=gettext_lazy("What detail is worth"),
        required=False,
        choices=WEIGHTS,
    )
    seconds = forms.IntegerField(
        label=gettext_lazy("Seconds of search"),
        min_value=1,
        max_value=MOST_SECONDS,
        help_text=gettext_lazy("Longer searches lose a little less detail."),
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        min_value=0,
        max_value=2**31 - 1,
        help_text=gettext_lazy("The same seed and the same number of steps give the same classes."),
    )
    SENSITIVE = ("max_frequency", "l_kind", "l_value", "l_c", "l_joint", "t", "rho1", "rho2")
    SENSITIVE_MORE = ("falsification", "weights")
    MORE = ("suppression", "falsification", "weights", "seconds", "seed")

    joined = forms.BooleanField(
        label=gettext_lazy("Keep the classes of earlier releases of this survey together"),
        required=False,
        help_text=gettext_lazy(
            "Then both releases together tell no more than one of them. This loses more detail. Choose it where a "
            "release was refused because of an earlier one."
        ),
    )

    def __init__(
        self, sensitive: int, methods: Sequence[str], *args: Any, survey: Survey | None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["method"].choices = [  # type: ignore[attr-defined]
            (name, METHODS.get(name, name)) for name in methods
        ]
        if self.initial.get("weights") != "expert":
            self.fields["weights"].choices = WEIGHTS[:-1]  # type: ignore[attr-defined]
        unused = {"l_joint"} if sensitive == 1 else {"weights"}
        unused |= set() if sensitive else {*self.SENSITIVE, *self.SENSITIVE_MORE}
        unused |= set() if survey else {"joined"}
        for name in unused:
            del self.fields[name]
        if survey:
            least = self.fields["k"].min_value = LEAST_K  # type: ignore[attr-defined]
            self.fields["k"].widget.attrs["min"] = least
            self.fields["k"].validators = [MinValueValidator(least), MaxValueValidator(MOST_K)]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("l_kind") and not data.get("l_value") and "l_value" not in self.errors:
            self.add_error("l_value", _("Give the number of values, 2 or more."))
        if data.get("l_kind") == "recursive" and not data.get("l_c") and "l_c" not in self.errors:
            self.add_error("l_c", _("Give c, for example 2."))
        first, second = data.get("rho1"), data.get("rho2")
        if (first is None) != (second is None):
            self.add_error("rho2" if second is None else "rho1", _("Give both shares, or neither."))
        elif first is not None and second is not None and first >= second:
            self.add_error("rho2", _("It must be larger than the share before."))
        return data

    @property
    def of_sensitive(self) -> list[forms.BoundField]:
        """The fields of l-diversity, t-closeness and breaches; the cap stands by itself."""
        return [self[name] for name in self.SENSITIVE[1:] if name in self.fields]

    @property
    def more(self) -> list[forms.BoundField]:
        return [self[name] for name in self.MORE if name in self.fields]

    @property
    def open_diversity(self) -> bool:
        return any(field.errors for field in self.of_sensitive)

    @property
    def open_more(self) -> bool:
        return any(field.errors for field in self.more)


class NoteForm(forms.Form):
    note = forms.CharField(
        label=gettext_lazy("Note"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("The activity log keeps it."),
    )


class DecisionReasonForm(forms.Form):
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("It is shown on the page of the release, and the activity log keeps it."),
    )
