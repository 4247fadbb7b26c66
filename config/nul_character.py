"""Refuses the character NUL, which no browser sends and PostgreSQL cannot store, before it reaches a view."""

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_to_bytes

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse

NUL = "\x00"


class RefuseNul:
    """Middleware: refuses requests with NUL in the address, the query or a form field; uploaded files may
    contain it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> None:
        if NUL in request.path_info or b"\x00" in unquote_to_bytes(request.META.get("QUERY_STRING", "")):
            raise BadRequest
        if request.method == "POST" and any(
            NUL in name or any(NUL in value for value in values) for name, values in request.POST.lists()
        ):
            raise BadRequest
