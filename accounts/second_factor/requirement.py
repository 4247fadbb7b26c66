"""Asks for the second factor: at a sign-in of whoever has one, and of the roles that the operator names
(SECOND_FACTOR_FOR)."""

from collections.abc import Callable

from allauth.account.stages import LoginStage
from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from accounts.models import Person
from accounts.second_factor import factors
from ui import addresses

OPEN = ("accounts:sign-out", "accounts:preferences", "accounts:confirm", "accounts:second-factor")


class FactorStage(LoginStage):
    """The step of a sign-in that asks for the second factor of a person who has one."""

    key = "second-factor"
    urlname = "accounts:second-factor-asked"

    def handle(self) -> tuple[HttpResponse | None, bool]:
        person = self.login.user
        if not isinstance(person, Person) or not factors.has_factor(person):
            return None, True
        return redirect(self.urlname), True


class SecondFactorRequired:
    """Middleware: leads a person whose role needs a factor to the page where they add one, and nowhere else."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        if not settings.SECOND_FACTOR_FOR:
            raise MiddlewareNotUsed
        self.get_response = get_response
        self.open = tuple(map(reverse, OPEN))

    def __call__(self, request: HttpRequest) -> HttpResponse:
        path = request.path_info
        if (
            not addresses.carries_cookies(path)
            or path.startswith(self.open)
            or not request.user.is_authenticated
        ):
            return self.get_response(request)
        if not factors.must_have_factor(request.user) or factors.has_factor(request.user):
            return self.get_response(request)
        if "HX-Request" in request.headers:
            return HttpResponse(status=403, headers={"HX-Redirect": reverse("accounts:second-factor")})
        return redirect("accounts:second-factor")
