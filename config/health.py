"""/healthz: whether this house can do its work, for a load balancer and for a person.

It answers within two seconds, whatever hangs: each look is made in a thread of its own, and what has not been found out
in time is a failure.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock, Thread

from django.db import Error, connection, connections
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config import disk
from jobs import clock, health
from jobs.health import HealthFinding
from surveys.intake.unstored import UNSTORED

ADDRESS = "/healthz"
PATIENCE = 1.5
"""Seconds; the rest of the two is for the way here and back."""

TOO_LATE = HealthFinding(False, "does not answer in time")
Look = Callable[[], HealthFinding]


def database() -> HealthFinding:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return HealthFinding(False, "does not answer")
    return HealthFinding(True, "answers")


def migrations() -> HealthFinding:
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return HealthFinding(False, f"{len(waiting)} to apply") if waiting else HealthFinding(True, "applied")


def records() -> HealthFinding:
    """As this process last found; another one may have found something else."""
    return (
        HealthFinding(False, "cannot be stored")
        if UNSTORED.lately()
        else HealthFinding(True, "none was refused lately")
    )


# --- one look at a time -----------------------------------------------------------------------------


@dataclass
class Round:
    """One look at each of these, after another."""

    looks: dict[str, Look]
    found: dict[str, HealthFinding] = field(default_factory=dict)
    over: Event = field(default_factory=Event)

    def run(self) -> None:
        try:
            for name, at in self.looks.items():
                self.found[name] = look(at)
        finally:
            connections.close_all()
            self.over.set()

    def found_within(self, seconds: float) -> dict[str, HealthFinding]:
        self.over.wait(max(seconds, 0))
        return {name: self.found.get(name, TOO_LATE) for name in self.looks}


def look(at: Look) -> HealthFinding:
    try:
        return at()
    except Error:
        return HealthFinding(False, "cannot be looked at without the database")


class Looking:
    """While one round hangs no other is begun: whoever asks meanwhile waits for the same one."""

    def __init__(self, **looks: Look) -> None:
        self.looks = looks
        self._lock = Lock()
        self._round: Round | None = None

    def begin(self) -> Round:
        with self._lock:
            if self._round is None or self._round.over.is_set():
                self._round = Round(self.looks)
                Thread(target=self._round.run, name="health", daemon=True).start()
            return self._round


# Workers write down when they were heard by the database's clock, so it is asked what time it is.
LOOKINGS = [
    Looking(
        database=database,
        migrations=migrations,
        worker=lambda: health.worker(clock.now()),
        jobs=lambda: health.jobs(clock.now()),
    ),
    Looking(broker=health.broker),
    Looking(disk=disk.free_space),
    Looking(records=records),
]


# --- the page ---------------------------------------------------------------------------------------


class HealthMiddleware:
    """Middleware: nothing that needs the database, as a session does, stands between this page and who asks."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return healthz(request) if request.path_info == ADDRESS else self.get_response(request)


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    end = time.monotonic() + PATIENCE
    rounds = [looking.begin() for looking in LOOKINGS]
    found: dict[str, HealthFinding] = {}
    for begun in rounds:
        found |= begun.found_within(end - time.monotonic())
    well = all(finding.ok for finding in found.values())
    parts = {name: {"ok": finding.ok, "says": finding.words} for name, finding in found.items()}
    return JsonResponse({"ok": well, **parts}, status=200 if well else 503)
