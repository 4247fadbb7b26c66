"""What people and workers do to a survey, each as the page that they hold when somebody else acts would do it.

An act is made in two steps: `hold` opens the page and gives what its form would send, `press` sends it. `press` gives
what came of it: DONE, or the sentence of the refusal.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.messages import ERROR, get_messages
from django.utils import timezone

from accounts.models import Person
from intake.batches import automatic_sealing
from intake.rehearsal import respondent_simulation
from jobs import database, job_attempt, job_state_changes
from reports.review.rule_decisions import last_decision_if_own
from surveys.lifecycle import due_surveys
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.at_once.worlds import World, forget_cached_surveys, record, review_of
from tests.deposits.conftest import FORM
from tests.intake import asked

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

    def hold(world: World) -> Held:
        shown = world.client(person(world)).get(place(world, address if page is None else page))
        if shown.status_code == 405:  # a mere button
            return {}
        assert shown.status_code == 200, (address, shown.status_code)
        hidden = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', shown.content.decode())
        return dict(hidden)

    def press(world: World, held: Held) -> str:
        sent = held | {name: value(world) if callable(value) else value for name, value in said.items()}
        return outcome(world.client(person(world)).post(place(world, address), sent))

    return Act(hold, press)


def place(world: World, address: str) -> str:
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


def by(number: int) -> Callable[[World], Person]:
    return lambda world: world.reviewers[number]


def call(do: Callable[[World], object]) -> Act:
    """What no page holds: a worker's or the tick's."""

    def press(world: World, _held: Held) -> str:
        try:
            do(world)
        except NotAllowed as refused:
            return str(refused)
        return DONE

    return Act(lambda _world: {}, press)


def answering(again: bool = False) -> Act:
    """A respondent's page sends its record; `again`: also a second time, as if no reply had come."""

    def press(world: World, _held: Held) -> str:
        envelope = record(world.survey, world.token)
        statuses = []
        for _time in range(1 + again):
            forget_cached_surveys()
            statuses.append(asked.post(world.survey, envelope).status_code)
        assert 500 not in statuses
        return DONE if statuses[0] == 201 else str(statuses)

    return Act(lambda _world: {}, press)


def undoing(number: int) -> Act:
    def hold(world: World) -> Held:
        person, review = world.reviewers[number], review_of(world)
        world.client(person).post(place(world, f"{DESK}rules/1/judge"), {"verdict": "accept"})
        decision = last_decision_if_own(review, 1, person)
        return {"decision": decision.pk if decision else 0}

    def press(world: World, held: Held) -> str:
        return outcome(world.client(world.reviewers[number]).post(place(world, f"{DESK}rules/1/undo"), held))

    return Act(hold, press)


def new_address(world: World) -> str:
    """One that no letter went to lately."""
    return f"new-{world.survey.pk}@example.org"


def perform_claimed(world: World) -> None:
    """A worker performs the run that waits, unless it was cancelled."""
    assert world.run
    claimed = job_state_changes.claim(world.run.pk, token="t", worker="w", now=database.now())
    if claimed:
        job_attempt.perform_claimed_job(claimed)


def storing(world: World, held: Held) -> str:
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


def tick(world: World) -> None:
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


def life(*names: str) -> dict[str, Act]:
    return {name: LIFE[name] for name in names}


ACTS: dict[str, dict[str, Act]] = {
    "reported": {
        "accept": form(f"{DESK}rules/1/judge", by(0), DESK + WHOLE, verdict="accept"),
        "reject": form(f"{DESK}rules/1/decide", by(1), f"{DESK}rules/1", verdict="reject", note="Chance."),
        "reject all": form(
            DESK + WHOLE.replace("rules", "rules/decide"), by(1), DESK + WHOLE, **FITTING, verdict="reject"
        ),
        "undo": undoing(0),
        "publish": form(f"{DESK}publish", by(0), groups="age"),
        "publish too": form(f"{DESK}publish", by(1)),
        "backtest": form(f"{DESK}backtest", by(1), f"{DESK}rules"),
        "run again": form(f"{DESK}run-again", by(0), f"{DESK}publish"),
        **life("destroy", "reopen"),
    },
    "published": {
        "withdraw": form(f"{DESK}withdraw", by(0), reason="Forged."),
        "withdraw too": form(f"{DESK}withdraw", by(1), reason="Wrong."),
        "open page": form("reports/{run}/public/open", page="reports/{run}/files"),
        "open page too": form("reports/{run}/public/open", page="reports/{run}/files"),
        "deposit": form("reports/{run}/deposit", **DEPOSIT),
        "decide late": form(f"{DESK}rules/1/decide", by(1), f"{DESK}rules/1", verdict="reject"),
        **life("destroy"),
    },
    "answered": {
        "answer": answering(),
        "answer twice": answering(again=True),
        "seal": call(tick),
        "start a run": RUN,
        "repeat": form("runs/{run}/repeat", page="runs/{run}/"),
        "cancel": form("jobs/runs.run/{run}/cancel", page="runs/{run}/"),
        "store": Act(compute, storing),
        "perform": call(perform_claimed),
        "destroy as due": call(destroy_as_due),
        **life("close", "pause"),
    },
    "closed": {
        "answer": answering(),
        "seal": call(tick),
        "store": Act(compute, storing),
        "start a run": RUN,
        **life("reopen", "finish", "destroy"),
    },
    "releasing": {
        "approve": form("releases/{release}/approve", by(0), note="Fine."),
        "refuse": form("releases/{release}/refuse", by(1), reason="Too fine."),
        "discard": form("releases/{release}/discard"),
        "another": form("surveys/{survey}/releases", which="plain"),
        **life("destroy", "finish"),
    },
    "allowed": {
        "download": form("surveys/{survey}/records", kind="csv"),
        "refuse": form("surveys/{survey}/review", by(1), allow="no", reason="Too much."),
        "answer": answering(),
        "seal": call(tick),
        **life("reopen", "finish", "destroy"),
    },
    "rehearsed": {
        "simulate": form("surveys/{survey}/rehearse", n="30"),
        "simulate too": form("surveys/{survey}/rehearse", n="40"),
        "simulating": call(simulate),
        "destroy as due": call(destroy_as_due),
        **life("close", "pause"),
    },
    "drafted": {
        "ask": form("surveys/{survey}/ask", reason="A small clinic."),
        "ask too": form("surveys/{survey}/ask", reason="Please."),
        "allow": form("surveys/{survey}/review", by(0), allow="yes"),
        "refuse": form("surveys/{survey}/review", by(1), allow="no", reason="Too weak."),
        "open": form("surveys/{survey}/open", when="now"),
        **life("destroy"),
    },
    "opened": {
        "ask": form("surveys/{survey}/ask", reason="For the archive."),
        "allow": form("surveys/{survey}/review", by(0), allow="yes"),
        "refuse": form("surveys/{survey}/review", by(1), allow="no", reason="Too much."),
        "invite": form("surveys/{survey}/people", who=new_address, may_edit="on"),
        "destroy as due": call(destroy_as_due),
        **life("close", "pause"),
    },
}
"""By world what is done at once there, each with each of the others."""
