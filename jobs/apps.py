from datetime import timedelta

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class JobsConfig(AppConfig):
    name = "jobs"
    verbose_name = _("background work")

    def ready(self) -> None:
        from jobs import database, reaping, tick

        database.limit_connections()
        tick.register("jobs.reap", reaping.reap)
        tick.register("jobs.send_again", reaping.send_again)
        tick.register("jobs.forget", reaping.forget, every=timedelta(minutes=10))
