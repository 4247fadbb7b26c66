"""The forms of releases: upload, roles of columns, values of a column, decisions."""

from collections.abc import Sequence
from dataclasses import asdict
from decimal import Decimal
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _, gettext_lazy

from privacy.anonymity.tables.hierarchies import UP_TO, DateOrder, Level
from privacy.records.layouts import Layout
from releases.models import Source
from releases.specification import hierarchy_text
from releases.specification.roles import QUASI, ColumnRole
from surveys.questionnaire.problems import NotAllowed

MOST_NAMED = 10
"""Missing values that an error names."""

ROLE_CHOICES = [
    (
        gettext_lazy("Quasi-identifier: others may know it"),
        [
            (ColumnRole.NUMBER.value, gettext_lazy("Quasi-identifier: number")),
            (ColumnRole.DATE.value, gettext_lazy("Quasi-identifier: date")),
            (ColumnRole.ORDERED.value, gettext_lazy("Quasi-identifier: ordered")),
            (ColumnRole.CATEGORY.value, gettext_lazy("Quasi-identifier: category")),
        ],
    ),
    (
        gettext_lazy("Published as it is"),
        [
            (ColumnRole.SENSITIVE.value, gettext_lazy("Sensitive: nobody may find it out")),
            (ColumnRole.OTHER.value, gettext_lazy("Other: unknown and harmless")),
        ],
    ),
    (
        gettext_lazy("Not published"),
        [
            (ColumnRole.IDENTIFIER.value, gettext_lazy("Identifier: names a person by itself")),
            (ColumnRole.DROPPED.value, gettext_lazy("Left out")),
        ],
    ),
]


