"""The pages of runs: who sees them, who may do what, and that no number leaves before a review."""

import re
from dataclasses import replace
from itertools import product

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
from runs.models import Itemset, Rule, Run
from runs.pages import itemset_and_error_forecast
from runs.pages.itemset_and_error_forecast import estimator_choice_facts
from runs.pages.start_and_forecast_forms import ShareField
from runs.result_reading_permissions import ReadableRows, RunLink
from surveys.lifecycle import state_changes as lifecycle
from surveys.models import Survey
from tests.cast import As
from tests.runs import sealed
from tests.runs.conftest import Ran
from tests.surveys.conftest import NOW
from ui.number_format import format_exact_percent, format_percent

pytestmark = pytest.mark.page
GOOD = {"min_support": "10", "min_confidence": "50", "max_size": "3", "estimator": "stratified"}
GOOD |= {"mlxtend": "never", "standard_errors": "3"}


@pytest.fixture
def waiting_run(survey: Survey, owner: Person) -> Run:
    return run_start.start_mining_run(survey, owner, Parameters(min_support=0.1, min_confidence=0.5), NOW)


def page(client: Client, address: str, status: int = 200) -> str:
    response = client.get(address)
    assert response.status_code == status, response.status_code
    return response.content.decode()


def test_run_pages_refuse_other_methods(waiting_run: Run, reading: Client) -> None:
    run, survey = f"/app/runs/{waiting_run.pk}/", f"/app/surveys/{waiting_run.survey_id}/"
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


def test_run_pages_refuse_visitors_and_strangers(
    waiting_run: Run, client: Client, stranger: Person, signed_in_as: As
) -> None:
    page(signed_in_as(stranger), "/app/runs/999/", 404)
    for method, address in addresses(waiting_run):
        response = getattr(client, method)(address)
        assert response.status_code == 302, address
        assert response["Location"].startswith("/app/account/sign-in")
        assert getattr(signed_in_as(stranger), method)(address).status_code == 404, address


def test_only_those_who_edit_start_and_repeat(
    waiting_run: Run, viewer: Person, reviewer: Person, superuser: Person, signed_in_as: As
) -> None:
    address = f"/app/surveys/{waiting_run.survey_id}/runs"
    for person in (viewer, reviewer, superuser):
        client = signed_in_as(person)
        assert "Start the run" not in page(client, address)
        assert client.post(address, GOOD).status_code == 403
        assert client.get(f"{address}/forecast").status_code == 403
        assert client.post(f"/app/runs/{waiting_run.pk}/repeat").status_code == 403
        assert "Cancel" not in page(client, f"/app/runs/{waiting_run.pk}/")
        assert client.post(f"/app/jobs/runs.run/{waiting_run.pk}/cancel").status_code == 403
        assert Run.objects.get().state == State.QUEUED


def test_who_edits_may_start_and_repeat(
    survey: Survey, owner: Person, editor: Person, signed_in_as: As, ran: Ran
) -> None:
    done = ran()
    for person in (owner, editor):
        client = signed_in_as(person)
        response = client.post(f"/app/surveys/{survey.pk}/runs", GOOD)
        started = Run.objects.latest("pk")
        assert response["Location"] == f"/app/runs/{started.pk}/"
        assert started.search_parameters == Parameters(min_support=0.1, min_confidence=0.5)
        again = client.post(f"/app/runs/{done.pk}/repeat")
        last = Run.objects.latest("pk")
        assert again["Location"] == f"/app/runs/{last.pk}/"
        assert last.search_parameters == done.search_parameters
        for run in (started, last):
            job_state_changes.cancel(run, NOW)


def test_who_started_it_may_cancel_it(waiting_run: Run, reading: Client) -> None:
    assert "Cancel" in page(reading, f"/app/runs/{waiting_run.pk}/")
    reading.post(f"/app/jobs/runs.run/{waiting_run.pk}/cancel", {"next": f"/app/runs/{waiting_run.pk}/"})
    assert "Cancelled. Nothing of it was stored." in page(reading, f"/app/runs/{waiting_run.pk}/")


def test_run_has_all_settings_of_its_form(survey: Survey, reading: Client) -> None:
    given = GOOD | {"min_support": "3", "min_confidence": "100", "max_size": "4", "estimator": "combined"}
    given |= {"absences": "on", "mlxtend": "always", "exact": "on", "standard_errors": "1.5"}
    reading.post(f"/app/surveys/{survey.pk}/runs", given)
    run = Run.objects.get()
    assert run.mlxtend == "always"
    assert run.search_parameters == Parameters(
        0.03, 1.0, estimator="combined", exact=True, max_size=4, absences=True, errors=1.5
    )


