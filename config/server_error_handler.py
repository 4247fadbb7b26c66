"""Error page for uncaught exceptions, and while the database, Redis or a disk does not work."""

import sys

from django.http import HttpRequest, HttpResponse
from django.utils import translation

from accounts import page_language_and_theme
from config.start.database_wait import RETRY_SECONDS
from intake.endpoint.last_store_failure import StoreFailures
from jobs import database
from ui import errors

UNWRITABLE = StoreFailures()
"""Remembers whether this process recently found the database readable but not writable; /healthz reports it."""


def server_error(request: HttpRequest) -> HttpResponse:
    """Returns the error page for an uncaught exception: 503 if a service or disk fails, else 500."""
    error = sys.exc_info()[1]
    if not database.outage_text(error):
        return errors.server_error(request)
    is_unwritable = bool(database.unwritable_text(error))
    if is_unwritable and isinstance(error, database.FAILURES):
        UNWRITABLE.record_failure()
    # Which language an account has, the database would have said.
    with translation.override(page_language_and_theme.language_without_account(request)):
        response = errors.server_error(request, 503, errors.NOT_STORED if is_unwritable else None)
    response["Retry-After"] = str(RETRY_SECONDS)
    return response
