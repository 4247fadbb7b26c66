"""How fast records are taken in, beside the barest Django view that makes and commits the same two inserts as ours.

`./run bench intake` sends records of forty questions from 50 connections (wrk) for a minute to two web processes,
while a worker seals beside them, in turns with the same to the barest view; then 200 records a second at fixed
times. On SQLite and on PostgreSQL, which waits for the disk as in production. Exit status 1 if a record was lost.
For less: `--seconds 10 --database sqlite`.
"""

import argparse
import asyncio
import json
import random
import secrets
import statistics
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.load import DATABASES, arrive, instance, quantiles, record, running, shell
from tests import servers

QUESTIONS, CONNECTIONS, WEB = 40, 50, 2
RATE, SLICE = 200, 5
Slice = dict[str, float]
HERE = Path(__file__).parent
STAGE = """
import json
from accounts.models import Person
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
from surveys.lifecycle import counts
from surveys.models import Survey
print(json.dumps(counts.for_survey(Survey.objects.get(pk=%d)).received))
"""
WARM = "from jobs.models import Worker; print(Worker.objects.filter(warm=True).count())"


@dataclass
class Stage:
    """A survey in a database of its own."""

    env: dict[str, str]
    survey: int
    slug: str
    design: str
    width: int

    def ask(self, code: str) -> int:
        return int(json.loads(shell(self.env, code)))


def staged(env: dict[str, str]) -> Stage:
    return Stage(env, *json.loads(shell(env, STAGE % QUESTIONS)))


def product(stage: Stage, port: int) -> list[str]:
    return [
        *[sys.executable, "-m", "config.start.supervisor", "serve", "--host", "127.0.0.1"],
        *["--port", str(port), "--web", str(WEB), "--workers", "1"],
    ]


def floor(stage: Stage, port: int) -> list[str]:
    stage.env["FLOOR_SURVEY"] = str(stage.survey)
    return [
        *[sys.executable, "-m", "config.web", "--application", "bench.floor"],
        *["--port", str(port), "--processes", str(WEB)],
    ]


def wrk(stage: Stage, port: int, seconds: int) -> Slice:
    address = f"http://127.0.0.1:{port}/a/{stage.slug}/record"
    words = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", str(HERE / "intake.lua"), address]
    done = subprocess.run(
        [*words, "--", stage.design, str(stage.width)], capture_output=True, text=True, check=True
    )
    result: Slice = json.loads(done.stdout.splitlines()[-1])
    return result


# --- arrivals at fixed times --------------------------------------------------------------------------


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def arrivals(stage: Stage, port: int, seconds: int) -> list[float]:
    """Seconds that each record took from the time it was due, whatever held it up."""
    free: asyncio.LifoQueue[Connection] = asyncio.LifoQueue()
    took: list[float] = []

    async def send(_number: int, due: float) -> None:
        answers = f"{random.getrandbits(stage.width):0{stage.width}b}"
        body = {"design": stage.design, "group": 1, "answers": answers}
        sent = record(
            stage.slug, json.dumps({"key": secrets.token_hex(16), "record": body}, separators=(",", ":"))
        )
        connection = None if free.empty() else free.get_nowait()
        while True:
            try:
                connection = connection or await asyncio.open_connection("127.0.0.1", port)
                status = await exchange(connection, sent)
                break
            except (OSError, asyncio.IncompleteReadError):
                # The server hangs up on whoever was silent for long; as a page does, the same is sent again.
                connection = None
                await asyncio.sleep(0.1)
        if status not in (200, 201):
            raise AssertionError(status)
        took.append(time.monotonic() - due)
        free.put_nowait(connection)

    await arrive((number / RATE for number in range(RATE * seconds)), send)
    return took


async def exchange(connection: Connection, bytes_: bytes) -> int:
    reader, writer = connection
    writer.write(bytes_)
    head = (await reader.readuntil(b"\r\n\r\n")).lower().split(b"\r\n")
    await reader.readexactly(next(int(line[15:]) for line in head if line.startswith(b"content-length:")))
    return int(head[0].split()[1])


# --- the table -----------------------------------------------------------------------------------------


def measure(name: str, seconds: int) -> int:
    """How many acknowledged records were lost."""
    with ExitStack() as stack:
        own = {"ALLOWED_HOSTS": "127.0.0.1", "HTTPS": "no", "RECORDS_PER_MINUTE": "1000000"}
        bare, ours = (staged(stack.enter_context(instance(name, own, durable=True))) for _place in range(2))
        ports = servers.free_port(), servers.free_port()
        stack.enter_context(running(floor(bare, ports[0]), bare.env, ports[0]))
        stack.enter_context(running(product(ours, ports[1]), ours.env, ports[1]))
        # A worker that loads its kernels takes a core for seconds.
        servers.wait(lambda: ours.ask(WARM) > 0, "the worker being ready", 120)
        # In turns, since the machine is not equally quiet all the time, and short ones, since it is chance how
        # 50 connections fall on two processes.
        turns = max(1, seconds // SLICE)
        slices: list[list[Slice]] = [[], []]
        acknowledged = [
            wrk(stage, port, 2)["stored"] for stage, port in zip((bare, ours), ports, strict=True)
        ][1]
        for _turn in range(turns):
            for result, stage, port in zip(slices, (bare, ours), ports, strict=True):
                result.append(wrk(stage, port, min(seconds, SLICE)))
        took = sorted(asyncio.run(arrivals(ours, ports[1], min(seconds, 30))))
        stored = ours.ask(COUNTS % ours.survey)
    acknowledged += sum(result["stored"] for result in slices[1]) + len(took)
    for what, result in zip(("barest view", "intake"), slices, strict=True):
        line(name, what, result)
    shares = [rate(mine) / rate(barest) for barest, mine in zip(*slices, strict=True)]
    row(name, f"intake, {RATE}/s", len(took) / min(seconds, 30), quantiles(took, 0.5, 0.95, 0.99))
    # What was stored while wrk hung up is stored without an acknowledgement that it counted.
    lost = max(0, int(acknowledged) - stored)
    spread = f"{min(shares):.2f} to {max(shares):.2f}"
    print(
        f"{name}: intake / barest view, median of {turns} turns = {statistics.median(shares):.2f} ({spread})"
    )
    print(f"{name}: acknowledged {acknowledged:.0f}, stored {stored}, lost {lost}\n", flush=True)
    return lost


def rate(*slices: Slice) -> float:
    return sum(s["stored"] for s in slices) / sum(s["seconds"] for s in slices)


def line(name: str, what: str, slices: list[Slice]) -> None:
    """One line of the table, over all turns."""
    row(name, what, rate(*slices), [sum(s[p] for s in slices) / len(slices) for p in ("p50", "p95", "p99")])
    for bad in ("otherwise", "errors"):
        if total := sum(s[bad] for s in slices):
            print(f"{'':<26} {bad}: {total:.0f}")


def row(name: str, what: str, rate: float, milliseconds: list[float]) -> None:
    print(f"{name:<11} {what:<14} {rate:>10.0f}", *(f"{number:>9.1f}" for number in milliseconds), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench intake", description=__doc__)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--database", choices=DATABASES, action="append")
    asked = parser.parse_args()
    print(f"{'database':<11} {'view':<14} {'records/s':>10} {'p50 ms':>9} {'p95 ms':>9} {'p99 ms':>9}")
    if sum([measure(name, asked.seconds) for name in asked.database or DATABASES]):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
