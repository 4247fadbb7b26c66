"""Surveys on which two people act at once, what is stored of one, what of it is left when it is deleted; and the acts.

An act is made as the page that somebody holds when somebody else acts would make it, in two steps: `hold` opens the
page and gives what its form would send, `press` sends it. `press` gives what came of it: DONE, or the sentence of the
refusal.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from django.apps import apps
from django.contrib.messages import ERROR, get_messages
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
from intake.rehearsal import respondent_simulation
from intake.rehearsal.models import Simulation
from jobs import database, job_attempt, job_state_changes
from jobs.models import Job
from mining.parameters import Parameters
from privacy.records import Record
from releases.lifecycle import making_job
from releases.models import Making, Release
from reports.models import Decision, Publication, Review
from reports.review import report_state_changes
from reports.review.rule_decisions import last_decision_if_own, rules_with_verdicts
from runs import run_start
from runs.models import Histogram, Itemset, Rule, Run
from surveys.lifecycle import due_surveys, opening, reviewer_approvals
from surveys.lifecycle.record_counts import records_that_fill_a_batch
from surveys.models import Approval, Collaborator, Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.deposits.conftest import FORM
from tests.intake import asked
from tests.releases.conftest import draft_of_survey, everybody, finish_job, plain_design, plain_survey_anew
from tests.reports import made
from tests.runs import sealed
from tests.surveys import drafts
from tests.surveys.conftest import update_row

WANTED = Parameters(min_support=0.2, min_confidence=0.4, max_size=2)
NEVER_LEFT = ("intake", "disclosure", "field", "runs", "reports", "releases")
"""The apps of which no row of a deleted survey is left."""
JOBS: dict[type[Job], str] = {Run: "survey", Making: "release__source__survey", Simulation: "survey"}
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


def reviewable_world() -> World:
    """A closed survey, with a run whose report waits for reviewers."""
    owner, reviewers = people()
    survey = asked.survey(made.design(), owner=owner, state=Survey.State.CLOSED)
    for _batch in range(2):
        sealed.seal(survey, 500)
    run = made.run_anew(survey, findings=None, rules=len(made.RULES), version=made.VERSION)
    report_state_changes.create_reviews_of_finished_runs(timezone.now())
    return World(survey, owner, reviewers, run)


def published_world() -> World:
    world = reviewable_world()
    report_state_changes.publish(review_of(world), world.reviewers[0], (), "", timezone.now())
    return world


def answered_world() -> World:
    """An open survey by invitation: a batch, records that nearly fill another, an invitation, a run that waits."""
    owner, reviewers = people()
    survey = sealed.survey_anew(
        owner, sealed.small_design(), [120], state=Survey.State.OPEN, closed_at=None, invited=True
    )
    for token in tokens.create_tokens(survey, records_that_fill_a_batch(20) - 1):
        assert asked.post(survey, record(survey, token)).status_code == 201
    (token,) = tokens.create_tokens(survey, 1)
    run = run_start.start_mining_run(survey, owner, WANTED, timezone.now(), mlxtend="never")
    return World(survey, owner, reviewers, run, token=token)


def closed_world() -> World:
    world = answered_world()
    update_row(world.survey, state=Survey.State.CLOSED, closed_at=timezone.now())
    return world


def approved_world() -> World:
    """A closed survey, whose record files a reviewer has approved."""
    world = closed_world()
    reviewer, design = world.reviewers[0], str(world.survey.design_id)
    reviewer_approvals.decide_approval(
        world.survey, reviewer, "records", design, allow=True, reason="", now=timezone.now()
    )
    return world


def rehearsal_world() -> World:
    """An open rehearsal, in which nobody has answered yet."""
    owner, reviewers = people()
    sections = [sealed.plain("age", "young", "old"), sealed.section("theft", "lie")]
    design = asked.make_design(*sections, least=20, rehearsal=True, open_answers=True)
    return World(asked.survey(design, owner=owner), owner, reviewers)


def releasable_world() -> World:
    """A closed survey with a table that waits for a reviewer."""
    owner, reviewers = people()
    survey = plain_survey_anew(owner, plain_design(), [everybody(40)])
    release = draft_of_survey(survey, owner, "age")
    finish_job(making_job.start_release_making(release, owner, timezone.now()))
    release.refresh_from_db()
    return World(survey, owner, reviewers, release=release)


def draft_world() -> World:
    """A draft with weak settings."""
    owner, reviewers = people()
    return World(Survey.objects.create(owner=owner, draft=drafts.weak_draft()), owner, reviewers)


def open_world() -> World:
    """An open survey, whose record files nobody has approved."""
    owner, reviewers = people()
    survey = Survey.objects.create(owner=owner, draft=drafts.complete())
    opening.open_survey_now(survey, owner, timezone.now())
    return World(survey, owner, reviewers)


WORLDS: dict[str, Callable[[], World]] = {
    one.__name__.removesuffix("_world"): one
    for one in (
        reviewable_world,
        published_world,
        answered_world,
        closed_world,
        approved_world,
        rehearsal_world,
        releasable_world,
        draft_world,
        open_world,
    )
}


def review_of(world: World) -> Review:
    return Review.objects.with_surveys().get(run=world.run)


def record(survey: Survey, token: str | None = None, key: str = "") -> Any:
    """A record of the questions of `sealed.small_design`."""
    assert survey.design
    return asked.send_as_page(Record(survey.design.fingerprint, 1, "01010"), key, token)


def forget_cached_surveys() -> None:
    """As if a tenth of a second had passed in each process."""
    endpoint._surveys.clear()


def delete_left_behind(world: World) -> None:
    """As the next tick does: a record may be stored while its survey is being deleted."""
    if Survey.objects.get(pk=world.survey.pk).state == Survey.State.DESTROYED:
        automatic_sealing.delete_all_received(world.survey.pk)


# --- what is stored


def all_facts(world: World) -> dict[str, Any]:
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
        "records": stored_record_count(survey),
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
        "events": sorted(Event.objects.filter(events_about_world(world)).values_list("kind", flat=True)),
        "left": leftovers_of_deleted_survey(survey),
    }


def stored_record_count(survey: Survey) -> int:
    """The records that are stored, sealed or not."""
    waiting = Inbox.objects.filter(survey=survey).count()
    return waiting + sum(Batch.objects.filter(survey=survey).values_list("n", flat=True))


def events_about_world(world: World) -> Q:
    """The condition on events that they are about this survey, its report or its release."""
    of = Q(kind=EventKind.SURVEY_CLOSED, thing=world.survey.pk)
    if world.run:
        of |= Q(kind=EventKind.REPORT_PUBLISHED, thing=world.run.pk)
    if world.release:
        of |= Q(kind=EventKind.RELEASE_APPROVED, thing=world.release.pk)
    return of


def leftovers_of_deleted_survey(survey: Survey) -> list[str]:
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


# --- what people and workers do to a survey ---


DONE, SILENT = "done", "shown again, and nothing is said"
DESK = "admin/reports/review/{run}/"
Held = dict[str, Any]
TAG = re.compile(r"<[^>]+>|\s+|class=\S+")
REASON = re.compile(
    r'class="(?:error-summary|notice|checklist|empty).*?</div>'
    r"|<p>[^<]* (?:asked the reviewers|approved this|refused this) on",
    re.DOTALL,
)
"""What a page says where its form cannot be sent now: errors, a notice, or who has decided."""


@dataclass(frozen=True)
class Act:
    """`hold` may raise LookupError where there is nothing to press in this state."""

    hold: Callable[[World], Held]
    press: Callable[[World, Held], str]


def form(
    address: str,
    person: Callable[[World], Person] = lambda world: world.owner,
    page: str | None = None,
    **said: Any,
) -> Act:
    """A form of a page at this address, filled in by `said`; `page`: of another address."""

    def load_form(world: World) -> Held:
        shown = world.client(person(world)).get(address_of(world, address if page is None else page))
        if shown.status_code == 405:  # a mere button
            return {}
        assert shown.status_code == 200, (address, shown.status_code)
        hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', shown.content.decode())
        return dict(hidden)

    def submit_form(world: World, held: Held) -> str:
        sent = held | {name: value(world) if callable(value) else value for name, value in said.items()}
        return outcome(world.client(person(world)).post(address_of(world, address), sent))

    return Act(load_form, submit_form)


def address_of(world: World, address: str) -> str:
    rows = {"survey": world.survey, "run": world.run, "release": world.release}
    return f"/app/{address.format(**{name: row and row.pk for name, row in rows.items()})}"


def outcome(answer: Any) -> str:
    """What a person reads: the refusal of a message, a form, or a page of its own."""
    assert answer.status_code < 500, answer.content.decode()[:2000]
    messages: Any = get_messages(answer.wsgi_request)
    said = [str(one) for one in messages._queued_messages if one.level >= ERROR]
    if answer.streaming:
        return DONE
    if answer.status_code in (200, 422):
        words = REASON.search(answer.content.decode())
        said.append(TAG.sub(" ", words[0]) if words else SILENT)
    if answer.status_code in (403, 404):
        said.append(str(answer.status_code))
    return " ".join(said) or DONE


def reviewer_at(number: int) -> Callable[[World], Person]:
    return lambda world: world.reviewers[number]


def product_call(do: Callable[[World], object]) -> Act:
    """What no page holds: a worker's or the tick's."""

    def call_product(world: World, _held: Held) -> str:
        try:
            do(world)
        except NotAllowed as refused:
            return str(refused)
        return DONE

    return Act(lambda _world: {}, call_product)


def answering_act(again: bool = False) -> Act:
    """A respondent's page sends its record; `again`: also a second time, as if no reply had come."""

    def send_record(world: World, _held: Held) -> str:
        envelope = record(world.survey, world.token)
        statuses = []
        for _time in range(1 + again):
            forget_cached_surveys()
            statuses.append(asked.post(world.survey, envelope).status_code)
        assert 500 not in statuses
        return DONE if statuses[0] == 201 else str(statuses)

    return Act(lambda _world: {}, send_record)


