"""Page of a failed sign-in by a provider, which always offers another way."""

from typing import Literal

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

Reason = Literal["refused", "down", "address", "inactive", "not-asked"]
STATUS: dict[Reason, int] = {"refused": 403, "down": 503, "address": 409, "inactive": 403, "not-asked": 403}


def problem_page(request: HttpRequest, reason: Reason, provider: str = "") -> HttpResponse:
    context = {"reason": reason, "provider": provider, "status": STATUS[reason]}
    response = render(request, "accounts/provider-problem.html", context, status=STATUS[reason])
    response["Cache-Control"] = "no-store"
    return response
