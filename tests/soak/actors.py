"""What the actors of a soak share, a thread each that sends requests again; and the respondents beside the load.

These are on field devices, with exchanged invitations, and by disguises that the load has not.
"""

import http.client
import json
import os
import secrets
import subprocess
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event, Thread
from time import monotonic
from typing import Any
from urllib.parse import urlencode

import numpy as np
from django.utils import timezone

from intake.endpoint.epochs import NO_EPOCH
from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind, hash_with_secret
from intake.invitations.tokens import create_tokens
from intake.models import Batch
from mining.parameters import Parameters
from privacy.designs import Design, parse_design
from privacy.mechanisms.permanent_draws import LENGTH
from privacy.mechanisms.random_draws import secure_words
from privacy.mechanisms.simulated_device import simulate_respondent
from privacy.records import Envelope, Record
from privacy.records.batch_bit_columns import pack_batch
from privacy.records.record import DISGUISED, decode_answers, encode_answers
from runs import run_start
from surveys.lifecycle import state_changes
from surveys.models import Survey
from tests.intake import asked
from tests.intake.conftest import device_lines, set_up_program, start_device
from tests.privacy.conftest import TokenExchange
from tests.privacy.questionnaires import HALF, crosswise, plain, question, sensitive, subset
from tests.soak.load import (
    ACKNOWLEDGED,
    BROKEN,
    FOR_NOW,
    LONGEST_PAUSE,
    REFUSED,
    Check,
    check_none,
    some_address,
)
from tests.soak.system import PATIENCE, Console, Stored

SECONDS = 60
"""Longer than any fault holds a request up."""
SERVER_ERROR = 500


