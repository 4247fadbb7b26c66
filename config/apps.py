from django.apps import AppConfig


class ConfigConfig(AppConfig):
    name = "config"

    def ready(self) -> None:
        from config import celery, checks, logs  # noqa: F401 - tasks need the application

        checks.register_all()
        logs.configure()
