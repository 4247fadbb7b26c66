"""Checks permissions: which persons may see a row, and which actions they may do; each model decides for its
rows."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist, PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, resolve_url
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme

from accounts import sessions
from accounts.models import Person
from accounts.permission_model_base_classes import Guarded, Visible

P = ParamSpec("P")
ResponseT = TypeVar("ResponseT", bound=HttpResponseBase)
T = TypeVar("T", bound=Guarded)
log = logging.getLogger(__name__)

LONGEST_WAY_BACK = 2000
"""Characters of an address."""


def get_permitted(things: Visible[T], person: Person, pk: Any, action: str = "see") -> T:
    """Returns the object with this key; raises 404 if the person may not see it, 403 if they may not do this action."""
    try:
        thing = things.visible_to(person).filter(pk=pk).first()
    except (TypeError, ValueError, OverflowError, ValidationError):
        thing = None
    if thing is None:
        raise Http404
    if not thing.may(person, action):
        raise PermissionDenied
    return thing


class PersonRequest(HttpRequest):
    """A request of a signed-in person."""

    user: Person


def signed_in(
    view: Callable[Concatenate[PersonRequest, P], ResponseT],
) -> Callable[Concatenate[HttpRequest, P], ResponseT | HttpResponse]:
    """View decorator: redirects visitors to the sign-in page, and afterwards back.

    Responds with 404 if a row is deleted while the view uses it, as when its survey is deleted.
    """

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> ResponseT | HttpResponse:
        if not request.user.is_authenticated:
            return redirect_to_sign_in(request)
        try:
            return view(request, *args, **kwargs)  # type: ignore[arg-type]
        except ObjectDoesNotExist as gone:
            log.warning("%s %s: deleted meanwhile (%s)", request.method, request.path, gone)
            raise Http404 from gone

    return guarded


def needs_recent_proof(
    view: Callable[Concatenate[PersonRequest, P], ResponseT],
) -> Callable[Concatenate[PersonRequest, P], ResponseT | HttpResponse]:
    """View decorator for irreversible actions: asks for the password or second factor if neither was given within
    CONFIRM_MINUTES.

    A form sent too late changes nothing: the person is redirected to its page. To be placed below `signed_in`.
    """

    @wraps(view)
    def guarded(request: PersonRequest, /, *args: P.args, **kwargs: P.kwargs) -> ResponseT | HttpResponse:
        seconds = 60 * settings.CONFIRM_MINUTES
        if seconds and not 0 <= sessions.seconds_since_proof(request) < seconds:
            return redirect_to_confirm(request)
        return view(request, *args, **kwargs)

    return guarded


def redirect_to_confirm(request: HttpRequest, **more: str) -> HttpResponse:
    """Redirects to the page that asks for the password or second factor.

    That page then leads back here, or, after a form was sent, to the page of the form.
    """
    back = resolve_url(settings.LOGIN_REDIRECT_URL)
    referer = urlsplit(request.headers.get("Referer", ""))
    if request.method in ("GET", "HEAD"):
        back = request.get_full_path()
    elif referer.netloc == request.get_host() and referer.path:
        back = referer.path + (f"?{referer.query}" if referer.query else "")
    return redirect_whole_page(request, address_with_way_back("accounts:confirm", back, **more))


def redirect_to_sign_in(request: HttpRequest) -> HttpResponse:
    if "HX-Request" in request.headers:
        return redirect_whole_page(request, resolve_url(settings.LOGIN_URL), status=401)
    # Coming back must be a GET, which an address that only takes POST would refuse.
    is_get = request.method in ("GET", "HEAD")
    back = request.get_full_path() if is_get else resolve_url(settings.LOGIN_REDIRECT_URL)
    return redirect(address_with_way_back(settings.LOGIN_URL, back))


def address_with_way_back(name: str, back: str, **more: str) -> str:
    """Returns the address of the page with this name, which leads back.

    A longer way back than any page has would not fit into the head of the answer, which a proxy bounds: it is left out.
    """
    ways = {"next": back} if len(back) <= LONGEST_WAY_BACK else {}
    return reverse(name, query={**ways, **more})


def redirect_whole_page(request: HttpRequest, address: str, status: int = 403) -> HttpResponse:
    """Redirects the whole browser page; htmx would otherwise insert the new page into a part of the old one."""
    if "HX-Request" not in request.headers:
        return redirect(address)
    return HttpResponse(status=status, headers={"HX-Redirect": address})


def safe_next_path(request: HttpRequest, otherwise: str) -> str:
    """Returns the parameter `next` of a form or link if it is a path on this site, else `otherwise`."""
    target = request.POST.get("next") or request.GET.get("next") or ""
    is_ours = url_has_allowed_host_and_scheme(target, {request.get_host()}, require_https=request.is_secure())
    return target if is_ours and target.startswith("/") else resolve_url(otherwise)
