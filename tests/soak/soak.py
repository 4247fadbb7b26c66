"""A soak: respondents, jobs and runs under load while one part after the other is killed, stopped, restarted."""

import os
import secrets
import shutil
import signal
import sqlite3
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from statistics import median

import psycopg

from runs.models import Itemset
from tests import servers
from tests.intake import asked
from tests.small_disks import can_mount, fill_file_system
from tests.soak.actors import (
    Actor,
    Disguising,
    Exchanging,
    KilledFieldDevices,
    actor_checks,
    field_device_checks,
    lasting_designs,
    set_up_field_devices,
    sets,
)
from tests.soak.load import (
    ASKS,
    DOUBLE,
    WAYS,
    Check,
    Load,
    Weight,
    invitation_checks,
    letter_checks,
    memory_checks,
    record_checks,
    run_checks,
)
from tests.soak.staff import Building, Publishing, Receiver, Releasing, Telling
from tests.soak.system import (
    HEARTBEAT,
    OVER,
    PATIENCE,
    Console,
    Job,
    System,
    kill_processes,
    running,
    running_console,
    stop_processes,
)

SHORT = 4.0
LONG = 4 * HEARTBEAT + 1.0
"""Seconds that something is away or stopped; the long ones would make a running job seem dead."""
JOB = 2.0
"""Seconds that the job takes which a fault hits."""


@dataclass(frozen=True)
class Fault:
    """`strike` returns when the fault is over and only the product has to recover.

    `attempts` is what the job that it hits may take. Faults `at_the_end` come a moment before that job ends.
    """

    part: str
    name: str
    strike: Callable[[System], object]
    attempts: int = 1
    at_the_end: bool = False

    @property
    def expectation(self) -> str:
        job = "at its first attempt" if self.attempts == 1 else "at its second attempt at the latest"
        return f"healthy again by itself; the job is done once, {job}"


def pause(pids: Callable[[System], list[int | None]], seconds: float) -> Callable[[System], None]:
    def stop_for_a_while(system: System) -> None:
        with stop_processes(*pids(system)):
            time.sleep(seconds)

    return stop_for_a_while


# --- web, worker and supervisor ----------------------------------------------------------------------


def web_pids(system: System) -> list[int | None]:
    return [*system.mains("config.web_server"), *system.children("config.web_server")]


def worker_pids(system: System) -> list[int | None]:
    return [*system.mains("celery"), *system.children("celery")]


def one_of_each(system: System) -> list[int]:
    """Of those for staff and those for respondents, where these have their own."""
    return [pid for main in system.mains("config.web_server") for pid in servers.family(main)[1:2]]


def ask_to_end(system: System, program: str) -> None:
    main = system.main(program)
    if main:
        with suppress(ProcessLookupError):
            os.kill(main, signal.SIGTERM)
        servers.wait(lambda: system.main(program) != main, f"{program} ending", PATIENCE)


def kill_supervisor(system: System) -> None:
    kill_processes(system.supervisor)
    assert system.process
    system.process.wait()
    system.start()


def restart(system: System) -> None:
    system.stop()
    system.start()


NEWER = """
from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("jobs", {before!r})]
    operations = [migrations.RunSQL("ALTER TABLE intake_inbox ADD COLUMN newer_{number} integer NULL")]
"""


def upgrade(system: System) -> None:
    """Stops the program, puts a newer one with one more migration in its place, and starts that."""
    newer = system.home / "program"
    if system.root != newer:
        others = shutil.ignore_patterns(".*", "node_modules", "tests", "var")
        shutil.copytree(system.root, newer, ignore=others)
    system.stop()
    migrations = newer / "jobs/migrations"
    before = max(path.stem for path in migrations.glob("0*.py"))
    number = int(before[:4]) + 1
    (migrations / f"{number:04}_newer.py").write_text(NEWER.format(before=before, number=number))
    system.root = newer
    system.start()