def undoing_act(number: int) -> Act:
    def judge_rule(world: World) -> Held:
        person, review = world.reviewers[number], review_of(world)
        world.client(person).post(address_of(world, f"{DESK}rules/1/judge"), {"verdict": "accept"})
        decision = last_decision_if_own(review, 1, person)
        return {"decision": decision.pk if decision else 0}

    def undo_judgement(world: World, held: Held) -> str:
        return outcome(
            world.client(world.reviewers[number]).post(address_of(world, f"{DESK}rules/1/undo"), held)
        )

    return Act(judge_rule, undo_judgement)


def new_address(world: World) -> str:
    """One that no letter went to lately."""
    return f"new-{world.survey.pk}@example.org"


def perform_claimed(world: World) -> None:
    """A worker performs the run that waits, unless it was cancelled."""
    assert world.run
    claimed = job_state_changes.claim(world.run.pk, token="t", worker="w", now=database.now())
    if claimed:
        job_attempt.perform_claimed_job(claimed)


def store_job_result(world: World, held: Held) -> str:
    finished = job_state_changes.finish(held["job"], held["write"], database.now())
    return DONE if finished else "not finished"


def compute(world: World) -> Held:
    """A worker has computed the run that waits, and has not stored it yet."""
    assert world.run
    job = job_state_changes.claim(world.run.pk, token="t", worker="w", now=database.now())
    assert job
    return {"job": job, "write": job.perform(lambda *_said, **_values: None)}


