"""/healthz: whether this house can do its work, for a load balancer and for a person."""

from collections.abc import Callable

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from jobs import health
from jobs.health import Finding


def database() -> Finding:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return Finding(False, "does not answer")
    return Finding(True, "answers")


def migrations() -> Finding:
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return Finding(False, f"{len(waiting)} to apply") if waiting else Finding(True, "applied")


LOOKS: dict[str, Callable[[], Finding]] = {
    "database": database,
    "migrations": migrations,
    "broker": health.broker,
    "worker": lambda: health.worker(timezone.now()),
}


def look(at: Callable[[], Finding]) -> Finding:
    try:
        return at()
    except DatabaseError:
        return Finding(False, "cannot be looked at without the database")


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    found = {name: look(at) for name, at in LOOKS.items()}
    well = all(finding.ok for finding in found.values())
    parts = {name: {"ok": finding.ok, "says": finding.words} for name, finding in found.items()}
    return JsonResponse({"ok": well, **parts}, status=200 if well else 503)