PROCESSES = [
    Fault("web", "one process killed", lambda system: kill_processes(*one_of_each(system))),
    Fault("web", "all processes killed", lambda system: kill_processes(*web_pids(system))),
    Fault("web", "stopped for 4 s", pause(web_pids, SHORT)),
    Fault("web", "restarted", lambda system: ask_to_end(system, "config.web_server")),
    Fault("worker", "pool killed", lambda system: kill_processes(*system.children("celery")), attempts=2),
    Fault("worker", "main process killed", lambda system: kill_processes(system.main("celery")), attempts=2),
    Fault("worker", "stopped for 9 s", pause(worker_pids, LONG), attempts=2),
    Fault(
        "worker", "restarted while a job ends", lambda system: ask_to_end(system, "celery"), at_the_end=True
    ),
    Fault("supervisor", "killed and started again", kill_supervisor, attempts=2),
    Fault("supervisor", "stopped for 4 s", pause(lambda system: [system.supervisor], SHORT)),
    Fault("supervisor", "restarted", restart),
    Fault("program", "upgraded: stopped, migrated, started", upgrade),
]


# --- SQLite and the filesystem queue ------------------------------------------------------------------


def replace_queue(system: System) -> None:
    servers.replace_folder_by_file(system.var / "broker")
    time.sleep(SHORT)
    (system.var / "broker").unlink()


def lock(system: System) -> None:
    with closing(sqlite3.connect(system.var / "candor.sqlite3", timeout=60, isolation_level=None)) as file:
        file.execute("BEGIN IMMEDIATE")
        time.sleep(LONG)
        file.execute("ROLLBACK")


def fill_disk(system: System) -> None:
    with servers.full_disk(system.supervisor):
        time.sleep(SHORT)


EMBEDDED = [
    Fault("broker", "queue folder away for 4 s while a job ends", replace_queue, at_the_end=True),
    Fault("broker", "queue folder deleted", lambda system: shutil.rmtree(system.var / "broker", True)),
    Fault("database", "SQLite file locked for 9 s while a job ends", lock, at_the_end=True),
    Fault("disk", "full for 4 s while a job ends", fill_disk, at_the_end=True),
]


# --- PostgreSQL and Redis -----------------------------------------------------------------------------


def restart_redis(system: System, away: float = 0.0) -> None:
    assert system.redis
    system.redis.kill()
    time.sleep(away)
    system.redis.start()


def stop_redis(system: System) -> None:
    assert system.redis
    assert system.redis.process
    with stop_processes(system.redis.process.pid):
        time.sleep(SHORT)


def restart_postgres(system: System, mode: str = "fast", away: float = 0.0) -> None:
    assert system.postgres
    system.postgres.stop(mode)
    time.sleep(away)
    system.postgres.start()


def stop_postgres(system: System) -> None:
    assert system.postgres
    system.postgres.freeze_processes()
    try:
        time.sleep(LONG)
    finally:
        system.postgres.resume_processes()


def kill_postgres(system: System) -> None:
    assert system.postgres
    system.postgres.kill()
    system.postgres.start()


def fill_disk_of_postgres(system: System) -> None:
    assert system.disk
    filling = fill_file_system(system.disk)
    time.sleep(SHORT)
    filling.unlink()


def kill_while_results_are_stored(system: System) -> None:
    """What stores the results waits for a lock on their table when it is killed."""
    with psycopg.connect(system.env["DATABASE_URL"]) as connection:
        connection.execute(f"LOCK TABLE {Itemset._meta.db_table} IN SHARE ROW EXCLUSIVE MODE")
        waiting = (
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'COPY %'"
        )
        with psycopg.connect(system.env["DATABASE_URL"], autocommit=True) as other:
            servers.wait(lambda: other.execute(waiting).fetchone() != (0,), "results being stored")
        kill_processes(*system.children("celery"))


PRODUCTION = [
    Fault("worker", "pool killed while results are stored", kill_while_results_are_stored, attempts=2),
    Fault(
        "broker",
        "Redis killed for 4 s while a job ends, then empty",
        lambda system: restart_redis(system, SHORT),
        at_the_end=True,
    ),
    Fault("broker", "Redis stopped for 4 s while a job ends", stop_redis, at_the_end=True),
    Fault(
        "broker", "Redis killed and started again, empty, while a job ends", restart_redis, at_the_end=True
    ),
    Fault("database", "PostgreSQL killed while a job ends", kill_postgres, at_the_end=True),
    Fault("database", "PostgreSQL restarted while a job ends", restart_postgres, at_the_end=True),
    Fault(
        "database",
        "PostgreSQL away for 9 s while a job ends",
        lambda system: restart_postgres(system, "immediate", LONG),
        at_the_end=True,
    ),
    Fault("database", "PostgreSQL stopped for 9 s while a job ends", stop_postgres, at_the_end=True),
]


