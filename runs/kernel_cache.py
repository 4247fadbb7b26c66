"""Cache of the compiled loops of a run (counting and score test): its folder, and the warm-up in a worker."""

from pathlib import Path

from django.conf import settings

from mining.counting import load_counting_loop


def folder() -> Path:
    """Returns the folder of the cache."""
    cache: Path = settings.VAR / "numba"
    return cache


def warm_up() -> None:
    """Loads the loops before a worker's first job; compiles them in some seconds if no process has done so."""
    from mining.inference import moment_kernel, score_kernel  # late for cost

    load_counting_loop(folder())
    score_kernel.load_machine_code()
    moment_kernel.load_machine_code()