def test_a_threshold_outside_its_range_is_refused_beside_its_field(survey: Survey, reading: Client) -> None:
    names = ("min_support", "min_confidence")
    for name, threshold in product(names, ("0", "-10", "101", "nan", "1e400")):
        response = reading.post(f"/app/surveys/{survey.pk}/runs", GOOD | {name: threshold})
        assert response.status_code == 422, threshold
        assert list(response.context["form"].errors) == [name], threshold
        assert not Run.objects.exists()


def test_without_a_sealed_batch_the_page_says_what_is_missing(owner: Person, reading: Client) -> None:
    empty = sealed.survey(owner, sealed.small_design(), [])
    text = page(reading, f"/app/surveys/{empty.pk}/runs")
    assert "No answers can be counted yet" in text
    assert "Start the run" not in text
    assert reading.post(f"/app/surveys/{empty.pk}/runs", GOOD).status_code == 422
    assert not Run.objects.exists()


def test_the_same_run_is_not_started_twice(waiting_run: Run, reading: Client) -> None:
    response = reading.post(f"/app/surveys/{waiting_run.survey_id}/runs", GOOD)
    assert "on its way already" in response.content.decode()
    reading.post(f"/app/runs/{waiting_run.pk}/repeat")
    assert Run.objects.count() == 1
    assert "on its way already" in page(reading, f"/app/runs/{waiting_run.pk}/")


def test_the_tab_leads_to_the_runs(survey: Survey, reading: Client, owner: Person) -> None:
    text = page(reading, f"/app/surveys/{survey.pk}/")
    assert text.count(f'href="/app/surveys/{survey.pk}/runs"') >= 2
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
    # Where a search was cut short, few itemsets are not counted out either.
    expected = [itemset_and_error_forecast.Forecast(*row) for row in ((0.01, 0, True), (0.02, 300, True))]
    said = render_to_string("runs/_forecast.html", {"expected": expected})
    assert "too many to look at" in said
    assert "more than 300" in said
    assert "more than 0" not in said


def test_what_came_of_it_is_asked_for_until_it_is_there(waiting_run: Run, reading: Client) -> None:
    address = f"/app/runs/{waiting_run.pk}/outcome"
    assert f'hx-get="{address}"' in page(reading, f"/app/runs/{waiting_run.pk}/")
    assert reading.get(address).status_code == 204
    job_state_changes.cancel(waiting_run, NOW)
    text = page(reading, address)
    assert "<html" not in text
    assert "hx-get" not in text
    assert "hx-get" not in page(reading, f"/app/runs/{waiting_run.pk}/")


@pytest.mark.at_push(2)
@pytest.mark.parametrize("role", ["owner", "editor", "viewer", "superuser"])
def test_no_number_is_seen_before_a_reviewer_publishes_it(
    survey: Survey, role: str, signed_in_as: As, ran: Ran, request: pytest.FixtureRequest
) -> None:
    one, other = ran(), ran(min_support=0.2)
    client, run = signed_in_as(request.getfixturevalue(role)), f"/app/runs/{one.pk}/"
    pages = (f"/app/surveys/{survey.pk}/runs", run, f"{run}outcome", f"{run}compare?other={other.pk}")
    texts = [page(client, address) for address in pages]
    for row in one.itemsets.all():
        assert not any(f"{row.support:.3f}" in text for text in texts)
    assert not any("theft=yes" in text for text in texts)
    assert "The numbers are for a reviewer first" in texts[-1]


