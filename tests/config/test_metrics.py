"""/metrics: who gets it, what it tells, and that it tells of no respondent."""

import json
import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.conf import settings as ours
from django.db import OperationalError, connection
from django.test import Client
from prometheus_client.parser import text_string_to_metric_families
from pytest_django.fixtures import Settings

from accounts.models import Person
from config.backup.models import Backup
from config.metrics import capacity_benchmark_result, request_times
from config.metrics.page import read_gauges
from intake.models import Inbox
from jobs.models import Worker
from tests import servers
from tests.config.conftest import python
from tests.intake import asked

pytestmark = pytest.mark.page
TOKEN = "a-token-of-an-operator-0123456789"
GIVEN = {"authorization": f"Bearer {TOKEN}"}
DEPLOY = servers.ROOT / "deploy"


class Minute:
    """Passes when a test says so."""

    flush: Callable[[], None]
    goes_up = True

    def rounded_count(self, n: int) -> int:
        assert n < 20
        return 20 if self.goes_up else 0

    def __call__(self, flush: Callable[[], None]) -> None:
        self.flush = flush


@pytest.fixture
def minute(monkeypatch: pytest.MonkeyPatch) -> Minute:
    minute = Minute()
    times = request_times.RequestTimes(minute, minute.rounded_count)
    monkeypatch.setattr("config.metrics.page.REQUEST_TIMES", times)
    request_times.TIMES.clear()
    return minute


@pytest.fixture
def prometheus(db: None, minute: Minute, settings: Settings) -> Client:
    settings.METRICS_TOKEN = TOKEN
    settings.MIDDLEWARE = ["config.metrics.page.MetricsMiddleware", *settings.MIDDLEWARE]
    return Client()


def metric_samples(client: Client) -> dict[str, dict[tuple[str, ...], float]]:
    """Sample -> its value by the values of its labels."""
    answer = client.get("/metrics", headers=GIVEN)
    assert answer.status_code == 200
    samples: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families(answer.content.decode()):
        for sample in family.samples:
            samples.setdefault(sample.name, {})[tuple(sample.labels.values())] = sample.value
    return samples


# --- who gets it -------------------------------------------------------------------------------------


def test_metrics_page_is_missing_without_a_token(client: Client) -> None:
    assert ours.METRICS_TOKEN == ""
    assert client.get("/metrics", headers=GIVEN).status_code == 404


def test_metrics_need_the_token(prometheus: Client, superuser: Person) -> None:
    signed_in = Client()
    signed_in.force_login(superuser)
    for given in ({}, {"authorization": TOKEN}, {"authorization": "Bearer é"}):
        for client in (prometheus, signed_in):
            answer = client.get("/metrics", headers=given)
            assert (answer.status_code, answer.content) == (401, b""), given


def test_metrics_are_read_only_without_cookie_and_host_name(prometheus: Client) -> None:
    assert prometheus.post("/metrics", headers=GIVEN).status_code == 405
    answer = prometheus.get("/metrics", headers={**GIVEN, "host": "10.0.0.7:8000"})
    assert answer.status_code == 200
    assert not answer.cookies
    assert "no-store" in answer["Cache-Control"]


# --- requests ----------------------------------------------------------------------------------------


def test_staff_page_is_counted_by_its_group(prometheus: Client) -> None:
    prometheus.get("/app/surveys/4711/")
    assert metric_samples(prometheus)["candor_request_seconds_count"] == {("surveys", "3xx"): 1}


def test_respondents_are_counted_from_twenty_and_after_a_minute(prometheus: Client, minute: Minute) -> None:
    page = f"/a/{asked.survey(asked.design()).slug}"
    for minute.goes_up in (False, True):
        assert prometheus.get(page).status_code == 200
        assert "candor_request_seconds_count" not in metric_samples(prometheus)
        minute.flush()
    samples = metric_samples(prometheus)
    assert samples["candor_request_seconds_count"] == {("respondents", "2xx"): 20}
    mean = samples["candor_request_seconds_sum"][("respondents", "2xx")] / 20
    assert any(mean == pytest.approx(middle) for middle in request_times.MIDDLES)


def test_metric_group_holds_no_path_text() -> None:
    for path, group in {
        "/a/abcdef/record": "record",
        "/a/abcdef/": "respondents",
        "/public/0123456789abcdef": "public",
        "/app/surveys/12/edit": "surveys",
        "/static/a.js": "static",
        "/": "home",
        "/healthz": "health",
        **dict.fromkeys(["/app/olga/12", "/app/surveys/../a/abcdef", "/olga@example.org"], "other"),
    }.items():
        assert request_times.page_group(path) == group, path


