from datetime import timedelta

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class OwnTablesConfig(AppConfig):
    name = "own_tables"
    verbose_name = _("Own tables")

    def ready(self) -> None:
        """Registers the navigation entry of own tables, and the deletion of expired tables."""
        from jobs import tick
        from own_tables import experiments, views
        from ui import navigation

        navigation.register_entry(_("Own table"), "own_tables:index", views.may_use_own_tables, rank=47)
        tick.register_periodic_function(
            "own_tables.delete", experiments.delete_expired_tables, every=timedelta(minutes=1)
        )
