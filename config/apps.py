from datetime import timedelta

from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        from config import celery, checks, logs  # noqa: F401 - tasks need the application
        from jobs import tick
        from people import lockout

        # The two rooms may not know each other.
        tick.register("people.forget_lapsed", lockout.forget_lapsed, every=timedelta(minutes=10))
        checks.register_all()
        logs.configure()
