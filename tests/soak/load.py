"""The load of a soak, what must be true after it, and what grows while records come in without any fault."""

import asyncio
import email
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event, Thread

from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind, hash_with_secret
from privacy.designs import Design
from privacy.records import Envelope
from tests.intake import asked
from tests.soak.system import OVER, PATIENCE, Console, Stored, System, running, running_console

ASKS = asked.design(least=20, digits=7)
LONGEST_PAUSE = 2.0
AT_ONCE = 60
"""Respondents under way; nobody new comes while so many wait."""
ACKNOWLEDGED = (200, 201)
REFUSED = 403
"""What the second record of one invitation gets."""
FOR_NOW = (429, 503)
"""What is told to come again; any other error is wrong, also while a fault lasts."""
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


def some_address(random: Random) -> str:
    """Of somebody who comes: nginx counts by address."""
    return f"127.0.{random.randrange(1, 255)}.{random.randrange(1, 255)}"


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
        asyncio.run(self._start_respondents())

    async def _start_respondents(self) -> None:
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
        record = asked.number_record(self.design, self._numbers)
        return self._numbers, asked.send_as_page(record, token=token)

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
        statuses = await asyncio.gather(
            *(self._send_until_answered(self.slug, envelope) for _time in range(times))
        )
        if any(status in ACKNOWLEDGED for status in statuses):
            self.told.acknowledged.add(number)

    async def _spend_twice(self, token: str) -> None:
        pairs = [self._envelope(token) for _ in range(2)]
        statuses = await asyncio.gather(
            *(self._send_until_answered(self.invited, envelope) for _n, envelope in pairs)
        )
        self.told.invited[token] = [
            number
            for (number, _envelope), status in zip(pairs, statuses, strict=True)
            if status in ACKNOWLEDGED
        ]

    async def _send_until_answered(self, slug: str, envelope: Envelope) -> int:
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
                here = (some_address(self.random), 0)
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=here)
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


# --- What must be true after a soak, counted from what the database holds and what respondents

GROWTH, SLACK = 1.25, 32
"""Factor and MB by which the largest process of a kind may exceed, in the last third of a soak, that of the second."""
LOADED = 320
"""MB that a process holds at most once it has loaded all libraries; one that was killed loads them again."""
RUNS_AT_ONCE = 10
"""Runs that are repeated at the same time."""
SEPARATOR = "-" * 79 + "\n"
"""Between the e-mails of one file."""


@dataclass(frozen=True)
class Check:
    what: str
    expected: str
    observed: str
    holds: bool


def check_none(what: str, wrong: Sequence[object], of: str = "") -> Check:
    """That there are none of these; where there are, the first few are named."""
    named = f": {', '.join(map(str, wrong[:5]))}" if wrong else ""
    return Check(what, "0", f"{len(wrong):,}{of}{named}", not wrong)


def record_checks(told: Told, least: int, stored: Stored) -> Iterator[Check]:
    """Of the open survey."""
    times = Counter(int(text, 8) for text in stored.all_records)
    repeated = sum(n for status, n in told.statuses.items() if status not in (*ACKNOWLEDGED, REFUSED))
    yield Check("respondents", "", counts_as_text(told.ways), bool(told.acknowledged))
    yield Check("requests that broke or were refused for now, and were sent again", "", f"{repeated:,}", True)
    yield check_none("respondents who were never told what became of their record", ["?"] * told.unsure)
    yield check_none("statuses that no respondent's page knows", told.strange)
    lost = sorted(told.acknowledged - set(times))
    yield check_none("acknowledged records that are not stored", lost, f" of {len(told.acknowledged):,}")
    yield check_none("records stored more than once", [number for number, n in times.items() if n > 1])
    yield check_none("records stored and never acknowledged", sorted(set(times) - told.acknowledged))
    yield check_none(
        "submission keys without a record, or the reverse", keys_without_record(len(stored.keys), len(times))
    )
    small = [len(batch) for batch in stored.sealed if len(batch) < least]
    yield check_none("sealed batches smaller than the least", small, f" of {len(stored.sealed):,}")


def keys_without_record(keys: int, records: int) -> list[str]:
    return [] if keys == records else [f"{keys:,} keys, {records:,} records"]


