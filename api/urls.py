"""Addresses of the API, of its reference, and of the pages of tokens."""

from django.urls import URLResolver, include, path
from django.urls.resolvers import RoutePattern

from api import reference, token_pages
from look.addresses import API


class LateResolver(URLResolver):
    """Loads its addresses when one of them is asked for: django-ninja takes a sixth of a start."""

    def _populate(self) -> None:
        """Django collects the names of all addresses when it first writes one; in a namespace like this one it looks
        when one of them is named."""


VERSION_1 = f"{API.removeprefix('/')}1/"
pages = [
    path("account/tokens", token_pages.index, name="tokens"),
    path("account/tokens/new", token_pages.new, name="token-new"),
    path("account/tokens/<int:pk>/end", token_pages.end, name="token-end"),
    path(VERSION_1, reference.page, name="reference"),
    path(f"{VERSION_1}openapi.json", reference.openapi, name="openapi"),
]
version_1 = LateResolver(RoutePattern(VERSION_1), "api.version_1", app_name="ninja", namespace="v1")
urlpatterns = [path("", include((pages, "api"))), version_1]
