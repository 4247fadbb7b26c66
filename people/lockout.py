"""What happens after repeated failures to sign in; the counting is django-axes', in the cache."""

from datetime import datetime

from axes.helpers import get_cache_timeout
from axes.utils import reset
from django.conf import settings
from django.contrib.sessions.models import Session
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from people.models import Lockout, Person


def locked_out(request: HttpRequest, *args: object) -> HttpResponse:
    # Every attempt starts the wait anew, so it is always the whole of it that remains.
    seconds = get_cache_timeout(request) or 0
    response = render(request, "people/locked-out.html", {"minutes": -(-seconds // 60)}, status=429)
    response["Retry-After"] = str(seconds)
    return response


def client_address(request: HttpRequest) -> str:
    """The address that one's own proxy saw; whatever stands before it in the header, anybody may have written."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "") if settings.BEHIND_PROXY else ""
    return forwarded.rpartition(",")[2].strip() or request.META.get("REMOTE_ADDR", "")


def lift(person: Person, request: HttpRequest) -> None:
    """Somebody has just proved by mail who they are; their failures before that no longer count."""
    reset(ip=client_address(request), username=person.get_username())


def forget_lapsed(now: datetime) -> None:
    """Lapsed counts and sessions do nothing any more, but their rows would stay."""
    Lockout.objects.filter(expires__lt=now).delete()
    Session.objects.filter(expire_date__lt=now).delete()
