"""The addresses of SAML: the redirect to the provider, the provider's response, and our metadata."""

import time
from collections.abc import Callable
from copy import copy
from functools import wraps
from typing import cast

from allauth.socialaccount.providers.saml import utils, views
from allauth.socialaccount.sessions import SessionStore
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe
from onelogin.saml2.errors import OneLogin_Saml2_Error
from onelogin.saml2.settings import OneLogin_Saml2_Settings

from accounts.lockout import client_address
from accounts.password_guess_limits import SharedTries, hash_for_cache, subscriber_network
from accounts.providers import saml_responses
from accounts.providers.problem_page import problem_page

LONGEST = 64_000
"""Longest response in characters: it waits in a session until it is read, and anybody may send one."""
KEPT = 5 * 60
"""Seconds that a response waits in its session; the browser asks for the next page at once."""
NETWORK_ANSWERS = 100
"""Number of responses that a network may send within that time; they take at most 6.4 MB."""
COOKIE = "saml-acs-session"
HEADERS = ("HTTP_HOST", "HTTP_X_FORWARDED_PROTO", "PATH_INFO", "SCRIPT_NAME", "SERVER_NAME", "SERVER_PORT")
"""The headers and path of the request with the response that are needed to verify it later."""
View = Callable[[HttpRequest, str], HttpResponse]


def show_provider_problems(view: View) -> View:
    """View decorator: shows an error page if the provider's response violates the protocol."""

    @wraps(view)
    def wrapped(request: HttpRequest, organization_slug: str) -> HttpResponse:
        app = utils.get_app_or_404(request, organization_slug)
        try:
            return view(request, organization_slug)
        except (PermissionDenied, OneLogin_Saml2_Error, LookupError, ValueError, SyntaxError):
            return problem_page(request, "refused", app.name)

    return wrapped


@never_cache
@require_safe
@show_provider_problems
def begin_sign_in(request: HttpRequest, organization_slug: str) -> HttpResponse:
    return cast("HttpResponse", views.login(request, organization_slug=organization_slug))


@csrf_exempt
@never_cache
@require_POST
@show_provider_problems
def store_saml_response(request: HttpRequest, organization_slug: str) -> HttpResponse:
    """View: stores the provider's response, which its site posts without our session cookie; `finish_sign_in` continues
    with it."""
    if sum(len(name) + sum(map(len, request.POST.getlist(name))) for name in request.POST) > LONGEST:
        raise ValueError("no answer is as long")
    if not saml_responses.use_up_request_id(organization_slug, request.POST.get("SAMLResponse", "")):
        raise ValueError("this answers no question of ours")
    names = [
        hash_for_cache(f"saml {number} {subscriber_network(client_address(request))}")
        for number in range(NETWORK_ANSWERS)
    ]
    if not SharedTries(names, KEPT).use_try(time.time()):
        return HttpResponse(
            "Too many sign-ins from this network.\n",
            "text/plain; charset=utf-8",
            429,
            headers={"Retry-After": KEPT},
        )
    stored = copy(request)
    stored.META = {name: request.META[name] for name in HEADERS if name in request.META}
    # A session of its own each time: a cookie may name any.
    stored.COOKIES = {}
    response = cast("HttpResponse", views.acs(stored, organization_slug=organization_slug))
    cookie = response.cookies[COOKIE]
    cookie["httponly"], cookie["samesite"], cookie["max-age"] = True, "Lax", KEPT
    waiting = SessionStore(cookie.value)
    waiting.set_expiry(KEPT)
    waiting.save()
    return response


@never_cache
@require_safe
@show_provider_problems
def finish_sign_in(request: HttpRequest, organization_slug: str) -> HttpResponse:
    response = cast("HttpResponse", views.finish_acs(request, organization_slug=organization_slug))
    response.delete_cookie(COOKIE, path=request.path)
    return response


@require_safe
@show_provider_problems
def metadata(request: HttpRequest, organization_slug: str) -> HttpResponse:
    app = utils.get_app_or_404(request, organization_slug)
    config = utils.build_saml_config(request, app.settings, organization_slug)
    del config["sp"]["singleLogoutService"]
    made = OneLogin_Saml2_Settings(settings=config, sp_validation_only=True).get_sp_metadata()
    return HttpResponse(made, content_type="application/samlmetadata+xml")


def no_sign_out(request: HttpRequest, organization_slug: str) -> HttpResponse:
    """View: responds with 404 at the sign-out address that django-allauth needs, since there is no sign-out through the
    provider."""
    raise Http404
