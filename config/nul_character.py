"""Refuses the character NUL before it reaches a view."""

from collections.abc import Callable
from typing import Any
from urllib.parse import unquote_to_bytes

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse

from ui import cookie_and_log_paths
from ui.nul_character import NUL, has_nul

FORM = "multipart/form-data"


class RefuseNul:
    """Middleware: refuses requests with NUL in the address, the query or a form field; uploaded files may
    contain it.

    Forms with a file are read by their views alone, which first check who sends them, and how long they are
    (`surveys.signed_in_view.upload_of_at_most`).
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, view: Any, args: Any, kwargs: Any) -> None:
        if NUL in request.path_info or b"\x00" in unquote_to_bytes(request.META.get("QUERY_STRING", "")):
            raise BadRequest
        is_program = request.path_info.startswith(cookie_and_log_paths.API)
        takes_upload = getattr(view, "takes_upload", False) or (is_program and request.content_type == FORM)
        if request.method == "POST" and not takes_upload and has_nul(request.POST):
            raise BadRequest
