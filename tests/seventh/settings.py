"""The product's settings with the seventh kind as an application, whose static files come before the product's."""

from contextlib import ExitStack

from django.apps import AppConfig

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS as OURS

WHITENOISE_SKIP_COMPRESS_EXTENSIONS = ["css", "html", "js", "json", "svg", "txt"]
"""Packing all files takes longer than the test."""

INSTALLED_APPS = ["tests.seventh.settings.SeventhConfig", *OURS]


class SeventhConfig(AppConfig):
    """Its templates and static files, and its entries in the registries."""

    name = "tests.seventh"

    def ready(self) -> None:
        from tests.seventh.forced import register_kind  # late for Django

        self.held = ExitStack()
        self.held.enter_context(register_kind())
