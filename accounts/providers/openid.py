"""The two addresses of OpenID Connect: to the provider, and back from it."""

from collections.abc import Callable
from functools import wraps

from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.openid_connect import views
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from requests import RequestException

from accounts.providers.problems import problem_page


def answered(view: Callable[[HttpRequest, str], HttpResponse]) -> Callable[[HttpRequest, str], HttpResponse]:
    """A page in words where the provider does not answer, or with something else than the protocol says."""

    @wraps(view)
    def wrapped(request: HttpRequest, provider_id: str) -> HttpResponse:
        try:
            return view(request, provider_id)
        except SocialApp.DoesNotExist as missing:
            raise Http404 from missing
        except (RequestException, OAuth2Error, KeyError, ValueError):
            return problem_page(request, "down")

    return wrapped


@never_cache
@require_safe
@answered
def sign_in(request: HttpRequest, provider_id: str) -> HttpResponse:
    response: HttpResponse = views.login(request, provider_id)
    return response


@never_cache
@require_safe
@answered
def back(request: HttpRequest, provider_id: str) -> HttpResponse:
    response: HttpResponse = views.callback(request, provider_id)
    return response
