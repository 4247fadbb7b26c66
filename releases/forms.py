"""The forms of releases: upload, roles of columns, values of a column, decisions."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from privacy.anonymity.hierarchies import UP_TO
from releases import hierarchy_text
from releases.models import Source
from releases.roles import QUASI, ColumnRole
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
    before = forms.ChoiceField(
        label=gettext_lazy("Are these people in a table that was released before?"),
        widget=forms.RadioSelect,
        choices=Source.Before.choices,
        help_text=gettext_lazy(
            "Two releases of the same people can tell more than either. Candor notices the same file, not the same "
            "people."
        ),
    )


class RegisterForm(forms.Form):
    register = forms.FileField(
        label=gettext_lazy("Register of people (CSV)"),
        help_text=gettext_lazy(
            "At most 50 megabytes, UTF-8, one person per row, with some of the columns that others may know. The first "
            "line holds the names of the columns. It is never shown, and deleted when the attack begins."
        ),
        max_length=200,
        widget=forms.FileInput(attrs={"accept": ".csv,text/csv"}),
    )

    def __init__(self, *args: Any, required: bool) -> None:
        super().__init__(*args)
        self.fields["register"].required = required


class SurveyReleaseForm(forms.Form):
    which = forms.ChoiceField(
        label=gettext_lazy("Which answers?"),
        widget=forms.RadioSelect,
        initial="plain",
        choices=[
            (
                "plain",
                gettext_lazy("Answers that are not disguised, without any sensitive question"),
            ),
            (
                "disguised",
                gettext_lazy("All answers, disguised and not disguised"),
            ),
        ],
        help_text=gettext_lazy("A release holds the records of people who chose disguise."),
    )

    @property
    def with_sensitive(self) -> bool:
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
                _("A value with “..” has no place in an order, since “..” separates the ends of a range.")
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


class NoteForm(forms.Form):
    note = forms.CharField(
        label=gettext_lazy("Note"),
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("The activity log keeps it."),
    )


class ApproveUploadForm(NoteForm):
    """Where some columns of the table were released before, and both cannot be held beside each other."""

    apart = forms.BooleanField(
        label=gettext_lazy("I have made sure that both tables together do not tell of single people.")
    )


class DecisionReasonForm(forms.Form):
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("It is shown on the page of the release, and the activity log keeps it."),
    )
