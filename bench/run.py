"""Seconds from the button to the stored report, and the largest process: a million sealed records of forty questions.

`./run bench run` seals simulated records on PostgreSQL, starts a run as the page does, and looks when its rows are
there; the worker's log says where the time went. The first run warms up. For less: `--records 100000`; `--embedded`:
SQLite and a folder in the place of PostgreSQL and Redis. The memory of a process is the most that it ever held (Linux);
that of a PostgreSQL process includes the buffers that all of them share.
"""

import argparse
import json
import re
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg

from bench.load import instance, shell
from tests import servers

QUESTIONS, SECTIONS, AT_ONCE = 40, 4, 250_000
BATCHES = 4
"""Fewer than are merged, so that no worker merges them while runs are measured."""
WATCHED = 0.1
"""Seconds between two looks at all processes."""
STAGE = """
import json
import numpy as np
from django.utils import timezone
from django.db import transaction
from accounts.models import Person
from privacy.designs import parse
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, LatentClasses, Population
from privacy.records.columns import merge, pack
from intake.models import Batch
from runs import copies
from surveys.models import Design, Survey

def section(first, questions):
    asked = [{"name": f"q{first + place}", "choices": ["no", "yes"]} for place in range(questions)]
    return {"kind": "unrelated-question", "keep": "0.5", "questions": asked}

def shares(low, high):
    yes = rng.uniform(low, high, %(questions)d)
    return Independent(tuple((1 - share, share) for share in yes.tolist()))

rng = np.random.default_rng(1)
size = %(questions)d // %(sections)d
sections = [section(place * size, size) for place in range(%(sections)d)]
design = parse(json.dumps({"format": "candor-design/1", "open_answers": True, "sections": sections}))
people = LatentClasses((0.3, 0.7), (shares(0.4, 0.8), shares(0.05, 0.3)))
everybody = Population(disguised=people, open=people, open_share=0.2)
owner, _ = Person.objects.get_or_create(username="owner")
row, _ = Design.objects.get_or_create(fingerprint=design.fingerprint, defaults={"json": design.canonical})
survey = Survey.objects.create(
    owner=owner, design=row, draft=json.loads(design.canonical), state="closed", closed_at=timezone.now()
)
def packed(n):
    group, true = everybody.draw(design, n, rng)
    return pack(design, group, disguise(design, group, true, rng))

# Many records are a million simulated ones, again and again: simulating all would take minutes.
many = [packed(%(at_once)d) for _ in range(min(4, %(records)d // %(batches)d // %(at_once)d))]
for number in range(%(batches)d):
    n = (number + 1) * %(records)d // %(batches)d - number * %(records)d // %(batches)d
    whole, rest = divmod(n, %(at_once)d)
    parts = [many[place %% len(many)] for place in range(whole)] + ([packed(rest)] if rest else [])
    columns = merge(parts, np.arange(n))
    Batch.objects.create(survey=survey, first=number + 1, last=number + 1, n=n, columns=columns)
# A worker looks for copies at its first tick, for longer than the runs here take.
with transaction.atomic():
    copies.examine(Batch.objects.filter(survey=survey, copies=None).order_by("first"))
print(survey.pk)
"""
START = """
from django.utils import timezone
from mining.parameters import Parameters
from runs import starting
from accounts.models import Person
from surveys.models import Survey
survey, owner = Survey.objects.get(pk=%(survey)d), Person.objects.get(username="owner")
wanted = Parameters(min_support=%(support)s, min_confidence=0.6, max_size=%(size)d)
print(starting.start(survey, owner, wanted, timezone.now()).pk)
"""
POLL = (
    "SELECT id, state, created, itemset_count, rule_count, digest FROM runs_run"
    " JOIN jobs_job ON id = job_id WHERE id > {last}"
)
WARM = "from jobs.models import Worker; print(Worker.objects.filter(warm=True).exists())"
PARTS = re.compile(r"(\w+) (\d+\.\d+) s")


