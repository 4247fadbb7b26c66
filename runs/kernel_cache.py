"""The compiled counting loop: the folder that caches it, and its warm-up."""

from pathlib import Path

from django.conf import settings

from mining.counting import warm


def folder() -> Path:
    cache: Path = settings.VAR / "numba"
    return cache


def warm_up() -> None:
    """Load the loop before a worker's first job; compile it, in some seconds, where no process has done so yet."""
    warm(folder())
