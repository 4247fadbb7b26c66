"""The error page while the database or Redis does not answer."""

import sys

from django.http import HttpRequest, HttpResponse
from django.utils import translation

from accounts import language_and_theme
from jobs import database
from ui import errors

RETRY_SECONDS = 10


def server_error(request: HttpRequest) -> HttpResponse:
    """Handler of uncaught exceptions: 503 with Retry-After if a service is away, else 500."""
    if not database.service_away(sys.exc_info()[1]):
        return errors.server_error(request)
    # Which language an account has, the database would have said.
    with translation.override(language_and_theme.language_without_account(request)):
        response = errors.server_error(request, 503)
    response["Retry-After"] = str(RETRY_SECONDS)
    return response
