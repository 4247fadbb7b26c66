"""Forms for the columns of a draft release: the role of each column, and the order, groups, dates or missing values of
one."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy as _

from privacy.anonymity.tables.hierarchies import UP_TO, DateOrder, Level
from releases.specification import hierarchy_text
from releases.specification.column_role_editing import QUASI, ColumnRole, Document
from surveys.questionnaire.problems_and_refusals import NotAllowed

MOST_NAMED = 10  # missing values that an error names
ROLE_CHOICES = [
    (
        _("Quasi-identifier: others may know it"),
        [
            (ColumnRole.NUMBER, _("Quasi-identifier: number")),
            (ColumnRole.DATE, _("Quasi-identifier: date")),
            (ColumnRole.ORDERED, _("Quasi-identifier: ordered")),
            (ColumnRole.CATEGORY, _("Quasi-identifier: category")),
        ],
    ),
    (
        _("Published as it is"),
        [
            (ColumnRole.SENSITIVE, _("Sensitive: nobody may find it out")),
            (ColumnRole.OTHER, _("Other: unknown and harmless")),
        ],
    ),
    (
        _("Not published"),
        [
            (ColumnRole.IDENTIFIER, _("Identifier: names a person by itself")),
            (ColumnRole.DROPPED, _("Left out")),
        ],
    ),
]
END_FIELDS = {"grid": "grid", "under": "under", "from": "upward"}
"""Form field of each member of `ends` in a specification."""


class RolesForm(forms.Form):
    """Form with a select for the role of each column. Field names are numbers, since a column can have any name."""

    def __init__(self, columns: Sequence[str], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.columns = columns
        for number, column in enumerate(columns):
            self.fields[f"role-{number}"] = forms.ChoiceField(label=column, choices=ROLE_CHOICES)

    def roles(self) -> dict[str, ColumnRole]:
        """Returns the chosen role of each column."""
        return {
            column: ColumnRole(self.cleaned_data[f"role-{number}"])
            for number, column in enumerate(self.columns)
        }

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if not self.errors and not any(role in QUASI for role in data.values()):
            raise ValidationError(
                gettext(
                    "Choose at least one column that others may know. Without one there is nothing to protect: "
                    "nobody could tell any row from another."
                )
            )
        return data


class ValuesForm(forms.Form):
    """Base class of the forms about the values of one column.

    `values`: the column's values in the source. `template`, `link`: the form's page, and the text of links to it.
    `error_field`: the field that shows why the whole specification is refused.
    """

    template: ClassVar[str]
    link: ClassVar[str | Promise]
    error_field: ClassVar[str]
    lists_values: ClassVar[bool] = True  # on its page, below the form

    def __init__(self, column: Document, values: Sequence[str], posted: Any = None) -> None:
        super().__init__(posted, initial=self.initial_values(column))
        self.column, self.values = column, values

    def initial_values(self, column: Document) -> dict[str, Any]:
        """Returns the form's initial values from the column's description."""
        raise NotImplementedError

    def new_column(self) -> Document:
        """Returns the column's new description for the specification, from the valid form."""
        raise NotImplementedError

    def refuse_missing(self, listed: Sequence[str]) -> None:
        """Refuses an order or a hierarchy that lacks some of the column's values."""
        known = frozenset(listed)
        missing = [value for value in self.values if value not in known]
        if missing:
            named = ", ".join(missing[:MOST_NAMED]) + (" …" if len(missing) > MOST_NAMED else "")
            raise ValidationError(
                gettext("These values of the column are missing: %(values)s.") % {"values": named}
            )