@dataclass(frozen=True)
class Reply:
    """`status` is BROKEN where the connection broke before the whole reply was there."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def redirect_place(self) -> str:
        """Where it leads."""
        return self.headers.get("location", "")

    @property
    def is_for_now(self) -> bool:
        return self.status == BROKEN or self.status in FOR_NOW

    @property
    def is_wrong(self) -> bool:
        """An error that nobody may see: other than 503, or one without words and a time to come back."""
        in_words = "retry-after" in self.headers and len(self.body) > 20 and b"Traceback" not in self.body
        return self.status >= SERVER_ERROR and not (self.status in FOR_NOW and in_words)


class Visitor:
    """One browser, or one program, and what it was answered."""

    def __init__(self, port: int, **headers: str) -> None:
        self.port, self.address = port, some_address(Random())
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}
        self.statuses: Counter[int] = Counter()
        self.wrong: list[str] = []

    def ask(self, method: str, path: str, body: bytes | str = b"", **headers: str) -> Reply:
        reply = self._ask(method, path, body, {k.replace("_", "-"): v for k, v in headers.items()})
        self.statuses[reply.status] += 1
        if reply.is_wrong:
            self.wrong.append(f"{reply.status} to {method} {path}: {reply.text[:200]}")
        return reply

    def _ask(self, method: str, path: str, body: bytes | str, headers: dict[str, str]) -> Reply:
        connection = http.client.HTTPConnection(
            "127.0.0.1", self.port, timeout=SECONDS, source_address=(self.address, 0)
        )
        try:
            connection.request(method, path, body or None, {**self.headers, "Connection": "close", **headers})
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Reply(response.status, found, response.read())
        except (OSError, http.client.HTTPException):
            return Reply(BROKEN)
        finally:
            connection.close()

    def get(self, path: str) -> Reply:
        """Again and again until there is a reply for good."""
        return self.ask_until_answered(lambda: self.ask("GET", path))

    def post(self, path: str, fields: dict[str, Any], **headers: str) -> Reply:
        """A form, once."""
        sent = urlencode({**fields, "csrfmiddlewaretoken": CSRF}, doseq=True)
        return self.ask("POST", path, sent, Content_Type="application/x-www-form-urlencoded", **headers)

    def send(self, path: str, body: str) -> Reply:
        """JSON, the same bytes again and again until there is a reply for good."""
        return self.ask_until_answered(lambda: self.ask("POST", path, body, **JSON))

    def ask_until_answered(self, ask: Callable[[], Reply]) -> Reply:
        pause, end = Event(), monotonic() + PATIENCE
        seconds = 0.1
        while (reply := ask()).is_for_now and monotonic() < end:
            pause.wait(seconds)
            seconds = min(2 * seconds, LONGEST_PAUSE)
        return reply

    def record(self, slug: str, envelope: Envelope) -> bool:
        """Whether it was acknowledged."""
        return self.send(f"/a/{slug}/record", envelope.json).status in ACKNOWLEDGED


JSON = {"Content_Type": "application/json", "Sec_Fetch_Site": "same-origin"}
CSRF = secrets.token_hex(16)


class Actor(Thread):
    """Somebody who does the same again and again, until `stop`; `pause` in seconds from one turn to the next."""

    what = ""
    pause = (0.2, 1.0)

    def __init__(self, seed: int, *visitors: Visitor) -> None:
        super().__init__(name=self.what, daemon=True)
        self.random, self.enough, self.turns = Random(f"{seed} {self.what}"), Event(), 0
        self.visitors, self.ended_early = visitors, list[str]()

    def run(self) -> None:
        try:
            while not self.enough.wait(self.random.uniform(*self.pause)):
                self.take_turn()
                self.turns += 1
        except Exception as error:
            traceback.print_exc()
            self.ended_early.append(f"{type(error).__name__}: {error}")

    def take_turn(self) -> None:
        raise NotImplementedError

    def wait_until(self, holds: Callable[[], bool], what: str, pause: float = 0.3) -> None:
        end = monotonic() + PATIENCE
        while not holds():
            if monotonic() > end:
                raise TimeoutError(f"{what} did not happen within {PATIENCE} s")
            Event().wait(pause)

    def stop(self) -> None:
        """A turn that is under way is done to its end."""
        self.enough.set()
        self.join(2 * PATIENCE)
        if self.is_alive():
            self.ended_early.append("its last turn has no end")

    def expected_events(self) -> list[tuple[str, int]]:
        """Kind and subject of each event that was acknowledged, and that a webhook must be told of."""
        return []

    def checks(self, asking: Console) -> Iterator[Check]:
        """What was acknowledged, against what is stored."""
        raise NotImplementedError


def actor_checks(actors: Sequence[Actor], asking: Console) -> Iterator[Check]:
    for each in actors:
        told = Counter[int]()
        for visitor in each.visitors:
            told += visitor.statuses
        again = sum(count for status, count in told.items() if status == BROKEN or status in FOR_NOW)
        requests = f"{told.total():,} requests, {again:,} of them in vain for now"
        yield Check(each.what, "", f"{each.turns:,} turns, {requests}", each.turns > 0)
        yield from each.checks(asking)
    yield check_none(
        "errors that staff, programs and these respondents saw, other than 503 in words",
        [wrong for each in actors for visitor in each.visitors for wrong in visitor.wrong],
    )
    stuck = [f"{each.what}: {why}" for each in actors for why in each.ended_early]
    yield check_none("actors that could not go on", stuck)


# --- field devices: each asks, uploads, and is killed and started again at any moment


DEVICES = 5
BETWEEN = (2.0, 20.0)
"""Seconds between two kills."""


def set_up_field_devices(console: Console, survey: int, people: int) -> list[str]:
    """The tickets of the devices, each of which may ask so many people."""
    program = set_up_program(survey, people, DEVICES)
    tickets: list[str] = console.ask(f"{program}said = tickets")
    return tickets


class KilledFieldDevices(Thread):
    """Every few seconds one of them is killed and started again; after `stop` each asks and sends to its end."""

    def __init__(
        self, port: int, design: Design, slug: str, tickets: list[str], folder: Path, seed: int, people: int
    ) -> None:
        super().__init__(name="field devices", daemon=True)
        self.random, self.enough, self.kills = Random(seed), Event(), 0
        self.told: list[dict[str, Any]] = []
        self.left: list[dict[str, int]] = []
        folder.mkdir()
        path = folder / "design.json"
        path.write_text(design.canonical)
        shared = {
            "server": f"http://127.0.0.1:{port}",
            "slug": slug,
            "design": str(path),
            "interviews": people,
        }
        self.asked = [
            {**shared, "ticket": ticket, "folder": str(folder / str(n)), "seed": n, "together": 5}
            for n, ticket in enumerate(tickets)
        ]

    def run(self) -> None:
        running = [start_device(asked) for asked in self.asked]
        while not self.enough.wait(self.random.uniform(*BETWEEN)):
            killed = self.random.randrange(len(running))
            running[killed].kill()
            self.kills += 1
            self._read(running[killed])
            running[killed] = start_device(self.asked[killed])
        for process in running:
            process.kill()
            self.kills += 1
            self._read(process)

    def stop(self) -> None:
        self.enough.set()
        self.join()
        # Without pauses, so that nobody waits for them.
        last = [start_device(asked | {"pace": 0.02}) for asked in self.asked]
        end = time.monotonic() + PATIENCE
        for process in last:
            said = self._read(process, max(1.0, end - time.monotonic()))
            self.left.append(said[-1].get("over", {}) if said else {})

    def _read(self, process: "subprocess.Popen[str]", patience: float = PATIENCE) -> list[dict[str, Any]]:
        text, _ = process.communicate(timeout=patience)
        said = device_lines(text)
        self.told += said
        return said


def field_device_checks(devices: KilledFieldDevices, stored: Stored) -> Iterator[Check]:
    """Of the survey of the devices: a kill between the flush and the receipt leaves a record without one."""
    receipts = [line for line in devices.told if "receipt" in line]
    secret, keys = bytes.fromhex(stored.secret), Counter(stored.keys)
    lost = [
        line["receipt"][:8]
        for line in receipts
        if hash_with_secret(secret, HashedTextKind.KEY, f"{NO_EPOCH} {line['key']}").hex() not in keys
    ]
    yield Check("field devices", "", f"{len(devices.asked)}, killed {devices.kills} times", True)
    yield check_none("receipts of field devices whose record is not stored", lost, f" of {len(receipts):,}")
    yield check_none(
        "keys and tokens of field devices stored more than once", [k for k, n in keys.items() if n > 1]
    )
    unpaired = (
        []
        if len(keys) == 2 * len(stored.all_records)
        else [f"{len(keys)} hashes, {len(stored.all_records)} records"]
    )
    yield check_none("records of field devices without their key and token, or the reverse", unpaired)
    more = len(stored.all_records) - len(receipts)
    most, found = f"at most one a kill, {devices.kills}", f"{more:,} of {len(stored.all_records):,}"
    holds = 0 <= more <= devices.kills
    yield Check("records of field devices without a receipt", most, found, holds)
    waiting = [left for left in devices.left if left.get("record") != 0 or left.get("token") != 0]
    yield check_none("field devices that kept a record or a token to the end", waiting)
    yield check_none(
        "records that field devices were refused", [line for line in devices.told if "kept" in line]
    )


# --- invitations that are exchanged for tokens, each tried once more than it is worth


INVITED = 3
"""Invitations for a second of a soak."""


def open_survey(invitations: int) -> dict[str, Any]:
    asks = asked.exchange_design(least=20, digits=7)
    survey = asked.exchange_survey(asks)
    made = create_tokens(survey, invitations)
    return {"pk": survey.pk, "slug": survey.slug, "design": asks.canonical, "invitations": made}


class Exchanging(Actor):
    what = "exchanged invitations"

    def __init__(self, port: int, asking: Console, seed: int, seconds: float) -> None:
        self.opened = asking.call(open_survey, max(1000, round(INVITED * seconds)))
        self.visitor = Visitor(port)
        super().__init__(seed, self.visitor)
        self.design, self.left = parse_design(self.opened["design"]), list(self.opened["invitations"])
        self.exchanged: dict[str, str] = {}
        """Invitation -> the message that was signed for it."""
        self.acknowledged: list[int] = []
        self.twice: list[str] = []
        self.refused: list[str] = []

    def take_turn(self) -> None:
        if not self.left:
            return
        invitation, slug = self.left.pop(), self.opened["slug"]
        device = TokenExchange(self.design.invitation_key, os.urandom)
        body = asked.exchange_body(self.design, invitation, device.blinded)
        if self.random.random() < 0.3:
            # Its answer is not read; the same is sent again.
            self.visitor.ask("POST", f"/a/{slug}/exchange", body, Content_Type="application/json")
        self.exchanged[invitation] = device.blinded
        reply = self.visitor.send(f"/a/{slug}/exchange", body)
        if reply.status not in ACKNOWLEDGED:
            self.refused.append(f"{reply.status} {reply.text[:80]}")
            return
        other = TokenExchange(self.design.invitation_key, os.urandom)
        again = self.visitor.send(
            f"/a/{slug}/exchange", asked.exchange_body(self.design, invitation, other.blinded)
        )
        token = device.token(reply.json["signature"])
        number = 2 * len(self.exchanged)
        first, second = (
            self.visitor.record(slug, asked.send_as_page(asked.number_record(self.design, n), token=token))
            for n in (number, number + 1)
        )
        if first:
            self.acknowledged.append(number)
        else:
            self.refused.append(f"the record {number}")
        if second or again.status != REFUSED:
            self.twice.append(invitation[:8])

    def checks(self, asking: Console) -> Iterator[Check]:
        stored = asking.stored_records_of(self.opened["pk"])
        times, secret = Counter(int(text, 8) for text in stored.all_records), bytes.fromhex(stored.secret)
        lost = sorted(set(self.acknowledged) - set(times))
        yield check_none(
            "records by exchanged invitations that are not stored", lost, f" of {len(self.acknowledged):,}"
        )
        doubled = [number for number, n in times.items() if n > 1 or number not in self.acknowledged]
        yield check_none("records by exchanged invitations stored twice, or never acknowledged", doubled)
        yield check_none("exchanges and tokens that were refused", self.refused)
        yield check_none(
            "invitations exchanged for two messages, and tokens spent for two records", self.twice
        )
        keys = set(stored.keys)
        forgotten = [
            invitation[:8]
            for invitation, blinded in self.exchanged.items()
            if hash_with_secret(secret, HashedTextKind.EXCHANGE, f"{invitation} {blinded}").hex() not in keys
        ]
        yield check_none(
            "exchanges that the database does not know", forgotten, f" of {len(self.exchanged):,}"
        )
        unused = {hash_with_secret(secret, HashedTextKind.LINK, each).hex() for each in self.left}
        yield check_none(
            "invitations spent without being exchanged, or the reverse", sorted(unused ^ set(stored.unspent))
        )


# --- sets of choices and itemsets in one survey, and a disguise that lasts over two rounds


DIGITS = 6
"""Plain questions of eight choices, which say the number of a person."""
LEAST, SUPPORT = 20, 0.1


def digit_section() -> dict[str, Any]:
    choices = list("01234567")
    return plain(*({"name": f"d{place}", "choices": choices} for place in range(DIGITS)))


def sets() -> list[Design]:
    itemsets = sensitive("0.6", *(question(name, *HALF) for name in ("theft", "lie", "late")), asked=2)
    return [
        asked.make_design(
            digit_section(), subset(6, 2, "0.5"), itemsets, crosswise("cash", "0.2"), least=LEAST
        )
    ]


def lasting_designs() -> list[Design]:
    """The second round follows the first, with the same section that lasts."""
    lasting = sensitive("0.6", *(question(name, *HALF) for name in ("theft", "lie")), lasting="0.8")
    first = asked.make_design(digit_section(), lasting, least=LEAST)
    chain = {"follows": first.fingerprint, "study": first.fingerprint}
    return [first, asked.make_design(digit_section(), lasting, least=LEAST, **chain)]


def open_surveys(designs: list[str]) -> list[tuple[int, str]]:
    opened = [asked.survey(parse_design(design)) for design in designs]
    return [(survey.pk, survey.slug) for survey in opened]


def start_run(survey: Survey, support: float) -> int:
    parameters = Parameters(min_support=support, min_confidence=0.3)
    return int(run_start.start_mining_run(survey, survey.owner, parameters, timezone.now()).pk)


def mine(pk: int, support: float) -> int:
    """Closes the survey, which seals what waits, and starts a run."""
    survey = Survey.objects.get(pk=pk)
    if survey.state == Survey.State.OPEN:
        state_changes.close_survey(survey, survey.owner, timezone.now())
    return start_run(survey, support)


def mine_anew(design: str, answers: list[str], support: float) -> int:
    """Starts a run on a survey that never was under any load: of these answers, in one batch."""
    asks = parse_design(design)
    survey = asked.survey(asks, state=Survey.State.CLOSED)
    codes = np.array([decode_answers(asks, each) for each in sorted(answers)]).T
    packed = pack_batch(asks, np.full(len(answers), DISGUISED, np.uint8), codes)
    Batch.objects.create(survey=survey, first=1, last=1, n=len(answers), columns=packed)
    return start_run(survey, support)


class Disguising(Actor):
    """Each person answers one survey after the other, with one code of theirs and the same true answers."""

    def __init__(self, what: str, designs: list[Design], port: int, asking: Console, seed: int) -> None:
        self.what, self.designs, self.visitor = what, designs, Visitor(port)
        super().__init__(seed, self.visitor)
        self.opened = asking.call(open_surveys, [design.canonical for design in designs])
        self.acknowledged: list[list[str]] = [[] for _design in designs]
        self.refused: list[str] = []

    def take_turn(self) -> None:
        digits = [self.turns // 8**place % 8 for place in reversed(range(DIGITS))]
        sensitive = [self.random.randrange(2) for _question in self.designs[0].questions[DIGITS:]]
        code, words = secrets.token_bytes(LENGTH), secure_words()
        for design, (_pk, slug), told in zip(self.designs, self.opened, self.acknowledged, strict=True):
            _group, codes = simulate_respondent(design, DISGUISED, digits + sensitive, words, code=code)
            record = Record(design.fingerprint, DISGUISED, encode_answers(design, codes))
            page = self.visitor.get(f"/a/{slug}")
            if page.status != 200 or design.fingerprint not in page.text:
                self.refused.append(f"the page: {page.status}")
            if self.visitor.record(slug, asked.send_as_page(record)):
                told.append(record.answers)
            else:
                self.refused.append(record.answers)

    def checks(self, asking: Console) -> Iterator[Check]:
        """Besides, the run that all these records went into gives the digits of one on a product at rest."""
        lost, more, differing = Counter[str](), Counter[str](), []
        for design, (pk, _slug), told in zip(self.designs, self.opened, self.acknowledged, strict=True):
            run = asking.call(mine, pk, SUPPORT)
            stored = asking.stored_records_of(pk)
            lost += Counter(told) - Counter(stored.all_records)
            more += Counter(stored.all_records) - Counter(told)
            sealed = [answers for batch in stored.sealed for answers in batch]
            again = asking.call(mine_anew, design.canonical, sealed, SUPPORT)
            runs = asking.wait_for_runs()
            if not runs[run].digest or runs[run].digest != runs[again].digest:
                differing.append(f"run {run} ({runs[run].state}), {again} ({runs[again].state})")
        total = sum(map(len, self.acknowledged))
        not_stored = f"{self.what}: acknowledged records that are not stored as they were sent"
        yield check_none(not_stored, list(lost), f" of {total:,}")
        yield check_none(f"{self.what}: records stored more than once, or never acknowledged", list(more))
        yield check_none(f"{self.what}: pages and records refused", self.refused)
        other_digits = f"{self.what}: runs with other digits than of the same records at rest"
        yield check_none(other_digits, differing, f" of {len(self.designs)}")
