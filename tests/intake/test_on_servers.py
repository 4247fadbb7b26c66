"""Many at once, processes that die, a connection that is lost, a full disk: nothing acknowledged is lost or doubled."""

import itertools
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import psycopg
import pytest

from intake.endpoint.accept_record import Outcome
from intake.endpoint.endpoint import LATER
from intake.endpoint.store_record import GroupCommit
from privacy.records import Envelope
from tests import servers
from tests.intake import asked
from tests.intake.conftest import LiveServer, LiveSurvey, Shared

pytestmark = pytest.mark.server
ASKS = asked.design(least=20)
ASKS_OF_MANY = asked.design(least=100)
TURNS = 8
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
        celery = "celery -A tests.jobs.worker worker -c 1 -n w@test"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *celery.split()],
                cwd=servers.ROOT,
                env={**self.home.env, "CELERY_SKIP_CHECKS": "yes"},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait_until_ready(self) -> None:
        code = READY.format(name=f"w@test:{self.process.pid}")
        servers.wait(lambda: self.home.shell(code).strip() == "True", "the worker being ready", pause=0.2)

    @property
    def is_alive(self) -> bool:
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
        if worker.is_alive:
            worker.wait_until_ready()
        rest = [number for number in range(len(everybody)) if number not in acknowledged]
        if not rest:
            return
        part = random.sample(rest, min(len(rest), len(everybody) // TURNS))
        part += random.sample(range(len(everybody)), len(everybody) // 40)
        random.shuffle(part)
        statuses = home.post([everybody[number] for number in part], 30, partial(disturb, turn))
        assert set(statuses) <= {0, 200, 201}
        acknowledged |= {number for number, status in zip(part, statuses, strict=True) if status}


@pytest.mark.parametrize("people", [400, pytest.param(2_000, marks=pytest.mark.night)])
def test_posts_are_stored_once_while_processes_are_killed(
    server: LiveServer, tmp_path: Path, people: int
) -> None:
    home = server.open_survey(ASKS)
    worker = Worker(home, tmp_path / "worker.log")
    killed: list[int] = []

    def kill_something(turn: int) -> None:
        if turn in (1, 4):
            killed.append(random.choice(web_processes(home)))
            os.kill(killed[-1], signal.SIGKILL)
        if turn in (3, 6):
            killed.append(worker.process.pid)
            worker.kill()
            if turn == 3:
                worker.start()

    try:
        everybody = [home.envelope(number) for number in range(people)]
        post_everything(home, everybody, worker, kill_something)
    finally:
        if worker.is_alive:
            worker.kill()
    assert len(set(killed)) == 4
    found = home.find()
    assert sorted(found.all_records) == [each.record.answers for each in everybody]
    assert set(found.keys) == {found.hash_of_key(each) for each in everybody}
    assert len(found.keys) == people
    assert min(map(len, found.sealed)) >= 20


# Dies at each statement of a sealing in turn, then lets one come to its end and says what it found each time.
STATEMENT_BY_STATEMENT = """
import json, os
from django.db import connection, connections
from surveys.lifecycle import record_counts
from intake.batches import merging, sealing, overwrite_deleted
from intake.models import Batch, FreshKey, Sweep
from surveys.models import Survey
from tests.commands import dies_at
from tests.intake import asked

found = []
overwrite_deleted.overwrite_deleted_rows()
for number in range(100):
    connections.close_all()
    child = os.fork()
    if not child:
        with connection.execute_wrapper(dies_at(number)):
            {do}
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    count = record_counts.counts_of_survey(Survey.objects.get(pk={survey}))
    fresh, batches = (kind.objects.filter(survey={survey}).count() for kind in (FreshKey, Batch))
    rows = fresh, len(asked.seen_hashes(survey={survey})), batches
    found.append([status, count.sealed, count.waiting, *rows, Sweep.objects.count()])
    if not status:
        break
print(json.dumps(found))
"""
SEAL = "sealing.seal_records({survey}); overwrite_deleted.overwrite_deleted_rows()"
EXAMINE = """
from django.utils import timezone
from runs.copied_record_detection import find_copies_in_new_batches
find_copies_in_new_batches(timezone.now())
"""
MERGE = "merging.reduce_batches_by_merging({survey})"
PUT_IN = """
from django.utils import timezone
from intake.endpoint.epochs import epoch_at
from intake.models import FreshKey, Inbox
for number in {numbers}:
    Inbox.objects.create(survey_id={survey}, record=f"1{{number:06o}}".encode())
    FreshKey.objects.create(survey_id={survey}, hash=number.to_bytes(16), epoch=epoch_at(timezone.now()))
"""
"""Behind the product's back, so that no request seals them."""


def run_to_pieces(home: LiveSurvey, do: str) -> list[list[int]]:
    """[status, sealed, waiting, fresh keys, seen keys, batches, sweeps owed] after each death and at the end."""
    program = STATEMENT_BY_STATEMENT.format(survey=home.survey, do=do.format(survey=home.survey))
    found: list[list[int]] = json.loads(home.shell(program))
    assert [row[0] for row in found] == [signal.SIGKILL] * (len(found) - 1) + [0]
    return found


def test_sealing_killed_at_any_statement_is_atomic(server: LiveServer) -> None:
    home = server.open_survey(ASKS_OF_MANY)
    home.post([home.envelope(number) for number in range(249)])
    home.shell(PUT_IN.format(survey=home.survey, numbers=(8**6 - 2, 8**6 - 1)))
    found = run_to_pieces(home, SEAL)
    n = found[-1][1]
    assert 101 <= n <= 151
    before, after = [0, 251, 251, 0, 0, 0], [n, 251 - n, 0, 251, 1]
    assert len(found) > 8
    # As soon as the rows are gone their bytes are owed, until a sweep has come to its end.
    for _status, *state in found[:-1]:
        assert state == before or (state[:5] == after and state[5] > 0)
    assert before in [state for _status, *state in found]
    assert found[-1][1:] == [*after, 0]
    assert sorted(home.find().all_records)[:249] == [f"{number:06o}" for number in range(249)]


def test_merging_killed_at_any_statement_is_atomic(server: LiveServer) -> None:
    home = server.open_survey(ASKS)
    for first in range(0, 300, 30):
        home.post([home.envelope(number) for number in range(first, first + 30)])
        home.send_tick()
    before = home.find()
    assert len(before.sealed) >= 8
    home.shell(EXAMINE)
    found = run_to_pieces(home, MERGE)
    assert {row[5] for row in found} == {len(before.sealed), 1}
    after = home.find()
    assert sorted(after.sealed[0]) == sorted(text for batch in before.sealed for text in batch)


# --- a hundred at once, through two web processes


def test_hundred_posts_with_one_key_store_one_record(server: LiveServer) -> None:
    home = server.open_survey(ASKS_OF_MANY)
    # Everybody's record is another, so that one stored twice would be seen.
    key = secrets.token_hex(16)
    sent = [asked.send_as_page(asked.number_record(ASKS_OF_MANY, number), key) for number in range(100)]
    assert Counter(home.post(sent)) == {201: 1, 200: 99}
    assert len(home.find().all_records) == 1


def test_hundred_posts_with_one_token_store_one_record(server: LiveServer) -> None:
    home = server.open_survey(ASKS_OF_MANY, tokens=100)
    sent = [home.envelope(number, home.tokens[0]) for number in range(100)]
    assert Counter(home.post(sent)) == {201: 1, 403: 99}
    found = home.find()
    assert (len(found.all_records), len(found.keys), len(found.tokens)) == (1, 1, 99)


def test_thousand_simultaneous_people_are_stored_once_during_sealing(server: LiveServer) -> None:
    home = server.open_survey(ASKS)
    began = monotonic()
    statuses = home.post([home.envelope(number) for number in range(1000)])
    assert Counter(statuses) == {201: 1000}
    found = home.find()
    assert sorted(found.all_records) == [f"{number:06o}" for number in range(1000)]
    # Once a second at most, so under load batches are larger; two processes may begin at the same moment.
    assert 1 <= len(found.sealed) <= 2 * (2 + monotonic() - began)
    assert min(map(len, found.sealed)) >= 20
    assert len(set(found.keys)) == 1000


# --- somebody sends while a survey is closed, paused, finished or deleted: each is told truly what became of it

PEOPLE = 400
KNOWN_FOR = 0.5
"""Seconds after which no process takes a survey for what it was (a tenth) on a busy machine."""
STORED, GONE, PAUSED = 201, 410, 503
ACT = """
from django.utils import timezone
from surveys.lifecycle import state_changes
from surveys.models import Survey
survey, now = Survey.objects.get(pk={survey}), timezone.now()
for act in {acts}:
    getattr(state_changes, act + "_survey")(survey, survey.owner, now)
"""
LEFT = """
from django.utils import timezone
from intake.batches import automatic_sealing
from intake.models import Batch, FreshKey, Inbox, KeySecret, SeenKeys, WaitCount
automatic_sealing.on_tick(timezone.now())
kinds = (Batch, FreshKey, Inbox, KeySecret, SeenKeys, WaitCount)
print([kind.__name__ for kind in kinds if kind._base_manager.filter(survey={survey}).exists()])
"""


def act_and_wait(home: LiveSurvey, *acts: str) -> None:
    home.shell(ACT.format(survey=home.survey, acts=acts))
    time.sleep(KNOWN_FOR)


def require_stored(home: LiveSurvey, statuses: list[int]) -> None:
    """Each acknowledged record once, and no other."""
    acknowledged = [f"{number:06o}" for number, status in enumerate(statuses) if status == STORED]
    found = home.find()
    assert sorted(found.all_records) == acknowledged
    assert len(set(found.keys)) == len(acknowledged)


@pytest.mark.parametrize(
    ("acts", "told"),
    [
        # For an hour more, since they had begun.
        (("close",), {STORED}),
        pytest.param(("pause",), {STORED, PAUSED}, marks=pytest.mark.night),
        pytest.param(("close", "finish"), {STORED, GONE}, marks=pytest.mark.night),
        (("close", "destroy"), {STORED, GONE}),
    ],
    ids=["closed", "paused", "finished", "deleted"],
)
def test_person_who_sends_while_a_survey_ends_is_told(
    server: LiveServer, acts: tuple[str, ...], told: set[int]
) -> None:
    """Of 400 people half send afterwards; who is asked to wait is stored later."""
    home = server.open_survey(ASKS)
    statuses = home.post(
        [home.envelope(number) for number in range(PEOPLE)], 40, partial(act_and_wait, home, *acts)
    )
    assert set(statuses) == told
    if "destroy" in acts:
        assert home.shell(LEFT.format(survey=home.survey)).strip() == "[]"
        return
    require_stored(home, statuses)
    if "pause" in acts:
        act_and_wait(home, "resume")
        late = [number for number, status in enumerate(statuses) if status == PAUSED]
        assert set(home.post([home.envelope(number) for number in late])) == {STORED}
        require_stored(home, [STORED] * PEOPLE)


# Sends a record again while a sealing, not yet committed, moves its key and holds the locks; prints what the sender is
# told.
AGAIN_WHILE_SEALED = """
from threading import Thread
from time import sleep
from django.db import connection, transaction
from django.utils import timezone
from intake.endpoint import accept_record
from intake.batches import sealing
from intake.endpoint.rate_limits import RequestLimits

public, said = accept_record.find_public_survey({slug!r}), []

def again():
    said.append(accept_record.receive_record(public, {body!r}, timezone.now(), RequestLimits()).status)
    connection.close()

sender = Thread(target=again)
with transaction.atomic():
    assert sealing.seal_records({survey}) >= 20
    sender.start()
    with connection.cursor() as cursor:
        while sender.is_alive() and not cursor.execute("SELECT FROM pg_locks WHERE NOT granted").fetchall():
            sleep(0.01)
    assert not said
sender.join()
print(said[0])
"""


def test_repeated_record_is_known_while_its_key_is_moved(shared_server: Shared) -> None:
    home = shared_server("postgresql").open_survey(ASKS)
    sent = [home.envelope(number) for number in range(49)]
    assert set(home.post(sent)) == {201}
    home.shell(PUT_IN.format(survey=home.survey, numbers=(8**6 - 1,)))
    program = AGAIN_WHILE_SEALED.format(slug=home.slug, body=sent[0].json.encode(), survey=home.survey)
    assert home.shell(program).strip() == "200"
    assert len(home.find().all_records) == 50


END_ALL = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


def test_record_on_a_lost_connection_is_stored_once_on_a_new_one(shared_server: Shared) -> None:
    home = shared_server("postgresql").open_survey(ASKS)
    # So many at once that every thread has a connection.
    assert home.post([home.envelope(number) for number in range(30)]) == [201] * 30
    with psycopg.connect(home.env["DATABASE_URL"]) as server:
        assert server.execute(END_ALL).rowcount > 0
    assert home.post([home.envelope(number) for number in range(30, 60)]) == [201] * 30
    assert sorted(home.find().all_records) == [f"{number:06o}" for number in range(60)]


# --- a disk without room


@pytest.mark.night
def test_full_disk_refuses_records_for_now_and_loses_none(shared_server: Shared) -> None:
    home = shared_server("sqlite").open_survey(ASKS)
    log = Path(home.env["VAR"]) / "web.log"
    said_before = log.stat().st_size
    before, after = ([home.envelope(number) for number in numbers] for numbers in (range(60), range(60, 360)))
    assert set(home.post(before)) == {201}
    with servers.full_disk(home.process.pid):
        assert set(home.post(after)) == {503}
        status, headers, said = home.ask(f"/a/{home.slug}/record", after[0].json)
        assert (status, json.loads(said)["outcome"]) == (503, "cannot be stored now")
        assert int(headers["Retry-After"]) >= LATER[Outcome.UNSTORED]
        # A record that had arrived is known, whatever the disk is like.
        assert home.ask(f"/a/{home.slug}/record", before[0].json)[0] == 200
        status, _headers, said = home.ask("/healthz")
        health = json.loads(said)
        assert (status, health["disk"]["says"]) == (503, "cannot be written")
        # Whichever of the two processes is asked, many of the posts went to it.
        assert health["records"]["says"] == "cannot be stored"
        lines = log.read_text()[said_before:].splitlines()
        assert 1 <= sum("could not be stored" in line for line in lines) <= 2, "one line a process"
    assert set(home.post(after)) == {201}
    assert json.loads(home.ask("/healthz")[2])["disk"]["ok"]
    found = home.find()
    assert sorted(found.all_records) == [each.record.answers for each in [*before, *after]]


# --- transactions shared by those who come at the same time

# So many threads, the first of which holds the turn until the others have come.
AT_ONCE = """
import json, secrets, time
from threading import Event, Thread
from django.db import IntegrityError, connection, transaction
from accounts.models import Person
from intake.endpoint.store_record import GroupCommit

together, begun, go, mark = GroupCommit(), Event(), Event(), secrets.token_hex(8)
said = {}

def add(number):
    def work():
        if number == 0:
            begun.set()
            go.wait(300)
        with transaction.atomic():
            Person.objects.create(username=f"{mark}-{number % 6}")
        return number
    return work

def one(number):
    try:
        said[number] = together.run_in_transaction(add(number))
    except IntegrityError as error:
        said[number] = str(error)
    finally:
        connection.close()

threads = [Thread(target=one, args=[number]) for number in range(THREADS)]
threads[0].start()
begun.wait(300)
for thread in threads[1:]:
    thread.start()
while len(together._waiting) < THREADS - 1:
    time.sleep(0.001)
go.set()
for thread in threads:
    thread.join()
print(json.dumps([sorted(said.items()), Person.objects.filter(username__startswith=mark).count()]))
"""


@pytest.mark.django_db
def test_group_commit_raises_a_failure_and_continues_with_the_next() -> None:
    together = GroupCommit[int]()

    def raise_failure() -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        together.run_in_transaction(raise_failure)
    assert together.run_in_transaction(lambda: 7) == 7


def test_failed_transaction_fails_for_all_who_shared_it(server: LiveServer) -> None:
    """Of seven the first is alone; of the other six, one takes a name for the second time."""

    def post_together(n: int) -> Any:
        return json.loads(server.commands.run(AT_ONCE.replace("THREADS", str(n))))

    assert post_together(6) == [[[number, number] for number in range(6)], 6]
    said, people = post_together(7)
    assert said[0] == [0, 0]
    assert all(isinstance(answer, str) and "unique" in answer.lower() for _number, answer in said[1:])
    assert people == 1
