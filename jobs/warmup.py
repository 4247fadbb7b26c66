"""Warm-up: what a worker does once, before its first job, in the process that its children are forked from."""

import logging

from django.conf import settings
from django.utils.module_loading import import_string

logger = logging.getLogger(__name__)


def warm_up() -> bool:
    """Call the function that the settings name; False where it fails, which health then reports.

    It compiles or loads what jobs need, and must not leave threads or connections behind.
    """
    try:
        import_string(settings.WARM_UP)()
    except Exception:
        logger.exception("the worker cannot warm up; jobs will be slow or fail")
        return False
    return True
