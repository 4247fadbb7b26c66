"""A worker in the test's own process, which claims what waits, oldest first, and commands on files, as they are run."""

import json
import pickle
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from accounts.models import Person
from candor.__main__ import main
from jobs import job_queue
from mining.parameters import Parameters
from mining.reconstruction import open_versus_disguised_test
from mining.reconstruction.score_moments_by_group import SupportCounts
from runs import run_start
from runs.models import Margins, ModelJob, Run
from surveys.models import Survey
from tests.cast import kept
from tests.jobs.conftest import attempt
from tests.surveys.conftest import NOW

WANTED = Parameters(min_support=0.2, min_confidence=0.4, max_size=2)


@pytest.fixture(scope="session", autouse=True)
def group_tests_once() -> Iterator[None]:
    """The group test of the same counts, most of what a small run costs, is computed once a process."""
    compare = open_versus_disguised_test._shares_p_and_detectable_differences
    known = dict[bytes, NDArray[np.float64]]()

    def compare_once(tally: SupportCounts) -> NDArray[np.float64]:
        key = pickle.dumps(tally)
        if key not in known:
            known[key] = compare(tally)
        return known[key].copy()

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(open_versus_disguised_test, "_shares_p_and_detectable_differences", compare_once)
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
        lambda: work(run_start.start_mining_run(of, person, wanted, NOW, margins, mlxtend="never")),
        again,
        is_computed=True,
    )


# --- commands on files ---


class Done(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def said(self) -> dict[str, Any]:
        assert self.status == 0, self.err
        found: dict[str, Any] = json.loads(self.out)
        return found

    def itemset(self, *items: str) -> dict[str, Any]:
        return next(entry for entry in self.said["itemsets"] if entry["items"] == list(items))

    @property
    def refusal(self) -> str:
        assert (self.status, self.out) == (1, "")
        assert self.err.count("\n") == 1
        return self.err


class Folder:
    """Files of a test, and commands that read them."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def write_all(self, **files: dict[str, Any] | Iterable[str]) -> "Folder":
        """The design of the questionnaire as JSON, records and truth as CSV, by their names."""
        for name, what in files.items():
            self.write(f"{name}.{'json' if isinstance(what, dict) else 'csv'}", what)
        return self

    def write(self, name: str, what: dict[str, Any] | Iterable[str]) -> None:
        text = json.dumps(what) if isinstance(what, dict) else "\n".join([*what, ""])
        (self.folder / name).write_text(text)

    def run(self, command: str, *arguments: str) -> Done:
        try:
            status = main([command, *arguments])
        except SystemExit as ended:
            status = int(ended.code or 0)
        return Done(status, *self.capsys.readouterr())
