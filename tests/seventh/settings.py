"""The product's settings with the seventh kind, whose static files come before the product's."""

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS as OURS

WHITENOISE_SKIP_COMPRESS_EXTENSIONS = ["css", "html", "js", "json", "svg", "txt"]
"""Packing all files takes longer than the test."""

INSTALLED_APPS = ["tests.seventh.apps.SeventhConfig", *OURS]
