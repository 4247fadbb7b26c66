from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class UiConfig(AppConfig):
    name = "ui"

    def ready(self) -> None:
        from ui import navigation

        navigation.register(_("How it works"), "ui:method", navigation.visitors, rank=10)
        navigation.register(_("Limits"), "ui:limits", navigation.visitors, rank=11)
        navigation.register(_("Jobs"), "jobs:background", navigation.staff, rank=80)
        navigation.register(_("Administration"), "admin:index", navigation.staff, rank=90)
