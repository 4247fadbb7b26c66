"""The folder that caches the compiled kernels of anonymised tables."""

from pathlib import Path

from django.conf import settings


def folder() -> Path:
    cache: Path = settings.VAR / "numba"
    return cache
