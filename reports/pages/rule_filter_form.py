"""Defines the form that filters a list of rules; its values are in the page's address."""

from collections.abc import Callable, Mapping
from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _, gettext_lazy

from reports.answer_labels import Labels
from reports.models import Decision
from reports.review.rule_decisions import UNDECIDED
from runs.models import Rule

ASSOCIATIONS = {"more": 1, "less": -1, "none": 0}
SHOWN = "shown"


def association_choices() -> list[tuple[str, str]]:
    return [
        (SHOWN, _("shown, more or less often")),
        ("more", _("more often together")),
        ("less", _("less often together")),
        ("none", _("no association shown")),
    ]


def association_condition(value: str) -> Q:
    return ~Q(association=0) if value == SHOWN else Q(association=ASSOCIATIONS[value])


def number_field(label: Any) -> forms.FloatField:
    return forms.FloatField(
        label=label,
        required=False,
        widget=forms.NumberInput(attrs={"step": "any", "inputmode": "decimal"}),
    )


class RuleFilter(forms.Form):
    item = forms.TypedChoiceField(
        label=gettext_lazy("Contains answer"), required=False, coerce=int, empty_value=None
    )
    support = number_field(gettext_lazy("Support at least, %"))
    confidence = number_field(gettext_lazy("Confidence at least, %"))
    lift = number_field(gettext_lazy("Lift at least"))
    association = forms.ChoiceField(label=gettext_lazy("Association"), required=False)
    verdict = forms.ChoiceField(label=gettext_lazy("Decision"), required=False)

    def __init__(self, labels: Labels, data: Mapping[str, Any], *, verdicts: bool) -> None:
        super().__init__(data)
        answers: dict[str, list[tuple[int, str]]] = {}
        for name in labels.names:
            answer = labels.answer(name)
            answers.setdefault(answer.question, []).append((labels.number(name), answer.choice))
        self._set_choices("item", [("", _("any")), *answers.items()])
        self._set_choices("association", [("", _("all")), *association_choices()])
        if verdicts:
            self._set_choices("verdict", [("", _("any")), *Decision.Verdict.choices])
        else:
            del self.fields["verdict"]

    def _set_choices(self, name: str, choices: list[tuple[str, Any]]) -> None:
        self.fields[name].choices = choices  # type: ignore[attr-defined]

    @property
    def shown(self) -> list[forms.BoundField]:
        return self.visible_fields()

    def filter_rules(self, rules: QuerySet[Rule]) -> QuerySet[Rule]:
        """Applies the filters to the rules. An invalid filter is ignored, and its field shows the error."""
        self.is_valid()
        narrow: dict[str, Callable[[Any], Q]] = {
            "item": lambda value: Q(items__contains=f" {value} "),
            "support": lambda value: Q(support__gte=value / 100),
            "confidence": lambda value: (
                Q(confidence__gte=value / 100) | Q(both=True, converse__gte=value / 100)
            ),
            "lift": lambda value: Q(lift__gte=value),
            "association": association_condition,
            "verdict": lambda value: Q(verdict__isnull=True) if value == UNDECIDED else Q(verdict=value),
        }
        for name, condition in narrow.items():
            value = self.cleaned_data.get(name)
            if value not in (None, ""):
                rules = rules.filter(condition(value))
        return rules

    @property
    def has_filter(self) -> bool:
        return any(value not in (None, "") for value in self.cleaned_data.values())