if can_mount():
    PRODUCTION.append(
        Fault("disk", "PostgreSQL's full for 4 s while a job ends", fill_disk_of_postgres, at_the_end=True)
    )


def known_faults(stack: str) -> list[Fault]:
    return PROCESSES + (EMBEDDED if stack == "embedded" else PRODUCTION)


def faults_once_each(stack: str) -> list[Fault]:
    """Each fault on one stack: those that touch neither the database nor the queue are shared out."""
    ours = PROCESSES[0::2] if stack == "embedded" else PROCESSES[1::2]
    return ours + (EMBEDDED if stack == "embedded" else PRODUCTION)


# --- A soak

FIELD_ASKS = asked.field_design(least=20)
RATE = 25.0
"""Respondents a second."""


@dataclass(frozen=True)
class Struck:
    """One fault: seconds until the product was healthy and until it had done a new job; the job that was hit.

    `ran`: whether that job was running when the fault came.
    """

    fault: Fault
    healthy: float
    next_job: float
    job: Job
    ran: bool

    @property
    def is_as_expected(self) -> bool:
        return (self.job.state, self.job.marks) == ("done", 1) and self.job.attempts <= self.fault.attempts


@dataclass
class Outcome:
    """`seconds` of faults under load; `struck` in their order; `broken`: why it ended early, where it did."""

    stack: str
    seed: int
    seconds: float = 0.0
    struck: list[Struck] = field(default_factory=list)
    weights: list[Weight] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def rows(self) -> Iterator[tuple[str, int, str, str]]:
        """Fault, times, expectation, what was observed."""
        for fault in known_faults(self.stack):
            of = [struck for struck in self.struck if struck.fault is fault]
            if of:
                yield f"{fault.part}: {fault.name}", len(of), fault.expectation, recovery_summary(of)

    @property
    def unexpected_results(self) -> list[str]:
        """What was not as expected."""
        jobs = [
            f"{one.fault.part}, {one.fault.name}: the job that was hit is {one.job}"
            for one in self.struck
            if not one.is_as_expected
        ]
        checks = [f"{check.what}: {check.observed}" for check in self.checks if not check.holds]
        return self.broken + jobs + checks


def recovery_summary(of: list[Struck]) -> str:
    attempts = Counter(struck.job.attempts for struck in of if struck.is_as_expected)
    done = ", ".join(f"{n} at attempt {attempt}" for attempt, n in sorted(attempts.items()))
    failed = sum(not struck.is_as_expected for struck in of)
    return (
        f"healthy after {spread_text([struck.healthy for struck in of])}, a new job done after another "
        f"{spread_text([struck.next_job for struck in of])}; job running when hit: {sum(struck.ran for struck in of)}; "
        f"done: {done or 'none'}" + (f"; otherwise: {failed}" if failed else "")
    )


def spread_text(seconds: list[float]) -> str:
    return f"{median(seconds):.1f} s (at most {max(seconds):.1f})"


def everybody(system: System, asking: Console, receiver: Receiver, seed: int, seconds: float) -> list[Actor]:
    """Those who are at work beside the load and the field devices; the last one is told what the others did."""
    port = system.front
    publishing, releasing = Publishing(port, asking, seed), Releasing(port, asking, seed, seconds)
    return [
        Exchanging(port, asking, seed, seconds),
        Disguising("sets of choices and itemsets", sets(), port, asking, seed),
        Disguising("a disguise that lasts", lasting_designs(), port, asking, seed),
        Building(port, asking, seed),
        publishing,
        releasing,
        Telling(receiver, (publishing, releasing), port, asking, seed),
    ]


