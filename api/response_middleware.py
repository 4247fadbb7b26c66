"""Middleware for all responses of the API. It is loaded at the start, so it imports nothing of
django-ninja."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from ui import cookie_and_log_paths
from ui.errors import problem_details


class ApiResponses:
    """Middleware: refuses plain http, forbids caching, and answers a wrong method with problem details."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if (
            settings.HTTPS
            and not request.is_secure()
            and cookie_and_log_paths.takes_tokens(request.path_info)
        ):
            return problem_details(
                request, 403, _("Use https. A token that was sent like this has to be ended.")
            )
        response = self.get_response(request)
        if not cookie_and_log_paths.takes_tokens(request.path_info):
            return response
        if response.status_code == 405:
            allowed = response.headers.get("Allow", "")
            detail = _("This address takes %(methods)s.") % {"methods": allowed}
            response = problem_details(request, 405, detail)
            response["Allow"] = allowed
        response["Cache-Control"] = "no-store"
        return response
