import gc

from django.apps import AppConfig, apps
from django.contrib.admin.apps import AdminConfig


class ConfigConfig(AppConfig):
    """The first application that Django loads; it stops garbage collection while models load.

    Garbage collection would double the time of loading.
    """

    name = "config"

    def import_models(self) -> None:
        """Imports the models with garbage collection stopped."""
        gc.disable()
        super().import_models()

    def ready(self) -> None:
        """Connects the rooms with each other and with Django."""
        from django.db.backends.signals import connection_created
        from django.db.models.signals import pre_migrate

        from config import checks, logs, migration_digests, statement_logging_check, wiring

        wiring.connect_rooms()
        connection_created.connect(
            statement_logging_check.hide_values_in_new_connection, dispatch_uid="statement logs"
        )
        # The signal comes for each app; once is enough.
        pre_migrate.connect(
            migration_digests.check_and_store_digests,
            sender=apps.get_app_config("accounts"),
            dispatch_uid="migration files",
        )
        checks.register_all()
        logs.configure_logging()


class LoadedConfig(AppConfig):
    """The last application that Django loads; it restarts garbage collection after `ConfigConfig`."""

    name = "config.start"
    label = "loaded"

    def ready(self) -> None:
        """Restarts the garbage collection that `ConfigConfig.import_models` stopped."""
        gc.freeze()
        gc.enable()


class CandorAdminConfig(AdminConfig):
    default_site = "ui.admin_site.CandorAdminSite"
