"""/healthz reports whether this instance works, for a load balancer and for a person.

It answers within two seconds: checks run in threads, and a check that has not finished by then has failed.
"""

import os
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from threading import Event, Lock, Thread

from django.conf import settings
from django.db import Error, connection, connections
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.backup.models import Backup
from config.server_error_handler import UNWRITABLE
from intake.endpoint.last_store_failure import UNSTORED
from intake.endpoint.people_asked_to_wait import count_asked_lately
from jobs import database as jobs_database, health
from jobs.health import HealthFinding
from runs import mlxtend_check
from ui import cookie_and_log_paths

PATIENCE = 1.5
"""Seconds after which a check has failed; the rest of the two seconds is for the network."""

MEGABYTE = 1_000_000
TRIAL_BYTES = 64 * 1024
"""Size in bytes of the test file: more than an account that is nearly at its quota can still write."""
TOO_LATE = HealthFinding(False, "does not answer in time")
Check = Callable[[], HealthFinding]


def check_database() -> HealthFinding:
    """Checks that the database answers, and that the last attempts of this process to write did not fail."""
    is_postgresql = connection.vendor == "postgresql"
    try:
        with connection.cursor() as cursor:
            cursor.execute("SHOW transaction_read_only" if is_postgresql else "SELECT 'off'")
            is_read_only = cursor.fetchone() != ("off",)
    except Error:
        return HealthFinding(False, "does not answer")
    if is_read_only or UNWRITABLE.failed_recently():
        return HealthFinding(False, "cannot be written")
    return HealthFinding(True, "answers")


def check_migrations() -> HealthFinding:
    """Checks that all migrations are applied."""
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return HealthFinding(False, f"{len(waiting)} to apply") if waiting else HealthFinding(True, "applied")


def check_record_storage() -> HealthFinding:
    """Checks that this process could store the last records that it received."""
    is_refused = UNSTORED.failed_recently()
    return HealthFinding(not is_refused, "cannot be stored" if is_refused else "none was refused lately")


def check_disk() -> HealthFinding:
    """Checks the free disk space, and writes a small file in each folder."""
    for folder in folders_to_check():
        try:
            write_test_file(folder)
            free = shutil.disk_usage(folder).free
        except OSError:
            return HealthFinding(False, "cannot be written")
        if free < settings.LEAST_FREE_MEGABYTES * MEGABYTE:
            return HealthFinding(False, "nearly full")
    return HealthFinding(True, "can be written")


def folders_to_check() -> set[Path]:
    """Returns the folders in which the instance writes: VAR and that of a SQLite database."""
    paths, database = {settings.VAR}, settings.DATABASES["default"]
    if "sqlite" in database["ENGINE"]:
        paths.add(Path(database["NAME"]).parent)
    return {path for path in paths if path.is_dir()}


def write_test_file(folder: Path) -> None:
    """Writes a file without a name, which the system deletes even if this process is killed."""
    with tempfile.TemporaryFile(dir=folder) as trial:
        trial.write(os.urandom(TRIAL_BYTES))
        trial.flush()
        os.fsync(trial.fileno())


def report_waiting_respondents() -> HealthFinding:
    """Reports how many respondents were asked to wait because too many came at once; never a failure."""
    asked = count_asked_lately(timezone.now())
    lately = f"about {asked} people were asked to wait in this hour and the last"
    return HealthFinding(True, lately if asked else "nobody was asked to wait lately")


def report_restore_drill() -> HealthFinding:
    """Reports when a backup was last restored as a test; never a failure.

    deploy/alerts.yml has the limit for its age.
    """
    checked = Backup.last_checked()
    if checked is None:
        return HealthFinding(True, "no backup was checked yet")
    hours = max(timezone.now() - checked, timedelta(0)) // timedelta(hours=1)
    ago = f"{hours} {'hour' if hours == 1 else 'hours'}"
    return HealthFinding(True, f"a backup was checked {ago} ago")


def report_engine_disagreements() -> HealthFinding:
    """Reports a run for which the two mining programs found different results."""
    many = mlxtend_check.count_disagreements()
    words = f"mlxtend finds something else than {many} run{'s' if many > 1 else ''}"
    return HealthFinding(True, words if many else "mlxtend finds what Candor finds")


# --- one round at a time -----------------------------------------------------------------------------


@dataclass
class CheckRound:
    """One round of all health checks, with their results; the checks run one after another."""

    checks: dict[str, Check]
    results: dict[str, HealthFinding] = field(default_factory=dict)
    over: Event = field(default_factory=Event)

    def run(self) -> None:
        """Runs all checks and stores their results."""
        try:
            for name, check in self.checks.items():
                try:
                    self.results[name] = check()
                except Error:
                    self.results[name] = HealthFinding(False, "cannot be looked at without the database")
        finally:
            connections.close_all()
            self.over.set()

    def results_within(self, seconds: float) -> dict[str, HealthFinding]:
        """Waits at most so many seconds; returns the results, where an unfinished check has failed."""
        self.over.wait(max(seconds, 0))
        return {name: self.results.get(name, TOO_LATE) for name in self.checks}


class RoundRunner:
    """Starts rounds of checks; while a round hangs, requests wait for it and no new one starts."""

    def __init__(self, **checks: Check) -> None:
        self.checks = checks
        self._lock = Lock()
        self._round: CheckRound | None = None

    def begin(self) -> CheckRound:
        """Returns the round that runs, or starts a new one in a thread."""
        with self._lock:
            if self._round is None or self._round.over.is_set():
                self._round = CheckRound(self.checks)
                Thread(target=self._round.run, name="health", daemon=True).start()
            return self._round


# Heartbeats of workers are in the time of the database's clock.
ROUND_RUNNERS = [
    RoundRunner(
        database=check_database,
        migrations=check_migrations,
        worker=lambda: health.check_worker(jobs_database.now()),
        jobs=lambda: health.check_jobs(jobs_database.now()),
        waiting=report_waiting_respondents,
        drill=report_restore_drill,
        engines=report_engine_disagreements,
    ),
    RoundRunner(broker=health.check_queue),
    RoundRunner(disk=check_disk),
    RoundRunner(records=check_record_storage),
]


# --- the page ---------------------------------------------------------------------------------------


CHANGED = {201, 202, 204, 302, 303}
"""Statuses by which a request that may write says that it did."""


class HealthMiddleware:
    """Middleware: answers /healthz before all others, so that it needs neither session nor database.

    It also notes that the database can be written again.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path_info == cookie_and_log_paths.HEALTH:
            return healthz(request)
        response = self.get_response(request)
        if response.status_code in CHANGED and request.method not in ("GET", "HEAD", "OPTIONS"):
            UNWRITABLE.record_success()
        return response


def health_results(end: float) -> dict[str, HealthFinding]:
    """Runs all checks; returns the results at the time `end` of the monotonic clock."""
    rounds = [runner.begin() for runner in ROUND_RUNNERS]
    results: dict[str, HealthFinding] = {}
    for started in rounds:
        results |= started.results_within(end - time.monotonic())
    return results


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    results = health_results(time.monotonic() + PATIENCE)
    is_well = all(finding.ok for finding in results.values())
    parts = {name: {"ok": finding.ok, "says": finding.words} for name, finding in results.items()}
    return JsonResponse({"ok": is_well, **parts}, status=200 if is_well else 503)
