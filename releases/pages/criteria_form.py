"""Form of the criteria that every class of records must meet, and of the search for classes."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _

from privacy.anonymity.tables.specification import MOST_SECONDS, MOST_TRIES
from releases.specification.criteria_conversion import METHOD_NAMES, METHOD_SENTENCES, method_rank
from releases.survey_tables import LEAST_K
from surveys.models import Survey

WEIGHTS = [
    ("unit", _("the same in every column")),
    ("data", _("more where a column and the sensitive value go together in the table")),
    ("expert", _("as the specification says")),
]
MOST_K = 1_000_000
SENSITIVE = ("l_kind", "l_value", "l_c", "l_joint", "t", "rho1", "rho2")
SEARCH = (
    "suppression",
    "cell_suppression",
    "falsification",
    "weights",
    "seconds",
    "tries",
    "seed",
    "fraction",
    "weight",
)


class SharePercentField(forms.DecimalField):
    """Field for a share in percent, with at most two decimals unless `low` has more."""

    def __init__(self, *, low: str = "0.01", high: str = "99.99", **kwargs: Any) -> None:
        places = max(2, len(low.partition(".")[2]))
        super().__init__(
            min_value=Decimal(low),
            max_value=Decimal(high),
            max_digits=3 + places,
            decimal_places=places,
            **kwargs,
        )
        self.widget.attrs["inputmode"] = "decimal"


class CriteriaForm(forms.Form):
    k = forms.IntegerField(
        label=_("Minimum class size (k)"),
        min_value=2,
        max_value=MOST_K,
        help_text=_(
            "k-anonymity: nobody can be told from at least k − 1 others by what others may know of them."
        ),
    )
    max_frequency = SharePercentField(
        label=_("Largest share of one sensitive value in a class, in percent"),
        required=False,
        help_text=_(
            "With 50, no class gives a sensitive value away with more than 50 %. Leave it empty to ask for no limit."
        ),
    )
    l_kind = forms.ChoiceField(
        label=_("l-diversity"),
        help_text=_("Every class must hold several sensitive values."),
        choices=[
            ("", _("not asked for")),
            ("distinct", _("distinct: at least l different values")),
            ("entropy", _("entropy: as varied as l equally frequent values")),
            ("recursive", _("recursive (c, l): the most frequent value is not too frequent")),
        ],
        required=False,
    )
    l_value = forms.IntegerField(
        label=_("l, the number of values"), min_value=1, max_value=1_000_000, required=False
    )
    l_c = forms.DecimalField(
        label=_("c, for the recursive kind"),
        min_value=Decimal("0.0001"),
        max_digits=10,
        decimal_places=4,
        required=False,
        help_text=_(
            "The most frequent value is less than c times as frequent as all from the l-th on together."
        ),
    )
    l_joint = forms.BooleanField(
        label=_("Also when all other sensitive values of a person are known"), required=False
    )
    t = SharePercentField(
        label=_("t-closeness, in percent"),
        required=False,
        help_text=_(
            "The sensitive values of a class are at most this far (earth mover’s distance) from those of the whole "
            "table. Leave it empty not to ask for it."
        ),
    )
    rho1 = SharePercentField(
        label=_("Breach: what is at most this likely without the table (ρ₁), in percent"),
        required=False,
    )
    rho2 = SharePercentField(
        label=_("Breach: must stay less likely than this with the table (ρ₂), in percent"),
        required=False,
    )
    method = forms.ChoiceField(label=_("Method"), widget=forms.RadioSelect)
    suppression = SharePercentField(
        label=_("Records that may be left out, in percent"), required=False, low="0", high="50"
    )
    cell_suppression = SharePercentField(
        label=_("Cells that may be suppressed, in percent"),
        required=False,
        low="0",
        high="50",
        help_text=_(
            "Local suppression: “*” instead of single values. It pays where one column stands in the way of the "
            "others, and takes several times as long. Only tree uses this."
        ),
    )
    falsification = SharePercentField(
        label=_("Records whose sensitive value may be changed, in percent"),
        required=False,
        low="0",
        high="50",
        help_text=_("Changed values are false. Only some methods use this."),
    )
    weights = forms.ChoiceField(
        label=_("What detail is worth"),
        required=False,
        choices=WEIGHTS,
    )
    seconds = forms.IntegerField(
        label=_("Seconds of search"),
        min_value=1,
        max_value=MOST_SECONDS,
        help_text=_("Of the processor. Longer searches lose a little less detail."),
    )
    tries = forms.IntegerField(
        label=_("Tries of search"),
        required=False,
        min_value=0,
        max_value=MOST_TRIES,
        help_text=_(
            "Instead of seconds. The report of a release says how many there were; with the same seed they make the "
            "same file again."
        ),
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=2**31 - 1,
        help_text=_("The same seed and the same number of tries give the same classes."),
    )
    fraction = SharePercentField(
        label=_("The people of the table, in percent of all they were drawn from"),
        required=False,
        low="0.0001",
        high="100",
        help_text=_(
            "If the table is a sample, the report then says how many of its people are unique among all. Leave it "
            "empty if you do not know."
        ),
    )
    weight = forms.ChoiceField(
        label=_("Or the column that says how many people each row stands for"),
        required=False,
        help_text=_(
            "The weights of a sample, for the risk where nobody knows who is in the table (journalist’s risk). The "
            "column is not published: its role must be “Left out”."
        ),
    )
    joined = forms.BooleanField(
        label=_("Keep the classes of earlier releases of this survey together"),
        required=False,
        help_text=_(
            "Then both releases together tell no more than one of them. This loses more detail. Choose it where a "
            "release was refused because of an earlier one."
        ),
    )

    def __init__(
        self,
        n_sensitive: int,
        weights: Sequence[str],
        survey: Survey | None,
        posted: Any,
        initial: dict[str, Any],
    ) -> None:
        """Builds the fields. `n_sensitive`: number of sensitive columns published undisguised. `weights`: columns that
        may hold sample weights."""
        super().__init__(posted, initial=initial)
        fields: dict[str, Any] = self.fields
        fields["method"].choices = [
            (name, METHOD_SENTENCES.get(name, name))
            for name in sorted({*METHOD_NAMES, initial["method"]}, key=method_rank)
        ]
        fields["weight"].choices = [("", _("none")), *((name, name) for name in weights)]
        if initial["weights"] != "expert":
            fields["weights"].choices = WEIGHTS[:-1]
        unused = {"l_joint"} if n_sensitive == 1 else {"weights"}
        if not n_sensitive:
            unused |= {*SENSITIVE, "max_frequency", "falsification"}
        unused |= set() if weights else {"weight"}
        if survey:
            fields["k"].min_value = fields["k"].widget.attrs["min"] = LEAST_K
            fields["k"].validators = [MinValueValidator(LEAST_K), MaxValueValidator(MOST_K)]
        else:
            unused.add("joined")
        for name in unused:
            del fields[name]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("l_kind") and not data.get("l_value") and "l_value" not in self.errors:
            self.add_error("l_value", _("Give the number of values, 2 or more."))
        if data.get("l_kind") == "recursive" and not data.get("l_c") and "l_c" not in self.errors:
            self.add_error("l_c", _("Give c, for example 2."))
        if data.get("fraction") and data.get("weight"):
            self.add_error("weight", _("Give the percentage or the column, not both."))
        first, second = data.get("rho1"), data.get("rho2")
        if (first is None) != (second is None):
            self.add_error("rho2" if second is None else "rho1", _("Give both shares, or neither."))
        elif first is not None and second is not None and first >= second:
            self.add_error("rho2", _("It must be larger than the share before."))
        return data

    def sensitive_fields(self) -> list[forms.BoundField]:
        """Returns the form's fields about sensitive values: l-diversity, t-closeness and privacy breaches, but not the
        largest share."""
        return [self[name] for name in SENSITIVE if name in self.fields]

    def search_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in SEARCH if name in self.fields]

    def has_sensitive_errors(self) -> bool:
        return any(field.errors for field in self.sensitive_fields())

    def has_search_errors(self) -> bool:
        return any(field.errors for field in self.search_fields())
