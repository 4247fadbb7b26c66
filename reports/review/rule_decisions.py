"""Stores and undoes reviewers' decisions on rules, one rule at a time or all that fit a filter."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Count, Max, OuterRef, Q, QuerySet, Subquery, Value
from django.db.models.functions import NullIf
from django.utils.translation import gettext as _, ngettext

from accounts.activity_log import log_activity
from reports.models import Decision, Review
from runs.models import Rule, Run
from surveys.questionnaire.problems_and_refusals import DecidedMeanwhile, NotAllowed
from ui.number_format import format_count

if TYPE_CHECKING:
    from accounts.models import Person

Verdict = Decision.Verdict
State = Review.State
UNDECIDED = Verdict.UNDECIDED.value
SAID = {
    Verdict.ACCEPT: "reports.accepted",
    Verdict.REJECT: "reports.rejected",
    Verdict.MORE_DATA: "reports.more-data",
}
AT_ONCE = 5000


def rules_with_verdicts(run: Run) -> QuerySet[Any]:
    """Selects the rules of a run, each annotated with its last `verdict` and `direction`.

    The verdict is None if nobody has decided, or the decision was undone.
    """
    last = Decision.objects.filter(rule=OuterRef("pk")).order_by("-pk")
    rows: QuerySet[Any] = Rule.objects.filter(run=run)
    verdict = NullIf(Subquery(last.values("verdict")[:1]), Value(UNDECIDED))
    judged: QuerySet[Any] = rows.annotate(verdict=verdict, direction=Subquery(last.values("direction")[:1]))
    return judged


def needs_decision_condition() -> Q:
    """Returns the query condition that a rule needs a decision: undecided, not listed beneath a shorter rule, and with
    an interval that excludes something."""
    known = Q(confidence_low__isnull=False, confidence_high__isnull=False)
    excludes_nothing = Q(confidence_low__lte=0, confidence_high__gte=1)
    return Q(verdict__isnull=True, under=None) & known & ~excludes_nothing


def accepted_rules(run: Run) -> QuerySet[Any]:
    return rules_with_verdicts(run).filter(verdict=Verdict.ACCEPT)


def itemsets_of_rules_condition(rules: QuerySet[Any]) -> Q:
    """Returns the query condition that selects the itemsets of the given rules: both sides, and all answers
    together."""
    conditions = [
        Q(items__in=rules.order_by().values(name)) for name in ("items", "antecedent", "consequent")
    ]
    return conditions[0] | conditions[1] | conditions[2]


def decide_rules(
    review: Review,
    person: "Person",
    rules: QuerySet[Rule],
    verdict: Verdict,
    note: str,
    now: datetime,
    direction: str = "",
    seen: int | None = None,
) -> int:
    """Stores a decision on each of these rules, a query of `rules_with_verdicts`; returns their number.

    `direction`: only this direction of a rule is accepted; the rule's converse must reach the run's confidence too. A
    decision that repeats the person's last one on the rule is not stored: its response was lost, or a button was
    pressed twice. `seen` is the `newest_rule_decision_id` that the person's page showed; raises DecidedMeanwhile if
    somebody else has decided differently since.
    """
    with transaction.atomic():
        locked = lock_open_review(review)
        basis = review.require_reviewer(person)
        # The first decision changes the state to in review.
        if locked.state == State.WAITING:
            Review.objects.filter(pk=review.pk).update(state=State.IN_REVIEW, since=now)
        chosen = list(rules.values_list("pk", "place"))
        if not chosen:
            raise NotAllowed(_("No rule is selected. Select some, or widen the filter."))
        if direction and (verdict != Verdict.ACCEPT or rules.filter(both=False).exists()):
            raise NotAllowed(_("Only one way round has the confidence that the run asked for."))
        if seen is not None:
            _refuse_unseen_decisions(review, person, dict(chosen), (verdict, direction), seen)
        said = (verdict, note, direction)
        if len(chosen) == 1 and _is_same_as_last_decision(review, chosen[0][1] + 1, person, said):
            return 1
        Decision.objects.bulk_create(
            [
                Decision(
                    rule_id=pk,
                    reviewer=person,
                    verdict=verdict,
                    note=note,
                    when=now,
                    direction=direction,
                    basis=basis,
                )
                for pk, _place in chosen
            ],
            batch_size=AT_ONCE,
        )
        log_activity(
            person,
            SAID[verdict],
            review.survey,
            note=history_note_with_rule_numbers(review, chosen, note),
            when=now,
        )
        review.refresh_from_db()
    return len(chosen)


def newest_rule_decision_id(run: Run) -> int:
    """Returns the id of the newest decision on the rules of a run, 0 if there is none; forms send it back as `seen`."""
    return int(Decision.objects.filter(rule__run=run).aggregate(last=Max("pk", default=0))["last"])


def _refuse_unseen_decisions(
    review: Review, person: "Person", rule_ranks: dict[int, int], said: tuple[str, str], seen: int
) -> None:
    """Raises DecidedMeanwhile if somebody else has decided differently on one of the rules since the decision `seen`.

    `rule_ranks` are the ranks of the rules, by their ids. Only the last decision on a rule counts; an undone one does
    not.
    """
    later = Decision.objects.filter(rule__run=review.run, pk__gt=seen).select_related("reviewer")
    last = {decision.rule_id: decision for decision in later.order_by("pk") if decision.rule_id in rule_ranks}
    for rule, decision in last.items():
        is_other = decision.reviewer_id != person.pk and decision.verdict != UNDECIDED
        if is_other and (decision.verdict, decision.direction) != said:
            words = _("rule %(number)s: %(verdict)s")
            number, label = format_count(rule_ranks[rule] + 1), decision.get_verdict_display()
            raise DecidedMeanwhile(decision.reviewer, words % {"number": number, "verdict": label})


Said = tuple[str, str, str]
"""Content of a decision: verdict, note, direction."""


def _is_same_as_last_decision(review: Review, number: int, person: "Person", decision: Said) -> bool:
    """Returns True if this repeats the person's last decision on the rule.

    False if that decision was on several rules, since one undo would take all of them back.
    """
    last = last_decision_if_own(review, number, person)
    if not last or (last.verdict, last.note, last.direction) != decision:
        return False
    act = Decision.objects.filter(rule__run=review.run, reviewer=person, when=last.when, verdict=decision[0])
    return act.count() == 1


def lock_open_review(review: Review) -> Review:
    """Locks the report and returns it as stored; raises NotAllowed if it is published or withdrawn."""
    locked = Review.objects.get_locked(review.pk)
    if not locked.is_open:
        raise NotAllowed(_("This report is published or withdrawn: its rules are decided."))
    return locked


def last_decision_if_own(review: Review, number: int, person: "Person") -> Decision | None:
    """Returns the last decision on the rule if it is this person's."""
    made = Decision.objects.filter(rule__run=review.run, rule__place=number - 1).select_related("rule")
    last = made.order_by("-pk").first()
    return last if last and last.reviewer_id == person.pk else None