class UploadForm(forms.Form):
    file = forms.FileField(
        label=gettext_lazy("Table"),
        help_text=gettext_lazy(
            "A text file with any separator (.csv, .tsv, .txt), Excel (.xlsx), Parquet or SPSS (.sav). At most 50 "
            "megabytes, one person per row. The first line holds the names of the columns."
        ),
        max_length=200,
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx,.parquet,.sav,.zsav,text/csv"}),
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


class LayoutForm(forms.Form):
    """How a file of text is read; its fields are those of `Layout`."""

    separator = forms.ChoiceField(
        label=gettext_lazy("Between two cells"),
        choices=[
            (",", gettext_lazy("comma")),
            (";", gettext_lazy("semicolon")),
            ("\t", gettext_lazy("tab")),
            ("|", gettext_lazy("vertical bar")),
        ],
    )
    encoding = forms.ChoiceField(
        label=gettext_lazy("Encoding"),
        choices=[
            ("utf-8", "UTF-8"),
            ("utf-16", gettext_lazy("UTF-16 with a byte order mark")),
            ("utf-16-le", "UTF-16 LE"),
            ("utf-16-be", "UTF-16 BE"),
            ("windows-1252", gettext_lazy("Windows-1252, which holds Latin-1")),
        ],
        help_text=gettext_lazy("Change it if letters with accents look wrong."),
    )
    decimal = forms.ChoiceField(
        label=gettext_lazy("Decimal sign"),
        choices=[(".", gettext_lazy("point, as in 0.5")), (",", gettext_lazy("comma, as in 0,5"))],
    )

    def __init__(self, layout: Layout, *args: Any) -> None:
        super().__init__(*args)
        self.initial = asdict(layout)

    @property
    def layout(self) -> Layout:
        return Layout(**self.cleaned_data)


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
    """The order of the values; with `optional`, an empty list says that they have none.

    `gamma`: of a sensitive column, which may be published disguised.
    """

    order = forms.CharField(
        label=gettext_lazy("Values in order"),
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text=gettext_lazy("One value per line, from the lowest to the highest."),
        max_length=200_000,
    )
    gamma = forms.DecimalField(
        label=gettext_lazy("Disguise the column: how many times the odds may grow (γ)"),
        required=False,
        min_value=Decimal("1.0001"),
        max_digits=10,
        decimal_places=4,
        help_text=gettext_lazy(
            "Each value is then kept or replaced by a random one, so that a row changes the odds of a value at most "
            "by this factor, and the shares can be corrected. It replaces l-diversity and the other criteria of the "
            "column. Leave it empty to publish the values unchanged. List all possible values above."
        ),
    )

    def __init__(self, values: Sequence[str], *args: Any, optional: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.values = values
        if not optional:
            del self.fields["gamma"]
        if optional:
            self.fields["order"].required = False
            self.fields["order"].help_text = _(
                "One value per line, from the lowest to the highest. Leave it empty if the values have no order."
            )

    def clean_order(self) -> list[str]:
        order = [line.strip() for line in self.cleaned_data["order"].splitlines() if line.strip()]
        twice = next((value for index, value in enumerate(order) if value in order[:index]), None)
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

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("gamma") and not data.get("order") and "order" not in self.errors:
            self.add_error("order", _("A disguise needs the list of all values that the column can have."))
        return data


def refuse_missing(values: Sequence[str], given: Sequence[str]) -> None:
    """Refuse an order or a hierarchy without some of the column's values."""
    known = frozenset(given)
    missing = [value for value in values if value not in known]
    if missing:
        named = ", ".join(missing[:MOST_NAMED]) + (" …" if len(missing) > MOST_NAMED else "")
        raise ValidationError(_("These values of the column are missing: %(values)s.") % {"values": named})


class MissingForm(forms.Form):
    """Which cells of a number or a date mean that the value is missing."""

    empty = forms.BooleanField(label=gettext_lazy("An empty cell is a missing value"), required=False)
    codes = forms.CharField(
        label=gettext_lazy("Codes of missing values"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text=gettext_lazy(
            "One code per line, such as NA or -99. Missing values are a value of their own: a class shows “missing” "
            "where all its values are, and “*” where some are."
        ),
        max_length=10_000,
    )

    @property
    def missing(self) -> list[str]:
        codes = [line.strip() for line in self.cleaned_data["codes"].splitlines()]
        return [""] * self.cleaned_data["empty"] + list(dict.fromkeys(filter(None, codes)))


class NumberForm(MissingForm):
    """Also the ends of its classes: a grid, and from where on they are open."""

    grid = forms.DecimalField(
        label=gettext_lazy("Round the ends outwards to multiples of"),
        required=False,
        min_value=Decimal("0.000001"),
        max_digits=18,
        decimal_places=6,
        help_text=gettext_lazy(
            "With 5, a class shows 20..24 or 30..44, whoever is in it. Leave it empty to show the least and the "
            "greatest value of each class: they are values of people."
        ),
    )
    under = forms.DecimalField(
        label=gettext_lazy("Everybody below this shows an open end"),
        required=False,
        max_digits=18,
        decimal_places=6,
        help_text=gettext_lazy(
            "A multiple of the number above. The open ends reach further in where fewer people than a class has "
            "are behind them."
        ),
    )
    upward = forms.DecimalField(
        label=gettext_lazy("Everybody from this on shows an open end"),
        required=False,
        max_digits=18,
        decimal_places=6,
    )

    field_order = ("grid", "under", "upward", "empty", "codes")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        ends = [data[name] for name in ("under", "upward") if data.get(name) is not None]
        if ends and not data.get("grid") and "grid" not in self.errors:
            self.add_error("grid", _("Open ends need a number to whose multiples the others are rounded."))
        return data


class DateForm(MissingForm):
    dates = forms.ChoiceField(
        label=gettext_lazy("How are dates written?"),
        choices=[
            (DateOrder.YMD.value, gettext_lazy("year, month, day: 2020-12-31")),
            (DateOrder.DMY.value, gettext_lazy("day, month, year: 31.12.2020")),
            (DateOrder.MDY.value, gettext_lazy("month, day, year: 12/31/2020")),
        ],
    )
    level = forms.ChoiceField(
        label=gettext_lazy("How exact may a date be shown?"),
        help_text=gettext_lazy("A class shows a range of these. The time of the day is left out."),
        choices=[
            (Level.DAY.value, gettext_lazy("day")),
            (Level.MONTH.value, gettext_lazy("month")),
            (Level.QUARTER.value, gettext_lazy("quarter")),
            (Level.YEAR.value, gettext_lazy("year")),
        ],
    )
    under = forms.CharField(
        label=gettext_lazy("Everybody before this date shows an open end"),
        required=False,
        max_length=10,
        help_text=gettext_lazy(
            "As the column shows it: 1950, 1950-Q1, 1950-01 or 1950-01-31. Then both ends are open, and reach further "
            "in where fewer people than a class has are behind them."
        ),
    )
    upward = forms.CharField(
        label=gettext_lazy("Everybody from this date on shows an open end"), required=False, max_length=10
    )
    field_order = ("dates", "level", "under", "upward", "empty", "codes")


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
        except NotAllowed as refused:
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
