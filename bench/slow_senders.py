"""How fast pages answer while slow senders hold connections: with gunicorn's own threads, and behind our front.

`./run bench slow_senders` opens 500 connections to two web processes that send a byte a second, a third of them in the
headers, a third in the body of a record, a third reading a long answer as slowly; whoever is hung up on comes back.
Meanwhile pages are asked for at fixed times. Exit status 1 if the 95th percentile behind the front is not below
500 ms. For less: `--seconds 5 --slow 100`.
"""

import argparse
import asyncio
import multiprocessing
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests import servers

RATE, GIVE_UP, GOAL = 20, 15.0, 0.5
"""Pages a second; seconds after which a reader gives up, which count as so long; seconds wanted of the p95."""

PAGES = ["/", "/account/sign-in", "/limits", "/a/{slug}"]
WORKERS = {"gunicorn's threads": "gthread", "behind the front": "config.front.worker.WholeRequests"}
HEAD = "POST /a/{slug}/record HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
STAGE = """
import json
from django.templatetags.static import static
from people.models import Person
from privacy.designs import parse
from surveys.models import Design, Survey
design = parse(json.dumps({"format": "candor-design/1", "sections": [{"kind": "unrelated-question", "keep": "0.5",
    "questions": [{"name": "theft", "choices": ["no", "yes"]}]}]}))
owner = Person.objects.create(username="owner")
row = Design.objects.create(fingerprint=design.fingerprint, json=design.canonical)
print(Survey.objects.create(owner=owner, design=row, state="open").slug, static("vendor/vega.min.js"))
"""


# --- slow senders, in a process of their own ------------------------------------------------------------


def dribble(port: int, slug: str, long: str, number: int) -> None:
    asyncio.run(_dribble(port, slug, long, number))


async def _dribble(port: int, slug: str, long: str, number: int) -> None:
    await asyncio.gather(*(_slow(port, slug, long, place % 3) for place in range(number)))


async def _slow(port: int, slug: str, long: str, kind: int) -> None:
    head = HEAD.format(slug=slug)
    while True:
        with suppress(OSError):
            # A reader takes so little at once that the answer stays where it is.
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1)
            if kind == 0:
                writer.write(head.encode())
                await _a_byte_a_second(writer, "X-Slow: " + "x" * 10_000)
            elif kind == 1:
                writer.write(f"{head}Content-Length: 400\r\n\r\n".encode())
                await _a_byte_a_second(writer, "{" + " " * 398)
            else:
                writer.write(f"GET {long} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() * 8)
                while await reader.read(1):
                    await asyncio.sleep(1)
            writer.close()
        await asyncio.sleep(0.2)


async def _a_byte_a_second(writer: asyncio.StreamWriter, text: str) -> None:
    for byte in text.encode():
        if writer.is_closing():
            return
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(1)


# --- everybody else ----------------------------------------------------------------------------------------


async def ask(port: int, path: str, took: list[float], began: float) -> None:
    """One page on a connection of its own."""
    with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
        async with asyncio.timeout(GIVE_UP):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            status = await reader.readuntil(b"\r\n")
            await reader.read()
            writer.close()
            if b" 200 " in status:
                took.append(time.monotonic() - began)
                return
    took.append(GIVE_UP)


async def pages(port: int, slug: str, seconds: int) -> list[float]:
    """Seconds that each page took from the time it was due."""
    took: list[float] = []
    begin = time.monotonic()
    async with asyncio.TaskGroup() as tasks:
        for number in range(RATE * seconds):
            due = begin + number / RATE
            await asyncio.sleep(due - time.monotonic())
            path = PAGES[number % len(PAGES)].format(slug=slug)
            tasks.create_task(ask(port, path, took, due))
    return sorted(took)


@contextmanager
def serving(env: dict[str, str], worker: str) -> Iterator[int]:
    port = servers.free_port()
    words = [sys.executable, "-m", "gunicorn", "config.wsgi", "--config", "config/gunicorn.py"]
    words += ["--bind", f"127.0.0.1:{port}", "--workers", "2", "--worker-class", worker]
    process = subprocess.Popen(
        words, cwd=servers.ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        servers.wait(lambda: servers.listening(port), "the server answering", 60)
        yield port
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(30)
        process.kill()


def measure(env: dict[str, str], slug: str, long: str, name: str, slow: int, seconds: int) -> float:
    """The p95 of the pages; prints a line without slow senders and one with them."""
    with serving(env, WORKERS[name]) as port:
        asyncio.run(pages(port, slug, 2))
        found = [asyncio.run(pages(port, slug, seconds))]
        others = multiprocessing.Process(target=dribble, args=(port, slug, long, slow), daemon=True)
        others.start()
        try:
            time.sleep(3)
            found.append(asyncio.run(pages(port, slug, seconds)))
        finally:
            others.kill()
            others.join()
    for senders, took in zip((0, slow), found, strict=True):
        p50, p95 = (took[int(len(took) * part)] for part in (0.5, 0.95))
        lost = sum(one >= GIVE_UP for one in took)
        print(
            f"{name:<20} {senders:>12} {p50 * 1000:>9.0f} {p95 * 1000:>9.0f} {lost:>9} of {len(took)}",
            flush=True,
        )
    return found[1][int(len(found[1]) * 0.95)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench slow_senders", description=__doc__)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--slow", type=int, default=500)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="candor-bench-") as var:
        env = servers.environment(VAR=var, SECRET_KEY=secrets.token_hex(32), PRODUCTION="no")
        servers.manage(env, "migrate", "-v", "0")
        servers.manage(env, "collectstatic", "-v", "0", "--no-input")
        slug, long = servers.manage(env, "shell", "-v", "0", "-c", STAGE).split()
        print(f"{'':<20} {'slow senders':>12} {'p50 ms':>9} {'p95 ms':>9} {'no answer':>9}")
        p95 = [measure(env, slug, long, name, asked.slow, asked.seconds) for name in WORKERS]
    if p95[-1] >= GOAL:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