@dataclass
class Stage:
    """A database with the sealed records, and a queue of its own."""

    env: dict[str, str]
    survey: int
    log: Path
    last: int = 0

    def run(self, support: float, size: int) -> dict[str, float | str]:
        """Press the button in a process of its own, and look a hundred times a second whether all is stored."""
        code = START % {"survey": self.survey, "support": support, "size": size}
        words = [sys.executable, "manage.py", "shell", "-v", "0", "-c", code]
        with self.reading() as rows:
            button = subprocess.Popen(words, cwd=servers.ROOT, env=self.env, stdout=subprocess.DEVNULL)
            while True:
                row = next(iter(rows(POLL.format(last=self.last))), None)
                if row and row[1] not in ("queued", "running"):
                    break
                time.sleep(0.01)
        now = datetime.now(UTC)
        if button.wait() or row[1] != "done":
            raise AssertionError(f"{row}\n{self.log.read_text()[-3000:]}")
        self.last, _state, created, itemsets, rules, digest = row
        seconds = (now - as_time(created)).total_seconds()
        line = next(line for line in self.log.read_text().splitlines() if f"run {self.last} of" in line)
        parts = {name: float(took) for name, took in PARTS.findall(line)}
        rest = {"queue, commit and the rest": round(seconds - sum(parts.values()), 2)}
        result = {"itemsets": itemsets, "rules": rules, "digest": digest[:8]}
        return {"button to report": round(seconds, 2), **parts, **rest, **result}

    @contextmanager
    def reading(self) -> Iterator[Callable[[str], Iterable[tuple[Any, ...]]]]:
        url = self.env["DATABASE_URL"]
        if url.startswith("postgres"):
            with psycopg.connect(url, autocommit=True) as server:
                yield lambda statement: server.execute(statement.encode())
        else:
            with closing(sqlite3.connect(url.removeprefix("sqlite://"), timeout=20)) as file:
                yield file.execute


def as_time(created: datetime | str) -> datetime:
    return created if isinstance(created, datetime) else datetime.fromisoformat(created).replace(tzinfo=UTC)


@dataclass
class Memory:
    """The most that any of the processes of a kind ever held, in megabytes."""

    most: dict[str, float] = field(default_factory=dict)

    def look(self) -> None:
        for folder in Path("/proc").glob("[0-9]*"):
            # A process may end while it is looked at.
            with suppress(OSError, KeyError):
                kind = process_kind((folder / "cmdline").read_text())
                if kind:
                    status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
                    held = int(status["VmHWM"].split()[0]) / 1e3
                    self.most[kind] = max(self.most.get(kind, 0.0), round(held, 1))

    @contextmanager
    def watched(self) -> Iterator[None]:
        over = threading.Event()

        def look() -> None:
            while not over.wait(WATCHED):
                self.look()

        thread = threading.Thread(target=look)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def process_kind(words: str) -> str:
    """Empty for a process that is none of ours."""
    if words.startswith("postgres: ") and " bench" in words:
        return "database"
    return "worker" if "celery\0-A\0config\0worker" in words else ""


@contextmanager
def staged(records: int, *, embedded: bool = False) -> Iterator[Stage]:
    """A survey with so many sealed records."""
    with ExitStack() as stack:
        own = {"LOG_LEVEL": "INFO"} | (
            {} if embedded else {"REDIS_URL": stack.enter_context(servers.redis()).url}
        )
        env = stack.enter_context(instance("sqlite" if embedded else "postgresql", own, durable=True))
        env.setdefault("DATABASE_URL", f"sqlite://{env['VAR']}/candor.sqlite3")
        numbers = {"questions": QUESTIONS, "sections": SECTIONS, "at_once": AT_ONCE}
        stage = Stage(env, 0, Path(env["VAR"]) / "worker.log")
        stage.survey = int(shell(env, STAGE % {**numbers, "batches": BATCHES, "records": records}))
        yield stage


@contextmanager
def working(stage: Stage, workers: int) -> Iterator[int]:
    """One worker of so many processes; its process id."""
    words = [sys.executable, "-m", "celery", "-A", "config", "worker", "-l", "INFO", "-c", str(workers)]
    with stage.log.open("wb") as log:
        worker = subprocess.Popen(words, cwd=servers.ROOT, env=stage.env, stdout=log, stderr=log)
    try:
        servers.wait(lambda: shell(stage.env, WARM) == "True", "the worker being warm", 120)
        yield worker.pid
    finally:
        worker.terminate()
        try:
            worker.wait(60)
        except subprocess.TimeoutExpired:
            # Its children end with it.
            worker.kill()
            worker.wait()


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench run", description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--support", type=float, default=0.1)
    parser.add_argument("--size", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--embedded", action="store_true")
    asked = parser.parse_args()
    memory = Memory()
    with (
        staged(asked.records, embedded=asked.embedded) as stage,
        working(stage, asked.workers),
        memory.watched(),
    ):
        for _turn in range(asked.times):
            print(json.dumps(stage.run(asked.support, asked.size)), flush=True)
    print(json.dumps({f"{kind}_mb": most for kind, most in sorted(memory.most.items())}))


if __name__ == "__main__":
    main()
