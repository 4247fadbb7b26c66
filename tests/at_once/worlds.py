"""Surveys on which two people act at once, what is stored of one, and what of it is left when it is deleted."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models import Q
from django.test import Client
from django.utils import timezone

from accounts import role_assignment
from accounts.models import RESEARCHERS, REVIEWERS, History, Person
from api.models import Event, EventKind
from intake.batches import automatic_sealing
from intake.disclosure.models import Disclosure
from intake.endpoint import endpoint
from intake.invitations import tokens
from intake.models import Batch, FreshKey, Inbox, SeenKeys, Token
from intake.rehearsal.models import Simulation
from jobs.models import Job
from mining.parameters import Parameters
from privacy.records import Record
from releases.lifecycle import making_job
from releases.models import Making, Release
from reports.models import Backtest, Decision, Publication, Review
from reports.review import report_state_changes
from reports.review.rule_decisions import rules_with_verdicts
from runs import run_start
from runs.models import Histogram, Itemset, Rule, Run
from surveys.lifecycle import opening, reviewer_approvals
from surveys.lifecycle.record_counts import records_that_fill_a_batch
from surveys.models import Approval, Collaborator, Survey
from tests.intake import asked
from tests.releases.conftest import draft_of_survey, everybody, finish_job, plain_design, plain_survey_anew
from tests.reports import made
from tests.runs import sealed
from tests.surveys import drafts
from tests.surveys.conftest import changed

WANTED = Parameters(min_support=0.2, min_confidence=0.4, max_size=2)
NEVER_LEFT = ("intake", "disclosure", "field", "runs", "reports", "releases")
"""The apps of which no row of a deleted survey is left."""
JOBS: dict[type[Job], str] = {
    Run: "survey",
    Backtest: "run__survey",
    Making: "release__source__survey",
    Simulation: "survey",
}
"""Kinds of jobs, and how each leads to its survey."""


@dataclass
class World:
    """One survey, and who works on it; `run`, `release` and `token` where there are some."""

    survey: Survey
    owner: Person
    reviewers: tuple[Person, Person]
    run: Run | None = None
    release: Release | None = None
    token: str = ""
    _clients: dict[int, Client] = field(default_factory=dict)

    def client(self, person: Person) -> Client:
        """Signed in."""
        if person.pk not in self._clients:
            self._clients[person.pk] = Client(SERVER_NAME="localhost")
            self._clients[person.pk].force_login(person)
        return self._clients[person.pk]


def people() -> tuple[Person, tuple[Person, Person]]:
    """The owner, and two reviewers."""
    owner, first, second = (
        Person.objects.get_or_create(username=name, defaults={"email": f"{name}@example.org"})[0]
        for name in ("owner", "first", "second")
    )
    if not owner.is_researcher:
        role_assignment.give_role(owner, RESEARCHERS, by=None)
        for reviewer in (first, second):
            role_assignment.give_role(reviewer, REVIEWERS, by=None)
    fresh = [Person.objects.get(pk=person.pk) for person in (owner, first, second)]
    return fresh[0], (fresh[1], fresh[2])


def reported() -> World:
    """A closed survey, with a run whose report waits for reviewers."""
    owner, reviewers = people()
    survey = asked.survey(made.design(), owner=owner, state=Survey.State.CLOSED)
    for _batch in range(2):
        sealed.seal(survey, 500)
    run = made.run_anew(survey, findings=None, rules=len(made.RULES), version=made.VERSION)
    report_state_changes.create_reviews_of_finished_runs(timezone.now())
    return World(survey, owner, reviewers, run)


def published() -> World:
    world = reported()
    report_state_changes.publish(review_of(world), world.reviewers[0], (), "", timezone.now())
    return world


def answered() -> World:
    """An open survey by invitation: a batch, records that nearly fill another, an invitation, a run that waits."""
    owner, reviewers = people()
    survey = sealed.survey_anew(
        owner, sealed.small(), [120], state=Survey.State.OPEN, closed_at=None, invited=True
    )
    for token in tokens.create_tokens(survey, records_that_fill_a_batch(20) - 1):
        assert asked.post(survey, record(survey, token)).status_code == 201
    (token,) = tokens.create_tokens(survey, 1)
    run = run_start.start_mining_run(survey, owner, WANTED, timezone.now(), mlxtend="never")
    return World(survey, owner, reviewers, run, token=token)


def closed() -> World:
    world = answered()
    changed(world.survey, state=Survey.State.CLOSED, closed_at=timezone.now())
    return world


def allowed() -> World:
    """A closed survey, whose record files a reviewer has approved."""
    world = closed()
    reviewer, design = world.reviewers[0], str(world.survey.design_id)
    reviewer_approvals.decide_approval(
        world.survey, reviewer, "records", design, allow=True, reason="", now=timezone.now()
    )
    return world


def rehearsed() -> World:
    """An open rehearsal, in which nobody has answered yet."""
    owner, reviewers = people()
    sections = [sealed.plain("age", "young", "old"), sealed.section("theft", "lie")]
    design = asked.written(*sections, least=20, rehearsal=True, open_answers=True)
    return World(asked.survey(design, owner=owner), owner, reviewers)


def releasing() -> World:
    """A closed survey with a table that waits for a reviewer."""
    owner, reviewers = people()
    survey = plain_survey_anew(owner, plain_design(), [everybody(40)])
    release = draft_of_survey(survey, owner, "age")
    finish_job(making_job.start_release_making(release, owner, timezone.now()))
    release.refresh_from_db()
    return World(survey, owner, reviewers, release=release)


def drafted() -> World:
    """A draft with weak settings."""
    owner, reviewers = people()
    return World(Survey.objects.create(owner=owner, draft=drafts.weak()), owner, reviewers)


def opened() -> World:
    """An open survey, whose record files nobody has approved."""
    owner, reviewers = people()
    survey = Survey.objects.create(owner=owner, draft=drafts.complete())
    opening.open_survey_now(survey, owner, timezone.now())
    return World(survey, owner, reviewers)


WORLDS: dict[str, Callable[[], World]] = {
    one.__name__: one
    for one in (reported, published, answered, closed, allowed, rehearsed, releasing, drafted, opened)
}


def review_of(world: World) -> Review:
    return Review.objects.with_surveys().get(run=world.run)


def record(survey: Survey, token: str | None = None, key: str = "") -> Any:
    """A record of the questions of `sealed.small`."""
    assert survey.design
    return asked.sent(Record(survey.design.fingerprint, 1, "01010"), key, token)


def forget_cached_surveys() -> None:
    """As if a tenth of a second had passed in each process."""
    endpoint._surveys.clear()


def delete_left_behind(world: World) -> None:
    """As the next tick does: a record may be stored while its survey is being deleted."""
    if Survey.objects.get(pk=world.survey.pk).state == Survey.State.DESTROYED:
        automatic_sealing.delete_all_received(world.survey.pk)


# --- what is stored


def facts(world: World) -> dict[str, Any]:
    """What is stored of a survey, without times, keys of rows and what is drawn at random."""
    survey = Survey.objects.get(pk=world.survey.pk)
    reviews = Review.objects.filter(run__survey=survey)
    releases = Release.objects.filter(source__survey=survey).order_by("pk")
    publications = Publication.objects.filter(run__survey=survey)
    decisions = Decision.objects.filter(rule__run__survey=survey)
    keys = SeenKeys.objects.filter(survey=survey).values_list("hashes", flat=True)
    return {
        "survey": (survey.state, survey.is_paused, survey.cap, survey.draft, survey.design_id),
        "times": (bool(survey.opens), bool(survey.closed_at), survey.invitations_made),
        "records": received(survey),
        "keys": FreshKey.objects.filter(survey=survey).count() + sum(len(block) // 16 for block in keys),
        "tokens": Token.objects.filter(survey=survey).count(),
        "jobs": sorted(
            (kind._meta.label_lower, job.state, job.cancel_asked)
            for kind, path in JOBS.items()
            for job in kind._base_manager.filter(**{path: survey})
        ),
        "results": sorted(
            Run.objects.filter(survey=survey).values_list("number", "itemset_count", "rule_count", "digest")
        ),
        "stored": [
            Itemset.objects.filter(run__survey=survey).count(),
            Rule.objects.filter(run__survey=survey).count(),
            Histogram.objects.filter(survey=survey).count(),
        ],
        "reviews": sorted((row.state, row.reason, bool(row.public_token)) for row in reviews),
        "verdicts": [
            list(rules_with_verdicts(review.run).order_by("place").values_list("verdict", "direction"))
            for review in reviews
        ],
        "decisions": sorted(decisions.values_list("rule__place", "reviewer", "verdict", "note")),
        "publications": sorted(
            (str(row.content["left_out"]), len(row.content["groups"]), [rule["number"] for rule in row.rules])
            for row in publications
        ),
        "releases": [(row.state, row.reason, row.makings.count()) for row in releases],
        "ledger": sorted(Disclosure.objects.filter(survey=survey).values_list("door", "population")),
        "approvals": sorted(
            Approval.objects.filter(survey=survey).values_list("what", "verdict", "note", "by")
        ),
        "collaborators": sorted(Collaborator.objects.filter(survey=survey).values_list("person", "may_edit")),
        "history": sorted(
            (what, who or 0) for what, who in History.objects.about(survey).values_list("what", "who")
        ),
        "events": sorted(Event.objects.filter(about(world)).values_list("kind", flat=True)),
        "left": left(survey),
    }


def received(survey: Survey) -> int:
    """The records that are stored, sealed or not."""
    waiting = Inbox.objects.filter(survey=survey).count()
    return waiting + sum(Batch.objects.filter(survey=survey).values_list("n", flat=True))


def about(world: World) -> Q:
    """The condition on events that they are about this survey, its report or its release."""
    of = Q(kind=EventKind.SURVEY_CLOSED, thing=world.survey.pk)
    if world.run:
        of |= Q(kind=EventKind.REPORT_PUBLISHED, thing=world.run.pk)
    if world.release:
        of |= Q(kind=EventKind.RELEASE_APPROVED, thing=world.release.pk)
    return of


def left(survey: Survey) -> list[str]:
    """What a deleted survey has left where nothing may be; nothing is asked of others."""
    if survey.state != Survey.State.DESTROYED:
        return []
    return sorted(
        kind._meta.label
        for kind in apps.get_models()
        for one in kind._meta.get_fields()
        if kind._meta.app_label in NEVER_LEFT
        and isinstance(one, models.ForeignKey)
        and one.related_model is Survey
        and kind._base_manager.filter(**{one.name: survey}).exists()
    )
