"""The seventh kind as an application: its templates and static files, and its entries in the registries."""

from contextlib import ExitStack

from django.apps import AppConfig


class SeventhConfig(AppConfig):
    name = "tests.seventh"

    def ready(self) -> None:
        from tests.seventh.registering import registered  # late for Django

        self.held = ExitStack()
        self.held.enter_context(registered())
