"""Seconds from the button to the stored report, and the largest process: a million sealed records of forty questions.

`./run bench run` seals simulated records on PostgreSQL, starts a run as the page does, and looks when its rows are
there; the worker's log says where the time went. The first run warms up. For less: `--records 100000`. The memory of a
process is the most that it ever held (Linux); that of a PostgreSQL process includes the buffers that all of them share.
"""

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import psycopg

from bench.load import instance, shell
from intake.batches.merging import LARGEST
from tests import servers

AT_ONCE = 250_000
BATCHES = 4
"""Fewer than are merged, so that no worker merges them while runs are measured."""
STAGE = """
import json
import numpy as np
from django.db import transaction
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, LatentClasses, Population
from privacy.records.batch_bit_columns import merge_batches, order_open_records_first, pack_batch, stored_groups
from intake.models import Batch
from runs import copied_record_detection
from tests.intake import asked
from tests.privacy.questionnaires import HALF, question, sensitive

rng = np.random.default_rng(1)
sections = [sensitive("0.5", *(question(f"q{first + n}", *HALF) for n in range(10))) for first in (0, 10, 20, 30)]
design = asked.make_design(*sections, open_answers=True)
kinds = (rng.uniform(low, high, 40).tolist() for low, high in ((0.4, 0.8), (0.05, 0.3)))
people = LatentClasses((0.3, 0.7), tuple(Independent(tuple((1 - yes, yes) for yes in shares)) for shares in kinds))
everybody = Population(disguised=people, open=people, open_share=0.2)
survey = asked.survey(design, state="closed", draft=json.loads(design.canonical))

def packed(n):
    group, true = everybody.draw(design, n, rng)
    return pack_batch(design, group, disguise(design, group, true, rng))

# Many records are a million simulated ones, again and again: simulating all would take minutes.
records, batches, at_once = %d, %d, %d
many = [packed(at_once) for _ in range(min(4, records // batches // at_once))]
for number in range(batches):
    n = (number + 1) * records // batches - number * records // batches
    whole, rest = divmod(n, at_once)
    parts = [many[part %% len(many)] for part in range(whole)] + ([packed(rest)] if rest else [])
    order = order_open_records_first(stored_groups(parts), np.arange(n))  # as a sealing stores them
    Batch.objects.create(survey=survey, first=number + 1, last=number + 1, n=n, columns=merge_batches(parts, order))
# A worker looks for copies at its first tick, for longer than the runs here take.
with transaction.atomic():
    batches = Batch.objects.filter(survey=survey, copies=None).order_by("first")
    copied_record_detection.store_copies_found_in_batches(batches)
print(survey.pk)
"""
START = """
from django.utils import timezone
from mining.parameters import Parameters
from runs import run_start
from surveys.models import Survey
survey = Survey.objects.get(pk=%d)
parameters = Parameters(min_support=%s, min_confidence=0.6, max_size=%d)
print(run_start.start_mining_run(survey, survey.owner, parameters, timezone.now()).pk)
"""
POLL = (
    "SELECT id, state, created, itemset_count, rule_count, digest FROM runs_run"
    " JOIN jobs_job ON id = job_id WHERE id > %s"
)
WARM = "from jobs.models import Worker; print(Worker.objects.filter(warm=True).exists())"
PARTS = re.compile(r"(\w+) (\d+\.\d+) s")


@dataclass
class Stage:
    """A database with the sealed records, and a queue of its own. `memory`: the most that any of the processes of a
    kind ever held, in megabytes."""

    env: dict[str, str]
    survey: int
    last: int = 0
    memory: dict[str, float] = field(default_factory=dict)

    @property
    def log(self) -> Path:
        return Path(self.env["VAR"]) / "worker.log"

    def run(self, support: float, size: int) -> dict[str, float | str]:
        """Press the button in a process of its own, and look a hundred times a second whether all is stored."""
        words = [sys.executable, "manage.py", "shell", "-v", "0", "-c", START % (self.survey, support, size)]
        row, looks = None, 0
        with psycopg.connect(self.env["DATABASE_URL"], autocommit=True) as server:
            button = subprocess.Popen(words, cwd=servers.ROOT, env=self.env, stdout=subprocess.DEVNULL)
            while not row or row[1] in ("queued", "running"):
                if looks % 10 == 0:
                    self.look()
                looks += 1
                time.sleep(0.01)
                row = server.execute(POLL, [self.last]).fetchone()
        now = datetime.now(UTC)
        if button.wait() or row[1] != "done":
            raise AssertionError(f"{row}\n{self.log.read_text()[-3000:]}")
        self.last, _state, created, itemsets, rules, digest = row
        seconds = (now - created).total_seconds()
        line = next(line for line in self.log.read_text().splitlines() if f"run {self.last} of" in line)
        parts = {name: float(took) for name, took in PARTS.findall(line)}
        rest = {"queue, commit and the rest": round(seconds - sum(parts.values()), 2)}
        result = {"itemsets": itemsets, "rules": rules, "digest": digest[:8]}
        return {"button to report": round(seconds, 2), **parts, **rest, **result}

    def look(self) -> None:
        for folder in Path("/proc").glob("[0-9]*"):
            # A process may end while it is looked at.
            with suppress(OSError, KeyError):
                words = (folder / "cmdline").read_text()
                is_worker = "celery\0-A\0config\0worker" in words
                if is_worker or (words.startswith("postgres: ") and " bench" in words):
                    kind = "worker" if is_worker else "database"
                    status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
                    megabytes = int(status["VmHWM"].split()[0]) / 1e3
                    self.memory[kind] = max(self.memory.get(kind, 0.0), round(megabytes, 1))


@contextmanager
def staged(records: int) -> Iterator[Stage]:
    """A survey with so many sealed records."""
    with servers.redis() as redis:
        own = {"LOG_LEVEL": "INFO", "REDIS_URL": redis.url}
        with instance("postgresql", own, durable=True) as env:
            yield Stage(
                env, int(shell(env, STAGE % (records, max(BATCHES, -(-records // LARGEST)), AT_ONCE)))
            )


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
    asked = parser.parse_args()
    with staged(asked.records) as stage, working(stage, asked.workers):
        for _turn in range(asked.times):
            print(json.dumps(stage.run(asked.support, asked.size)), flush=True)
    print(json.dumps({f"{kind}_mb": most for kind, most in sorted(stage.memory.items())}))


if __name__ == "__main__":
    main()
