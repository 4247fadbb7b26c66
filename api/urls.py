"""URLs of the API, of its reference, and of the pages of tokens and webhooks."""

from django.core.checks import CheckMessage
from django.urls import URLResolver, include, path
from django.urls.resolvers import RoutePattern

from api import openapi_reference, token_and_webhook_pages
from ui.cookie_and_log_paths import API, APP


class LateResolver(URLResolver):
    """URL resolver that loads its URLs at their first request, since importing django-ninja would take a
    sixth of the start."""

    def check(self) -> list[CheckMessage]:
        """Checks only its own pattern; tests/config/test_loading.py checks the URLs that it loads."""
        return self.pattern.check()

    def _populate(self) -> None:
        """Does nothing.

        Django would load all URLs to collect their names; names in a namespace are looked up when they are used.
        """


VERSION_1 = f"{API.removeprefix('/')}1/"
PAGES = f"{APP.removeprefix('/')}/account/"
page_urls = [
    path(f"{PAGES}tokens", token_and_webhook_pages.tokens_page, name="tokens"),
    path(f"{PAGES}tokens/new", token_and_webhook_pages.new_token, name="token-new"),
    path(f"{PAGES}tokens/<int:pk>/end", token_and_webhook_pages.end_token, name="token-end"),
    path(f"{PAGES}webhooks", token_and_webhook_pages.webhooks_page, name="webhooks"),
    path(f"{PAGES}webhooks/new", token_and_webhook_pages.new_webhook, name="webhook-new"),
    path(f"{PAGES}webhooks/<int:pk>", token_and_webhook_pages.webhook_page, name="webhook"),
    path(f"{PAGES}webhooks/<int:pk>/end", token_and_webhook_pages.end_webhook, name="webhook-end"),
    path(f"{PAGES}webhooks/<int:pk>/test", token_and_webhook_pages.send_test, name="webhook-test"),
    path(
        f"{PAGES}webhooks/deliveries/<int:pk>/again",
        token_and_webhook_pages.send_again,
        name="delivery-again",
    ),
    path(VERSION_1, openapi_reference.reference_page, name="reference"),
    path(f"{VERSION_1}openapi.json", openapi_reference.openapi_json, name="openapi"),
]
version_1 = LateResolver(RoutePattern(VERSION_1), "api.version_1", app_name="ninja", namespace="v1")
urlpatterns = [path("", include((page_urls, "api"))), version_1]
