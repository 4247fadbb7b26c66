"""Processes that die in the middle: nothing acknowledged is lost and nothing is stored twice."""

import itertools
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from intake.endpoint.accept import hashed
from privacy.records import Envelope
from tests import servers
from tests.intake import asked
from tests.intake.live_survey import LiveServer, LiveSurvey

pytestmark = pytest.mark.server
ASKS = asked.design(least=20, digits=6)
PEOPLE = 2_000
A_TURN = 250
"""So eight turns, in four of which something dies while thirty people send."""


READY = """
from jobs.models import Worker
print(Worker.objects.filter(name={name!r}, warm=True).exists())
"""


class Worker:
    """A worker that ticks every second beside the web processes."""

    def __init__(self, home: LiveSurvey, log: Path) -> None:
        self.home, self.log = home, log
        self.start()

    def start(self) -> None:
        words = [
            sys.executable,
            "-m",
            "celery",
            "-A",
            "tests.jobs.light",
            "worker",
            "-c",
            "1",
            "-n",
            "w@test",
        ]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                words,
                cwd=servers.ROOT,
                env={**self.home.env, "CELERY_SKIP_CHECKS": "yes"},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def name(self) -> str:
        return f"w@test:{self.process.pid}"

    def wait_until_ready(self) -> None:
        code = READY.format(name=self.name)
        servers.wait(lambda: self.home.shell(code).strip() == "True", f"{self.name} being ready", pause=0.2)

    @property
    def lives(self) -> bool:
        return self.process.poll() is None

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


def web_processes(home: LiveSurvey) -> list[int]:
    """The two that answer; the web server's first process starts another when one dies."""
    pid = home.process.pid
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def post_everything(
    home: LiveSurvey, everybody: list[Envelope], worker: Worker, disturb: Callable[[int], None]
) -> None:
    """In random order, again for whoever heard nothing and for some who did, until all are acknowledged."""
    acknowledged: set[int] = set()
    for turn in itertools.count():
        if worker.lives:
            worker.wait_until_ready()
        rest = [number for number in range(len(everybody)) if number not in acknowledged]
        if not rest:
            return
        part = random.sample(rest, min(len(rest), A_TURN)) + random.sample(range(len(everybody)), 50)
        random.shuffle(part)
        statuses = home.post([everybody[number] for number in part], 30, partial(disturb, turn))
        assert set(statuses) <= {0, 200, 201}
        acknowledged |= {number for number, status in zip(part, statuses, strict=True) if status}


def test_two_thousand_posts_while_a_worker_and_a_web_process_are_killed_twice(
    server: LiveServer, tmp_path: Path
) -> None:
    home = server.open(ASKS)
    worker = Worker(home, tmp_path / "worker.log")
    killed: list[int] = []

    def disturb(turn: int) -> None:
        if turn in (1, 4):
            killed.append(random.choice(web_processes(home)))
            os.kill(killed[-1], signal.SIGKILL)
        if turn in (3, 6):
            killed.append(worker.process.pid)
            worker.kill()
            if turn == 3:
                worker.start()

    try:
        everybody = [home.envelope(number) for number in range(PEOPLE)]
        post_everything(home, everybody, worker, disturb)
    finally:
        if worker.lives:
            worker.kill()
    assert len(set(killed)) == 4
    found = home.find()
    assert sorted(found.all) == [each.record.answers for each in everybody]
    assert set(found.keys) == {hashed(each.key) for each in everybody}
    assert len(found.keys) == PEOPLE
    assert min(map(len, found.sealed)) >= 20


# Dies at each statement of a sealing in turn, then lets one come to its end and says what it found each time.
STATEMENT_BY_STATEMENT = """
import json, os
from collections.abc import Callable
from functools import partial
from django.db import connection, connections
from surveys.lifecycle import counts
from intake.batches import merging, sealing, sweeping
from intake.models import Batch, FreshKey, SeenKey, Sweep
from surveys.models import Survey
from tests.dying import dies_at

found = []
sweeping.sweep()
for number in range(100):
    connections.close_all()
    child = os.fork()
    if not child:
        with connection.execute_wrapper(dies_at(number)):
            {do}
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    count = counts.of(Survey.objects.get(pk={survey}))
    rows = [kind.objects.filter(survey={survey}).count() for kind in (FreshKey, SeenKey, Batch)]
    found.append([status, count.sealed, count.waiting, *rows, Sweep.objects.count()])
    if not status:
        break
print(json.dumps(found))
"""
SEAL = "sealing.seal({survey}); sweeping.sweep()"
EXAMINE = """
from django.utils import timezone
from runs.copies import examine_due
examine_due(timezone.now())
"""
MERGE = "merging.merge({survey})"


def run_to_pieces(home: LiveSurvey, do: str) -> list[list[int]]:
    """[status, sealed, waiting, fresh keys, seen keys, batches, sweeps owed] after each death and at the end."""
    what = do.format(survey=home.survey)
    found: list[list[int]] = json.loads(
        home.shell(STATEMENT_BY_STATEMENT.format(survey=home.survey, do=what))
    )
    return found


def test_a_sealing_killed_at_any_statement_has_happened_or_has_not(server: LiveServer) -> None:
    home = server.open(asked.design(least=100))
    # 249 wait; two more are put in behind the product's back, so that no request seals them.
    home.post([home.envelope(number) for number in range(249)])
    home.shell(TWO_MORE.format(survey=home.survey))
    found = run_to_pieces(home, SEAL)
    n = found[-1][1]
    assert 101 <= n <= 151
    before, after = [0, 251, 251, 0, 0, 0], [n, 251 - n, 0, 251, 1]
    assert [row[0] for row in found] == [signal.SIGKILL] * (len(found) - 1) + [0]
    assert len(found) > 8
    # As soon as the rows are gone their bytes are owed, until a sweep has come to its end.
    for _status, *state in found[:-1]:
        assert state == before or (state[:5] == after and state[5] > 0)
    assert before in [state for _status, *state in found]
    assert found[-1][1:] == [*after, 0]
    assert sorted(home.find().all)[:249] == [f"{number:06o}" for number in range(249)]


TWO_MORE = """
from intake.models import FreshKey, Inbox
for number in (8**6 - 2, 8**6 - 1):
    Inbox.objects.create(survey_id={survey}, record=f"1{{number:06o}}".encode())
    FreshKey.objects.create(survey_id={survey}, hash=f"{{number:064x}}")
"""


def test_a_merging_killed_at_any_statement_has_happened_or_has_not(server: LiveServer) -> None:
    home = server.open(ASKS)
    for first in range(0, 300, 30):
        home.post([home.envelope(number) for number in range(first, first + 30)])
        home.tick()
    before = home.find()
    assert len(before.sealed) >= 8
    home.shell(EXAMINE)
    found = run_to_pieces(home, MERGE)
    assert [row[0] for row in found[:-1]] == [signal.SIGKILL] * (len(found) - 1)
    assert {row[5] for row in found} == {len(before.sealed), 1}
    after = home.find()
    assert sorted(after.sealed[0]) == sorted(text for batch in before.sealed for text in batch)
