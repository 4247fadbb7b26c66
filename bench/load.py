"""What measurements under load share: instances in a folder of their own, requests, and people who come at fixed times.

Sets Django up: what the tests share of surveys needs models, which need settings.
"""

import asyncio
import json
import os
import secrets
import ssl
import subprocess
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress

import django

from privacy.designs import Design
from tests import servers

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

DATABASES = ["sqlite", "postgresql"]
HERE = "127.0.0.1"


@contextmanager
def instance(
    database: str = "sqlite", own: Mapping[str, str] | None = None, *, durable: bool = False
) -> Iterator[dict[str, str]]:
    """The environment of a new instance with its tables. `durable`: PostgreSQL waits for the disk, as where answers are
    kept and as the tests' server does not."""
    with ExitStack() as stack:
        var = stack.enter_context(tempfile.TemporaryDirectory(prefix="candor-bench-"))
        env = servers.environment(VAR=var, SECRET_KEY=secrets.token_hex(32), **(own or {}))
        if database == "postgresql":
            server = stack.enter_context(servers.postgres())
            if durable:
                server.stop("fast")
                words = f"-p {server.port} -k {server.home} -c listen_addresses={HERE}"
                server.run(
                    "pg_ctl", "-D", str(server.data), "-l", str(server.log), "-o", words, "-w", "start"
                )
            env["DATABASE_URL"] = server.create("bench")
        servers.manage(env, "migrate", "-v", "0")
        yield env


def shell(env: dict[str, str], code: str) -> str:
    """What the program prints inside of the instance."""
    return servers.manage(env, "shell", "-v", "0", "-c", code).strip()


def open_survey(env: dict[str, str], asks: Design) -> tuple[int, str]:
    """Opens one; its key and its slug."""
    from tests.intake.conftest import OPEN  # late for Django

    code = OPEN.format(fingerprint=asks.fingerprint, json=asks.canonical, tokens=0)
    survey, slug, _tokens = json.loads(shell(env, code))
    return survey, slug


@contextmanager
def running(words: list[str], env: dict[str, str], port: int) -> Iterator[None]:
    """A server, from when it listens on."""
    process = subprocess.Popen(
        words, cwd=servers.ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        servers.wait(lambda: servers.is_port_listening(port), "the server answering", 60)
        yield
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(30)
        process.kill()


def request(line: str, *headers: str, body: str = "", host: str = HERE) -> bytes:
    length = [f"Content-Length: {len(body)}"] if body else []
    return "\r\n".join([f"{line} HTTP/1.1", f"Host: {host}", *headers, *length, "", body]).encode()


def record(slug: str, body: str, *headers: str, host: str = HERE) -> bytes:
    """As a respondent's page sends it."""
    page = ("Content-Type: application/json", "Sec-Fetch-Site: same-origin")
    return request(f"POST /a/{slug}/record", *page, *headers, body=body, host=host)


async def answer(port: int, sent: bytes, address: str = HERE, *, tls: bool = False) -> bytes:
    """All that is answered on a connection of its own to a request that closes it."""
    anything = ssl._create_unverified_context() if tls else None
    reader, writer = await asyncio.open_connection(HERE, port, local_addr=(address, 0), ssl=anything)
    try:
        writer.write(sent)
        return await reader.read()
    finally:
        writer.close()


def status(answered: bytes) -> str:
    return answered[9:12].decode()


async def arrive(
    moments: Iterable[float], person: Callable[[int, float], Coroutine[None, None, None]]
) -> None:
    """Each comes so many seconds from now, whatever became of those before, and is told when they were due."""
    begin = time.monotonic()
    async with asyncio.TaskGroup() as people:
        for number, moment in enumerate(moments):
            await asyncio.sleep(begin + moment - time.monotonic())
            people.create_task(person(number, begin + moment))


def quantiles(took: Sequence[float], *parts: float) -> list[float]:
    """Milliseconds of sorted seconds."""
    return [1000 * took[int(len(took) * part)] for part in parts]
