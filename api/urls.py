"""Addresses of the API, of its reference, and of the pages of tokens."""

from django.urls import include, path

from api import reference, token_pages
from api.version_1 import api
from look.addresses import API

VERSION_1 = f"{API.removeprefix('/')}1/"
pages = [
    path("account/tokens", token_pages.index, name="tokens"),
    path("account/tokens/new", token_pages.new, name="token-new"),
    path("account/tokens/<int:pk>/end", token_pages.end, name="token-end"),
    path(VERSION_1, reference.page, name="reference"),
    path(f"{VERSION_1}openapi.json", reference.openapi, name="openapi"),
]
urlpatterns = [path("", include((pages, "api"))), path(VERSION_1, api.urls)]
