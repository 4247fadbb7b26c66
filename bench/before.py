"""Intake and mining of this tree beside those of an earlier commit, measured in turns on the same machine.

`./run bench before COMMIT` takes the files of the commit from git's history, which use the same Python packages. Each
round measures everything in both trees, each time in a fresh process that runs the tree's own bench/intake.py and
bench/mining.py, and the next round begins with the other tree.

* Intake: records a second over the real endpoint (wrk, 50 connections, two web processes and a worker).
* Search: milliseconds of processor time for counts, supports and pruning.
* Mining: the same with rules and all errors, which an earlier commit may compute otherwise.
* Report: milliseconds of processor time of the report's first page over a million records of forty questions, for its
  reviewer and, once it is published with the rules of the first page, for its reader. Beside `287a2a01`, the commit
  before the report's document, it may not be slower.
* Run: milliseconds of one run over two million records of forty questions, by the clock and of processor time, from its
  claim to the stored results. `COUNTING_THREADS` says by how many threads.
* Start: milliseconds of processor time of `manage.py check`, and of a web process until its first answer. Beside
  `fc797e12^`, the commit before sign-on by providers, it may take 5 % more.

The table has the medians, and how many times as fast this tree is, in the median of the rounds and at the least and
the most: below 1 it is slower. For less: `--rounds 3 --seconds 5 --only mining`.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench.upgrade import files_of

ROOT = Path(__file__).parents[1]
COMMIT = "84d5bad43a3bb622f85b80f23612ae92c268b027"
INTAKE = """
import json
from bench import intake
from tests import servers
with intake.databases("{database}") as (env, _other):
    stage, port = intake.staged(env), servers.free_port()
    with intake.running(intake.product(stage, port), stage.env, port):
        # A worker that loads its kernels takes a core for seconds.
        servers.wait(lambda: stage.ask(intake.WARM) > 0, "the worker being ready", 300)
        intake.wrk(stage, port, 2)
        found = intake.wrk(stage, port, {seconds})
        print(json.dumps(found["stored"] / found["seconds"]))
"""
# The first search loads what later ones have.
MINING = """
import json
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from bench.mining import Survey, wanted
from mining.counting import counter_of, warm
{search}
survey, spent = Survey({items}, {records}), []
with TemporaryDirectory() as folder:
    warm(Path(folder))
    for _ in range({repeats} + 1):
        start = process_time()
        search(counter_of(survey.design, [survey.columns], Path(folder)), wanted({size}, False))
        spent.append(1000 * (process_time() - start))
print(json.dumps(median(spent[1:])))
"""
# What is searched for, by the name of its row; earlier trees have no `search` and name the counter `Counted`.
SEARCHES = {
    "search": """
from mining import reconstruction
from mining.itemsets import frequent
found_by = getattr(frequent, "search", frequent.frequent)
cached = vars(reconstruction)["CachedCounter" if "CachedCounter" in vars(reconstruction) else "Counted"]
def search(counter, wanted):
    return found_by(cached(counter), wanted)