def test_a_run_that_stopped_says_what_would_fit(
    ran: Ran, monkeypatch: pytest.MonkeyPatch, reading: Client, judging: Client
) -> None:
    run = ran(most=3)
    address = f"/app/runs/{run.pk}/"
    text = page(judging, address)
    assert run.stopped
    assert "more than 3 candidates of 2 answers" in text
    assert f"A minimum support of {format_exact_percent(run.stopped['fits'])} would be high enough." in text
    # Before a review only a reviewer knows that it stopped: which tables may be told decides it too.
    assert "Larger combinations" in text
    assert "Larger combinations" not in page(reading, address)
    # Afterwards only roughly: the threshold itself is some support and its error.
    assert 0.3 < run.stopped["fits"] < 0.5
    none = ReadableRows(Itemset.objects.none(), Rule.objects.none())
    monkeypatch.setattr(report_links_for_runs, "published_rows", lambda _run: none)
    text = page(reading, address)
    assert "There were too many to count, so the run stopped with what it had." in text
    assert "candidates of" not in text
    assert "A minimum support of 50 % would be high enough." in text
    # Where no usual threshold fits there are other ways out.
    for fits, told_reviewer in (
        (0.6, "A minimum support of 60 % would be high enough."),
        (None, "No minimum support is high enough: ask for smaller combinations (itemsets)."),
    ):
        Run.objects.filter(pk=run.pk).update(stopped={"size": 2, "most": 200_000, "fits": fits})
        assert told_reviewer in page(judging, address)
        assert "Ask for a higher minimum support, or for smaller combinations (itemsets)." in page(
            reading, address
        )


def test_a_run_links_to_its_report(ran: Ran, monkeypatch: pytest.MonkeyPatch, reading: Client) -> None:
    links = [RunLink("Read it", "/app/reports/7/")]
    monkeypatch.setattr(report_links_for_runs, "report_links", lambda run, person: links)
    assert 'href="/app/reports/7/">Read it' in page(reading, f"/app/runs/{ran().pk}/")


def test_thresholds_are_written_and_shown_as_percentages_with_all_their_digits() -> None:
    for percent, share in (("10", 0.1), ("12.5", 0.125), ("100", 1.0), ("0.05", 0.0005), ("7", 0.07)):
        assert ShareField().clean(percent) == share
        assert format_exact_percent(share) == f"{percent} %"
    for percent in ("0", "-1", "100.1", "many", ""):
        with pytest.raises(ValidationError):
            ShareField().clean(percent)


SAME = "“stratified” and “pooled” give the same estimates"


def beside_the_choice(survey: Survey, owner: Person, signed_in_as: As) -> str:
    shown = page(signed_in_as(owner), f"/app/surveys/{survey.pk}/runs")
    return " ".join(re.sub("<[^>]+>", " ", shown).split())


def test_both_errors_stand_beside_the_choice(survey: Survey, owner: Person, signed_in_as: As) -> None:
    words = beside_the_choice(survey, owner, signed_in_as)
    chosen = estimator_choice_facts(survey)
    assert chosen
    assert chosen.errors
    assert chosen.errors.pooled < chosen.errors.stratified
    assert (chosen.open_share * 20) % 1 == pytest.approx(0)
    assert f"the standard error is {format_percent(chosen.errors.stratified)} by “stratified”" in words
    assert f"and {format_percent(chosen.errors.pooled)} by “pooled”" in words
    # Where nobody could choose, and before the survey is finished.
    always = sealed.survey(owner, replace(sealed.small_design(), open_answers=False), [300])
    closed = sealed.survey(owner, sealed.small_design(), [300], state=Survey.State.CLOSED)
    for other, said in (
        (always, f"Everybody’s answers are disguised, so {SAME}."),
        (closed, "A run now uses no open records, or very few"),
    ):
        words = beside_the_choice(other, owner, signed_in_as)
        assert said in words
        assert "standard error is" not in words


def test_with_arms_no_estimator_is_chosen(survey: Survey, owner: Person, reading: Client) -> None:
    arms = sealed.study_survey(owner, sealed.study(), [500])
    said = "estimated from disguised answers alone"
    for of, is_offered in ((arms, False), (survey, True)):
        text = page(reading, f"/app/surveys/{of.pk}/runs")
        assert ('name="estimator"' in text) is is_offered
        assert (said in text) is not is_offered
        assert 'name="min_support"' in text
    # A run is stratified whatever a request says, and the forecast needs no estimator.
    given = {key: value for key, value in GOOD.items() if key != "estimator"}
    asked: list[dict[str, str]] = [{}, {"estimator": "combined", "max_size": "2"}]
    for more in asked:
        assert reading.post(f"/app/surveys/{arms.pk}/runs", given | more).status_code == 302
        assert Run.objects.latest("pk").search_parameters.estimator == "stratified"
    assert Run.objects.count() == 2
    address = f"/app/surveys/{arms.pk}/runs/forecast?max_size=2"
    assert "<td" in reading.get(address, headers={"hx-request": "true"}).content.decode()
