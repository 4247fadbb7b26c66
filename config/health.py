"""/healthz: whether this house can do its work, for a load balancer and for a person."""

from collections.abc import Callable

from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from jobs import clock, health
from jobs.health import Finding

ADDRESS = "/healthz"


def database() -> Finding:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error:
        return Finding(False, "does not answer")
    return Finding(True, "answers")


def migrations() -> Finding:
    executor = MigrationExecutor(connection)
    waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return Finding(False, f"{len(waiting)} to apply") if waiting else Finding(True, "applied")


# Workers write down when they were heard by the database's clock, so it is asked what time it is.
LOOKS: dict[str, Callable[[], Finding]] = {
    "database": database,
    "migrations": migrations,
    "broker": health.broker,
    "worker": lambda: health.worker(clock.now()),
}


def look(at: Callable[[], Finding]) -> Finding:
    try:
        return at()
    except Error:
        return Finding(False, "cannot be looked at without the database")


class Shortcut:
    """Middleware: nothing that needs the database, as a session does, stands between this page and who asks."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return healthz(request) if request.path_info == ADDRESS else self.get_response(request)


@never_cache
@require_safe
def healthz(request: HttpRequest) -> JsonResponse:
    found = {name: look(at) for name, at in LOOKS.items()}
    well = all(finding.ok for finding in found.values())
    parts = {name: {"ok": finding.ok, "says": finding.words} for name, finding in found.items()}
    return JsonResponse({"ok": well, **parts}, status=200 if well else 503)
