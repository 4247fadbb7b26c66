"""The compiled loops of a run, the one that counts and the score test: where the first is cached, and their warm-up."""

from pathlib import Path

from django.conf import settings

from mining.counting import warm


def folder() -> Path:
    cache: Path = settings.VAR / "numba"
    return cache


def warm_up() -> None:
    """Load the loops before a worker's first job; compile them, in some seconds, where no process has done so yet."""
    from mining.inference import score_kernel  # late for cost

    warm(folder())
    score_kernel.warm()
