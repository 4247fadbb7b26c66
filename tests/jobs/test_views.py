import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from accounts.models import Person
from jobs.models import State, Trial, Worker
from jobs.progress_messages import Message
from tests.accounts.conftest import NO_PATHS
from tests.jobs.conftest import NOON, MakeTrial

HTMX = {"HX-Request": "true"}
BACKGROUND = "/app/jobs/"
SIGN_IN = "/app/account/sign-in"
pytestmark = [pytest.mark.django_db, pytest.mark.page]


def progress(trial: Trial) -> str:
    return f"/app/jobs/jobs.trial/{trial.pk}/progress"


def cancel(trial: Trial) -> str:
    return f"/app/jobs/jobs.trial/{trial.pk}/cancel"


@pytest.fixture
def as_stranger(stranger: Person) -> Client:
    client = Client()
    client.force_login(stranger, "django.contrib.auth.backends.ModelBackend")
    return client


def polled(page: str) -> str:
    """The address that a shown box asks next."""
    found = re.search(r'hx-get="([^"]+)"', page)
    assert found, page
    return found[1].replace("&amp;", "&")


# --- the wrong method, nobody, somebody else ---


def test_progress_is_only_read(as_operator: Client, trial: Trial) -> None:
    assert as_operator.post(progress(trial)).status_code == 405


def test_cancelling_is_only_posted(as_operator: Client, trial: Trial) -> None:
    assert as_operator.get(cancel(trial)).status_code == 405
    trial.refresh_from_db()
    assert trial.state == State.QUEUED


def test_the_overview_is_not_deleted(as_operator: Client) -> None:
    assert as_operator.delete(BACKGROUND).status_code == 405


def test_nobody_is_sent_to_the_sign_in_page_and_back(client: Client, trial: Trial) -> None:
    answer = client.get(progress(trial))
    assert (answer.status_code, answer["Location"]) == (
        302,
        f"{SIGN_IN}?next={progress(trial).replace('/', '%2F')}",
    )
    assert client.get(BACKGROUND).status_code == 302


def test_nobody_cancels_nothing(client: Client, trial: Trial) -> None:
    answer = client.post(cancel(trial))
    assert (answer.status_code, answer["Location"]) == (302, f"{SIGN_IN}?next=%2Fapp%2Faccount%2Fhome")
    trial.refresh_from_db()
    assert trial.state == State.QUEUED


def test_what_a_person_sees_of_a_job_stays_out_of_shared_caches(as_operator: Client, trial: Trial) -> None:
    for answer in (as_operator.get(progress(trial)), as_operator.post(cancel(trial))):
        assert "private" in answer["Cache-Control"]


def test_nobody_starts_no_trial(client: Client) -> None:
    assert client.post(BACKGROUND, {"steps": 2}).status_code == 302
    assert Trial.objects.count() == 0


def test_whoever_was_signed_out_meanwhile_goes_to_the_sign_in_page_as_a_whole(
    client: Client, trial: Trial
) -> None:
    answer = client.get(progress(trial), headers=HTMX)
    assert (answer.status_code, answer["HX-Redirect"]) == (401, SIGN_IN)


def test_somebody_elses_job_does_not_exist(as_stranger: Client, trial: Trial) -> None:
    assert as_stranger.get(progress(trial)).status_code == 404
    assert as_stranger.post(cancel(trial)).status_code == 404
    trial.refresh_from_db()
    assert trial.state == State.QUEUED


def test_the_overview_is_for_staff(as_stranger: Client) -> None:
    assert as_stranger.get(BACKGROUND).status_code == 403
    assert as_stranger.post(BACKGROUND, {"steps": 2}).status_code == 403
    assert Trial.objects.count() == 0


