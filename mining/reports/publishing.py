"""A finished run on its way: it waits, is reviewed, published, and withdrawn if need be.

Each step is one conditional UPDATE (the first one INSERT under a unique key), so of two who try, one does; a line in
the history; and letters, sent once all of it is committed.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.translation import gettext as _, ngettext

from jobs.models import State as JobState
from mining.models import Run
from mining.reports import deciding, gathering, letters
from mining.reports.content import Content, LeftOut, as_json, from_json, without_rules
from mining.reports.holding import held
from mining.reports.models import Backtest, Decision, Publication, Review
from mining.reports.naming import Naming
from mining.reports.refused import Refused, may_review
from people.history import record
from surveys.intake.models import Sweep
from surveys.models import Survey

if TYPE_CHECKING:
    from people.models import Person

State = Review.State


def take_in(now: datetime) -> None:
    """Every run that is done waits for a reviewer from now on."""
    done = Run.objects.filter(state=JobState.DONE, review__isnull=True).select_related("survey")
    for run in done.order_by("pk"):
        with transaction.atomic():
            if not Run.objects.held(run.pk):
                continue
            review, is_new = Review.objects.get_or_create(run=run, defaults={"since": now})
            if is_new:
                record(None, "reports.waiting", run.survey, note=f"{run}.", when=now)
                transaction.on_commit(partial(letters.waiting, review))


def publish(
    review: Review, person: "Person", groups_of: Sequence[str], site: str, now: datetime
) -> Publication:
    """The shares of single answers, those within the classes of these plain questions, and the accepted rules."""
    may_review(review, person)
    run = review.run
    with transaction.atomic():
        # What a backtest finds goes into the publication or nowhere.
        found = held(review.pk)
        backtest = Backtest.objects.filter(run=run).first()
        if found.is_open and backtest and backtest.live:
            raise Refused(
                _("A backtest of this run is under way. Wait until it is over, or cancel it, then publish.")
            )
        _move(review, (State.WAITING, State.IN_REVIEW), State.PUBLISHED, now)
        made = content_of(run, groups_of)
        whole = as_json(made)
        publication = Publication.objects.create(
            run=run, by=person, when=now, content=without_rules(whole), rules=whole["rules"]
        )
        words = ngettext("%(run)s, %(count)s rule.", "%(run)s, %(count)s rules.", len(made.rules))
        note = words % {"run": run, "count": len(made.rules)}
        record(person, "reports.published", review.survey, note=note, when=now)
        transaction.on_commit(partial(letters.published, review, site))
    return publication


def content_of(run: Run, groups_of: Sequence[str]) -> Content:
    """What would be published now."""
    naming = Naming(run.content)
    true = gathering.true_shares(run, naming)
    found = gathering.whole(run, naming, true)
    rows = deciding.accepted(run).select_related("itemset").order_by("place")
    accepted = gathering.rules(rows, found.about, naming, true, gathering.tested(run))
    parts = run.itemsets.filter(deciding.parts_of(deciding.accepted(run))).order_by("place")
    itemsets = gathering.itemsets(parts, run, naming, true)
    tally = deciding.tally(run)
    left_out = LeftOut(tally["reject"], tally["more_data"], tally["undecided"])
    return replace(gathering.only(found, itemsets, accepted, groups_of), left_out=left_out)


def published(review: Review, *, rules: bool = True) -> Content:
    """What everybody who may read the survey reads."""
    columns = ("content", "rules") if rules else ("content",)
    content, *listed = Publication.objects.values_list(*columns).get(run=review.run_id)
    return from_json({**content, "rules": listed[0] if listed else []})


def tested(review: Review) -> dict[int, float | None]:
    """By a rule’s place, in which share of simulated surveys it was found again, as it was published."""
    if not gathering.tested(review.run):
        return {}  # without a backtest there is nothing to look for among all published rules
    rules = Publication.objects.values_list("rules", flat=True).get(run=review.run_id)
    return {rule["number"] - 1: rule.get("again") for rule in rules}


def withdraw(review: Review, person: "Person", reason: str, site: str, now: datetime) -> None:
    may_review(review, person)
    with transaction.atomic():
        _move(review, (State.PUBLISHED,), State.WITHDRAWN, now, reason=reason)
        record(person, "reports.withdrawn", review.survey, note=f"{review.run}. {reason}", when=now)
        transaction.on_commit(partial(letters.withdrawn, review, site))


def _move(review: Review, before: Sequence[State], after: State, now: datetime, **values: Any) -> None:
    rows = Review.objects.filter(pk=review.pk, state__in=before)
    moved = rows.update(state=after, since=now, **values)
    review.refresh_from_db(fields=["state", "since", "reason"])
    if not moved:
        raise Refused(why_not(State(review.state), after))


def why_not(state: State, after: State) -> str:
    if after == State.PUBLISHED:
        if state == State.WITHDRAWN:
            return _("This report was withdrawn. Start the run again to publish another.")
        return _("This report is published already.")
    if state == State.WITHDRAWN:
        return _("This report is withdrawn already.")
    return _("This report is not published.")


def on_destruction(survey: Survey, **kwargs: Any) -> None:
    """What was found goes with the answers; the rows fall with their runs."""
    tables = (Review, Decision, Publication)
    Sweep.objects.bulk_create([Sweep(table=table._meta.db_table) for table in tables])
