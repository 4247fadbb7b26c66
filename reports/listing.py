"""Filters and sorts rules by a form whose values are in the address of the page."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django import forms
from django.db.models import F, OrderBy, Q, QuerySet
from django.utils.translation import gettext as _, gettext_lazy

from mining.inference.selection import LEVEL
from reports.deciding import UNDECIDED
from reports.models import Decision
from reports.naming import Naming
from runs.models import Rule

SORTS: dict[str, tuple[str, ...]] = {
    "support": ("itemset__low_after", "support"),
    "confidence": ("confidence_low_after", "confidence"),
    "lift": ("lift_low_after", "lift"),
    "q": ("q",),
    "number": ("place",),
}
"""Measures are sorted by the lower end of their interval after the search, then by the estimate."""
FIRST = "-lift"
"""The default order."""


def ordering(order: str, columns: Mapping[str, Sequence[str]]) -> list[OrderBy]:
    """The columns of this key; a minus in front: largest first. Null comes last."""
    keys = map(F, columns[order.removeprefix("-")])
    down = order.startswith("-")
    return [key.desc(nulls_last=True) if down else key.asc(nulls_last=True) for key in keys]


def badge_filter(value: str) -> Q:
    """The rules or itemsets with the badge (`yes`), or those without."""
    holds = Q(q_holds__lte=LEVEL)
    return holds if value == "yes" else ~holds


class PercentField(forms.FloatField):
    """A share, typed in per cent."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            required=False, widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}), **options
        )

    def clean(self, value: Any) -> float | None:
        found = super().clean(value)
        return None if found is None else found / 100


def number(label: Any) -> forms.FloatField:
    return forms.FloatField(
        label=label,
        required=False,
        widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}),
    )


class RuleFilter(forms.Form):
    item = forms.TypedChoiceField(
        label=gettext_lazy("Contains answer"), required=False, coerce=int, empty_value=None
    )
    support = PercentField(label=gettext_lazy("Support at least, %"))
    confidence = PercentField(label=gettext_lazy("Confidence at least, %"))
    lift = number(gettext_lazy("Lift at least"))
    q = number(gettext_lazy("False discovery rate (q) at most"))
    holds = forms.ChoiceField(label=gettext_lazy("Evidence"), required=False)
    verdict = forms.ChoiceField(label=gettext_lazy("Decision"), required=False)
    sort = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, naming: Naming, data: Mapping[str, Any], *, verdicts: bool) -> None:
        super().__init__(data)
        answers: dict[str, list[tuple[int, str]]] = {}
        for name in naming.names:
            answer = naming.answer(name)
            answers.setdefault(answer.question, []).append((naming.number(name), answer.choice))
        self._choices("item", [("", _("any")), *answers.items()])
        self._choices("holds", [("", _("all")), ("yes", _("clears thresholds")), ("no", _("could be below"))])
        if verdicts:
            self._choices("verdict", [("", _("any")), *Decision.Verdict.choices])
        else:
            del self.fields["verdict"]

    def _choices(self, name: str, choices: list[tuple[str, Any]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    @property
    def shown(self) -> list[forms.BoundField]:
        return self.visible_fields()

    def chosen(self, rules: QuerySet[Rule]) -> QuerySet[Rule]:
        """Apply the filters; an invalid one is left out, and its field shows the error."""
        self.is_valid()
        narrow: dict[str, Callable[[Any], Q]] = {
            "item": lambda value: Q(items__contains=f" {value} "),
            "support": lambda value: Q(support__gte=value),
            "confidence": lambda value: Q(confidence__gte=value),
            "lift": lambda value: Q(lift__gte=value),
            "q": lambda value: Q(q__lte=value),
            "holds": badge_filter,
            "verdict": lambda value: Q(verdict__isnull=True) if value == UNDECIDED else Q(verdict=value),
        }
        for name, condition in narrow.items():
            value = self.cleaned_data.get(name)
            if value not in (None, ""):
                rules = rules.filter(condition(value))
        return rules

    @property
    def order(self) -> str:
        """A key of SORTS; a minus in front: largest first."""
        wanted = str(self.data.get("sort", ""))
        return wanted if wanted.removeprefix("-") in SORTS else FIRST

    def sorted(self, rules: QuerySet[Rule]) -> QuerySet[Rule]:
        return rules.order_by(*ordering(self.order, SORTS), "place")

    @property
    def is_narrow(self) -> bool:
        return any(value not in (None, "") for name, value in self.cleaned_data.items() if name != "sort")
