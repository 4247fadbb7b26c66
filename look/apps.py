from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class LookConfig(AppConfig):
    name = "look"

    def ready(self) -> None:
        from look import navigation

        navigation.register(_("How it works"), "look:method", navigation.visitors, rank=10)
        navigation.register(_("What it cannot do"), "look:limits", navigation.visitors, rank=11)
        navigation.register(
            _("Background work"),
            "jobs:background",
            navigation.staff,
            hint=_("What is being counted or made at this moment, how far it is, and what failed."),
            rank=80,
        )
        navigation.register(
            _("Administration"),
            "admin:index",
            navigation.staff,
            hint=_("Create people and give them their roles; look at the tables themselves."),
            rank=90,
        )
