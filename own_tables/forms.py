"""Forms of the pages of own tables: for uploading a table, and for the parameters of an experiment."""

from dataclasses import asdict
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from builder.protection.trade_off import NAMES
from mining.own_table.settings import LEAST, MOST, MOST_OPEN, Settings
from mining.own_table.table import MOST_COLUMNS, MOST_ROWS, MOST_VALUES
from privacy.guarantee.presets import DEFAULT, PRESETS


class SettingsForm(forms.Form):
    """The parameters of an experiment: a strength in words, which decides p and theta, and those of document 004."""

    strength = forms.ChoiceField(
        label=_("Strength of the disguise"),
        choices=[*NAMES.items(), ("", _("As set in the details"))],
        required=False,
        help_text=_("As on a survey’s Protection page, for each group of yes/no columns."),
    )
    keep = forms.FloatField(
        label=_("p: chance that the true answers of a group are sent"), min_value=LEAST, max_value=MOST
    )
    open_share = forms.FloatField(
        label=_("k: share of people who answer openly"), min_value=0, max_value=MOST_OPEN
    )
    theta = forms.FloatField(
        label=_("theta: chance of an unrelated yes"),
        min_value=LEAST,
        max_value=MOST,
        help_text=_("Of columns with other values each value is equally likely."),
    )
    group_size = forms.IntegerField(
        label=_("Columns disguised together"),
        min_value=1,
        max_value=MOST_COLUMNS,
        help_text=_("In the order of the table: the answers of a group are sent, or replaced, together."),
    )
    min_support = forms.FloatField(label=_("Smallest support"), min_value=0.01, max_value=1)
    min_confidence = forms.FloatField(label=_("Smallest confidence"), min_value=0.01, max_value=1)
    estimator = forms.ChoiceField(
        label=_("Estimator"),
        choices=[
            ("pooled", _("pooled, the document’s")),
            ("stratified", _("stratified, which holds where open answerers differ")),
            ("combined", _("combined, the smallest error where they do not")),
        ],
    )

    def __init__(self, *posted: Any, settings: Settings | None = None) -> None:
        super().__init__(*posted)
        self.initial = {**asdict(settings or Settings()), "strength": "" if settings else DEFAULT.name}
        for name in ("keep", "open_share", "theta", "min_support", "min_confidence"):
            self.fields[name].widget.attrs["step"] = "any"

    def settings(self) -> Settings:
        values = {name: self.cleaned_data[name] for name in asdict(Settings())}
        if preset := PRESETS.get(self.cleaned_data["strength"]):
            # gamma = 1 + p/(1 - p) · 2^size with a theta of one half
            odds = float(preset.limit.gamma - 1) / 2 ** values["group_size"]
            values |= {"keep": min(max(round(odds / (1 + odds), 4), LEAST), MOST), "theta": 0.5}
        return Settings(**values)


class UploadForm(SettingsForm):
    """A file with its columns, and the parameters of the experiment."""

    file = forms.FileField(
        label=_("Your table"),
        required=False,
        max_length=200,
        help_text=_(
            "Not needed to try the table Adult. CSV with any separator, Excel (.xlsx), Parquet or SPSS (.sav): a "
            "person per row, the names of the columns first. At most 50 megabytes and %(rows)s rows. "
            "Columns of two to %(values)s values are used."
        ),
        widget=forms.FileInput(attrs={"accept": ".csv,.tsv,.txt,.xlsx,.parquet,.sav,.zsav,text/csv"}),
    )
    columns = forms.CharField(
        label=_("Columns to use"),
        required=False,
        max_length=5_000,
        help_text=_("Their names with commas between. Empty: all that can be used."),
    )
    field_order = ("file", "columns", "strength")

    def __init__(self, *posted: Any, settings: Settings | None = None) -> None:
        super().__init__(*posted, settings=settings)
        words = str(self.fields["file"].help_text)
        self.fields["file"].help_text = words % {"rows": f"{MOST_ROWS:,}", "values": MOST_VALUES}

    def clean_columns(self) -> list[str]:
        return [name.strip() for name in self.cleaned_data["columns"].split(",") if name.strip()]