def invitation_checks(told: Told, tokens: Sequence[str], stored: Stored) -> Iterator[Check]:
    """Of the survey by invitation: each invitation that was used was sent with two records at once."""
    times = Counter(int(text, 8) for text in stored.all_records)
    bad = [token for token, numbers in told.invited.items() if [times[n] for n in numbers] != [1]]
    yield check_none(
        "invitations that did not take exactly one of two records", bad, f" of {len(told.invited):,}"
    )
    acknowledged = {number for numbers in told.invited.values() for number in numbers}
    yield check_none(
        "records of invitations stored and never acknowledged", sorted(set(times) - acknowledged)
    )
    secret, every = bytes.fromhex(stored.secret), (*tokens, *told.invited)
    hashes = {token: hash_with_secret(secret, HashedTextKind.LINK, token).hex() for token in every}
    unused = {hashes[token] for token in tokens} - {hashes[token] for token in told.invited}
    yield check_none(
        "invitations spent without being used, or the reverse", sorted(unused ^ set(stored.unspent))
    )


def run_checks(console: Console, started: int) -> Iterator[Check]:
    """Every run is done, or failed with a reason, and gives the same digits whenever it is started again."""
    runs = console.wait_for_runs()
    done = [run for run in runs.values() if run.state == "done" and run.digest]
    failed = [run for run in runs.values() if run.state == "failed" and run.problem]
    reasons = f": {counts_as_text(Counter(run.problem for run in failed))}" if failed else ""
    yield Check(
        "mining runs",
        "each done, or failed with a reason",
        f"{len(runs)}: {len(done)} done, {len(failed)} failed{reasons}",
        0 < started <= len(runs) == len(done) + len(failed) and bool(done),
    )
    # A run that failed has no digits yet: its first repetition gives them.
    keys = [run.key for run in done] + repeat_runs(console, [run.key for run in failed])
    again = repeat_runs(console, keys)
    digests = {run.key: run.digest for run in console.runs().values()}
    pairs = zip(keys, again, strict=True)
    differing = [key for key, other in pairs if not digests[key] or digests[key] != digests[other]]
    yield check_none(
        "runs that gave other digits, or none, when started again", differing, f" of {len(keys)}"
    )


def repeat_runs(console: Console, keys: Sequence[int]) -> list[int]:
    """The runs that repeat these, over; some at once, so that waiting for them is bounded."""
    again: list[int] = []
    for begin in range(0, len(keys), RUNS_AT_ONCE):
        again += [console.repeat(key) for key in keys[begin : begin + RUNS_AT_ONCE]]
        console.wait_for_runs()
    return again


def letter_checks(folder: Path) -> Iterator[Check]:
    """Each says who is told of what; the link in it is that of one report."""
    texts = [text for file in sorted(folder.iterdir()) for text in file.read_text().split(SEPARATOR)]
    letters = [email.message_from_string(text) for text in texts if text.strip()]
    sent = Counter((letter["To"], letter["Subject"], str(letter.get_payload())) for letter in letters)
    twice = [f"{subject} to {to}" for (to, subject, _text), n in sent.items() if n > 1]
    yield check_none("e-mails sent more than once", twice, f" of {len(letters)}")


@dataclass(frozen=True)
class Weight:
    """What a process held in memory at a moment."""

    role: str
    pid: int
    moment: float
    kilobytes: int


def memory_checks(weights: Sequence[Weight]) -> Iterator[Check]:
    begin, end = (min(weight.moment for weight in weights), max(weight.moment for weight in weights))
    third = (end - begin) / 3
    for role in dict.fromkeys(weight.role for weight in weights):
        ours = [weight for weight in weights if weight.role == role]
        second = largest_megabytes(
            weight for weight in ours if begin + third <= weight.moment < begin + 2 * third
        )
        last = largest_megabytes(weight for weight in ours if weight.moment >= begin + 2 * third)
        bound = max(LOADED, GROWTH * second + SLACK)
        yield Check(
            f"largest resident memory in the last third: {role}",
            f"at most {bound:.0f} MB ({GROWTH:g} times the {second:.0f} MB of the second third and {SLACK} MB, but not "
            f"below {LOADED})",
            f"{last:.0f} MB; the longest-lived process was watched for {process_age(ours):.0f} s",
            0 < last <= bound,
        )


def largest_megabytes(weights: Iterator[Weight]) -> float:
    """In MB."""
    return max((weight.kilobytes for weight in weights), default=0) / 1000


def process_age(weights: Sequence[Weight]) -> float:
    first = {weight.pid: weight.moment for weight in reversed(weights)}
    return max(weight.moment - first[weight.pid] for weight in weights)


