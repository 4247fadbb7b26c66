"""Errors of the API: problem details (RFC 9457) in place of a page."""

from http import HTTPStatus
from typing import Any

from django.http import HttpResponse, JsonResponse
from django.utils.functional import Promise

CONTENT_TYPE = "application/problem+json"


def problem_details(status: int, detail: str | Promise, **members: Any) -> HttpResponse:
    """`detail` is for people, in their language; a program goes by `status` and by `errors`, where there are some."""
    content = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "detail": str(detail),
        **members,
    }
    return JsonResponse(content, status=status, content_type=CONTENT_TYPE)
