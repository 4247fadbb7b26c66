"""How a job stands, in words and on its page; who may see and cancel it; and the overview of the operator."""

import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Person
from jobs.job_status import Infrastructure, JobStatus, job_status
from jobs.models import JobKind, State, Trial, Worker, job_kinds_by_label
from jobs.progress_messages import Message
from tests.accounts.conftest import NO_PATHS
from tests.jobs.conftest import NOON, MakeTrial, refresh

HTMX = {"HX-Request": "true"}
BACKGROUND = "/app/jobs/"
SIGN_IN = "/app/account/sign-in"
AROUND = Infrastructure(NOON)
STEP_2 = Message("Step %(step)s of %(steps)s", {"step": 2, "steps": 8}).as_json()
pytestmark = [pytest.mark.django_db, pytest.mark.page]


# --- in words ---


def status_of_trial(around: Infrastructure = AROUND, may_cancel: bool = True, **row: Any) -> JobStatus:
    return job_status(Trial(pk=1, created=NOON, **row), around, may_cancel)


RUNNING: dict[str, Any] = {"state": State.RUNNING, "heartbeat": NOON}
DONE: dict[str, Any] = {"state": State.DONE, "started": NOON}
AGAIN, SILENT = "The last attempt did not end; trying again (attempt 2 of 3).", "The worker has been silent"
QUEUE = "The queue cannot be reached just now"
SENTENCES: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({}, {}, "It starts as soon as a worker is free."),
    ({"worker": False}, {}, "No worker answers just now. The job starts by itself"),
    ({"warm": False}, {}, "The worker is getting ready, which takes about a minute"),
    ({"queue": False}, {}, f"{QUEUE}. Nothing is lost; the job is sent again by itself."),
    ({"queue": False}, RUNNING, f"{QUEUE}; this job goes on without it."),
    ({}, {"attempts": 1}, AGAIN),
    ({}, RUNNING | {"attempts": 2}, AGAIN),
    # Two beats are missing; one came before the clock was set back.
    ({}, RUNNING | {"heartbeat": NOON - timedelta(seconds=10)}, ""),
    ({}, RUNNING | {"heartbeat": NOON - timedelta(seconds=11)}, SILENT),
    ({}, RUNNING | {"heartbeat": NOON + timedelta(seconds=30)}, ""),
    ({}, RUNNING | {"heartbeat": NOON + timedelta(seconds=31)}, SILENT),
    ({}, DONE | {"finished": NOON + timedelta(seconds=12.4)}, "Finished after 12 s."),
    ({}, DONE | {"finished": NOON + timedelta(seconds=59.6)}, "Finished after 1 min 0 s."),
    ({}, DONE | {"finished": NOON + timedelta(seconds=0.4)}, "Finished after less than a second."),
    ({}, DONE | {"finished": NOON + timedelta(seconds=3671)}, "Finished after 61 min 11 s."),
]
"""What is wrong around a job, its row, and how its sentence begins; one without words has none."""


def test_job_sentence_says_what_it_waits_for_and_how_it_ended(subtests: pytest.Subtests) -> None:
    for around, row, words in SENTENCES:
        with subtests.test(words, **around, **row):
            sentence = status_of_trial(replace(AROUND, **around), **row).sentence
            assert sentence.startswith(words)
            assert bool(sentence) == bool(words)


def test_running_job_shows_its_words_and_a_failed_one_its_reason() -> None:
    now = status_of_trial(**RUNNING, attempts=1, fraction=0.4, words=STEP_2)
    assert (now.sentence, now.words, now.fraction) == ("", "Step 2 of 8", 0.4)
    now = status_of_trial(state=State.FAILED, finished=NOON, error=Message("Seal a batch first.").as_json())
    assert (now.problem, now.sentence) == ("Seal a batch first.", "Nothing of it was stored.")
    assert now.badge == "wrong"


def test_only_live_uncancelled_jobs_can_be_cancelled() -> None:
    assert status_of_trial().may_cancel
    assert status_of_trial(**RUNNING).may_cancel
    assert not status_of_trial(may_cancel=False).may_cancel
    assert not status_of_trial(**RUNNING, cancel_asked=True).may_cancel
    assert not status_of_trial(**DONE, finished=NOON).may_cancel


def test_seen_token_changes_exactly_when_the_page_would() -> None:
    assert status_of_trial(**RUNNING).seen == status_of_trial(**RUNNING, worker="another").seen
    assert status_of_trial(**RUNNING).seen != status_of_trial(**RUNNING, fraction=0.1).seen


def test_every_kind_of_job_states_its_rule_and_performer() -> None:
    class Careless(JobKind):
        class Meta:
            app_label = "tests"

        def __str__(self) -> str:
            return ""

    def check_ids(model: Any) -> list[str]:
        return [one.id for one in model.check() if one.id and one.id.startswith("jobs.")]

    assert check_ids(Careless) == ["jobs.E002", "jobs.E003"]
    assert [model for model in job_kinds_by_label().values() if check_ids(model)] == []


