"""The compiled kernels of anonymised tables: the folder that caches them, and their warm-up."""

from collections.abc import Callable
from pathlib import Path

from django.conf import settings

from privacy.anonymity.methods import warm
from releases.watching import watched


def folder() -> Path:
    cache: Path = settings.VAR / "numba"
    return cache


def compile_beside(ask: Callable[[], object]) -> None:
    """Load the kernels; `ask` is called again and again where they have to be compiled."""
    watched(warm_up, ask)


def warm_up() -> None:
    """Load the kernels before a worker's first job; compile them where no process has done so yet."""
    warm(folder())
