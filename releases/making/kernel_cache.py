"""The compiled kernels of anonymised tables: the folder that caches them, and their warm-up."""

from pathlib import Path

from django.conf import settings

from privacy.anonymity.methods import warm


def folder() -> Path:
    cache: Path = settings.VAR / "numba"
    return cache


def warm_up() -> None:
    """Load the kernels before a worker's first job; compile them where no process has done so yet."""
    warm(folder())
