"""A process inside the product that no fault hits: it starts jobs and runs, and reads what became of them.

The database may be away at any moment, so every request is repeated until it is answered.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from privacy.designs import Design
from tests import servers
from tests.soak.system import PATIENCE, System

# Runs each line of its standard input, a program as JSON, and answers with what that put into `said`.
LOOP = """
import json, sys
import django
django.setup()
from django.db import connections
from django.utils import timezone
from jobs import wake
from jobs.models import Mark, Trial
from runs.models import Run
from mining.parameters import Parameters
from runs import starting
from accounts import roles
from accounts.models import REVIEWERS, Person
from intake.batches import batches
from privacy.records import columns
from intake.batches import sealing
from intake.models import FreshKey, Inbox, SeenKey, Token
from intake.invitations.making import generate
from surveys.models import Design, Survey
for line in sys.stdin:
    said = None
    try:
        exec(json.loads(line))
        answer = [True, said]
    except Exception as error:
        connections.close_all()
        answer = [False, f"{type(error).__name__}: {error}"]
    print(json.dumps(answer, default=str), flush=True)
"""
PEOPLE = """
Person.objects.get_or_create(username="owner", defaults={"email": "owner@example.org"})
for name in ("ruth", "rita"):
    person, _ = Person.objects.get_or_create(username=name, defaults={"email": name + "@example.org"})
    roles.give(person, REVIEWERS, by=None)
"""
OPEN = """
owner = Person.objects.get(username="owner")
design, _ = Design.objects.get_or_create(fingerprint=%(fingerprint)r, defaults={"json": %(json)r})
survey = Survey.objects.create(
    owner=owner, design=design, draft=json.loads(%(json)r), state="open", invited=%(tokens)d > 0
)
said = [survey.pk, survey.slug, generate(survey, %(tokens)d) if %(tokens)d else []]
"""
SEALED = "said = sealing.last_sealed(%d)"
START = """
said = starting.start(Survey.objects.get(pk=%d), Person.objects.get(username="owner"),
                      Parameters(min_support=%r, min_confidence=0.3), timezone.now()).pk
"""
REPEAT = """
said = starting.repeat(Run.objects.get(pk=%d), Person.objects.get(username="owner"), timezone.now()).pk
"""
RUNS = """
said = [[run.pk, run.state, str(run.problem), run.digest] for run in Run.objects.order_by("pk")]
"""
TRIAL = """
trial = Trial(person=Person.objects.get(username="owner"), steps=%d, pause=250)
wake.enqueue(trial)
said = trial.pk
"""
BECAME = """
trial = Trial.objects.get(pk=%d)
said = [trial.state, trial.attempts, Mark.objects.filter(trial=trial).count(), str(trial.problem),
        trial.started and trial.started.isoformat(), trial.finished and trial.finished.isoformat()]
"""
STORED = """
survey = Survey.objects.get(pk=%d)
sealed = []
for batch in batches.read(survey, sealing.last_sealed(survey.pk)):
    group, codes = columns.unpack(batch.columns)
    sealed.append(["".join(map(str, column)) for column in codes.T.tolist()])
waiting = [bytes(row.record)[1:].decode() for row in Inbox.objects.filter(survey=survey)]
keys = [key for model in (FreshKey, SeenKey)
        for key in model.objects.filter(survey=survey).values_list("hash", flat=True)]
said = [sealed, waiting, keys, list(Token.objects.filter(survey=survey).values_list("hash", flat=True))]
"""
OVER = ("done", "failed", "cancelled")
STEP = 0.25
"""Seconds of one step of a trial job."""


@dataclass
class Job:
    """What the database says of a trial job; `marks` is what it did, which must be done once."""

    state: str
    attempts: int
    marks: int
    problem: str
    started: datetime | None
    finished: datetime | None


@dataclass
class Run:
    key: int
    state: str
    problem: str
    digest: str

    @property
    def is_over(self) -> bool:
        return self.state in OVER


@dataclass
class Stored:
    """Answer texts batch by batch and of those that wait, hashes of keys, hashes of unspent invitations."""

    sealed: list[list[str]]
    waiting: list[str]
    keys: list[str]
    unspent: list[str]

    @property
    def all(self) -> list[str]:
        return [*self.waiting, *(text for batch in self.sealed for text in batch)]


class Console:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, code: str) -> Any:
        """What the program puts into `said`; repeated until the database lets it."""
        answer: list[Any] = [False, ""]

        def answered() -> bool:
            assert self._process.stdin
            assert self._process.stdout
            self._process.stdin.write(json.dumps(code) + "\n")
            self._process.stdin.flush()
            answer[:] = json.loads(self._process.stdout.readline())
            return bool(answer[0])

        try:
            servers.wait(answered, "an answer of the database", PATIENCE)
        except TimeoutError as error:
            raise AssertionError(f"{error}: {answer[1]}") from None
        return answer[1]

    def open(self, design: Design, tokens: int = 0) -> tuple[int, str, list[str]]:
        """An open survey, by invitation if there are tokens: its key, its address and the tokens."""
        values = {"fingerprint": design.fingerprint, "json": design.canonical, "tokens": tokens}
        pk, slug, made = self.ask(OPEN % values)
        return pk, slug, made

    def wait_for_a_batch(self, survey: int) -> None:
        servers.wait(lambda: self.ask(SEALED % survey) > 0, "the first sealing", PATIENCE, pause=0.2)

    def stored(self, survey: int) -> Stored:
        return Stored(*self.ask(STORED % survey))

    # --- jobs ---

    def start_job(self, seconds: float) -> int:
        return int(self.ask(TRIAL % round(seconds / STEP)))

    def job(self, key: int) -> Job:
        state, attempts, marks, problem, *moments = self.ask(BECAME % key)
        started, finished = (datetime.fromisoformat(moment) if moment else None for moment in moments)
        return Job(state, attempts, marks, problem, started, finished)

    def wait_for_job(self, key: int, *states: str) -> Job:
        servers.wait(lambda: self.job(key).state in states, f"job {key} being {states}", PATIENCE, pause=0.2)
        return self.job(key)

    # --- runs ---

    def start_run(self, survey: int, min_support: float) -> int:
        return int(self.ask(START % (survey, min_support)))

    def repeat(self, run: int) -> int:
        return int(self.ask(REPEAT % run))

    def runs(self) -> dict[int, Run]:
        return {row[0]: Run(*row) for row in self.ask(RUNS)}

    def wait_for_runs(self) -> dict[int, Run]:
        servers.wait(
            lambda: all(run.is_over for run in self.runs().values()),
            "the end of all runs",
            PATIENCE,
            pause=0.2,
        )
        return self.runs()


@contextmanager
def console(of: System) -> Iterator[Console]:
    process = subprocess.Popen(
        [sys.executable, "-c", LOOP],
        cwd=servers.ROOT,
        env={**of.env, "DJANGO_SETTINGS_MODULE": "config.settings"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        made = Console(process)
        made.ask(PEOPLE)
        yield made
    finally:
        process.kill()
        process.communicate()
