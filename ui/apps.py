from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class UiConfig(AppConfig):
    name = "ui"

    def ready(self) -> None:
        from ui import navigation

        navigation.register_entry(_("How it works"), "ui:method", navigation.is_visitor, rank=10)
        navigation.register_entry(_("Limits"), "ui:limits", navigation.is_visitor, rank=11)
        navigation.register_entry(_("Jobs"), "jobs:background", navigation.is_staff, rank=80)
        navigation.register_entry(_("Administration"), "admin:index", navigation.is_staff, rank=90)
