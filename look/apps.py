from django.apps import AppConfig
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

CREATE = _("Create people and give them their roles; look at the tables themselves.")
LOOK = _("Look at who is here with which role, and at the tables themselves.")


def hint_of_administration(request: HttpRequest) -> str | Promise:
    return CREATE if request.user.is_superuser else LOOK


class LookConfig(AppConfig):
    name = "look"

    def ready(self) -> None:
        from look import navigation

        navigation.register(_("How it works"), "look:method", navigation.visitors, rank=10)
        navigation.register(_("Limits"), "look:limits", navigation.visitors, rank=11)
        navigation.register(
            _("Jobs"),
            "jobs:background",
            navigation.staff,
            hint=_("What is being counted or made at this moment, how far it is, and what failed."),
            rank=80,
        )
        navigation.register(
            _("Administration"),
            "admin:index",
            navigation.staff,
            hint=hint_of_administration,
            rank=90,
        )