@pytest.mark.parametrize(
    "path",
    ["jobs.trial/0", "jobs.trial/x", f"jobs.trial/{10**30}", "jobs.mark/1", "accounts.person/1", "no/1"],
)
def test_what_is_no_job_does_not_exist(as_operator: Client, path: str) -> None:
    assert as_operator.get(f"/app/jobs/{path}/progress").status_code == 404
    assert as_operator.post(f"/app/jobs/{path}/cancel").status_code == 404


def test_who_may_see_but_not_cancel_is_told_so(
    as_operator: Client, trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Trial, "may", lambda self, person, action: action == "see")
    assert "Cancel</button>" not in as_operator.get(progress(trial)).content.decode()
    assert as_operator.post(cancel(trial)).status_code == 403
    trial.refresh_from_db()
    assert trial.state == State.QUEUED


# --- how a job stands ---


def test_a_jobs_page_shows_how_it_stands_and_works_without_javascript(
    as_operator: Client, claimed: Trial
) -> None:
    Trial.objects.update(
        fraction=0.25,
        words=Message("Step %(step)s of %(steps)s", {"step": 2, "steps": 8}).as_json(),
        heartbeat=timezone.now(),
    )
    page = as_operator.get(progress(claimed)).content.decode()
    assert "Step 2 of 8" in page
    assert 'value="250" max="1000"' in page
    assert '<a href="">Reload</a>' in page
    assert f'<form method="post" action="{cancel(claimed)}"' in page
    assert 'aria-live="polite"' in page


def test_polling_an_unchanged_job_swaps_nothing(as_operator: Client, trial: Trial) -> None:
    page = as_operator.get(progress(trial)).content.decode()
    assert as_operator.get(polled(page), headers=HTMX).status_code == 204


def test_polling_a_job_that_went_on_swaps_the_moving_part_and_leaves_the_button(
    as_operator: Client, claimed: Trial
) -> None:
    Trial.objects.update(heartbeat=timezone.now())
    page = as_operator.get(progress(claimed)).content.decode()
    Trial.objects.update(fraction=0.5)
    answer = as_operator.get(polled(page), headers=HTMX)
    assert 'value="500"' in answer.content.decode()
    assert "<button" not in answer.content.decode()
    assert "HX-Retarget" not in answer


def test_polling_a_job_that_is_over_swaps_the_whole_box_and_stops(
    as_operator: Client, claimed: Trial
) -> None:
    page = as_operator.get(progress(claimed)).content.decode()
    Trial.objects.update(state=State.DONE, claim="", finished=NOON + timedelta(seconds=7))
    answer = as_operator.get(polled(page), headers=HTMX)
    box = answer.content.decode()
    assert (answer["HX-Retarget"], answer["HX-Reswap"]) == (f"#job-jobs-trial-{claimed.pk}", "outerHTML")
    assert "Finished after 7 s." in box
    assert "hx-get" not in box
    assert "<html" not in box


def test_the_focus_has_somewhere_to_go_when_the_button_does(as_operator: Client, claimed: Trial) -> None:
    focus = f'id="job-jobs-trial-{claimed.pk}-focus"'
    page = as_operator.get(progress(claimed)).content.decode()
    assert re.search(rf"<button [^>]*{focus}", page)
    Trial.objects.update(state=State.DONE, claim="", finished=NOON)
    over = as_operator.get(progress(claimed)).content.decode()
    assert re.search(rf'<p {focus} tabindex="-1"', over)


def test_no_progress_is_kept_by_a_cache(as_operator: Client, trial: Trial) -> None:
    assert "no-store" in as_operator.get(progress(trial))["Cache-Control"]


# --- cancelling ---


def test_cancelling_goes_back_to_where_the_button_was(as_operator: Client, trial: Trial) -> None:
    answer = as_operator.post(cancel(trial), {"next": "/app/jobs/?page=2"})
    assert (answer.status_code, answer["Location"]) == (302, "/app/jobs/?page=2")
    trial.refresh_from_db()
    assert trial.state == State.CANCELLED


