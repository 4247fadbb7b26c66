"""The product under test, as `./run serve` runs it on one of its two stacks, and a process in it that no fault hits."""

import http.client
import json
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any

from privacy.designs import Design
from tests import servers
from tests.product import nginx
from tests.small_disks import can_mount, mount_tmpfs, move_to_disk

STACKS = {"embedded": "SQLite and the filesystem queue", "production": "PostgreSQL, Redis and nginx"}
PATIENCE = 240
"""Seconds that anything may take on a busy machine before it counts as never."""
HEARTBEAT = 2
"""Seconds between two heartbeats of a job; after four that do not come it is given to another worker."""


@dataclass
class System:
    """`home` holds everything that the processes write: `log` is what they say, `letters` are the e-mails.

    `respondents_port`: that of processes for these alone. `disk`: that of PostgreSQL's tables alone, where it may be
    mounted. `root`: the program's; `front`: where people come in.
    """

    stack: str
    home: Path
    env: dict[str, str]
    port: int
    postgres: servers.Postgres | None = None
    redis: servers.Redis | None = None
    disk: Path | None = None
    process: subprocess.Popen[bytes] | None = None
    respondents_port: int | None = None
    root: Path = servers.ROOT
    front: int = 0
    is_wanted: bool = False
    starting: Lock = field(default_factory=Lock)

    @property
    def log(self) -> Path:
        return self.home / "log"

    @property
    def letters(self) -> Path:
        return self.home / "mail"

    @property
    def var(self) -> Path:
        return self.home / "var"

    def start(self) -> None:
        with self.starting:
            self.is_wanted = True
            if self.process is None or self.process.poll() is not None:
                self._start()

    def start_again_until(self, over: Event) -> None:
        """Where it ends by itself, as systemd and compose do."""
        while not over.wait(0.2):
            with self.starting:
                if self.is_wanted and self.process and self.process.poll() is not None:
                    self._start()

    def _start(self) -> None:
        words = f"-m config.start.server_and_worker serve --host 127.0.0.1 --port {self.port}".split()
        words += ["--respondents-port", str(self.respondents_port)] if self.respondents_port else []
        with self.log.open("ab") as log:
            command = [sys.executable, *words, "--web", "2", "--workers", "2"]
            self.process = subprocess.Popen(command, cwd=self.root, env=self.env, stdout=log, stderr=log)

    def stop(self) -> None:
        with self.starting:
            self.is_wanted = False
        if self.process:
            self.process.terminate()
            self.process.wait(PATIENCE)

    def end_system(self) -> None:
        """Whatever state it is in."""
        with self.starting:
            self.is_wanted = False
        if self.process and self.process.poll() is None:
            family = servers.family(self.process.pid)
            self.process.send_signal(signal.SIGCONT)
            self.process.terminate()
            try:
                self.process.wait(60)
            except subprocess.TimeoutExpired:
                kill_processes(*family)
                self.process.wait()

    # --- its processes ---

    @property
    def supervisor(self) -> int:
        assert self.process
        return self.process.pid

    def mains(self, program: str) -> list[int]:
        """The first processes of config.web_server or celery, which started the others: two where respondents have
        their own."""
        found = [(pid, command(pid)) for pid in servers.family(self.supervisor)[1:]]
        return [pid for pid, words in found if program in words and command(parent(pid)) != words]

    def main(self, program: str) -> int | None:
        return next(iter(self.mains(program)), None)

    def children(self, program: str) -> list[int]:
        return [pid for main in self.mains(program) for pid in servers.family(main)[1:]]

    def memory(self) -> list[tuple[str, int, int]]:
        """Role, process and resident kB of everything that serves the web or does jobs."""
        found = []
        for role, program in {"web": "config.web_server", "worker": "celery"}.items():
            parts = {f"{role}, main process": self.mains(program), role: self.children(program)}
            found += [(part, pid, resident_kilobytes(pid)) for part, pids in parts.items() for pid in pids]
        return [(part, pid, kilobytes) for part, pid, kilobytes in found if kilobytes]

    # --- its health ---

    def health(self) -> dict[str, Any]:
        """What /healthz says; empty where nobody answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", "/healthz")
            found: dict[str, Any] = json.load(connection.getresponse())
            return found
        except (OSError, ValueError, http.client.HTTPException):
            return {}
        finally:
            connection.close()

    def is_healthy(self) -> bool:
        """What a killed supervisor left answers too, for a while; only this one's processes count."""
        return bool(self.main("config.web_server") and self.main("celery") and self.health().get("ok"))

    def wait_until_healthy(self) -> float:
        """Seconds until it was."""
        since = time.monotonic()
        try:
            servers.wait(self.is_healthy, "a healthy product", PATIENCE, pause=0.2)
        except TimeoutError as error:
            raise AssertionError(f"{error}: {self.health()}\n{self.log.read_text()[-6000:]}") from None
        return time.monotonic() - since


