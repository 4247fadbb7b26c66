from datetime import timedelta

from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class JobsConfig(AppConfig):
    name = "jobs"
    verbose_name = _("background work")

    def ready(self) -> None:
        from accounts import left_behind
        from jobs import heartbeat, pages, tick, wake

        left_behind.register_source(pages.live_jobs_for)
        tick.register("jobs.reap", heartbeat.reap)
        tick.register("jobs.wake", wake.wake_free)
        tick.register("jobs.forget", heartbeat.forget, every=timedelta(minutes=10))
