"""The pages of runs: who sees them, who may do what, and that no number leaves before a review."""

import re
from dataclasses import replace

import pytest
from django.core.exceptions import ValidationError
from django.template.loader import render_to_string
from django.test import Client

from accounts.models import Person
from jobs import job_state_changes
from jobs.models import State
from mining.parameters import Parameters
from reports.review import report_links_for_runs
from runs import result_reading_permissions, run_start
from runs.models import Run
from runs.pages import itemset_and_error_forecast
from runs.pages.forms import ShareField
from runs.pages.itemset_and_error_forecast import estimator_choice
from runs.result_reading_permissions import RunLink
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from tests.cast import As
from tests.runs import sealed
from tests.runs.conftest import Ran
from tests.surveys.conftest import NOW
from ui.number_format import format_exact_percent, format_percent

pytestmark = pytest.mark.page
GOOD = {
    "min_support": "10",
    "min_confidence": "50",
    "max_size": "3",
    "estimator": "stratified",
    "mlxtend": "never",
    "standard_errors": "3",
}


@pytest.fixture
def waiting(survey: Survey, owner: Person) -> Run:
    return run_start.start(survey, owner, Parameters(min_support=0.1, min_confidence=0.5), NOW)


def page(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status, response.status_code
    return response.content.decode()


# --- who may ------------------------------------------------------------------------------------------


def test_other_methods_are_refused(waiting: Run, reading: Client) -> None:
    run, survey = f"/app/runs/{waiting.pk}/", f"/app/surveys/{waiting.survey_id}/"
    for method, address in (
        *(("delete", run), ("post", run), ("post", f"{run}outcome"), ("get", f"{run}repeat")),
        *(("post", f"{run}compare"), ("put", f"{survey}runs"), ("post", f"{survey}runs/forecast")),
    ):
        assert getattr(reading, method)(address).status_code == 405, (method, address)


def addresses(run: Run) -> list[tuple[str, str]]:
    survey = f"/app/surveys/{run.survey_id}/runs"
    pages = [survey, f"{survey}/forecast", *(f"/app/runs/{run.pk}/{page}" for page in ("", "outcome"))]
    pages.append(f"/app/runs/{run.pk}/compare?other={run.pk}")
    return [("get", page) for page in pages] + [("post", survey), ("post", f"/app/runs/{run.pk}/repeat")]


def test_nobody_is_sent_to_the_sign_in_page(waiting: Run, client: Client) -> None:
    for method, address in addresses(waiting):
        response = getattr(client, method)(address)
        assert response.status_code == 302, address
        assert response["Location"].startswith("/app/account/sign-in")


def test_strangers_do_not_learn_that_a_run_exists(waiting: Run, stranger: Person, signed_in_as: As) -> None:
    client = signed_in_as(stranger)
    page(client, "/app/runs/999/", 404)
    for method, address in addresses(waiting):
        assert getattr(client, method)(address).status_code == 404, address


def test_only_those_who_edit_start_and_repeat(
    waiting: Run, viewer: Person, reviewer: Person, superuser: Person, signed_in_as: As
) -> None:
    address = f"/app/surveys/{waiting.survey_id}/runs"
    for person in (viewer, reviewer, superuser):
        client = signed_in_as(person)
        assert "Start the run" not in page(client, address)
        assert client.post(address, GOOD).status_code == 403
        assert client.get(f"{address}/forecast").status_code == 403
        assert client.post(f"/app/runs/{waiting.pk}/repeat").status_code == 403
        assert "Cancel" not in page(client, f"/app/runs/{waiting.pk}/")
        assert client.post(f"/app/jobs/runs.run/{waiting.pk}/cancel").status_code == 403
        assert Run.objects.get().state == State.QUEUED


@pytest.mark.parametrize("role", ["owner", "editor"])
def test_who_edits_may_start_and_repeat(
    survey: Survey, role: str, signed_in_as: As, ran: Ran, request: pytest.FixtureRequest
) -> None:
    done = ran()
    client = signed_in_as(request.getfixturevalue(role))
    response = client.post(f"/app/surveys/{survey.pk}/runs", GOOD)
    started = Run.objects.latest("pk")
    assert response["Location"] == f"/app/runs/{started.pk}/"
    assert started.search_parameters == Parameters(min_support=0.1, min_confidence=0.5)
    again = client.post(f"/app/runs/{done.pk}/repeat")
    assert again["Location"] == f"/app/runs/{Run.objects.latest('pk').pk}/"
    assert Run.objects.latest("pk").search_parameters == done.search_parameters


def test_who_started_it_may_cancel_it(waiting: Run, reading: Client) -> None:
    assert "Cancel" in page(reading, f"/app/runs/{waiting.pk}/")
    reading.post(f"/app/jobs/runs.run/{waiting.pk}/cancel", {"next": f"/app/runs/{waiting.pk}/"})
    assert "Cancelled. Nothing of it was stored." in page(reading, f"/app/runs/{waiting.pk}/")


# --- starting -----------------------------------------------------------------------------------------


def test_settings_are_taken_over(survey: Survey, reading: Client) -> None:
    given = {
        "min_support": "3",
        "min_confidence": "100",
        "max_size": "4",
        "absences": "on",
        "estimator": "combined",
        "mlxtend": "always",
        "exact": "on",
        "standard_errors": "1.5",
    }
    reading.post(f"/app/surveys/{survey.pk}/runs", given)
    run = Run.objects.get()
    assert run.mlxtend == "always"
    assert run.search_parameters == Parameters(
        min_support=0.03,
        min_confidence=1.0,
        estimator="combined",
        exact=True,
        max_size=4,
        absences=True,
        errors=1.5,
    )


@pytest.mark.at_push(3)
@pytest.mark.parametrize("threshold", ["0", "-10", "101", "nan", "1e400"])
@pytest.mark.parametrize("name", ["min_support", "min_confidence"])
def test_a_threshold_outside_its_range_is_refused_beside_its_field(
    survey: Survey, name: str, threshold: str, reading: Client
) -> None:
    response = reading.post(f"/app/surveys/{survey.pk}/runs", GOOD | {name: threshold})
    assert response.status_code == 422
    assert list(response.context["form"].errors) == [name]
    assert not Run.objects.exists()


def test_without_a_sealed_batch_the_page_says_what_is_missing(owner: Person, reading: Client) -> None:
    empty = sealed.survey(owner, sealed.small(), [])
    text = page(reading, f"/app/surveys/{empty.pk}/runs")
    assert "No answers are sealed yet" in text
    assert "Start the run" not in text
    assert reading.post(f"/app/surveys/{empty.pk}/runs", GOOD).status_code == 422
    assert not Run.objects.exists()


def test_the_same_run_is_not_started_twice(waiting: Run, reading: Client) -> None:
    response = reading.post(f"/app/surveys/{waiting.survey_id}/runs", GOOD)
    assert "on its way already" in response.content.decode()
    reading.post(f"/app/runs/{waiting.pk}/repeat")
    assert Run.objects.count() == 1
    assert "on its way already" in page(reading, f"/app/runs/{waiting.pk}/")


def test_the_tab_leads_to_the_runs_and_so_does_the_next_step(survey: Survey, reading: Client) -> None:
    text = page(reading, f"/app/surveys/{survey.pk}/")
    assert text.count(f'href="/app/surveys/{survey.pk}/runs"') >= 2


def test_a_destroyed_survey_has_no_tab_of_runs(survey: Survey, owner: Person, reading: Client) -> None:
    lifecycle.destroy_survey(survey, owner, NOW)
    assert f"/app/surveys/{survey.pk}/runs" not in page(reading, f"/app/surveys/{survey.pk}/")


def test_a_forecast_says_roughly_how_many_itemsets(survey: Survey, reading: Client) -> None:
    address = f"/app/surveys/{survey.pk}/runs/forecast"
    assert "about" in page(reading, address)
    fragment = reading.get(address, GOOD | {"max_size": "1"}, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in fragment
    # Two classes of age, and four yes/no questions: at each threshold six at most, and nobody is told how many.
    assert fragment.count("fewer than 10") == len(result_reading_permissions.THRESHOLDS)
    assert not re.search(r"about|more than|none", fragment)
    # Whatever thresholds are asked for, it answers for those of its list.
    other = GOOD | {"max_size": "1", "min_support": "50.8", "standard_errors": "0", "exact": "on"}
    assert reading.get(address, other, headers={"HX-Request": "true"}).content.decode() == fragment
    wrong = reading.get(address, GOOD | {"max_size": "0"}, headers={"HX-Request": "true"}).content.decode()
    assert "once the settings below are in order" in wrong


def test_where_a_search_was_cut_short_few_itemsets_are_not_counted_out_either() -> None:
    expected = [
        itemset_and_error_forecast.Forecast(0.01, 0, True),
        itemset_and_error_forecast.Forecast(0.02, 300, True),
    ]
    said = render_to_string("runs/_forecast.html", {"expected": expected})
    assert "too many to look at" in said
    assert "more than 300" in said
    assert "more than 0" not in said


# --- following ----------------------------------------------------------------------------------------


def test_what_came_of_it_is_asked_for_until_it_is_there(waiting: Run, reading: Client) -> None:
    address = f"/app/runs/{waiting.pk}/outcome"
    assert f'hx-get="{address}"' in page(reading, f"/app/runs/{waiting.pk}/")
    assert reading.get(address).status_code == 204
    job_state_changes.cancel(waiting, NOW)
    text = page(reading, address)
    assert "<html" not in text
    assert "hx-get" not in text
    assert "hx-get" not in page(reading, f"/app/runs/{waiting.pk}/")


@pytest.mark.at_push(2)
@pytest.mark.parametrize("role", ["owner", "editor", "viewer", "superuser"])
def test_no_number_is_seen_before_a_reviewer_publishes_it(
    survey: Survey, role: str, signed_in_as: As, ran: Ran, request: pytest.FixtureRequest
) -> None:
    one, other = ran(), ran(min_support=0.2)
    client = signed_in_as(request.getfixturevalue(role))
    texts = [
        page(client, address)
        for address in (
            f"/app/surveys/{survey.pk}/runs",
            f"/app/runs/{one.pk}/",
            f"/app/runs/{one.pk}/outcome",
            f"/app/runs/{one.pk}/compare?other={other.pk}",
        )
    ]
    for row in one.itemsets.all():
        assert not any(f"{row.support:.3f}" in text for text in texts)
    assert not any("theft=yes" in text for text in texts)
    assert "The numbers are for a reviewer first" in texts[-1]


def test_a_run_that_stopped_says_which_threshold_would_fit(
    ran: Ran, reading: Client, judging: Client
) -> None:
    run = ran(most=3)
    text = page(judging, f"/app/runs/{run.pk}/")
    assert run.stopped
    assert "more than 3 candidates of 2 answers" in text
    assert f"A minimum support of {format_exact_percent(run.stopped['fits'])} would be high enough." in text
    # Before a review only roughly: the threshold itself is some support and its error.
    assert 0.3 < run.stopped["fits"] < 0.5
    text = page(reading, f"/app/runs/{run.pk}/")
    assert "There were too many to count, so the run stopped with what it had." in text
    assert "candidates of" not in text
    assert "A minimum support of 50 % would be high enough." in text


def test_where_no_usual_threshold_fits_there_are_other_ways_out(
    ran: Ran, reading: Client, judging: Client
) -> None:
    run = ran()
    for fits, told_reviewer in (
        (0.6, "A minimum support of 60 % would be high enough."),
        (None, "No minimum support is high enough: ask for smaller itemsets."),
    ):
        Run.objects.filter(pk=run.pk).update(stopped={"size": 2, "most": 200_000, "fits": fits})
        assert told_reviewer in page(judging, f"/app/runs/{run.pk}/")
        told_owner = "Ask for a higher minimum support, or for smaller itemsets."
        assert told_owner in page(reading, f"/app/runs/{run.pk}/")


def test_a_run_that_is_done_links_to_its_report(
    ran: Ran, monkeypatch: pytest.MonkeyPatch, reading: Client
) -> None:
    monkeypatch.setattr(
        report_links_for_runs,
        "report_links",
        lambda run, person: [RunLink("Read it", f"/app/reports/{run.pk}/")],
    )
    run = ran()
    assert f'href="/app/reports/{run.pk}/">Read it' in page(reading, f"/app/runs/{run.pk}/")


def test_thresholds_are_written_as_percentages(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, float]] = [
        ("10", 0.1),
        ("12.5", 0.125),
        ("100", 1.0),
        ("0.05", 0.0005),
        ("7", 0.07),
    ]
    for percent, share in cases:
        with subtests.test(f"{percent!r:.60} {share}"):
            assert ShareField().clean(percent) == share


def test_a_percentage_that_is_no_threshold_is_refused(subtests: pytest.Subtests) -> None:
    for percent in ["0", "-1", "100.1", "many", ""]:
        with subtests.test(f"{percent}"), pytest.raises(ValidationError):
            ShareField().clean(percent)


def test_a_threshold_is_shown_with_all_its_digits(subtests: pytest.Subtests) -> None:
    cases: list[tuple[float, str]] = [
        (0.1, "10 %"),
        (0.125, "12.5 %"),
        (0.0005, "0.05 %"),
        (1, "100 %"),
        (0.07, "7 %"),
    ]
    for share, words in cases:
        with subtests.test(f"{share} {words!r:.60}"):
            assert format_exact_percent(share) == words


# --- the price of the estimator -------------------------------------------------------------------------


def beside_the_choice(survey: Survey, owner: Person, signed_in_as: As) -> str:
    shown = page(signed_in_as(owner), f"/app/surveys/{survey.pk}/runs")
    return " ".join(re.sub("<[^>]+>", " ", shown).split())


def test_both_errors_of_this_survey_stand_beside_the_choice(
    survey: Survey, owner: Person, signed_in_as: As
) -> None:
    words = beside_the_choice(survey, owner, signed_in_as)
    chosen = estimator_choice(survey)
    assert chosen
    assert chosen.errors
    assert chosen.errors.pooled < chosen.errors.stratified
    assert (chosen.open_share * 20) % 1 == pytest.approx(0)
    assert f"the standard error is {format_percent(chosen.errors.stratified)} by “stratified”" in words
    assert f"and {format_percent(chosen.errors.pooled)} by “pooled”" in words


def test_where_nobody_could_choose_both_estimators_are_one(owner: Person, signed_in_as: As) -> None:
    always = replace(sealed.small(), open_answers=False)
    words = beside_the_choice(sealed.survey(owner, always, [300]), owner, signed_in_as)
    assert "Everybody’s answers are disguised, so “stratified” and “pooled” give the same estimates." in words
    assert "standard error is" not in words


def test_before_a_survey_is_finished_nothing_is_said_of_its_open_records(
    owner: Person, signed_in_as: As
) -> None:
    closed = sealed.survey(owner, sealed.small(), [300], state=Survey.State.CLOSED)
    words = beside_the_choice(closed, owner, signed_in_as)
    assert "A run now uses no open records, or very few" in words
    assert "standard error is" not in words
