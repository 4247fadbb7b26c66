"""How fast pages answer while slow senders hold connections.

`./run bench slow_senders` opens 500 connections to two web processes that send a byte a second, a third of them in the
headers, a third in the body of a record, a third reading a long answer as slowly; whoever is hung up on comes back.
Meanwhile pages are asked for at fixed times. Exit status 1 if their 95th percentile is not below 250 ms. For less:
`--seconds 5 --slow 100`.
"""

import argparse
import asyncio
import multiprocessing
import secrets
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from tests import servers

RATE, GIVE_UP, GOAL = 20, 15.0, 0.25
"""Pages a second; seconds after which a reader gives up, which count as so long; seconds wanted of the p95."""

PAGES = ["/", "/account/sign-in", "/limits", "/a/{slug}"]
HEAD = "POST /a/{slug}/record HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
STAGE = """
import json
from django.templatetags.static import static
from accounts.models import Person
from privacy.designs import parse
from surveys.models import Design, Survey
design = parse(json.dumps({"format": "candor-design/1", "sections": [{"kind": "unrelated-question", "keep": "0.5",
    "questions": [{"name": "theft", "choices": ["no", "yes"]}]}]}))
owner = Person.objects.create(username="owner")
row = Design.objects.create(fingerprint=design.fingerprint, json=design.canonical)
print(Survey.objects.create(owner=owner, design=row, state="open").slug, static("admin/js/vendor/jquery/jquery.js"))
"""


# --- slow senders, in a process of their own ------------------------------------------------------------


def dribble(port: int, slug: str, long: str, number: int) -> None:
    asyncio.run(_dribble(port, slug, long, number))


async def _dribble(port: int, slug: str, long: str, number: int) -> None:
    await asyncio.gather(*(_slow(port, slug, long, index % 3) for index in range(number)))


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
    """One page on a connection and from an address of its own."""
    with suppress(OSError, TimeoutError, asyncio.IncompleteReadError):
        async with asyncio.timeout(GIVE_UP):
            own = f"127.0.{2 + secrets.randbelow(250)}.{1 + secrets.randbelow(250)}"
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(own, 0))
            writer.write(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            status = await reader.readuntil(b"\r\n")
            await reader.read()
            writer.close()
            if b" 200 " in status:
                took.append(time.monotonic() - began)
                return
    took.append(GIVE_UP)


async def pages(port: int, paths: Sequence[str], seconds: float) -> list[float]:
    """Seconds that each page took from the time it was due."""
    took: list[float] = []
    begin = time.monotonic()
    async with asyncio.TaskGroup() as tasks:
        for number in range(int(RATE * seconds)):
            due = begin + number / RATE
            await asyncio.sleep(due - time.monotonic())
            tasks.create_task(ask(port, paths[number % len(paths)], took, due))
    return sorted(took)


@contextmanager
def serving(env: dict[str, str], *, two_ports: bool = False) -> Iterator[tuple[int, int]]:
    """Two web processes for each port: that of staff, and that of respondents, which may be the same."""
    port = servers.free_port()
    respondents_port = servers.free_port() if two_ports else port
    words = [*servers.web(), "--port", str(port), "--processes", "2"]
    words += ["--respondents-port", str(respondents_port)] if two_ports else []
    process = subprocess.Popen(
        words, cwd=servers.ROOT, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        servers.wait(lambda: servers.listening(respondents_port), "the server answering", 60)
        yield port, respondents_port
    finally:
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(30)
        process.kill()


def line(name: str, took: Sequence[float]) -> str:
    p50, p95 = (took[int(len(took) * part)] * 1000 for part in (0.5, 0.95))
    lost = sum(seconds >= GIVE_UP for seconds in took)
    return f"| {name} | {p50:.0f} | {p95:.0f} | {lost} of {len(took)} |"


HEADER = "| pages while | p50 ms | p95 ms | no answer |\n| -- | --: | --: | --: |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench slow_senders", description=__doc__)
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--slow", type=int, default=500)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="candor-bench-") as var:
        env = servers.environment(VAR=var, SECRET_KEY=secrets.token_hex(32), PRODUCTION="no")
        servers.manage(env, "migrate", "-v", "0")
        servers.manage(env, "collectstatic", "-v", "0", "--no-input")
        slug, long = servers.manage(env, "shell", "-v", "0", "-c", STAGE).split()
        paths = [page.format(slug=slug) for page in PAGES]
        with serving(env) as (port, _respondents_port):
            asyncio.run(pages(port, paths, 2))
            print(HEADER)
            print(line("nobody else is there", asyncio.run(pages(port, paths, args.seconds))), flush=True)
            slow = multiprocessing.Process(target=dribble, args=(port, slug, long, args.slow), daemon=True)
            slow.start()
            try:
                time.sleep(3)
                took = asyncio.run(pages(port, paths, args.seconds))
            finally:
                slow.kill()
                slow.join()
            print(line(f"{args.slow} send or read a byte a second", took))
    if took[int(len(took) * 0.95)] >= GOAL:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
