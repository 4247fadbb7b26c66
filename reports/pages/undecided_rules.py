"""Selects the rules that still need a reviewer's decision, and orders them."""

from collections.abc import Mapping
from typing import Any

from django.db.models import Case, QuerySet, When
from django.utils.translation import gettext as _

from reports.answer_labels import Labels
from reports.models import Decision
from reports.pages.rule_filter_form import SHOWN, RuleFilter, association_choices
from reports.review.rule_decisions import needs_decision_condition, rules_with_verdicts
from runs.models import Rule, Run

ANY = "any"


def order_by_p_undone_first(rules: QuerySet[Any], first_number: int) -> QuerySet[Any]:
    """Orders rules by p-value; the rule `first_number`, whose decision was just undone, comes first."""
    others_later = Case(When(place=first_number - 1, then=0), default=1)
    return rules.order_by(others_later, "place")


def count_needing_decision_without_association(run: Run) -> int:
    """Counts the rules that need a decision and show no association."""
    return rules_with_verdicts(run).filter(needs_decision_condition(), association=0).count()


def count_needing_decision(run: Run) -> int:
    """Counts the rules that need a decision."""
    return rules_with_verdicts(run).filter(needs_decision_condition()).count()


def undecided_rule_counts(run: Run, undecided: int) -> dict[str, int]:
    """Returns the template context of so many undecided rules: `left` need a decision, of which `others` show no
    association; `unneeded` need none."""
    left, others = count_needing_decision(run), count_needing_decision_without_association(run)
    return {"left": left, "others": others, "unneeded": undecided - left}


class ReviewerRuleFilter(RuleFilter):
    """The filter form of a reviewer's list of rules; by default it selects the rules that need a decision."""

    def __init__(self, labels: Labels, data: Mapping[str, Any]) -> None:
        super().__init__(labels, data, verdicts=True)
        self._set_choices(
            "verdict", [("", _("needs a decision")), (ANY, _("any")), *Decision.Verdict.choices]
        )
        if self.lists_only_undecided:
            associations = [("", _("shown, more or less often")), (ANY, _("any")), *association_choices()[1:]]
            self._set_choices("association", associations)

    def clean_verdict(self) -> str:
        verdict: str = self.cleaned_data["verdict"]
        return "" if verdict == ANY else verdict

    def clean_association(self) -> str:
        """Returns the chosen association; without a choice, shown associations if only undecided rules are listed."""
        chosen: str = self.cleaned_data["association"]
        if chosen == ANY:
            return ""
        return chosen or (SHOWN if self.lists_only_undecided else "")

    @property
    def has_filter(self) -> bool:
        return any(value not in (None, "", SHOWN) for value in self.cleaned_data.values())

    @property
    def lists_only_undecided(self) -> bool:
        """True if only rules that need a decision are listed."""
        return not self.data.get("verdict")

    def filter_rules(self, rules: QuerySet[Rule]) -> QuerySet[Rule]:
        matching = super().filter_rules(rules)
        return matching.filter(needs_decision_condition()) if self.lists_only_undecided else matching
