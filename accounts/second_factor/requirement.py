"""Asks for the second factor at the sign-in of people who have one, and requires one for the roles in
SECOND_FACTOR_FOR."""

from collections.abc import Callable

from allauth.account.stages import LoginStage
from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from accounts.models import Person
from accounts.permission import redirect_whole_page
from accounts.second_factor import factors
from ui import cookie_and_log_paths

OPEN = ("accounts:sign-out", "accounts:preferences", "accounts:confirm", "accounts:second-factor")


class FactorStage(LoginStage):
    """Step of the sign-in that asks for the second factor, if the person has one."""

    key = "second-factor"
    urlname = "accounts:second-factor-asked"

    def handle(self) -> tuple[HttpResponse | None, bool]:
        """Redirects people who have a second factor to the page that asks for it; lets all others go on."""
        person = self.login.user
        if not isinstance(person, Person) or not factors.has_factor(person):
            return None, True
        return redirect(self.urlname), True


class SecondFactorRequired:
    """Middleware: redirects people whose role requires a second factor, and who have none, to the page where
    they add one."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.SECOND_FACTOR_FOR:
            raise MiddlewareNotUsed
        self.get_response = get_response
        self.open = tuple(map(reverse, OPEN))

    def __call__(self, request: HttpRequest) -> HttpResponse:
        path = request.path_info
        if (
            cookie_and_log_paths.carries_cookies(path)
            and not path.startswith(self.open)
            and request.user.is_authenticated
            and factors.must_have_factor(request.user)
            and not factors.has_factor(request.user)
        ):
            return redirect_whole_page(request, reverse("accounts:second-factor"))
        return self.get_response(request)
