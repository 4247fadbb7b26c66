import gc
from datetime import timedelta
from typing import TYPE_CHECKING

from django.apps import AppConfig, apps
from django.contrib.admin.apps import AdminConfig

if TYPE_CHECKING:
    from celery import Task


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
        """Registers system checks, signal receivers and periodic tasks of several applications."""
        from django.db.backends.signals import connection_created
        from django.db.models.signals import pre_migrate

        from accounts import lockout
        from config import checks, logs, migration_digests, statement_logging_check
        from config.metrics import capacity_benchmark_result
        from jobs import job_queue, job_status, tick

        # The two rooms may not know each other.
        tick.register_periodic_function(
            "accounts.forget_lapsed", lockout.delete_expired_counts_and_sessions, every=timedelta(minutes=10)
        )
        connection_created.connect(
            statement_logging_check.hide_values_in_new_connection, dispatch_uid="statement logs"
        )
        # The signal comes for each app; once is enough.
        pre_migrate.connect(
            migration_digests.check_and_store_digests,
            sender=apps.get_app_config("accounts"),
            dispatch_uid="migration files",
        )
        job_queue.register_celery_task(celery_task)
        job_status.register_background_page_fact(capacity_benchmark_result.capacity_fact)
        checks.register_all()
        logs.configure_logging()


def celery_task() -> "Task[[], None]":
    """Returns the Celery task that does waiting jobs; imports Celery only when called."""
    from config.celery import perform_waiting_jobs  # late for cost

    return perform_waiting_jobs


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
