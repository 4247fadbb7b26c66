"""The rules that need a decision, in the order in which a reviewer judges them."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.db.models import Case, F, Max, Min, QuerySet, When, Window
from django.utils.translation import gettext as _, gettext_lazy

from reports.deciding import needs_decision, with_verdicts
from reports.listing import FIRST, SORTS, RuleFilter, ordering
from reports.models import Decision
from reports.naming import Naming
from runs.models import Rule, Run

GROUPED = "then"
"""The key of the default order, beside those of SORTS."""
ANY = "any"


def by_consequent(rules: QuerySet[Any]) -> QuerySet[Any]:
    """Groups rules by consequent: the highest lower end of lift first, among groups and within each."""
    same = [F("consequent")]
    found: QuerySet[Any] = rules.annotate(
        group_low=Window(Max("lift_low_after"), partition_by=same),
        group_place=Window(Min("place"), partition_by=same),
    )
    groups = F("group_low").desc(nulls_last=True), "group_place"
    return found.order_by(*groups, *ordering(FIRST, SORTS), "place")


def with_first(rules: QuerySet[Any], number: int) -> QuerySet[Any]:
    """In the same order, but for the rule of this number, which comes first: one whose decision was just undone."""
    others_later = Case(When(place=number - 1, then=0), default=1)
    return rules.order_by(others_later, *rules.query.order_by) if number else rules


def left(run: Run) -> int:
    """The number of rules that need a decision."""
    return with_verdicts(run).filter(needs_decision()).count()


class JudgingFilter(RuleFilter):
    """A reviewer's filter of an open report: by default the rules that need a decision, grouped by consequent."""

    sort = forms.ChoiceField(  # type: ignore[assignment]
        label=gettext_lazy("Order"),
        required=False,
        choices=[
            ("", gettext_lazy("by the “then” part")),
            ("-lift", gettext_lazy("highest lift first")),
            ("-confidence", gettext_lazy("highest confidence first")),
            ("-support", gettext_lazy("highest support first")),
            ("q", gettext_lazy("lowest q first")),
            ("number", gettext_lazy("by number")),
        ],
    )

    def __init__(self, naming: Naming, data: Mapping[str, Any]) -> None:
        super().__init__(naming, data, verdicts=True)
        self._choices("verdict", [("", _("needs a decision")), (ANY, _("any")), *Decision.Verdict.choices])

    def clean_verdict(self) -> str:
        verdict: str = self.cleaned_data["verdict"]
        return "" if verdict == ANY else verdict

    @property
    def is_queue(self) -> bool:
        """Whether only rules that need a decision are listed."""
        return not self.data.get("verdict")

    def chosen(self, rules: QuerySet[Rule]) -> QuerySet[Rule]:
        found = super().chosen(rules)
        return found.filter(needs_decision()) if self.is_queue else found

    @property
    def order(self) -> str:
        return super().order if self.data.get("sort") else GROUPED

    def sorted(self, rules: QuerySet[Rule]) -> QuerySet[Rule]:
        return by_consequent(rules) if self.order == GROUPED else super().sorted(rules)