def undo_decision(review: Review, person: "Person", number: int, decision: int, now: datetime) -> int:
    """Undoes a decision on rule `number` and all that this person made together with it; returns their number.

    Each gets one more decision, with the verdict from before. Rules that somebody else has decided on since are not
    changed.
    """
    with transaction.atomic():
        lock_open_review(review)
        basis = review.require_reviewer(person)
        on_rule = Decision.objects.filter(rule__run=review.run, rule__place=number - 1)
        undone = on_rule.filter(pk=decision, reviewer=person).first()
        before = _verdicts_before(review.run, undone) if undone else {}
        if not undone or not before:
            raise NotAllowed(
                _(
                    "You cannot undo this decision, because someone else has decided on the rule since. "
                    "Decide on the rule again instead."
                )
            )
        said = _("Takes back the decision “%(verdict)s”.") % {"verdict": undone.get_verdict_display()}
        Decision.objects.bulk_create(
            [
                Decision(
                    rule_id=rule,
                    reviewer=person,
                    verdict=verdict,
                    direction=direction,
                    note=said,
                    when=now,
                    basis=basis,
                )
                for (rule, _place), (verdict, direction) in before.items()
            ],
            batch_size=AT_ONCE,
        )
        log_activity(
            person,
            "reports.undone",
            review.survey,
            note=history_note_with_rule_numbers(review, list(before), ""),
            when=now,
        )
    return len(before)


