"""Decisions of reviewers: on one rule, or on all rules that fit a filter."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.utils.translation import gettext as _, ngettext

from mining.models import Rule, Run
from mining.reports.models import Decision, Review
from people.history import record
from surveys.refused import Refused

if TYPE_CHECKING:
    from people.models import Person

Verdict = Decision.Verdict
State = Review.State
UNDECIDED = "undecided"
SAID = {
    Verdict.ACCEPT: "reports.accepted",
    Verdict.REJECT: "reports.rejected",
    Verdict.MORE_DATA: "reports.more-data",
}
AT_ONCE = 5000


def with_verdicts(run: Run) -> QuerySet[Any]:
    """The rules of a run, each with its last `verdict`; None where nobody has decided."""
    last = Decision.objects.filter(rule=OuterRef("pk")).order_by("-pk")
    rows: QuerySet[Any] = Rule.objects.filter(run=run)
    found: QuerySet[Any] = rows.annotate(verdict=Subquery(last.values("verdict")[:1]))
    return found


def accepted(run: Run) -> QuerySet[Any]:
    return with_verdicts(run).filter(verdict=Verdict.ACCEPT)


def itemsets_of(rules: QuerySet[Any]) -> Q:
    """The itemsets of these rules: both sides of each, and all its answers together."""
    found = [Q(items__in=rules.order_by().values(name)) for name in ("items", "antecedent", "consequent")]
    return found[0] | found[1] | found[2]


def decide(
    review: Review, person: "Person", rules: QuerySet[Rule], verdict: Verdict, note: str, now: datetime
) -> int:
    """Store a decision on each of these rules of `with_verdicts`; returns their number."""
    review.require_reviewer(person)
    with transaction.atomic():
        found = Review.objects.locked(review.pk)
        # The first decision changes the state to in review; a published or withdrawn report takes none.
        if not found.is_open:
            raise Refused(_("This report is published or withdrawn: its rules are decided."))
        if found.state == State.WAITING:
            Review.objects.filter(pk=review.pk).update(state=State.IN_REVIEW, since=now)
        chosen = list(rules.values_list("pk", "place"))
        if not chosen:
            raise Refused(_("No rule is chosen. Tick some, or widen the filter."))
        Decision.objects.bulk_create(
            [
                Decision(rule_id=pk, reviewer=person, verdict=verdict, note=note, when=now)
                for pk, _place in chosen
            ],
            batch_size=AT_ONCE,
        )
        record(person, SAID[verdict], review.survey, note=history_note(review, chosen, note), when=now)
    review.refresh_from_db()
    return len(chosen)


def history_note(review: Review, chosen: list[tuple[int, int]], note: str) -> str:
    """The note in the history: only numbers, since the history outlives the answers and their results must not."""
    if len(chosen) == 1:
        what = _("%(run)s, rule %(number)s") % {"run": review.run, "number": chosen[0][1] + 1}
    else:
        words = ngettext("%(run)s, %(count)s rule", "%(run)s, %(count)s rules", len(chosen))
        what = words % {"run": review.run, "count": len(chosen)}
    return f"{what}. {note}" if note else f"{what}."


def tally(run: Run) -> dict[str, int]:
    """The numbers of rules by their last verdict, `more_data` and `undecided` among them."""
    found = dict.fromkeys(["accept", "reject", "more_data", UNDECIDED], 0)
    rows = with_verdicts(run).order_by().values_list("verdict").annotate(Count("pk"))
    return found | {(verdict or UNDECIDED).replace("-", "_"): many for verdict, many in rows}