def soak(
    stack: str, seconds: float, seed: int, rate: float = RATE, of: Sequence[Fault] | None = None
) -> Outcome:
    """For so long, and at least until each of these faults, all that are known by default, has come once; `rate`
    respondents a second."""
    outcome, random = Outcome(stack, seed), Random(seed)
    receiver = Receiver(seed)
    behind_nginx = stack == "production"
    with (
        receiver.run_receiver(),
        running(stack, behind_nginx=behind_nginx, **receiver.settings) as system,
        running_console(system) as asking,
    ):
        system.wait_until_healthy()
        survey, slug, _none = asking.open_survey(ASKS)
        tokens = max(100, round(2 * seconds * rate * WAYS[DOUBLE] / 100))
        invited, invited_slug, made = asking.open_survey(ASKS, tokens)
        load = Load(system.front, ASKS, slug, (invited_slug, made), seed, rate)
        people = max(20, round(seconds / 4))
        tablets, tablets_slug, _none = asking.open_survey(FIELD_ASKS)
        tickets = set_up_field_devices(asking, tablets, people)
        folder = system.home / "field-devices"
        devices = KilledFieldDevices(system.front, FIELD_ASKS, tablets_slug, tickets, folder, seed, people)
        actors = everybody(system, asking, receiver, seed, seconds)
        at_work: list[Load | KilledFieldDevices | Actor] = [load, devices, *actors]
        for each in at_work:
            each.start()
        began = time.monotonic()
        try:
            with note_failure(outcome):
                asking.wait_for_a_batch(survey)
                for fault in draw_faults(of or known_faults(stack), seconds, random):
                    print(f"{stack}: {fault.part}, {fault.name}", flush=True)
                    outcome.struck.append(strike_with_fault(system, asking, fault, survey, outcome, random))
                    weigh_processes(system, outcome)
        finally:
            outcome.seconds = time.monotonic() - began
            for each in at_work:
                each.stop()
        # What was taken in is counted, whatever made the faults end early.
        with note_failure(outcome):
            for found in (
                record_checks(load.told, ASKS.least, asking.stored_records_of(survey)),
                invitation_checks(load.told, made, asking.stored_records_of(invited)),
                field_device_checks(devices, asking.stored_records_of(tablets)),
                actor_checks(actors, asking),
                run_checks(asking, started=len(outcome.struck)),
                letter_checks(system.letters),
                memory_checks(outcome.weights),
            ):
                with note_failure(outcome):
                    outcome.checks += found
            system.wait_until_healthy()
    return outcome


@contextmanager
def note_failure(outcome: Outcome) -> Iterator[None]:
    """Whatever ends a part early is told with what was found until then, and does not take that along."""
    try:
        yield
    except Exception as error:
        traceback.print_exc()
        outcome.broken.append(f"ended early: {type(error).__name__}: {error}")


def draw_faults(known: Sequence[Fault], seconds: float, random: Random) -> Iterator[Fault]:
    """All faults in a random order, and again in another one, until the time is over; each at least once."""
    end = time.monotonic() + seconds
    is_first = True
    while is_first or time.monotonic() < end:
        for fault in random.sample(known, len(known)):
            if is_first or time.monotonic() < end:
                yield fault
        is_first = False


def strike_with_fault(
    system: System, asking: Console, fault: Fault, survey: int, outcome: Outcome, random: Random
) -> Struck:
    """A job is running and a mining run is starting when the fault comes; then the product recovers, and a new job is
    done."""
    lead = random.uniform(0.1, 0.4) if fault.at_the_end else JOB
    key = asking.start_job(JOB)
    job = asking.wait_for_job(key, "running", *OVER)
    if job.started:
        elapsed = (datetime.now(UTC) - job.started).total_seconds()
        time.sleep(max(0.0, JOB - lead - elapsed))
    # A minimum support of its own makes it another run than those before.
    asking.start_run(survey, min_support=0.05 + len(outcome.struck) / 10_000)
    came = datetime.now(UTC)
    fault.strike(system)
    healthy = system.wait_until_healthy()
    job = asking.wait_for_job(key, *OVER)
    since = time.monotonic()
    asking.wait_for_job(asking.start_job(0.25), *OVER)
    ran = job.finished is not None and job.finished > came
    return Struck(fault, healthy, time.monotonic() - since, job, ran)


def weigh_processes(system: System, outcome: Outcome) -> None:
    moment = time.monotonic()
    outcome.weights += [Weight(role, pid, moment, kilobytes) for role, pid, kilobytes in system.memory()]


# --- The short soak

SHORT_RATE = 6.0
"""Respondents a second: some twenty sealings during the faults."""


def each_fault_once(stack: str) -> Outcome:
    seed = int(os.environ.get("SOAK_SEED", secrets.randbelow(10**6)))
    print(f"SOAK_SEED={seed} brings the same faults in the same order")
    known = faults_once_each(stack)
    outcome = soak(stack, 0, seed, SHORT_RATE, known)
    for fault, times, _expectation, observed in outcome.rows():
        print(f"{times} × {fault}: {observed}")
    for check in outcome.checks:
        print(f"{check.what}: {check.observed}")
    assert {struck.fault for struck in outcome.struck} == set(known) or outcome.broken
    return outcome