def counts_as_text(these: Counter[str]) -> str:
    return ", ".join(f"{n:,} × {what}" for what, n in these.most_common())


# --- What grows: memory, open files, rows, bytes, lines of the log


PAUSE = 5.0
"""Seconds between two looks."""
RUN_EVERY = 60.0
"""Seconds between two mining runs."""
ROWS = """
from django.apps import apps
from django.db import connection
size = 0
if connection.vendor == "postgresql":
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        size = cursor.fetchone()[0]
models = apps.get_models(include_auto_created=True)
said = [size, {model._meta.db_table: model._base_manager.count() for model in models}]
"""
"""The bytes of PostgreSQL's database, and the rows of each table."""
SPARE_ROWS, FEW = 400, 0.02
"""Rows that a table may have more than before, and for each record: batches and their keys, runs, and what waits."""
MORE_FILES = 24
BYTES_OF_RECORD, SPARE_BYTES = 600, 8_000_000
"""Of the whole folder: answers, keys, what SQLite leaves free, and its write-ahead file."""
LINES, SPARE_LINES = 0.001, 20


@dataclass(frozen=True)
class Look:
    """`records`: acknowledged until then; `files`: open ones by role, of the process that has most."""

    moment: float
    records: int
    weights: list[Weight]
    files: dict[str, int]
    rows: dict[str, int]
    bytes: int
    lines: int


def take_measurements(system: System, asking: Console, load: Load) -> Look:
    moment, records = time.monotonic(), len(load.told.acknowledged)
    weights = [Weight(role, pid, moment, kilobytes) for role, pid, kilobytes in system.memory()]
    files: dict[str, int] = {}
    for weight in weights:
        files[weight.role] = max(files.get(weight.role, 0), open_files(weight.pid))
    size = sum(path.stat().st_size for path in system.var.rglob("*") if path.is_file() and path.exists())
    database, rows = asking.ask(ROWS)
    return Look(moment, records, weights, files, rows, size + database, system.log.read_text().count("\n"))


def open_files(pid: int) -> int:
    try:
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    except OSError:
        return 0


def measure_growth(stack: str, seconds: float, seed: int, rate: float) -> tuple[list[Look], list[Check]]:
    """So long, at `rate` respondents a second; what was seen, and what was expected of it."""
    looks: list[Look] = []
    with running(stack, behind_nginx=stack == "production") as system, running_console(system) as asking:
        system.wait_until_healthy()
        survey, slug, _none = asking.open_survey(ASKS)
        load = Load(system.front, ASKS, slug, ("", []), seed, rate)
        load.start()
        began = last_run = time.monotonic()
        try:
            asking.wait_for_a_batch(survey)
            while time.monotonic() - began < seconds:
                if time.monotonic() - last_run > RUN_EVERY:
                    last_run = time.monotonic()
                    asking.start_run(survey, min_support=0.05 + len(looks) / 10_000)
                asking.wait_for_job(asking.start_job(0.25), *OVER)
                looks.append(take_measurements(system, asking, load))
                time.sleep(PAUSE)
        finally:
            load.stop()
        system.wait_until_healthy()
    return looks, list(growth_checks(looks))


def growth_checks(looks: Sequence[Look]) -> Iterator[Check]:
    """Of the last two thirds: before, everything is loaded and filled for the first time."""
    first, last = looks[len(looks) // 3], looks[-1]
    records = last.records - first.records
    yield from memory_checks([weight for each in looks for weight in each.weights])
    for role, before in first.files.items():
        after = max(each.files.get(role, 0) for each in looks[len(looks) // 3 :])
        yield check_at_most(f"open files: {role}", after, before + MORE_FILES)
    for table, after in last.rows.items():
        more, most = after - first.rows.get(table, 0), round(FEW * records) + SPARE_ROWS
        if more:
            yield check_at_most(f"more rows: {table}", more, most)
    most = BYTES_OF_RECORD * records + SPARE_BYTES
    yield check_at_most("more bytes under VAR and in PostgreSQL", last.bytes - first.bytes, most)
    yield check_at_most(
        "more lines of the log", last.lines - first.lines, round(LINES * records) + SPARE_LINES
    )


def check_at_most(what: str, observed: int, most: int) -> Check:
    return Check(what, f"at most {most:,}", f"{observed:,}", observed <= most)