def _verdicts_before(run: Run, undone: Decision) -> dict[tuple[int, int], tuple[str, str]]:
    """Returns the verdicts and directions from before the decision `undone`, by id and rank of each rule that it was
    made on.

    Decisions made together have the same time, reviewer and verdict. Rules that somebody else has decided on since are
    left out.
    """
    act = (undone.reviewer_id, undone.when, undone.verdict)
    of_act = Decision.objects.filter(rule__run=run, reviewer=act[0], when=act[1], verdict=act[2])
    made = Decision.objects.filter(rule__in=of_act.values("rule")).order_by("pk")
    last: dict[int, tuple[str, str]] = {}
    verdicts: dict[tuple[int, int], tuple[str, str]] = {}
    rows = made.values_list("rule_id", "rule__place", "reviewer_id", "when", "verdict", "direction")
    for rule, place, reviewer, when, verdict, direction in rows:
        if (reviewer, when, verdict) == act:
            verdicts[rule, place] = last.get(rule, (UNDECIDED, ""))
        elif reviewer != undone.reviewer_id:
            verdicts.pop((rule, place), None)
        last[rule] = verdict, direction
    return verdicts


def history_note_with_rule_numbers(review: Review, chosen: list[tuple[int, int]], note: str) -> str:
    """Returns the note for the history.

    It names rules by number only, since the history outlives the answers; and none where people who work on the survey
    read it before the report is published: how many rules there are tells what was counted.
    """
    if review.survey.hides_outcomes:
        what = str(review.run)
    elif len(chosen) == 1:
        what = _("%(run)s, rule %(number)s") % {"run": review.run, "number": format_count(chosen[0][1] + 1)}
    else:
        words = ngettext("%(run)s, %(count)s rule", "%(run)s, %(count)s rules", len(chosen))
        what = words % {"run": review.run, "count": format_count(len(chosen))}
    return f"{what}. {note}" if note else f"{what}."


def copy_decisions(review: Review, now: datetime) -> None:
    """Copies the last decisions of the run that this one repeats, to rules with the same sides; each note names that
    run."""
    run = review.run
    before = Run.objects.filter(survey=run.survey_id, number=run.repeats).first() if run.repeats else None
    if before is None:
        return
    rows = Rule.objects.filter(run=run).values_list("pk", "antecedent", "consequent")
    here = {(antecedent, consequent): pk for pk, antecedent, consequent in rows}
    last = Decision.objects.filter(rule__run=before).values("rule").annotate(last=Max("pk")).values("last")
    decisions = []
    for one in Decision.objects.filter(pk__in=last).select_related("rule").order_by("pk"):
        sides = (one.rule.antecedent, one.rule.consequent)
        direction = one.direction
        if sides not in here:
            sides, direction = sides[::-1], OTHER_WAY.get(direction, "")
        if sides in here and one.verdict != UNDECIDED:
            note = " ".join(filter(None, [_("From %(run)s.") % {"run": before}, one.note]))
            decisions.append(
                Decision(
                    rule_id=here[sides],
                    reviewer_id=one.reviewer_id,
                    verdict=one.verdict,
                    direction=direction,
                    note=note,
                    when=now,
                    basis=one.basis,
                )
            )
    Decision.objects.bulk_create(decisions, batch_size=AT_ONCE)


OTHER_WAY = {"rule": "converse", "converse": "rule"}


def count_by_verdict(run: Run) -> dict[str, int]:
    """Counts rules by their last verdict; the keys include `more_data` and `undecided`."""
    counts = dict.fromkeys(["accept", "reject", "more_data", UNDECIDED], 0)
    rows = rules_with_verdicts(run).order_by().values_list("verdict").annotate(Count("pk"))
    return counts | {(verdict or UNDECIDED).replace("-", "_"): many for verdict, many in rows}
