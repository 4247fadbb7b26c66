"""How fast records are taken in, beside the barest Django view that makes the same two inserts.

`./run bench intake` sends records of forty questions from 50 connections (wrk) for a minute to two web processes,
while a worker seals beside them, then 200 records a second at fixed times; on SQLite and on PostgreSQL, which
writes through to the disk as in production. `--seconds 10 --database sqlite` for less.
"""

import argparse
import asyncio
import json
import random
import secrets
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from tests import servers

QUESTIONS, CONNECTIONS, WEB = 40, 50, 2
RATE = 200
HERE = Path(__file__).parent
STAGE = """
import json
from people.models import Person
from privacy.designs import parse
from surveys.models import Design, Survey
questions = [{"name": f"q{i}", "choices": ["no", "yes"]} for i in range(%d)]
section = {"kind": "unrelated-question", "keep": "0.5", "questions": questions}
design = parse(json.dumps({"format": "candor-design/1", "sections": [section]}))
owner, _ = Person.objects.get_or_create(username="owner")
row, _ = Design.objects.get_or_create(fingerprint=design.fingerprint, defaults={"json": design.canonical})
survey = Survey.objects.create(owner=owner, design=row, state="open")
print(json.dumps([survey.pk, survey.slug, design.fingerprint, design.width]))
"""
COUNTS = """
import json
from surveys import counts
from surveys.models import Survey
print(json.dumps(counts.of(Survey.objects.get(pk=%d)).received))
"""


@dataclass
class Stage:
    """A survey in a database of its own."""

    env: dict[str, str]
    survey: int
    slug: str
    design: str
    width: int

    def stored(self) -> int:
        return int(json.loads(servers.manage(self.env, "shell", "-v", "0", "-c", COUNTS % self.survey)))


def staged(env: dict[str, str]) -> Stage:
    servers.manage(env, "migrate", "-v", "0")
    return Stage(env, *json.loads(servers.manage(env, "shell", "-v", "0", "-c", STAGE % QUESTIONS)))


@contextmanager
def database(name: str) -> Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory(prefix="candor-bench-") as var:
        env = servers.environment(
            VAR=var, SECRET_KEY=secrets.token_hex(32), ALLOWED_HOSTS="127.0.0.1", HTTPS="no"
        )
        if name == "sqlite":
            yield env
            return
        with servers.postgres() as server:
            # The tests' server does not wait for the disk; one that keeps answers does.
            server.stop("fast")
            words = f"-p {server.port} -k {server.home} -c listen_addresses=127.0.0.1"
            server.run("pg_ctl", "-D", str(server.data), "-l", str(server.log), "-o", words, "-w", "start")
            yield env | {"DATABASE_URL": server.create("bench")}


@contextmanager
def running(words: list[str], env: dict[str, str], port: int) -> Iterator[None]:
    process = subprocess.Popen(
        words, cwd=servers.ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        servers.wait(lambda: servers.listening(port), "the server answering", 60)
        yield
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(30)
        process.kill()


def product(stage: Stage, port: int) -> list[str]:
    return [
        *[sys.executable, "-m", "config.supervisor", "serve", "--host", "127.0.0.1"],
        *["--port", str(port), "--web", str(WEB), "--workers", "1"],
    ]


def floor(stage: Stage, port: int) -> list[str]:
    stage.env["FLOOR_SURVEY"] = str(stage.survey)
    return [
        *[sys.executable, "-m", "gunicorn", "bench.floor", "--config", "config/gunicorn.py"],
        *["--bind", f"127.0.0.1:{port}", "--workers", str(WEB)],
    ]


def wrk(stage: Stage, port: int, seconds: int) -> dict[str, float]:
    address = f"http://127.0.0.1:{port}/a/{stage.slug}/record"
    words = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", str(HERE / "intake.lua"), address]
    done = subprocess.run(
        [*words, "--", stage.design, str(stage.width)], capture_output=True, text=True, check=True
    )
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


# --- arrivals at fixed times --------------------------------------------------------------------------


async def arrivals(stage: Stage, port: int, seconds: int) -> list[float]:
    loop = asyncio.get_running_loop()
    free: asyncio.LifoQueue[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = asyncio.LifoQueue()
    took: list[float] = []

    async def send(at: float) -> None:
        if free.empty():
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
        else:
            reader, writer = free.get_nowait()
        writer.write(request(stage))
        head = await reader.readuntil(b"\r\n\r\n")
        length = next(
            int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")
        )
        await reader.readexactly(length)
        if head.split()[1] != b"201":
            raise AssertionError(head)
        took.append(loop.time() - at)
        free.put_nowait((reader, writer))

    begin = loop.time() + 0.1
    async with asyncio.TaskGroup() as tasks:
        for number in range(RATE * seconds):
            at = begin + number / RATE
            await asyncio.sleep(at - loop.time())
            tasks.create_task(send(at))
    return took


def request(stage: Stage) -> bytes:
    answers = f"{random.getrandbits(stage.width):0{stage.width}b}"
    body = (
        f'{{"key":"{secrets.token_hex(16)}","record":'
        f'{{"design":"{stage.design}","group":1,"answers":"{answers}"}}}}'
    )
    return (
        f"POST /a/{stage.slug}/record HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Sec-Fetch-Site: same-origin\r\nContent-Length: {len(body)}\r\n\r\n{body}"
    ).encode()


# --- the table -----------------------------------------------------------------------------------------


def measure(name: str, seconds: int) -> None:
    with database(name) as env:
        stage, port = staged(env), servers.free_port()
        with running(floor(stage, port), stage.env, port):
            wrk(stage, port, 2)
            bare = wrk(stage, port, seconds)
    with database(name) as env:
        stage, port = staged(env), servers.free_port()
        with running(product(stage, port), stage.env, port):
            warm = wrk(stage, port, 2)
            ours = wrk(stage, port, seconds)
            took = sorted(asyncio.run(arrivals(stage, port, min(seconds, 30))))
        stored = stage.stored()
    acknowledged = int(warm["stored"] + ours["stored"]) + len(took)
    line(name, "barest view", bare)
    line(name, "intake", ours)
    share = (ours["stored"] / ours["seconds"]) / (bare["stored"] / bare["seconds"])
    p50, p95, p99 = (1000 * took[int(len(took) * part)] for part in (0.5, 0.95, 0.99))
    print(f"{name:<11} {'intake, 200/s':<14} {'':>10} {p50:>9.1f} {p95:>9.1f} {p99:>9.1f}")
    # What was stored while wrk hung up is stored without an acknowledgement that it counted.
    lost = max(0, acknowledged - stored)
    print(
        f"{name:<11} intake / barest view = {share:.2f}; acknowledged {acknowledged}, stored {stored}, lost {lost}\n",
        flush=True,
    )


def line(name: str, what: str, found: dict[str, float]) -> None:
    rate = found["stored"] / found["seconds"]
    bad = (
        f"  {found['otherwise']:.0f} refused, {found['errors']:.0f} errors"
        if found["otherwise"] + found["errors"]
        else ""
    )
    print(
        f"{name:<11} {what:<14} {rate:>10.0f} {found['p50']:>9.1f} {found['p95']:>9.1f} {found['p99']:>9.1f}{bad}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench intake", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], action="append")
    asked = parser.parse_args()
    print(f"{'database':<11} {'view':<14} {'records/s':>10} {'p50 ms':>9} {'p95 ms':>9} {'p99 ms':>9}")
    for name in asked.database or ["sqlite", "postgresql"]:
        measure(name, asked.seconds)


if __name__ == "__main__":
    main()
