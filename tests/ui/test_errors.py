import logging
import re
from collections.abc import Callable

import pytest
from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.test import Client, RequestFactory
from django.urls import path
from django.utils import translation
from pytest_django import Settings

from config.urls import handler400, handler403, handler404, handler500, urlpatterns as ours
from ui import errors

SECRET = "SELECT secret FROM inside"


def raising_view(error: Exception) -> Callable[[HttpRequest], HttpResponse]:
    def view(request: HttpRequest) -> HttpResponse:
        raise error

    return view


urlpatterns = [
    path("trouble/400", raising_view(SuspiciousOperation(SECRET))),
    path("trouble/403", raising_view(PermissionDenied(SECRET))),
    path("trouble/413", raising_view(RequestDataTooBig(SECRET))),
    path("trouble/500", raising_view(RuntimeError(SECRET))),
    path("a/trouble", lambda request: errors.problem_page(request, 404)),
    *ours,
]
__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


@pytest.fixture
def visitor(settings: Settings) -> Client:
    settings.ROOT_URLCONF = __name__
    return Client(raise_request_exception=False)


TITLES = {
    400: "That request could not be understood",
    403: "You do not have access to this page",
    404: "There is no such page",
    413: "That is too large",
    500: "Sorry, there is a problem with this site",
}


def test_an_error_says_what_it_is_and_nothing_of_the_inside(visitor: Client) -> None:
    for status, title in TITLES.items():
        answer = visitor.get(f"/trouble/{status}")
        page = answer.content.decode()
        assert answer.status_code == status
        assert f"<h1>{title}</h1>" in page
        assert str(errors.PROBLEMS[status].advice) in page
        assert SECRET not in page
        assert "Traceback" not in page
        assert "trouble" not in re.sub(r'name="next" value="[^"]*"', "", page)


def test_a_refused_form_says_how_to_send_it_again(settings: Settings) -> None:
    settings.ROOT_URLCONF = __name__
    answer = Client(enforce_csrf_checks=True).post("/app/account/preferences", {"theme": "dark"})
    assert answer.status_code == 403
    assert "<h1>This page has expired</h1>" in answer.content.decode()
    assert "CSRF" not in answer.content.decode()


def test_a_foreign_host_name_is_answered_without_repeating_it(visitor: Client) -> None:
    answer = visitor.get("/", headers={"host": "evil.example"})
    assert answer.status_code == 400
    assert "evil" not in answer.content.decode()


def test_a_room_may_say_it_in_its_own_words() -> None:
    request = RequestFactory().get("/upload")
    request.user = AnonymousUser()
    page = errors.problem_page(request, 413, "Forty megabytes", "Split <it>.").content.decode()
    assert "<h1>Forty megabytes</h1>" in page
    assert "Split &lt;it&gt;." in page
    assert "That is too large" not in page


def test_a_respondents_error_page_brings_no_form_and_no_cookie(visitor: Client) -> None:
    answer = visitor.get("/a/trouble")
    assert answer.status_code == 404
    assert "<form" not in answer.content.decode()
    assert not answer.cookies


def test_the_page_for_500_asks_no_database(visitor: Client) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("a statement was run")

    visitor.cookies["candor-session"] = "x" * 32
    with connection.execute_wrapper(refuse):
        page = errors.server_error(RequestFactory().get("/")).content.decode()
    assert "Sorry, there is a problem with this site" in page


def test_the_page_for_500_needs_no_templates(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    engine = "django.template.backends.django.DjangoTemplates"
    settings.TEMPLATES = [{"BACKEND": engine, "DIRS": ["/nowhere"]}]
    with caplog.at_level(logging.CRITICAL):
        answer = errors.server_error(RequestFactory().get("/"))
    assert answer.status_code == 500
    assert "<h1>Sorry, there is a problem with this site</h1>" in answer.content.decode()


def test_the_page_for_500_names_the_language_it_is_in() -> None:
    with translation.override("zh-hans"):
        assert '<html lang="zh-hans"' in errors.server_error(RequestFactory().get("/")).content.decode()