# --- the wrong method, nobody, somebody else ---


def progress(trial: Trial) -> str:
    return f"/app/jobs/jobs.trial/{trial.pk}/progress"


def cancel(trial: Trial) -> str:
    return f"/app/jobs/jobs.trial/{trial.pk}/cancel"


def sign_in(client: Client, person: Person) -> Client:
    client.force_login(person, "django.contrib.auth.backends.ModelBackend")
    return client


def polled_address(page: str) -> str:
    """The address that a shown box asks next."""
    found = re.search(r'hx-get="([^"]+)"', page)
    assert found, page
    return found[1].replace("&amp;", "&")


def test_job_pages_refuse_wrong_methods(as_operator: Client, trial: Trial) -> None:
    assert as_operator.post(progress(trial)).status_code == 405
    assert as_operator.get(cancel(trial)).status_code == 405
    assert as_operator.delete(BACKGROUND).status_code == 405
    assert refresh(trial).state == State.QUEUED


def test_visitors_are_sent_to_sign_in_and_change_no_job(client: Client, trial: Trial) -> None:
    back = f"{SIGN_IN}?next={progress(trial).replace('/', '%2F')}"
    home = f"{SIGN_IN}?next=%2Fapp%2Faccount%2Fhome"
    for answer, place in ((client.get(progress(trial)), back), (client.post(cancel(trial)), home)):
        assert (answer.status_code, answer["Location"]) == (302, place)
    assert client.get(BACKGROUND).status_code == 302
    assert client.post(BACKGROUND, {"steps": 2}).status_code == 302
    assert (Trial.objects.get().pk, refresh(trial).state) == (trial.pk, State.QUEUED)
    # Whoever was signed out meanwhile goes there as a whole.
    answer = client.get(progress(trial), headers=HTMX)
    assert (answer.status_code, answer["HX-Redirect"]) == (401, SIGN_IN)


def test_job_pages_are_never_cached(as_operator: Client, trial: Trial) -> None:
    assert "no-store" in as_operator.get(progress(trial))["Cache-Control"]
    for answer in (as_operator.get(progress(trial)), as_operator.post(cancel(trial))):
        assert "private" in answer["Cache-Control"]


def test_job_of_another_answers_404_and_the_overview_is_for_staff(stranger: Person, trial: Trial) -> None:
    client = sign_in(Client(), stranger)
    assert client.get(progress(trial)).status_code == 404
    assert client.post(cancel(trial)).status_code == 404
    assert client.get(BACKGROUND).status_code == 403
    assert client.post(BACKGROUND, {"steps": 2}).status_code == 403
    assert (Trial.objects.get().pk, refresh(trial).state) == (trial.pk, State.QUEUED)


def test_unknown_job_answers_404(as_operator: Client) -> None:
    paths = [f"jobs.trial/{pk}" for pk in ("0", "x", 10**30)]
    for path in [*paths, "jobs.mark/1", "accounts.person/1", "no/1"]:
        assert as_operator.get(f"/app/jobs/{path}/progress").status_code == 404, path
        assert as_operator.post(f"/app/jobs/{path}/cancel").status_code == 404, path


def test_viewer_without_the_right_to_cancel_is_told_so(
    as_operator: Client, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Trial, "may", lambda self, person, action: action == "see")
    page = as_operator.get(progress(trial)).text
    # A trial makes nothing that has a page.
    assert [words for words in ("Cancel</button>", "Look at it") if words in page] == []
    assert as_operator.post(cancel(trial)).status_code == 403
    assert refresh(trial).state == State.QUEUED


# --- how a job stands ---


def test_job_page_shows_progress_without_javascript(as_operator: Client, running_trial: Trial) -> None:
    Trial.objects.update(fraction=0.25, words=STEP_2, heartbeat=timezone.now())
    page = as_operator.get(progress(running_trial)).text
    for words in (
        "Step 2 of 8",
        'value="250" max="1000"',
        '<a href="">Reload</a>',
        f'<form method="post" action="{cancel(running_trial)}"',
        'aria-live="polite"',
    ):
        assert words in page