class OrderForm(ValuesForm):
    """Form for the order of a column's values.

    A sensitive column may have no order, and may be published disguised (`gamma`).
    """

    template, link, error_field = "order", _("Order"), "order"

    order = forms.CharField(
        label=_("Values in order"),
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false"}),
        help_text=_("One value per line, from the lowest to the highest."),
        max_length=200_000,
    )
    gamma = forms.DecimalField(
        label=_("Disguise the column: how many times the odds may grow (γ)"),
        required=False,
        min_value=Decimal("1.0001"),
        max_digits=10,
        decimal_places=4,
        help_text=_(
            "Each value is then kept or replaced by a random one, so that a row changes the odds of a value at most "
            "by this factor, and the shares can be corrected. It replaces l-diversity and the other criteria of the "
            "column. Leave it empty to publish the values unchanged. List all possible values above."
        ),
    )

    def __init__(self, column: Document, values: Sequence[str], posted: Any = None) -> None:
        super().__init__(column, values, posted)
        if "kind" in column:
            del self.fields["gamma"]
        else:
            self.fields["order"].required = False
            self.fields["order"].help_text = _(
                "One value per line, from the lowest to the highest. Leave it empty if the values have no order."
            )

    def initial_values(self, column: Document) -> dict[str, Any]:
        order: Sequence[str] = column.get("values") or column.get("order") or ()
        return {"order": "\n".join(order), "gamma": column.get("gamma")}

    def clean_order(self) -> list[str]:
        order = split_lines(self.cleaned_data["order"])
        twice = next((value for index, value in enumerate(order) if value in order[:index]), None)
        if twice is not None:
            raise ValidationError(
                gettext("“%(value)s” is there twice. Leave one of them out.") % {"value": twice}
            )
        if any(UP_TO in value for value in order):
            raise ValidationError(
                _("A value with “..” has no place in an order, since “..” separates the ends of a range.")
            )
        if len(order) == 1:
            raise ValidationError(_("Give at least two values, each on a line of its own."))
        if order:
            self.refuse_missing(order)
        return order

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("gamma") and not data.get("order") and "order" not in self.errors:
            self.add_error("order", _("A disguise needs the list of all values that the column can have."))
        return data

    def new_column(self) -> Document:
        order, gamma = self.cleaned_data["order"], self.cleaned_data.get("gamma")
        rest = without_keys(self.column, "order", "values", "gamma")
        if gamma:
            return without_keys(rest, "empty") | {"values": order, "gamma": decimal_text(gamma)}
        return rest | ({"order": order} if order else {})


