"""The step of a sign-in that asks for the second factor of a person who has one."""

from allauth.account.stages import LoginStage
from django.http import HttpResponse
from django.shortcuts import redirect

from accounts.models import Person
from accounts.second_factor import factors


class FactorStage(LoginStage):
    key = factors.STAGE
    urlname = "accounts:second-factor-asked"

    def handle(self) -> tuple[HttpResponse | None, bool]:
        person = self.login.user
        if not isinstance(person, Person) or not factors.has_factor(person):
            return None, True
        return redirect(self.urlname), True