def destroy_as_due(world: World) -> None:
    due_surveys.destroy_survey_in_any_state(Survey.objects.get(pk=world.survey.pk), timezone.now())


def simulate(world: World) -> None:
    respondent_simulation.simulate(world.survey, 30, seed=1)


def seal_due_surveys(world: World) -> None:
    automatic_sealing.on_tick(timezone.now())


WHOLE = "rules?verdict=any&association=any"
FITTING: dict[str, Any] = {"which": "fitting", "fitting": "4"}
PARAMETERS: dict[str, Any] = {"min_support": "30", "min_confidence": "50", "max_size": "2"}
PARAMETERS |= {"estimator": "stratified", "standard_errors": "3", "mlxtend": "never"}
RUN = form("surveys/{survey}/runs", **PARAMETERS)
DEPOSIT: dict[str, Any] = {**FORM}
LIFE: dict[str, Act] = {
    **{name: form(f"surveys/{{survey}}/{name}") for name in ("close", "pause", "reopen", "finish")},
    "destroy": form("surveys/{survey}/destroy", typed=lambda world: str(world.survey)),
}


def life_acts(*names: str) -> dict[str, Act]:
    return {name: LIFE[name] for name in names}


ACTS: dict[str, dict[str, Act]] = {
    "reviewable": {
        "accept": form(f"{DESK}rules/1/judge", reviewer_at(0), DESK + WHOLE, verdict="accept"),
        "reject": form(
            f"{DESK}rules/1/decide", reviewer_at(1), f"{DESK}rules/1", verdict="reject", note="Chance."
        ),
        "reject all": form(
            DESK + WHOLE.replace("rules", "rules/decide"),
            reviewer_at(1),
            DESK + WHOLE,
            **FITTING,
            verdict="reject",
        ),
        "undo": undoing_act(0),
        "publish": form(f"{DESK}publish", reviewer_at(0), groups="age"),
        "publish too": form(f"{DESK}publish", reviewer_at(1)),
        "run again": form(f"{DESK}run-again", reviewer_at(0), f"{DESK}publish"),
        **life_acts("destroy", "reopen"),
    },
    "published": {
        "withdraw": form(f"{DESK}withdraw", reviewer_at(0), reason="Forged."),
        "withdraw too": form(f"{DESK}withdraw", reviewer_at(1), reason="Wrong."),
        "open page": form("reports/{run}/public/open", page="reports/{run}/files"),
        "open page too": form("reports/{run}/public/open", page="reports/{run}/files"),
        "deposit": form("reports/{run}/deposit", **DEPOSIT),
        "decide late": form(f"{DESK}rules/1/decide", reviewer_at(1), f"{DESK}rules/1", verdict="reject"),
        **life_acts("destroy"),
    },
    "answered": {
        "answer": answering_act(),
        "answer twice": answering_act(again=True),
        "seal": product_call(seal_due_surveys),
        "start a run": RUN,
        "repeat": form("runs/{run}/repeat", page="runs/{run}/"),
        "cancel": form("jobs/runs.run/{run}/cancel", page="runs/{run}/"),
        "store": Act(compute, store_job_result),
        "perform": product_call(perform_claimed),
        "destroy as due": product_call(destroy_as_due),
        **life_acts("close", "pause"),
    },
    "closed": {
        "answer": answering_act(),
        "seal": product_call(seal_due_surveys),
        "store": Act(compute, store_job_result),
        "start a run": RUN,
        **life_acts("reopen", "finish", "destroy"),
    },
    "releasable": {
        "approve": form("releases/{release}/approve", reviewer_at(0), note="Fine."),
        "refuse": form("releases/{release}/refuse", reviewer_at(1), reason="Too fine."),
        "another": form("surveys/{survey}/releases", which="plain"),
        **life_acts("destroy", "finish"),
    },
    "approved": {
        "download": form("surveys/{survey}/records", kind="csv"),
        "refuse": form("surveys/{survey}/review", reviewer_at(1), allow="no", reason="Too much."),
        "answer": answering_act(),
        "seal": product_call(seal_due_surveys),
        **life_acts("reopen", "finish", "destroy"),
    },
    "rehearsal": {
        "simulate": form("surveys/{survey}/rehearse", n="30"),
        "simulate too": form("surveys/{survey}/rehearse", n="40"),
        "simulating": product_call(simulate),
        "destroy as due": product_call(destroy_as_due),
        **life_acts("close", "pause"),
    },
    "draft": {
        "ask": form("surveys/{survey}/ask", reason="A small clinic."),
        "ask too": form("surveys/{survey}/ask", reason="Please."),
        "allow": form("surveys/{survey}/review", reviewer_at(0), allow="yes"),
        "refuse": form("surveys/{survey}/review", reviewer_at(1), allow="no", reason="Too weak."),
        "open": form("surveys/{survey}/open", when="now"),
        **life_acts("destroy"),
    },
    "open": {
        "ask": form("surveys/{survey}/ask", reason="For the archive."),
        "allow": form("surveys/{survey}/review", reviewer_at(0), allow="yes"),
        "refuse": form("surveys/{survey}/review", reviewer_at(1), allow="no", reason="Too much."),
        "invite": form("surveys/{survey}/people", who=new_address, may_edit="on"),
        "destroy as due": product_call(destroy_as_due),
        **life_acts("close", "pause"),
    },
}
"""By world what is done at once there, each with each of the others."""
