"""The addresses of SAML: to the provider, back from it, and our metadata."""

from collections.abc import Callable
from functools import wraps
from typing import cast

from allauth.socialaccount.providers.saml import utils, views
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST, require_safe
from onelogin.saml2.errors import OneLogin_Saml2_Error
from onelogin.saml2.settings import OneLogin_Saml2_Settings

from accounts.providers.problems import problem_page

LONGEST = 200_000
"""Characters of an answer: it waits in a session until it is read, and anybody may send one."""
COOKIE = "saml-acs-session"
View = Callable[[HttpRequest, str], HttpResponse]


def answered(view: View) -> View:
    """A page in words where the answer is not what the protocol says."""

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
@answered
def sign_in(request: HttpRequest, organization_slug: str) -> HttpResponse:
    return cast("HttpResponse", views.login(request, organization_slug=organization_slug))


@csrf_exempt
@never_cache
@require_POST
@answered
def back(request: HttpRequest, organization_slug: str) -> HttpResponse:
    """The provider's page sends the answer from its own site, so without our session; `finish` reads it with it."""
    if sum(len(value) for name in request.POST for value in request.POST.getlist(name)) > LONGEST:
        raise ValueError("no answer is as long")
    response = cast("HttpResponse", views.acs(request, organization_slug=organization_slug))
    cookie = response.cookies[COOKIE]
    cookie["httponly"], cookie["samesite"] = True, "Lax"
    return response


@never_cache
@require_safe
@answered
def finish(request: HttpRequest, organization_slug: str) -> HttpResponse:
    response = cast("HttpResponse", views.finish_acs(request, organization_slug=organization_slug))
    response.delete_cookie(COOKIE, path=request.path)
    return response


@require_safe
@answered
def metadata(request: HttpRequest, organization_slug: str) -> HttpResponse:
    app = utils.get_app_or_404(request, organization_slug)
    config = utils.build_saml_config(request, app.settings, organization_slug)
    del config["sp"]["singleLogoutService"]
    made = OneLogin_Saml2_Settings(settings=config, sp_validation_only=True).get_sp_metadata()
    return HttpResponse(made, content_type="application/samlmetadata+xml")


def no_sign_out(request: HttpRequest, organization_slug: str) -> HttpResponse:
    """django-allauth asks for the address of a sign-out by the provider; there is none."""
    raise Http404
