"""A push: 20,000 people come within three minutes. How many are asked to wait, how long, and how many give up?

`./run bench push` starts the product as `./run serve` does, with two web processes, and sends what respondents' pages
send: whoever is asked to wait comes back when told to, and gives up two minutes after the first try. Before that it
measures the same rate of arrivals for twenty seconds without a limit: the table says how much more processor time a
person costs with it. It stops by itself within five minutes; exit status 1 if anybody was lost. To see a limit that is
too low: `--limit 600`. For less: `--people 2000 --seconds 18`. `--stack production` takes PostgreSQL and Redis. People
have 300 addresses; `--nginx` puts nginx with the lines of `deploy/` in front.
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from bench.load import answer, arrive, quantiles, record, status  # it sets Django up
from config import settings
from privacy.records import Envelope
from tests import servers
from tests.intake import asked
from tests.soak import system

ASKS = asked.design(least=100, digits=40)
BOUND = 300.0
"""Seconds after which everything stops; whoever waits then is lost."""

UNLIMITED, CALM = 1_000_000, 20.0
"""Records a minute that no limit refuses, and seconds for which they are measured."""

ADDRESSES = [f"127.0.{4 + number // 250}.{1 + number % 250}" for number in range(300)]
"""From which people come, where nginx counts by address."""

FIRST_PAUSE, LONGEST_PAUSE, LONGEST_WAIT = 1.0, 30.0, 120.0
"""Seconds: as `intake/static/intake/sending.js` has them."""


@dataclass
class Push:
    """`people` come at random moments of `seconds`; each gives up `patience` seconds after the first try, and all at
    `end`, a moment of `time.monotonic`. What became of them: the waits of those who were stored, and counts."""

    port: int
    slug: str
    people: int
    seconds: float
    patience: float
    end: float
    addresses: Sequence[str] = ("127.0.0.1",)
    waits: list[float] = field(default_factory=list)
    asked_to_wait: int = 0
    requests: int = 0
    broken: int = 0

    @property
    def lost(self) -> int:
        return self.people - len(self.waits)

    async def send(self, seed: int = 1) -> None:
        random = Random(seed)
        moments = sorted(random.uniform(0, self.seconds) for _person in range(self.people))
        await arrive(moments, lambda number, _due: self._person(number, Random(seed + number)))

    async def _person(self, number: int, random: Random) -> None:
        came, address = time.monotonic(), self.addresses[number % len(self.addresses)]
        leaves = min(came + self.patience, self.end)
        envelope = asked.send_as_page(asked.number_record(ASKS, number))
        pause, again = FIRST_PAUSE, False
        while time.monotonic() < leaves:
            code, retry_after = await self._post(envelope, again, address)
            if code in ("200", "201"):
                self.waits.append(time.monotonic() - came)
                return
            self.broken += not code
            if code == "503" and not again:
                self.asked_to_wait, again = self.asked_to_wait + 1, True
            await asyncio.sleep(max(pause * random.uniform(0.9, 1), min(retry_after, LONGEST_WAIT)))
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _post(self, envelope: Envelope, again: bool, address: str) -> tuple[str, float]:
        """The status, empty where the connection broke, and the seconds of Retry-After."""
        self.requests += 1
        again_or_not = "Candor-Again: 1" if again else "Accept: */*"
        with suppress(OSError, TimeoutError, ValueError):
            async with asyncio.timeout(20):
                sent = record(self.slug, envelope.json, "Connection: close", again_or_not)
                answered = await answer(self.port, sent, address)
                head = answered.partition(b"\r\n\r\n")[0].decode().lower().splitlines()
                fields = dict(line.split(": ", 1) for line in head[1:])
                return status(answered), float(fields.get("retry-after", 0))
        return "", 0.0


def processor_seconds(running: system.System) -> float:
    """Of all processes of the product, those that have ended included."""
    ticks = 0
    for pid in servers.family(running.supervisor):
        with suppress(OSError):
            ticks += sum(map(int, Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def measure(
    args: argparse.Namespace, limit: int, people: int, seconds: float, end: float
) -> tuple[Push, float]:
    """The push to the product with this limit, and its processor time per person."""
    with ExitStack() as stack:
        constants = {"RECORDS_PER_MINUTE": str(limit), "TICK_SECONDS": "10"}
        running = stack.enter_context(system.running(args.stack, behind_nginx=args.nginx, **constants))
        console = stack.enter_context(system.running_console(running))
        running.wait_until_healthy()
        slug = console.open_survey(ASKS)[1]
        push = Push(running.front, slug, people, seconds, args.patience, end, ADDRESSES)
        before = processor_seconds(running)
        asyncio.run(push.send())
        return push, (processor_seconds(running) - before) / people


def table(push: Push, limit: int, ratio: float) -> Iterator[tuple[str, str]]:
    yield "people who came", f"{push.people:,} within {push.seconds:g} s"
    yield "records a minute", f"{limit:,}"
    yield "asked to wait", f"{push.asked_to_wait:,}"
    yield "lost", f"{push.lost:,}"
    waits = quantiles(sorted(push.waits) or [0.0], 0.5, 0.95, 0.99)
    yield "ms until stored, p50, p95 and p99", ", ".join(f"{wait:.1f}" for wait in waits)
    yield "longest wait of those who were stored", f"{max(push.waits, default=0):.1f} s"
    yield "requests, and of these broken", f"{push.requests:,}, {push.broken:,}"
    yield "processor time per person, with the limit : without", f"{ratio:.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench push", description=__doc__)
    parser.add_argument("--people", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=180, help="in which all of them come (default 180)")
    parser.add_argument("--patience", type=float, default=120, help="seconds (default 120)")
    parser.add_argument("--limit", type=int, default=settings.RECORDS_PER_MINUTE, help="records a minute")
    parser.add_argument("--stack", choices=list(system.STACKS), default="embedded")
    parser.add_argument("--nginx", action="store_true", help="behind nginx")
    args = parser.parse_args()
    end = time.monotonic() + BOUND
    calm = min(CALM, args.seconds)
    people = max(1, round(args.people * calm / args.seconds))
    _push, unlimited = measure(args, UNLIMITED, people, calm, end)
    push, limited = measure(args, args.limit, args.people, args.seconds, end)
    for label, value in table(push, args.limit, limited / unlimited):
        print(f"{label:<52} {value}")
    sys.exit(push.lost > 0)


if __name__ == "__main__":
    main()