# --- what the database says --------------------------------------------------------------------------


def test_metrics_count_records_as_the_pages_show_them(db: None) -> None:
    survey = asked.survey(asked.design())
    for _ in range(7):
        Inbox.objects.create(survey=survey, record=b"1000000")
    assert survey.least == 20
    values = {name: value for name, _meaning, value in read_gauges()}
    # 7 of 50: one tenth, and a tenth is 5.
    assert values["candor_records"] == values["candor_records_waiting"] == 5
    assert values["candor_surveys_overdue"] == 0
    assert values["candor_writable"] == 1


def test_metrics_state_the_age_of_the_backup_and_its_check(prometheus: Client) -> None:
    samples = metric_samples(prometheus)
    assert samples["candor_backup_age_seconds"] == samples["candor_drill_age_seconds"] == {(): float("inf")}
    now = datetime.now(UTC)
    Backup.objects.create(made=now - timedelta(hours=9), completed=True, checked=now - timedelta(hours=8))
    Backup.objects.create(made=now)  # was never written
    samples = metric_samples(prometheus)
    assert samples["candor_backup_age_seconds"][()] == pytest.approx(9 * 3600, abs=60)
    assert samples["candor_drill_age_seconds"][()] == pytest.approx(8 * 3600, abs=60)


def test_metrics_without_a_database_say_only_that(prometheus: Client) -> None:
    def refuse(*args: object) -> None:
        raise OperationalError("no")

    with connection.execute_wrapper(refuse):
        samples = metric_samples(prometheus)
    assert samples == {"candor_database_up": {(): 0}}


# --- the figure of `./run bench capacity` --------------------------------------------------------------


def test_operators_see_the_capacity_figure_with_its_date(
    superuser: Person, tmp_path: Path, settings: Settings, client: Client
) -> None:
    settings.VAR = tmp_path
    client.force_login(superuser)
    assert "Visits a second" not in client.get("/app/jobs/").text
    capacity_benchmark_result.store_capacity(tmp_path, 118, date(2026, 11, 25))
    fact = "Visits a second that one web process answers, measured on 25 November 2026"
    assert f"<dt>{fact}</dt><dd>118</dd>" in client.get("/app/jobs/").text
    (tmp_path / capacity_benchmark_result.FILE).write_text('{"visits_per_second": "many"}')
    assert client.get("/app/jobs/").status_code == 200


@pytest.mark.night
@pytest.mark.server
def test_bench_measures_and_stores_the_capacity_figure(tmp_path: Path) -> None:
    """Measured on real visits."""
    done = python("-m", "bench.capacity", "--visits", "50", env=servers.environment(VAR=str(tmp_path)))
    assert done.returncode == 0, done.stderr[-2000:]
    figure = json.loads((tmp_path / capacity_benchmark_result.FILE).read_text())["visits_per_second"]
    assert done.stdout.startswith(f"{figure:,} visits a second, of 50")
    assert figure > 0


# --- the files of deploy/ ----------------------------------------------------------------------------


def metric_names(text: str) -> set[str]:
    return set(re.findall(r"\bcandor_\w+", text))


def test_alerts_and_dashboard_use_existing_metrics(prometheus: Client) -> None:
    Worker.objects.create(name="w", heard=datetime.now(UTC), warm=True)
    prometheus.get("/app/account/sign-in")
    printed = metric_samples(prometheus).keys() - {"candor_request_seconds_created"}
    (group,) = yaml.safe_load((DEPLOY / "alerts.yml").read_text())["groups"]
    alerts: list[dict[str, Any]] = group["rules"]
    assert len({alert["alert"] for alert in alerts}) == 6
    for alert in alerts:
        assert metric_names(alert["expr"])
        assert metric_names(alert["expr"]) <= printed, alert
        assert alert["annotations"]["summary"]
    (refuses,) = [alert["expr"] for alert in alerts if alert["alert"] == "CandorRefuses"]
    # A probe of an instance that is not well gets 503, and is no request of a person.
    assert refuses.count("candor_request_seconds_count{") == refuses.count('group!="health"') == 2
    dashboard = json.loads((DEPLOY / "grafana.json").read_text())
    shown = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    assert set().union(*map(metric_names, shown)) == printed - {"candor_request_seconds_sum"}
