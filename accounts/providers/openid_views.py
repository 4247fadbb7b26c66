"""The two addresses of OpenID Connect: the redirect to the provider, and the callback."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import jwt
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.internal import jwtkit
from allauth.socialaccount.models import SocialApp
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect import views
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from requests import RequestException

from accounts.providers.problem_page import problem_page

WELL_KNOWN = "/.well-known/openid-configuration"
ALGORITHMS = [f"{kind}{bits}" for kind in ("RS", "PS", "ES") for bits in (256, 384, 512)]
"""Accepted signature algorithms, all with public keys: with a shared secret, anybody who reads our settings
could sign."""
SKEW = 300
"""Allowed difference between the provider's clock and ours, in seconds."""


class Adapter(views.OpenIDConnectOAuth2Adapter):
    @property
    def openid_config(self) -> dict[str, Any]:
        """The provider's metadata; raises ValueError if the issuer is not the one that the operator configured."""
        config: dict[str, Any] = super().openid_config
        provider = self.get_provider()  # type: ignore[no-untyped-call]
        if config["issuer"].rstrip("/") != provider.server_url.partition(WELL_KNOWN)[0].rstrip("/"):
            raise ValueError("the metadata are of another issuer")
        return config

    def _decode_id_token(self, app: SocialApp, id_token: str) -> dict[str, Any]:
        """Verifies an ID token and returns its claims.

        django-allauth itself checks no signature of a token that it received from the provider by TLS.
        """
        with get_adapter().get_requests_session() as session:  # type: ignore[no-untyped-call]
            answer = session.get(self.openid_config["jwks_uri"])
            answer.raise_for_status()
        try:
            named = jwt.get_unverified_header(id_token).get("kid")
            keys = jwt.PyJWKSet.from_dict(answer.json()).keys
            key = next(key for key in keys if named in (None, key.key_id))
            token: dict[str, Any] = jwt.decode(
                id_token,
                key.key,
                ALGORITHMS,
                options={"require": ["exp", "iat", "sub"], "verify_iat": False},
                audience=app.client_id,
                issuer=self.openid_config["issuer"],
                leeway=SKEW,
            )
        except (jwt.PyJWTError, StopIteration) as error:
            raise OAuth2Error("the token is not the provider's, or not for us") from error
        jwtkit.verify_jti(token)
        return token


def show_provider_problems(
    view: Callable[[HttpRequest, str], HttpResponse],
) -> Callable[[HttpRequest, str], HttpResponse]:
    """View decorator: shows an error page if the provider does not answer, or violates the protocol."""

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
@show_provider_problems
def begin_sign_in(request: HttpRequest, provider_id: str) -> HttpResponse:
    response: HttpResponse = views.login(request, provider_id)
    return response


@never_cache
@require_safe
@show_provider_problems
def return_from_provider(request: HttpRequest, provider_id: str) -> HttpResponse:
    view = OAuth2CallbackView.adapter_view(Adapter(request, provider_id))  # type: ignore[no-untyped-call]
    response: HttpResponse = view(request)
    return response
