"""A worker in the test's own process: it claims what waits, oldest first, until nothing does."""

import pickle
from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from accounts.models import Person
from jobs import job_queue
from mining.parameters import Parameters
from mining.reconstruction import open_versus_disguised_test
from mining.reconstruction.score_moments_by_group import Tally
from runs import run_start
from runs.models import Margins, ModelJob, Run
from surveys.models import Survey
from tests.jobs.attempts import attempt
from tests.kept_rows import kept
from tests.surveys.conftest import NOW

WANTED = Parameters(min_support=0.2, min_confidence=0.4, max_size=2)


@pytest.fixture(scope="session", autouse=True)
def group_tests_once() -> Iterator[None]:
    """The group test of the same counts, most of what a small run costs, is computed once a process."""
    compare, known = open_versus_disguised_test._compare_groups, dict[bytes, NDArray[np.float64]]()

    def compare_once(tally: Tally) -> NDArray[np.float64]:
        key = pickle.dumps(tally)
        if key not in known:
            known[key] = compare(tally)
        return known[key].copy()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(open_versus_disguised_test, "_compare_groups", compare_once)
        yield


def one(job: Run | ModelJob) -> None:
    attempt(job)


def all_that_waits() -> None:
    job_queue.attempt_waiting_jobs()


def work(run: Run) -> Run:
    """The run, over."""
    one(run)
    all_that_waits()
    run.refresh_from_db()
    return run


def mined(of: Survey, person: Person, wanted: Parameters = WANTED, margins: Margins | None = None) -> Run:
    """A run over all that is sealed, over."""

    def again(first: Run) -> Run:
        run = Run.objects.get(pk=first.pk)
        run.survey = of
        return run

    step = ("mined", of.pk, person.pk, repr(wanted), margins and margins.pk)
    return kept(
        step,
        lambda: work(run_start.start(of, person, wanted, NOW, margins, mlxtend="never")),
        again,
        is_computed=True,
    )
