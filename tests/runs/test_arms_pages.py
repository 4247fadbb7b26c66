"""The page of runs of a survey with arms: all is of the disguised arm, so no estimator is chosen."""

import pytest
from django.test import Client

from accounts.models import Person
from runs.models import Run
from surveys.models import Survey
from tests.runs import sealed
from tests.runs.test_views import GOOD

pytestmark = pytest.mark.page


@pytest.fixture
def arms(owner: Person) -> Survey:
    return sealed.study_survey(owner, sealed.study(), [500])


@pytest.fixture
def client(reading: Client) -> Client:
    return reading


def test_no_estimator_is_offered(arms: Survey, client: Client) -> None:
    page = client.get(f"/app/surveys/{arms.pk}/runs").content.decode()
    assert 'name="estimator"' not in page
    assert 'name="min_support"' in page
    assert "estimated from disguised answers alone" in page


def test_without_arms_one_is_offered(survey: Survey, client: Client) -> None:
    page = client.get(f"/app/surveys/{survey.pk}/runs").content.decode()
    assert 'name="estimator"' in page
    assert "estimated from disguised answers alone" not in page


def test_a_run_is_stratified_whatever_a_request_says(arms: Survey, client: Client) -> None:
    given = {key: value for key, value in GOOD.items() if key != "estimator"}
    asked: list[dict[str, str]] = [{}, {"estimator": "combined", "max_size": "2"}]
    for more in asked:
        assert client.post(f"/app/surveys/{arms.pk}/runs", given | more).status_code == 302
        assert Run.objects.latest("pk").search_parameters.estimator == "stratified"
    assert Run.objects.count() == 2


def test_the_forecast_needs_no_estimator(arms: Survey, client: Client) -> None:
    address = f"/app/surveys/{arms.pk}/runs/forecast?max_size=2"
    assert "<td" in client.get(address, headers={"hx-request": "true"}).content.decode()
