"""The form of what every class of records must keep, and of how the classes are searched."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext as _, gettext_lazy

from privacy.anonymity.tables.specification import MOST_SECONDS, MOST_TRIES
from releases.pages.method_words import METHODS
from releases.survey_tables import LEAST_K
from surveys.models import Survey

WEIGHTS = [
    ("unit", gettext_lazy("the same in every column")),
    ("data", gettext_lazy("more where a column and the sensitive value go together in the table")),
    ("expert", gettext_lazy("as the specification says")),
]
MOST_K = 1_000_000


class SharePercentField(forms.DecimalField):
    """A share in percent, with at most two places unless `low` has more."""

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
    """What every class of records must keep, and how the classes are searched."""

    k = forms.IntegerField(
        label=gettext_lazy("Minimum class size (k)"),
        min_value=2,
        max_value=MOST_K,
        help_text=gettext_lazy(
            "k-anonymity: nobody can be told from at least k − 1 others by what others may know of them."
        ),
    )
    max_frequency = SharePercentField(
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
    t = SharePercentField(
        label=gettext_lazy("t-closeness, in percent"),
        required=False,
        help_text=gettext_lazy(
            "The sensitive values of a class are at most this far (earth mover’s distance) from those of the whole "
            "table. Leave it empty not to ask for it."
        ),
    )
    rho1 = SharePercentField(
        label=gettext_lazy("Breach: what is at most this likely without the table (ρ₁), in percent"),
        required=False,
    )
    rho2 = SharePercentField(
        label=gettext_lazy("Breach: must stay less likely than this with the table (ρ₂), in percent"),
        required=False,
    )
    method = forms.ChoiceField(label=gettext_lazy("Method"), widget=forms.RadioSelect)
    suppression = SharePercentField(
        label=gettext_lazy("Records that may be left out, in percent"), required=False, low="0", high="50"
    )
    cell_suppression = SharePercentField(
        label=gettext_lazy("Cells that may be suppressed, in percent"),
        required=False,
        low="0",
        high="50",
        help_text=gettext_lazy(
            "Local suppression: “*” instead of single values. It pays where one column stands in the way of the "
            "others, and takes several times as long. Only tree uses this."
        ),
    )
    falsification = SharePercentField(
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
        help_text=gettext_lazy("Of the processor. Longer searches lose a little less detail."),
    )
    tries = forms.IntegerField(
        label=gettext_lazy("Tries of search"),
        required=False,
        min_value=0,
        max_value=MOST_TRIES,
        help_text=gettext_lazy(
            "Instead of seconds. The report of a release says how many there were; with the same seed they make the "
            "same file again."
        ),
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"),
        min_value=0,
        max_value=2**31 - 1,
        help_text=gettext_lazy("The same seed and the same number of tries give the same classes."),
    )
    fraction = SharePercentField(
        label=gettext_lazy("The people of the table, in percent of all they were drawn from"),
        required=False,
        low="0.0001",
        high="100",
        help_text=gettext_lazy(
            "If the table is a sample, the report then says how many of its people are unique among all. Leave it "
            "empty if you do not know."
        ),
    )
    weight = forms.ChoiceField(
        label=gettext_lazy("Or the column that says how many people each row stands for"),
        required=False,
        help_text=gettext_lazy(
            "The weights of a sample, for the risk where nobody knows who is in the table (journalist’s risk). The "
            "column is not published: its role must be “Left out”."
        ),
    )
    SENSITIVE = ("max_frequency", "l_kind", "l_value", "l_c", "l_joint", "t", "rho1", "rho2")
    SENSITIVE_MORE = ("falsification", "weights")
    MORE = (
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

    joined = forms.BooleanField(
        label=gettext_lazy("Keep the classes of earlier releases of this survey together"),
        required=False,
        help_text=gettext_lazy(
            "Then both releases together tell no more than one of them. This loses more detail. Choose it where a "
            "release was refused because of an earlier one."
        ),
    )

    def __init__(
        self,
        sensitive: int,
        methods: Sequence[str],
        *args: Any,
        survey: Survey | None,
        weights: Sequence[str] = (),
        **kwargs: Any,
    ) -> None:
        """`weights`: the columns that may say how many people a record stands for."""
        super().__init__(*args, **kwargs)
        self.fields["method"].choices = [  # type: ignore[attr-defined]
            (name, METHODS.get(name, name)) for name in methods
        ]
        choices = [("", _("none")), *((name, name) for name in weights)]
        self.fields["weight"].choices = choices  # type: ignore[attr-defined]
        if self.initial.get("weights") != "expert":
            self.fields["weights"].choices = WEIGHTS[:-1]  # type: ignore[attr-defined]
        unused = {"l_joint"} if sensitive == 1 else {"weights"}
        unused |= set() if sensitive else {*self.SENSITIVE, *self.SENSITIVE_MORE}
        unused |= set() if survey else {"joined"}
        unused |= set() if weights else {"weight"}
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
        if data.get("fraction") and data.get("weight"):
            self.add_error("weight", _("Give the percentage or the column, not both."))
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
