"""What a soak does to the product, and what is expected each time."""

import os
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass

from tests import servers
from tests.soak.system import HEARTBEAT, PATIENCE, System, kill, stopped

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
    def strike(system: System) -> None:
        with stopped(*pids(system)):
            time.sleep(seconds)

    return strike


# --- web, worker and supervisor ----------------------------------------------------------------------


def web(system: System) -> list[int | None]:
    return [system.main("config.web"), *system.children("config.web")]


def worker(system: System) -> list[int | None]:
    return [system.main("celery"), *system.children("celery")]


def ask_to_end(system: System, program: str) -> None:
    main = system.main(program)
    if main:
        with suppress(ProcessLookupError):
            os.kill(main, signal.SIGTERM)
        servers.wait(lambda: system.main(program) != main, f"{program} ending", PATIENCE)


def kill_supervisor(system: System) -> None:
    kill(system.supervisor)
    assert system.process
    system.process.wait()
    system.start()


def restart(system: System) -> None:
    system.stop()
    system.start()


PROCESSES = [
    Fault("web", "one process killed", lambda system: kill(*system.children("config.web")[:1])),
    Fault("web", "all processes killed", lambda system: kill(*web(system))),
    Fault("web", "stopped for 4 s", pause(web, SHORT)),
    Fault("web", "restarted", lambda system: ask_to_end(system, "config.web")),
    Fault("worker", "pool killed", lambda system: kill(*system.children("celery")), attempts=2),
    Fault("worker", "main process killed", lambda system: kill(system.main("celery")), attempts=2),
    Fault("worker", "stopped for 9 s", pause(worker, LONG), attempts=2),
    Fault(
        "worker", "restarted while a job ends", lambda system: ask_to_end(system, "celery"), at_the_end=True
    ),
    Fault("supervisor", "killed and started again", kill_supervisor, attempts=2),
    Fault("supervisor", "stopped for 4 s", pause(lambda system: [system.supervisor], SHORT)),
    Fault("supervisor", "restarted", restart),
]

# --- SQLite and the filesystem queue ------------------------------------------------------------------


def replace_queue(system: System) -> None:
    """A worker makes a missing folder again at once; to keep it away, a file takes its place."""
    folder = system.var / "broker"

    def replaced() -> bool:
        shutil.rmtree(folder, ignore_errors=True)
        try:
            folder.touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    servers.wait(replaced, "the folder being gone", PATIENCE)
    time.sleep(SHORT)
    folder.unlink()


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
    with stopped(system.redis.process.pid):
        time.sleep(SHORT)


def restart_postgres(system: System, mode: str = "fast", away: float = 0.0) -> None:
    assert system.postgres
    system.postgres.stop(mode)
    time.sleep(away)
    system.postgres.start()


def stop_postgres(system: System) -> None:
    assert system.postgres
    system.postgres.freeze()
    try:
        time.sleep(LONG)
    finally:
        system.postgres.thaw()


def kill_postgres(system: System) -> None:
    assert system.postgres
    system.postgres.kill()
    system.postgres.start()


PRODUCTION = [
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


def known(stack: str) -> list[Fault]:
    return PROCESSES + (EMBEDDED if stack == "embedded" else PRODUCTION)


def once(stack: str) -> list[Fault]:
    """Each fault on one stack: those that touch neither the database nor the queue are shared out."""
    ours = PROCESSES[0::2] if stack == "embedded" else PROCESSES[1::2]
    return ours + (EMBEDDED if stack == "embedded" else PRODUCTION)