@pytest.mark.parametrize(
    "elsewhere", ["https://attacker.example/", "//attacker.example", "javascript:alert(1)", "", *NO_PATHS]
)
def test_cancelling_leads_nowhere_else(as_operator: Client, trial: Trial, elsewhere: str) -> None:
    assert as_operator.post(cancel(trial), {"next": elsewhere})["Location"] == progress(trial)


def test_cancelling_by_htmx_answers_with_the_box(as_operator: Client, claimed: Trial) -> None:
    answer = as_operator.post(cancel(claimed), headers=HTMX)
    assert "It is being cancelled and stops at its next step." in answer.content.decode()
    assert "<button" not in answer.content.decode()


def test_a_forged_cancel_is_refused(operator: Person, trial: Trial) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(operator, "django.contrib.auth.backends.ModelBackend")
    assert client.post(cancel(trial)).status_code == 403
    trial.refresh_from_db()
    assert trial.state == State.QUEUED


# --- the overview ---


def test_a_trial_is_started_from_the_overview(as_operator: Client, operator: Person) -> None:
    answer = as_operator.post(BACKGROUND, {"steps": "7"})
    trial = Trial.objects.get()
    assert (trial.person, trial.steps, trial.state) == (operator, 7, State.QUEUED)
    assert answer["Location"] == reverse("jobs:progress", kwargs={"label": "jobs.trial", "pk": trial.pk})


@pytest.mark.parametrize("steps", ["0", "601", "", "many"])
def test_a_trial_of_no_sensible_length_is_refused_with_the_reason(as_operator: Client, steps: str) -> None:
    page = as_operator.post(BACKGROUND, {"steps": steps})
    assert page.status_code == 200
    assert "There is a problem" in page.content.decode()
    assert Trial.objects.count() == 0


def test_the_overview_counts_jobs_and_names_workers(as_operator: Client, make_trial: MakeTrial) -> None:
    waiting = make_trial()
    make_trial(state=State.DONE, finished=NOON)
    Worker.objects.create(name="celery@here:1", heard=timezone.now(), warm=True)
    page = as_operator.get(BACKGROUND).content.decode()
    assert "celery@here:1" in page
    assert progress(waiting) in page
    assert "No worker answers" not in page
    assert "The queue cannot be reached" not in page


def test_the_overview_says_what_is_wrong_and_what_to_do(as_operator: Client, broker: Path) -> None:
    broker.write_text("a file where the folder should be")
    Worker.objects.create(name="celery@here:1", heard=timezone.now() - timedelta(minutes=5), warm=True)
    page = as_operator.get(BACKGROUND).content.decode()
    assert "The queue cannot be reached" in page
    assert "Start a worker." in page
    assert "Silent" in page


def test_a_longer_list_costs_no_more_queries(as_operator: Client, make_trial: MakeTrial) -> None:
    def asked(trials: int) -> tuple[int, int]:
        for _ in range(trials):
            make_trial()
        with CaptureQueriesContext(connection) as queries:
            page = as_operator.get(BACKGROUND)
        return len(queries), page.content.decode().count("/progress")

    asked(1)  # the first page of all fills caches
    few, many = asked(1), asked(30)
    assert (few[1], many[1]) == (2, 20)
    assert many[0] == few[0]


def test_the_administration_shows_and_changes_nothing(operator: Person, trial: Trial) -> None:
    operator.is_superuser = True
    operator.save()
    client = Client()
    client.force_login(operator, "django.contrib.auth.backends.ModelBackend")
    for model in ("trial", "worker", "lease"):
        assert client.get(f"/app/admin/jobs/{model}/").status_code == 200
        assert client.get(f"/app/admin/jobs/{model}/add/").status_code == 403
    assert client.get(f"/app/admin/jobs/trial/{trial.pk}/change/").status_code == 200
    assert client.post(f"/app/admin/jobs/trial/{trial.pk}/change/", {"steps": 5}).status_code == 403
    assert client.post(f"/app/admin/jobs/trial/{trial.pk}/delete/", {"post": "yes"}).status_code == 403
