"""The folder in which tests keep compiled kernels from one run to the next."""

from pathlib import Path

from privacy.anonymity.methods import METHODS
from privacy.anonymity.searches.kernel_arrays import new_stop_flag
from tests import servers
from tests.made_once import made_once
from tests.privacy.anonymity.sample_tables import specified, table_of


def folder() -> Path:
    """On a fresh machine one process of the run compiles them all and the others wait for it: each would take half a
    minute."""
    cache = servers.compiled_kernels()
    made_once("kernels-of-all-methods", lambda _: _compile_all(cache))
    return cache


def _compile_all(cache: Path) -> None:
    """Workers warm up the default method alone."""
    for method in ("bottom-up", "k-member"):
        said = specified(method=method)
        METHODS[method](table_of(specification=said), said, cache, stop, new_stop_flag())


def stop(_steps: int, _loss: float) -> bool:
    return True


class After:
    """Says enough after so many questions."""

    def __init__(self, questions: int) -> None:
        self.questions = questions
        self.losses: list[float] = []

    def __call__(self, _steps: int, loss: float) -> bool:
        self.losses.append(loss)
        return len(self.losses) > self.questions