def test_polling_swaps_nothing_then_a_part_then_the_box_and_stops(
    as_operator: Client, running_trial: Trial
) -> None:
    Trial.objects.update(heartbeat=timezone.now())
    page = as_operator.get(progress(running_trial)).text
    assert as_operator.get(polled_address(page), headers=HTMX).status_code == 204
    Trial.objects.update(fraction=0.5)
    answer = as_operator.get(polled_address(page), headers=HTMX)
    assert 'value="500"' in answer.text
    assert "<button" not in answer.text
    assert "HX-Retarget" not in answer
    # The focus has somewhere to go when the button does.
    focus = f'id="job-jobs-trial-{running_trial.pk}-focus"'
    assert re.search(rf"<button [^>]*{focus}", page)
    Trial.objects.update(state=State.DONE, claim="", finished=NOON + timedelta(seconds=7))
    answer = as_operator.get(polled_address(page), headers=HTMX)
    assert (answer["HX-Retarget"], answer["HX-Reswap"]) == (
        f"#job-jobs-trial-{running_trial.pk}",
        "outerHTML",
    )
    assert "Finished after 7 s." in answer.text
    assert re.search(rf'<p {focus} tabindex="-1"', answer.text)
    assert "hx-get" not in answer.text
    assert "<html" not in answer.text


# --- cancelling ---


def test_cancelling_returns_to_its_button_only(as_operator: Client, make_trial: MakeTrial) -> None:
    trial = make_trial()
    answer = as_operator.post(cancel(trial), {"next": "/app/jobs/?page=2"})
    assert (answer.status_code, answer["Location"]) == (302, "/app/jobs/?page=2")
    assert refresh(trial).state == State.CANCELLED
    hostile = ["https://attacker.example/", "//attacker.example", "javascript:alert(1)", "", *NO_PATHS]
    for elsewhere in hostile:
        trial = make_trial()
        assert as_operator.post(cancel(trial), {"next": elsewhere})["Location"] == progress(trial), elsewhere


def test_cancelling_by_htmx_answers_with_the_box(as_operator: Client, running_trial: Trial) -> None:
    answer = as_operator.post(cancel(running_trial), headers=HTMX)
    assert "It is being cancelled and stops at its next step." in answer.text
    assert "<button" not in answer.text


def test_forged_cancel_is_refused(operator: Person, trial: Trial) -> None:
    client = sign_in(Client(enforce_csrf_checks=True), operator)
    assert client.post(cancel(trial)).status_code == 403
    assert refresh(trial).state == State.QUEUED


# --- the overview ---


def test_trial_of_sensible_length_is_started_from_the_overview(as_operator: Client, operator: Person) -> None:
    for steps in ("0", "601", "", "many"):
        page = as_operator.post(BACKGROUND, {"steps": steps})
        assert (page.status_code, "There is a problem" in page.text) == (200, True), steps
        assert Trial.objects.count() == 0
    answer = as_operator.post(BACKGROUND, {"steps": "7"})
    trial = Trial.objects.get()
    assert (trial.person, trial.steps, trial.state) == (operator, 7, State.QUEUED)
    assert answer["Location"] == reverse("jobs:progress", kwargs={"label": "jobs.trial", "pk": trial.pk})


def test_job_overview_lists_jobs_and_problems(
    as_operator: Client, make_trial: MakeTrial, broker: Path
) -> None:
    wrong = ("No worker answers", "The queue cannot be reached", "Start a worker.", "Silent")
    untaken = "Jobs wait, but no worker takes them"
    waiting = make_trial()
    make_trial(state=State.DONE, finished=NOON)
    Worker.objects.create(name="celery@here:1", heard=timezone.now(), warm=True)
    page = as_operator.get(BACKGROUND).text
    assert "celery@here:1" in page
    assert progress(waiting) in page
    assert [words for words in (*wrong, untaken) if words in page] == [untaken]
    broker.rmdir()
    broker.write_text("a file where the folder should be")
    Worker.objects.update(heard=timezone.now() - timedelta(minutes=5))
    page = as_operator.get(BACKGROUND).text
    assert [words for words in (*wrong, untaken) if words not in page] == [untaken]


def test_longer_job_list_needs_no_more_queries(as_operator: Client, make_trial: MakeTrial) -> None:
    def count_queries(trials: int) -> tuple[int, int]:
        for _ in range(trials):
            make_trial()
        with CaptureQueriesContext(connection) as queries:
            page = as_operator.get(BACKGROUND)
        return len(queries), page.text.count("/progress")

    count_queries(1)  # the first page of all fills caches
    few, many = count_queries(1), count_queries(30)
    assert (few[1], many[1]) == (2, 20)
    assert many[0] == few[0]


def test_administration_shows_jobs_and_changes_none(operator: Person, trial: Trial) -> None:
    operator.is_superuser = True
    operator.save()
    client = sign_in(Client(), operator)
    for model in ("trial", "worker", "lease"):
        assert client.get(f"/app/admin/jobs/{model}/").status_code == 200
        assert client.get(f"/app/admin/jobs/{model}/add/").status_code == 403
    page = f"/app/admin/jobs/trial/{trial.pk}"
    assert client.get(f"{page}/change/").status_code == 200
    assert client.post(f"{page}/change/", {"steps": 5}).status_code == 403
    assert client.post(f"{page}/delete/", {"post": "yes"}).status_code == 403
