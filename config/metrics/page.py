"""/metrics for Prometheus, with METRICS_TOKEN: requests of this web server, and gauges from the database.

Gauges are read at each scrape, so they are right after a restart and the same on every machine. None is about
a single survey; records are rounded as on pages (`surveys.lifecycle.record_counts`), people who wait to about
20.
"""

import hmac
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from math import inf

from django.conf import settings
from django.db import Error
from django.db.models import Min
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from config import health
from config.backup.models import Backup
from config.metrics.request_times import REQUEST_TIMES, register_request_counts
from intake.endpoint.people_asked_to_wait import count_asked_lately
from jobs import database as jobs_database, health as jobs_health, job_state_changes
from surveys.lifecycle import record_counts
from surveys.models import Survey
from ui import cookie_and_log_paths

State = Survey.State
Gauge = tuple[str, str, float]
"""A gauge: name, description and value."""


class MetricsMiddleware:
    """Middleware around all others: measures each response, and serves /metrics without session."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info == cookie_and_log_paths.METRICS:
            return metrics(request)
        began = time.perf_counter()
        response = self.get_response(request)
        REQUEST_TIMES.count_page_request(request.path_info, response.status_code, time.perf_counter() - began)
        return response


@never_cache
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Page with all metrics for Prometheus; refuses a request without METRICS_TOKEN."""
    expected = f"Bearer {settings.METRICS_TOKEN}"
    if not hmac.compare_digest(request.META.get("HTTP_AUTHORIZATION", "").encode(), expected.encode()):
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
    registry = CollectorRegistry()
    register_request_counts(registry)
    registry.register(Gauges())
    return HttpResponse(
        generate_latest(registry),
        content_type=CONTENT_TYPE_LATEST,
        headers={"X-Content-Type-Options": "nosniff"},
    )


class Gauges(Collector):
    def collect(self) -> Iterator[GaugeMetricFamily]:
        try:
            gauges = read_gauges()
        except Error:
            gauges = []
        yield GaugeMetricFamily("candor_database_up", "Whether the database answers.", value=bool(gauges))
        for name, meaning, value in gauges:
            yield GaugeMetricFamily(name, meaning, value=value)


def read_gauges() -> list[Gauge]:
    surveys = Survey.objects.filter(state__in=[State.OPEN, State.CLOSED, State.FINISHED])
    shown = record_counts.shown_counts_of_surveys(surveys.select_related("design")).values()
    # Heartbeats and jobs are in the time of the database's clock.
    now, database_now = timezone.now(), jobs_database.now()
    queued = job_state_changes.waiting_jobs().aggregate(at=Min("queued"))["at"]
    return [
        (
            "candor_records",
            "Records of all surveys, at least, as the pages show them.",
            sum(count.received_at_least for count in shown),
        ),
        (
            "candor_records_waiting",
            "Records that wait for their batch, at least, as the pages show them.",
            sum(count.waiting_at_least for count in shown),
        ),
        (
            "candor_surveys_overdue",
            "Surveys with enough waiting records for a batch that is not sealed yet.",
            sum(count.waiting_at_most is None for count in shown),
        ),
        (
            "candor_people_asked_to_wait",
            "People asked to wait with their record in this hour and the last, to about 20.",
            count_asked_lately(now),
        ),
        (
            "candor_worker_up",
            "Whether a worker was heard lately and is warm.",
            jobs_health.check_worker(database_now).ok,
        ),
        (
            "candor_writable",
            "Whether the database and the folders of this web server can be written.",
            health.check_database().ok and health.check_disk().ok,
        ),
        (
            "candor_oldest_job_seconds",
            "How long the oldest job has waited; 0: none waits.",
            seconds_since(queued, database_now) if queued else 0.0,
        ),
        (
            "candor_backup_age_seconds",
            "Since the last backup; +Inf: there is none.",
            seconds_since(Backup.last_made(), now),
        ),
        (
            "candor_drill_age_seconds",
            "Since a backup was checked; +Inf: none was.",
            seconds_since(Backup.last_checked(), now),
        ),
    ]


def seconds_since(moment: datetime | None, now: datetime) -> float:
    """Returns the seconds from `moment` to `now`; infinite if `moment` is None."""
    return max(0.0, (now - moment).total_seconds()) if moment else inf