class MissingValuesForm(ValuesForm):
    """Base class of the forms for number and date columns: which cells mean a missing value, and where classes end."""

    template, lists_values = "missing", False

    empty = forms.BooleanField(label=_("An empty cell is a missing value"), required=False)
    codes = forms.CharField(
        label=_("Codes of missing values"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text=_(
            "One code per line, such as NA or -99. Missing values are a value of their own: a class shows “missing” "
            "where all its values are, and “*” where some are."
        ),
        max_length=10_000,
    )

    def initial_values(self, column: Document) -> dict[str, Any]:
        missing, ends = column.get("missing", ()), column.get("ends", {})
        codes = {"empty": "" in missing, "codes": "\n".join(filter(None, missing))}
        return column | codes | {field: ends.get(key) for key, field in END_FIELDS.items()}

    def new_column(self) -> Document:
        data = self.cleaned_data
        column = without_keys(self.column, "ends") | {
            key: data[key] for key in ("dates", "level") if key in data
        }
        column["missing"] = [""] * data["empty"] + list(dict.fromkeys(split_lines(data["codes"])))
        ends = {key: data.get(field) for key, field in END_FIELDS.items()}
        if any(end not in (None, "") for end in ends.values()):
            column["ends"] = {key: decimal_text(end) for key, end in ends.items() if end not in (None, "")}
        return column


class NumberForm(MissingValuesForm):
    link, error_field = _("Ends and missing values"), "grid"

    grid = forms.DecimalField(
        label=_("Round the ends outwards to multiples of"),
        required=False,
        min_value=Decimal("0.000001"),
        max_digits=18,
        decimal_places=6,
        help_text=_(
            "With 5, a class shows 20..24 or 30..44, whoever is in it. Leave it empty to show the least and the "
            "greatest value of each class: they are values of people."
        ),
    )
    under = forms.DecimalField(
        label=_("Everybody below this shows an open end"),
        required=False,
        max_digits=18,
        decimal_places=6,
        help_text=_(
            "A multiple of the number above. The open ends reach further in where fewer people than a class has "
            "are behind them."
        ),
    )
    upward = forms.DecimalField(
        label=_("Everybody from this on shows an open end"), required=False, max_digits=18, decimal_places=6
    )
    field_order = ("grid", "under", "upward", "empty", "codes")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        has_end = any(data.get(name) is not None for name in ("under", "upward"))
        if has_end and not data.get("grid") and "grid" not in self.errors:
            self.add_error("grid", _("Open ends need a number to whose multiples the others are rounded."))
        return data


class DateForm(MissingValuesForm):
    link, error_field = _("Dates"), "under"

    dates = forms.ChoiceField(
        label=_("How are dates written?"),
        choices=[
            (DateOrder.YMD.value, _("year, month, day: 2020-12-31")),
            (DateOrder.DMY.value, _("day, month, year: 31.12.2020")),
            (DateOrder.MDY.value, _("month, day, year: 12/31/2020")),
        ],
    )
    level = forms.ChoiceField(
        label=_("How exact may a date be shown?"),
        help_text=_("A class shows a range of these. The time of the day is left out."),
        choices=[
            (Level.DAY.value, _("day")),
            (Level.MONTH.value, _("month")),
            (Level.QUARTER.value, _("quarter")),
            (Level.YEAR.value, _("year")),
        ],
    )
    under = forms.CharField(
        label=_("Everybody before this date shows an open end"),
        required=False,
        max_length=10,
        help_text=_(
            "As the column shows it: 1950, 1950-Q1, 1950-01 or 1950-01-31. Then both ends are open, and reach further "
            "in where fewer people than a class has are behind them."
        ),
    )
    upward = forms.CharField(
        label=_("Everybody from this date on shows an open end"), required=False, max_length=10
    )
    field_order = ("dates", "level", "under", "upward", "empty", "codes")


class HierarchyForm(ValuesForm):
    template, link, error_field = "hierarchy", _("Groups"), "groups"

    hierarchy = forms.ChoiceField(
        label=_("How are values made coarser?"),
        widget=forms.RadioSelect,
        choices=[
            ("flat", _("Flat: a value is shown, or “*” for any")),
            ("prefixes", _("Prefixes: the end of a code is left out, as 101** of 10115")),
            ("given", _("My own groups, written below")),
        ],
    )
    groups = forms.CharField(
        label=_("Groups"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 12, "spellcheck": "false"}),
        help_text=_(
            "One group or value per line. Indent what belongs to a group below it. Every value of the column must "
            "be there once."
        ),
        max_length=1_000_000,
    )
    empty = forms.BooleanField(
        label=_("An empty cell is a value of its own"),
        required=False,
        help_text=_('Otherwise an empty cell is refused. Write it as "" where you write your own groups.'),
    )

    def initial_values(self, column: Document) -> dict[str, Any]:
        hierarchy, empty = column.get("hierarchy", "flat"), column.get("empty", False)
        if isinstance(hierarchy, str):
            return {"hierarchy": hierarchy, "groups": "", "empty": empty}
        return {"hierarchy": "given", "groups": hierarchy_text.format_hierarchy(hierarchy), "empty": empty}

    def clean_groups(self) -> hierarchy_text.Nodes:
        if self.cleaned_data.get("hierarchy") != "given":
            return []
        try:
            nodes = hierarchy_text.parse_hierarchy(self.cleaned_data["groups"])
        except NotAllowed as refused:
            raise ValidationError(str(refused)) from None
        self.refuse_missing(list(hierarchy_text.leaf_values(nodes)))
        return nodes

    def new_column(self) -> Document:
        data = self.cleaned_data
        column = without_keys(self.column, "hierarchy", "empty")
        column["hierarchy"] = data["groups"] or data["hierarchy"]
        return column | ({"empty": True} if data["empty"] else {})


VALUES_FORMS: dict[ColumnRole, type[ValuesForm]] = {
    ColumnRole.NUMBER: NumberForm,
    ColumnRole.DATE: DateForm,
    ColumnRole.ORDERED: OrderForm,
    ColumnRole.SENSITIVE: OrderForm,
    ColumnRole.CATEGORY: HierarchyForm,
}


def without_keys(column: Document, *keys: str) -> Document:
    """Returns a copy of a column's description without these keys."""
    return {key: value for key, value in column.items() if key not in keys}


def split_lines(text: str) -> list[str]:
    """Returns the lines of a text field that are not blank."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def decimal_text(value: Decimal | str) -> str:
    """Returns a number as specifications write it: without exponent and trailing zeros."""
    return f"{value.normalize():f}" if isinstance(value, Decimal) else value
