"""Seconds from the button to the stored report: a million sealed records of forty questions, PostgreSQL, one worker.

`./run bench run` seals simulated records, starts a run as the page does, and looks when its rows are there; the
worker's log says where the time went. The first run warms up. For less: `--records 100000`; `--shard 250000 --workers
2` splits the run.
"""

import argparse
import json
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import psycopg

from tests import servers

QUESTIONS, SECTIONS, PER_BATCH = 40, 4, 250_000
STAGE = """
import json
import numpy as np
from django.utils import timezone
from people.models import Person
from privacy.designs import parse
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, LatentClasses, Population
from surveys.intake.columns import pack
from surveys.intake.models import Batch
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
left, number = %(records)d, 0
while left:
    number, n = number + 1, min(left, %(per_batch)d)
    group, true = everybody.draw(design, n, rng)
    columns = pack(design, group, disguise(design, group, true, rng))
    Batch.objects.create(survey=survey, first=number, last=number, n=n, columns=columns)
    left -= n
print(survey.pk)
"""
START = """
from django.utils import timezone
from mining.parameters import Parameters
from mining.runs import starting
from people.models import Person
from surveys.models import Survey
survey, owner = Survey.objects.get(pk=%(survey)d), Person.objects.get(username="owner")
wanted = Parameters(min_support=%(support)s, min_confidence=0.6, max_size=%(size)d)
print(starting.start(survey, owner, wanted, timezone.now()).pk)
"""
POLL = """
SELECT id, state, extract(epoch FROM clock_timestamp() - created)::float, itemset_count, rule_count, digest
FROM mining_run WHERE id > %(last)s
"""
WARM = "from jobs.models import Worker; print(Worker.objects.filter(warm=True).exists())"
PARTS = re.compile(r"(\w+) (\d+\.\d+) s")


@dataclass
class Stage:
    env: dict[str, str]
    survey: int
    log: Path
    last: int = 0

    def shell(self, code: str) -> str:
        return servers.manage(self.env, "shell", "-v", "0", "-c", code).strip()

    def run(self, support: float, size: int) -> dict[str, float | str]:
        """Press the button in a process of its own, and look a hundred times a second whether all is stored."""
        code = START % {"survey": self.survey, "support": support, "size": size}
        words = [sys.executable, "manage.py", "shell", "-v", "0", "-c", code]
        with psycopg.connect(self.env["DATABASE_URL"], autocommit=True) as database:
            button = subprocess.Popen(words, cwd=servers.ROOT, env=self.env, stdout=subprocess.DEVNULL)
            while True:
                row = database.execute(POLL, {"last": self.last}).fetchone()
                if row and row[1] not in ("queued", "running"):
                    break
                time.sleep(0.01)
        if button.wait() or row[1] != "done":
            raise AssertionError(f"{row}\n{self.log.read_text()[-3000:]}")
        self.last, _state, seconds, itemsets, rules, digest = row
        line = next(line for line in self.log.read_text().splitlines() if f"run {self.last} of" in line)
        parts = {name: float(took) for name, took in PARTS.findall(line)}
        rest = {"queue, commit and the rest": round(seconds - sum(parts.values()), 2)}
        found = {"itemsets": itemsets, "rules": rules, "digest": digest[:8]}
        return {"button to report": round(seconds, 2), **parts, **rest, **found}


@contextmanager
def staged(records: int, shard: int) -> Iterator[Stage]:
    """A survey with so many sealed records on servers of its own."""
    with ExitStack() as stack:
        var = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="candor-bench-")))
        postgres, redis = stack.enter_context(servers.postgres()), stack.enter_context(servers.redis())
        waiting_for_the_disk(postgres)
        own = {
            "VAR": str(var),
            "SECRET_KEY": secrets.token_hex(32),
            "SHARD_RECORDS": str(shard),
            "LOG_LEVEL": "INFO",
        }
        env = servers.environment(**own, DATABASE_URL=postgres.create("bench"), REDIS_URL=redis.url)
        servers.manage(env, "migrate", "-v", "0")
        numbers = {"questions": QUESTIONS, "sections": SECTIONS, "per_batch": PER_BATCH}
        stage = Stage(env, 0, var / "worker.log")
        stage.survey = int(stage.shell(STAGE % (numbers | {"records": records})))
        yield stage


def waiting_for_the_disk(server: servers.Postgres) -> None:
    """The tests' server does not; one that keeps answers does."""
    server.stop("fast")
    words = f"-p {server.port} -k {server.home} -c listen_addresses=127.0.0.1"
    server.run("pg_ctl", "-D", str(server.data), "-l", str(server.log), "-o", words, "-w", "start")


@contextmanager
def working(stage: Stage, workers: int) -> Iterator[None]:
    words = [sys.executable, "-m", "celery", "-A", "config", "worker", "-l", "INFO", "-c", str(workers)]
    with stage.log.open("wb") as log:
        worker = subprocess.Popen(words, cwd=servers.ROOT, env=stage.env, stdout=log, stderr=log)
    try:
        servers.wait(lambda: stage.shell(WARM) == "True", "the worker being warm", 60)
        yield
    finally:
        worker.terminate()
        worker.wait(30)


def by_workers(records: int, shard: int, times: int) -> list[dict[str, float]]:
    """Median seconds of the same run, whole and split into shards, with one worker and with more."""
    rows: list[dict[str, float]] = []
    for parts, many in ((1, (1,)), (records // shard, (1, 2, 3, 4))):
        with staged(records, records // parts) as stage:
            for workers in many:
                with working(stage, workers):
                    stage.run(0.1, 3)
                    took = [float(stage.run(0.1, 3)["button to report"]) for _turn in range(times)]
                rows.append(
                    {"records": records, "shards": parts, "workers": workers, "seconds": median(took)}
                )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench run", description=__doc__)
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--support", type=float, default=0.1)
    parser.add_argument("--size", type=int, default=3)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--shard", type=int, default=2_000_000)
    parser.add_argument("--times", type=int, default=3)
    asked = parser.parse_args()
    with staged(asked.records, asked.shard) as stage, working(stage, asked.workers):
        for _turn in range(asked.times):
            print(json.dumps(stage.run(asked.support, asked.size)), flush=True)


if __name__ == "__main__":
    main()