def command(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    return ""


def parent(pid: int) -> int:
    with suppress(OSError, IndexError):
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return 0


def resident_kilobytes(pid: int) -> int:
    """kB; 0 for a process that is gone."""
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
    return 0


@contextmanager
def running(stack: str, *, behind_nginx: bool = False, **more: str) -> Iterator[System]:
    """`behind_nginx`: with the lines of deploy/, and a port for respondents. `more`: settings, in place of those of a
    soak."""
    with ExitStack() as opened:
        home = opened.enter_context(servers.folder())
        (home / "mail").mkdir()
        postgres = redis = disk = None
        env = {
            "PRODUCTION": "no",
            "SECRET_KEY": secrets.token_hex(32),
            "VAR": str(home / "var"),
            "MAIL_URL": f"file://{home}/mail",
            "HEARTBEAT_SECONDS": str(HEARTBEAT),
            "TICK_SECONDS": "2",
            "DATABASE_STATEMENT_SECONDS": "5",
            # The load is one survey's, and is meant to reach the database.
            "RECORDS_PER_MINUTE": "1000000",
            "LOG_LEVEL": "WARNING",
            "BEHIND_PROXY": "yes" if behind_nginx else "no",
            # Nobody is there to show again who they are.
            "CONFIRM_MINUTES": "0",
        }
        if stack == "production":
            postgres = opened.enter_context(servers.postgres())
            redis = opened.enter_context(servers.redis())
            env |= {"DATABASE_URL": postgres.create("soak"), "REDIS_URL": redis.url}
            if can_mount():
                disk = opened.enter_context(mount_tmpfs(postgres.home / "disk", "size=500m"))
                move_to_disk(postgres, "soak", disk)
        env = servers.environment(**env | more)
        system = System(stack, home, env, servers.free_port(), postgres, redis, disk)
        system.respondents_port = servers.free_port() if behind_nginx else None
        system.front = system.port
        servers.share_first_start(system.env)
        system.start()
        over = Event()
        keeper = Thread(target=system.start_again_until, args=(over,), daemon=True)
        keeper.start()
        try:
            if behind_nginx:
                (home / "nginx").mkdir()
                respondents = (system.respondents_port or 0,) * 2
                front = nginx(home / "nginx", system.port, system.port, respondents=respondents, tls=False)
                system.front = opened.enter_context(front)
            yield system
        finally:
            over.set()
            keeper.join()
            system.end_system()


def kill_processes(*pids: int | None) -> None:
    for pid in pids:
        if pid:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@contextmanager
def stop_processes(*pids: int | None) -> Iterator[None]:
    """They do nothing, and end nothing, meanwhile."""
    there = [(pid, servers.start_time(pid)) for pid in pids if pid]
    for pid, _began in there:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid, then in there:
            # The number of a process that was killed meanwhile may be another's by now.
            if servers.start_time(pid) == then:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)


# --- A process inside the product that no fault hits

