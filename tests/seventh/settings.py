"""The product's settings with the seventh kind, whose static files come before the product's."""

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS as OURS

INSTALLED_APPS = ["tests.seventh.apps.SeventhConfig", *OURS]