""",
    "mining": "from mining.engines.bitmap import find as search",
}
# The first of each compiles what the others load. Every program has a folder of its own, with no database in it.
START = """
import json, os, resource, subprocess, sys
from statistics import median
from tempfile import TemporaryDirectory
def spent(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
with TemporaryDirectory() as folder:
    os.environ["VAR"] = folder
    print(json.dumps(1000 * median([spent({words}) for _ in range({repeats} + 1)][1:])))
"""
FIRST_ANSWER = """
from config.wsgi import application
from django.test import Client
assert Client(headers={"host": "localhost"}).get("/account/home").status_code == 302
"""
STARTS = {"manage.py check": ["manage.py", "check"], "first answer": ["-c", FIRST_ANSWER]}
# Earlier trees have `publishing` and `deciding` elsewhere.
REPORT = """
import json, os, sys
from importlib import import_module
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
with TemporaryDirectory() as folder:
    os.environ.update(VAR=folder, DJANGO_SETTINGS_MODULE="config.settings", LOG_LEVEL="ERROR")
    import django
    django.setup()
    from django.core.management import call_command
    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    from django.contrib.auth.models import Group
    from django.test import Client
    from django.utils import timezone
    from bench import run as bench_run
    numbers = dict(questions=40, sections=4, at_once=250_000, batches=4, records={records})
    exec(bench_run.STAGE % numbers)
    from jobs import models as jobs_models
    from mining.parameters import Parameters
    from accounts.models import REVIEWERS
    from reports.models import Decision, Review
    from runs import performing, starting
    from runs.models import Run
    room = "reports.review" if os.path.isdir("reports/review") else "reports"
    publishing, deciding = (import_module(f"{{room}}.{{name}}") for name in ("publishing", "deciding"))
    now = timezone.now()
    pk = starting.start(survey, owner, Parameters(min_support=0.1, min_confidence=0.6, max_size=3), now).pk
    run = Run.objects.get(pk=pk)
    write = performing.perform(run, lambda *words, **more: None)
    write()
    abstract = jobs_models.Job._meta.abstract
    states = Run if abstract else jobs_models.Job
    states.objects.filter(pk=run.pk).update(state="done", finished=now)
    reviewer = Person.objects.create_user("reviewer")
    reviewer.groups.add(Group.objects.get_or_create(name=REVIEWERS)[0])
    Person.objects.filter(pk=reviewer.pk).update(is_staff=True)
    reviewer = Person.objects.get(pk=reviewer.pk)
    publishing.add_finished_runs(now)
    review = Review.objects.with_surveys().get()
    def milliseconds(person, address):
        client, spent = Client(headers={{"host": "localhost"}}), []
        client.force_login(person)
        for _ in range({repeats} + 1):
            start = process_time()
            answer = client.get(address)
            spent.append(1000 * (process_time() - start))
        assert answer.status_code == 200, answer
        return median(spent[1:])
    if "{who}" == "reviewer":
        result = milliseconds(reviewer, f"/admin/reports/review/{{review.pk}}/report")
    else:
        rules = deciding.with_verdicts(review.run).filter(place__lt=25)
        deciding.decide(review, reviewer, rules, Decision.Verdict.ACCEPT, "", now)
        publishing.publish(review, reviewer, [], "", now)
        result = milliseconds(owner, f"/reports/{{review.pk}}/")
    print(json.dumps(result))
"""
RUN = """
import json, os
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
with TemporaryDirectory() as folder:
    os.environ.update(VAR=folder, DJANGO_SETTINGS_MODULE="config.settings", LOG_LEVEL="ERROR")
    import django
    django.setup()
    from django.core.management import call_command
    call_command("migrate", verbosity=0)
    from django.utils import timezone
    from bench import run as bench_run
    exec(bench_run.STAGE % dict(questions=40, sections=4, at_once=250_000, batches=4, records={records}))
    from jobs.models import Job
    from mining.parameters import Parameters
    from runs import kernel_cache, performing, starting
    from runs.models import Run
    kernel_cache.warm_up()
    spent, wanted = [], Parameters(min_support=0.1, min_confidence=0.6, max_size=3)
    for _ in range({repeats} + 1):
        pk = starting.start(survey, owner, wanted, timezone.now()).pk
        run, start = Run.objects.get(pk=pk), {clock}()
        performing.perform(run, lambda *words, **more: None)()
        spent.append(1000 * ({clock}() - start))
        Job.objects.filter(pk=pk).update(state="done", finished=timezone.now())
    print(json.dumps(median(spent[1:])))
"""
# Else the tree that was just taken from the history would be compiled at each start, and this one not.
ENV = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
SIZES = ((20, 100_000), (40, 1_000_000))
LARGEST, REPEATS = 3, 7
"""Items of an itemset at most; searches whose median is one measurement."""


@dataclass(frozen=True)
class Measurement:
    """A program that prints one number; `rate`: the higher, the faster."""

    kind: str
    name: str
    program: str
    rate: bool = False

    def of(self, tree: Path) -> float:
        done = subprocess.run(
            [sys.executable, "-c", self.program],
            cwd=tree,
            env=ENV,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise SystemExit(f"bench before: {self.name} in {tree}: {done.stderr[-2000:]}")
        return float(json.loads(done.stdout.splitlines()[-1]))

    def times_as_fast(self, before: float, now: float) -> float:
        return now / before if self.rate else before / now


def measurements(seconds: int) -> Iterator[Measurement]:
    for database in ("sqlite", "postgresql"):
        program = INTAKE.format(database=database, seconds=seconds)
        yield Measurement("intake", f"intake on {database}, records/s", program, rate=True)
    for items, records in SIZES:
        for name, search in SEARCHES.items():
            program = MINING.format(
                items=items, records=records, size=LARGEST, repeats=REPEATS, search=search.strip()
            )
            yield Measurement("mining", f"{name} {items} x {records:,}, ms", program)
    for who in ("reviewer", "reader"):
        program = REPORT.format(records=1_000_000, repeats=20, who=who)
        yield Measurement("report", f"report page of its {who}, ms", program)
    for name, clock in (("by the clock", "perf_counter"), ("of processor time", "process_time")):
        program = RUN.format(records=2_000_000, repeats=3, clock=clock)
        yield Measurement("run", f"run of 2,000,000 {name}, ms", program)
    for name, words in STARTS.items():
        yield Measurement("start", f"start: {name}, ms", START.format(words=words, repeats=3))


def measured(one: Measurement, trees: tuple[Path, Path], round_: int) -> tuple[float, float]:
    """Before and now; odd rounds begin with now, so that what the machine does meanwhile falls on both."""
    by_tree = {}
    for tree in trees[::-1] if round_ % 2 else trees:
        by_tree[tree] = one.of(tree)
    before, now = (by_tree[tree] for tree in trees)
    print(f"round {round_ + 1}: {one.name}: {before:.1f}, then {now:.1f}", file=sys.stderr, flush=True)
    return before, now


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench before", description=__doc__)
    parser.add_argument("commit", nargs="?", default=COMMIT)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=10, help="of intake in a round")
    parser.add_argument("--only", choices=["intake", "mining", "report", "run", "start"])
    asked = parser.parse_args()
    chosen = [one for one in measurements(asked.seconds) if asked.only in (None, one.kind)]
    result: dict[Measurement, list[tuple[float, float]]] = {one: [] for one in chosen}
    with files_of(asked.commit) as old:
        for round_ in range(asked.rounds):
            for one, pairs in result.items():
                pairs.append(measured(one, (old, ROOT), round_))
    print(f"{'':<32} {'before':>9} {'now':>9} {'times as fast':>14}")
    for one, pairs in result.items():
        before, now = (median(values) for values in zip(*pairs, strict=True))
        shares = [one.times_as_fast(*pair) for pair in pairs]
        spread = f"{median(shares):.2f} ({min(shares):.2f} to {max(shares):.2f})"
        print(f"{one.name:<32} {before:>9.1f} {now:>9.1f} {spread:>20}")


if __name__ == "__main__":
    main()
