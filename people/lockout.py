"""Wrong passwords: django-axes asks before each try and reports how it went; `people.guessing` decides."""

from datetime import datetime
from typing import Any

from axes.handlers.base import AbstractAxesHandler, AxesBaseHandler
from django.conf import settings
from django.contrib.sessions.models import Session
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

from people import devices, guessing
from people.guessing import GuessAttempt
from people.models import Lockout, Person


class Handler(AbstractAxesHandler, AxesBaseHandler):
    """Remembers on the request what was decided, for the page that says how long to wait."""

    def is_allowed(self, request: Any, credentials: dict[str, Any] | None = None) -> bool:
        request.guess = guess_of(request, (credentials or {}).get("username") or "")
        request.seconds_to_wait = request.guess.take(_now())
        return not request.seconds_to_wait

    def user_login_failed(
        self, sender: Any, credentials: dict[str, Any], request: Any = None, **more: Any
    ) -> None:
        guess = getattr(request, "guess", None)
        if guess is None:
            return
        if not request.seconds_to_wait:
            request.seconds_to_wait = guess.failed(_now())
        request.axes_locked_out = bool(request.seconds_to_wait)

    def user_logged_in(self, sender: Any, request: Any, user: Person, **more: Any) -> None:
        password_was_right(request)

    def user_logged_out(self, sender: Any, request: Any, user: Person | None, **more: Any) -> None:
        pass

    def get_failures(self, request: Any, credentials: dict[str, Any] | None = None) -> int:
        return 0

    def reset_attempts(
        self, *, ip_address: str | None = None, username: str | None = None, ip_or_username: bool = False
    ) -> int:
        """For `manage.py axes_reset_username`, should an operator want to help somebody."""
        if username is None or ip_address is not None:
            raise NotImplementedError("Counts are forgotten by username: manage.py axes_reset_username NAME")
        guessing.forget(username)
        return 1


def guess_of(request: HttpRequest, username: str) -> GuessAttempt:
    return GuessAttempt(
        username, devices.known_device(request, username), guessing.network(client_address(request))
    )


def password_was_right(request: HttpRequest) -> None:
    """The password that was looked at last was right."""
    guess: GuessAttempt | None = getattr(request, "guess", None)
    if guess is not None:
        guess.passed()


def _now() -> float:
    return timezone.now().timestamp()


def locked_out(request: HttpRequest, *args: object) -> HttpResponse:
    seconds: int = getattr(request, "seconds_to_wait", 0)
    context = {"seconds": seconds, "minutes": -(-seconds // 60)}
    response = render(request, "people/locked-out.html", context, status=429)
    response["Retry-After"] = str(seconds)
    return response


def client_address(request: HttpRequest) -> str:
    """The address that one's own proxy saw; whatever stands before it in the header, anybody may have written."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.BEHIND_PROXY else ""
    return forwarded.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")


def forgive_failures(person: Person, request: HttpRequest) -> None:
    """Reset the failures of this place: the person has just proved their identity by mail."""
    guess_of(request, person.get_username()).passed()


def forget_lapsed(now: datetime) -> None:
    """Lapsed counts and sessions do nothing any more, but their rows would stay."""
    Lockout.objects.filter(expires__lt=now).delete()
    Session.objects.filter(expire_date__lt=now).delete()