# Runs each line of its standard input, a program as JSON, and answers with what that put into `said`.
LOOP = """
import json, sys
import django
django.setup()
from django.db import connections
from django.utils import timezone
from jobs import job_queue
from jobs.models import Mark, Trial
from runs.models import Run
from mining.parameters import Parameters
from runs import run_start
from accounts import role_assignment
from accounts.models import RESEARCHERS, REVIEWERS, Person
from intake.batches import sealed_batch_reader
from privacy.records import batch_bit_columns
from privacy.records.record import encode_answers
from intake.batches import sealing
from intake.endpoint.keyed_hashes_of_secrets import get_or_create_survey_secret
from intake.models import Inbox, Token
from tests.intake import asked
from intake.invitations.tokens import create_tokens
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
for name, role in {"owner": RESEARCHERS, "ruth": REVIEWERS, "rita": REVIEWERS}.items():
    person, _ = Person.objects.get_or_create(username=name, defaults={"email": name + "@example.org"})
    role_assignment.give_role(person, role, by=None)
"""
OPEN = """
owner = Person.objects.get(username="owner")
design, _ = Design.objects.get_or_create(fingerprint=%(fingerprint)r, defaults={"json": %(json)r})
survey = Survey.objects.create(
    owner=owner, design=design, draft=json.loads(%(json)r), state="open", invited=%(tokens)d > 0
)
said = [survey.pk, survey.slug, create_tokens(survey, %(tokens)d) if %(tokens)d else []]
"""
SEALED = "said = sealing.last_batch_number(%d)"
START = """
said = run_start.start_mining_run(Survey.objects.get(pk=%d), Person.objects.get(username="owner"),
                      Parameters(min_support=%r, min_confidence=0.3), timezone.now()).pk
"""
REPEAT = """
said = run_start.repeat_run(Run.objects.get(pk=%d), Person.objects.get(username="owner"), timezone.now()).pk
"""
RUNS = """
said = [[run.pk, run.state, str(run.problem), run.digest] for run in Run.objects.order_by("pk")]
"""
TRIAL = """
trial = Trial(person=Person.objects.get(username="owner"), steps=%d, pause=250)
job_queue.enqueue(trial)
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
for batch in sealed_batch_reader.read_batches(survey, sealing.last_batch_number(survey.pk)):
    group, codes = batch_bit_columns.unpack_columns(batch.columns)
    sealed.append([encode_answers(survey.design.content, column) for column in codes.T.tolist()])
waiting = [bytes(row.record)[1:].decode() for row in Inbox.objects.filter(survey=survey)]
keys = [hash.hex() for hash in [*asked.fresh_hashes(survey=survey), *asked.seen_hashes(survey=survey)]]
said = [sealed, waiting, keys, [bytes(row.hash).hex() for row in Token.objects.filter(survey=survey)],
        get_or_create_survey_secret(survey.pk).hex()]
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
    """Answer texts batch by batch and of those that wait, hashes of keys, hashes of unspent invitations,
    and the secret of the hashes."""

    sealed: list[list[str]]
    waiting: list[str]
    keys: list[str]
    unspent: list[str]
    secret: str

    @property
    def all_records(self) -> list[str]:
        return [*self.waiting, *(text for batch in self.sealed for text in batch)]


class Console:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def ask(self, code: str) -> Any:
        """What the program puts into `said`; repeated until the database lets it."""
        answer: list[Any] = [False, ""]

        def read_answer() -> bool:
            assert self._process.stdin
            assert self._process.stdout
            self._process.stdin.write(json.dumps(code) + "\n")
            self._process.stdin.flush()
            answer[:] = json.loads(self._process.stdout.readline())
            return bool(answer[0])

        try:
            servers.wait(read_answer, "an answer of the database", PATIENCE)
        except TimeoutError as error:
            raise AssertionError(f"{error}: {answer[1]}") from None
        return answer[1]

    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What a function of a module gives there; arguments and result are JSON."""
        called = f"__import__({function.__module__!r}, fromlist=['_']).{function.__name__}"
        return self.ask(f"said = {called}(*json.loads({json.dumps(arguments)!r}))")

    def open_survey(self, design: Design, tokens: int = 0) -> tuple[int, str, list[str]]:
        """An open survey, by invitation if there are tokens: its key, its address and the tokens."""
        values = {"fingerprint": design.fingerprint, "json": design.canonical, "tokens": tokens}
        pk, slug, made = self.ask(OPEN % values)
        return pk, slug, made

    def wait_for_a_batch(self, survey: int) -> None:
        servers.wait(lambda: self.ask(SEALED % survey) > 0, "the first sealing", PATIENCE, pause=0.2)

    def stored_records_of(self, survey: int) -> Stored:
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
        def are_over() -> bool:
            return all(run.is_over for run in self.runs().values())

        servers.wait(are_over, "the end of all runs", PATIENCE, pause=0.2)
        return self.runs()


@contextmanager
def running_console(of: System) -> Iterator[Console]:
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
