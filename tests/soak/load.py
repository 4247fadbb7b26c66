"""The load of a soak: respondents, some of whom send twice, hang up, or use one invitation for two records.

Each goes on until the product has said what became of the record, as a respondent's page does.
"""

import asyncio
import secrets
from collections import Counter
from dataclasses import dataclass, field
from random import Random
from threading import Event, Thread

from privacy.designs import Design
from privacy.records import Envelope
from tests.intake import asked
from tests.soak.system import PATIENCE

LONGEST_PAUSE = 2.0
AT_ONCE = 60
"""Respondents under way; nobody new comes while so many wait."""

ACKNOWLEDGED = (200, 201)
REFUSED = 403
"""What the second record of one invitation gets."""

FOR_NOW = (429, 500, 502, 503)
BROKEN = 0
"""In the place of a status: the connection broke, or nobody answered in time."""

DOUBLE = "one invitation for two records"
HALF, UNREAD = "hung up half-way, then sent again", "hung up before the answer, then sent again"
WAYS = {"sent once": 70, "sent twice at once": 10, HALF: 8, UNREAD: 7, DOUBLE: 5}
"""In percent."""


@dataclass
class Told:
    """What respondents were told. Records are known by the numbers that they carry.

    `acknowledged`: records of the open survey; `invited`: by invitation, those of the other survey; `unsure`: records
    whose respondents gave up; `strange`: statuses that no respondent's page knows.
    """

    acknowledged: set[int] = field(default_factory=set)
    invited: dict[str, list[int]] = field(default_factory=dict)
    unsure: int = 0
    ways: Counter[str] = field(default_factory=Counter)
    statuses: Counter[int] = field(default_factory=Counter)
    strange: list[int] = field(default_factory=list)


class Load(Thread):
    """`rate`: respondents a second; `slug` and `invited` are the addresses of two surveys with one design."""

    def __init__(
        self, port: int, design: Design, slug: str, invited: tuple[str, list[str]], seed: int, rate: float
    ) -> None:
        super().__init__(name="load", daemon=True)
        self.port, self.design, self.slug = port, design, slug
        self.invited, self.tokens = invited[0], list(invited[1])
        self.rate, self.random, self.told = rate, Random(seed), Told()
        self.enough = Event()
        self._numbers = 0
        self._under_way: set[asyncio.Task[None]] = set()

    def stop(self) -> None:
        """Nobody new comes; those under way stay until they know what became of their record."""
        self.enough.set()
        self.join()

    def run(self) -> None:
        asyncio.run(self._come())

    async def _come(self) -> None:
        while not self.enough.is_set():
            if len(self._under_way) < AT_ONCE:
                task = asyncio.create_task(self._respond())
                self._under_way.add(task)
                task.add_done_callback(self._under_way.discard)
            await asyncio.sleep(self.random.expovariate(self.rate))
        if self._under_way:
            _done, unsure = await asyncio.wait(self._under_way, timeout=PATIENCE)
            self.told.unsure = len(unsure)

    def _envelope(self, token: str | None = None) -> tuple[int, Envelope]:
        self._numbers += 1
        record = asked.numbered(self.design, self._numbers)
        return self._numbers, Envelope(secrets.token_hex(16), record, token)

    async def _respond(self) -> None:
        way = self.random.choices(list(WAYS), list(WAYS.values()))[0]
        if way == DOUBLE and not self.tokens:
            way = "sent once"
        self.told.ways[way] += 1
        if way == DOUBLE:
            await self._spend_twice(self.tokens.pop())
            return
        number, envelope = self._envelope()
        if way in (HALF, UNREAD):
            await self._post(self.slug, envelope, hang_up=way)
        times = 2 if way == "sent twice at once" else 1
        statuses = await asyncio.gather(*(self._insist(self.slug, envelope) for _time in range(times)))
        if any(status in ACKNOWLEDGED for status in statuses):
            self.told.acknowledged.add(number)

    async def _spend_twice(self, token: str) -> None:
        pairs = [self._envelope(token) for _ in range(2)]
        statuses = await asyncio.gather(
            *(self._insist(self.invited, envelope) for _number, envelope in pairs)
        )
        self.told.invited[token] = [
            number
            for (number, _envelope), status in zip(pairs, statuses, strict=True)
            if status in ACKNOWLEDGED
        ]

    async def _insist(self, slug: str, envelope: Envelope) -> int:
        """The same bytes again and again, until a status says what became of them for good."""
        pause = 0.1
        while True:
            status = await self._post(slug, envelope)
            self.told.statuses[status] += 1
            # Only an invitation can be refused for good.
            if status in ACKNOWLEDGED or (status == REFUSED and envelope.token):
                return status
            if status != BROKEN and status not in FOR_NOW:
                self.told.strange.append(status)
                return status
            await asyncio.sleep(pause * self.random.uniform(0.5, 1))
            pause = min(2 * pause, LONGEST_PAUSE)

    async def _post(self, slug: str, envelope: Envelope, hang_up: str = "") -> int:
        try:
            async with asyncio.timeout(15):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                try:
                    return await self._status(reader, writer, self._request(slug, envelope), hang_up)
                finally:
                    writer.close()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, IndexError, ValueError):
            return BROKEN

    def _request(self, slug: str, envelope: Envelope) -> bytes:
        return (
            f"POST /a/{slug}/record HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n"
            "Content-Type: application/json\r\nSec-Fetch-Site: same-origin\r\n"
            f"Content-Length: {len(envelope.json)}\r\n\r\n{envelope.json}"
        ).encode()

    async def _status(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes, hang_up: str
    ) -> int:
        writer.write(request[: len(request) // 2] if hang_up == HALF else request)
        await writer.drain()
        if hang_up:
            return BROKEN
        status = int((await reader.readuntil(b"\r\n")).split()[1])
        await reader.read()
        return status
