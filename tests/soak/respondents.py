"""Respondents beside the load: on field devices, with exchanged invitations, and by disguises that the load has not."""

import os
import secrets
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any

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
from privacy.records import Record
from privacy.records.batch_bit_columns import pack_batch
from privacy.records.record import DISGUISED, decode_answers, encode_answers
from runs import run_start
from surveys.lifecycle import state_changes
from surveys.models import Survey
from tests.intake import asked
from tests.intake.conftest import device_lines, set_up_program, start_device
from tests.privacy.conftest import TokenExchange
from tests.privacy.questionnaires import HALF, crosswise, plain, question, sensitive, subset
from tests.soak.actors import Actor, Visitor
from tests.soak.load import ACKNOWLEDGED, REFUSED, Check, none
from tests.soak.system import PATIENCE, Console, Stored

# --- field devices: each asks, uploads, and is killed and started again at any moment


DEVICES = 5
BETWEEN = (2.0, 20.0)
"""Seconds between two kills."""


def set_up_field_devices(console: Console, survey: int, people: int) -> list[str]:
    """The tickets of the devices, each of which may ask so many people."""
    program = set_up_program(survey, people, DEVICES)
    tickets: list[str] = console.ask(f"{program}said = tickets")
    return tickets


class FieldDevices(Thread):
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


def of_field_devices(devices: FieldDevices, stored: Stored) -> Iterator[Check]:
    """Of the survey of the devices: a kill between the flush and the receipt leaves a record without one."""
    receipts = [line for line in devices.told if "receipt" in line]
    secret, keys = bytes.fromhex(stored.secret), Counter(stored.keys)
    lost = [
        line["receipt"][:8]
        for line in receipts
        if hash_with_secret(secret, HashedTextKind.KEY, f"{NO_EPOCH} {line['key']}").hex() not in keys
    ]
    yield Check("field devices", "", f"{len(devices.asked)}, killed {devices.kills} times", True)
    yield none("receipts of field devices whose record is not stored", lost, f" of {len(receipts):,}")
    yield none(
        "keys and tokens of field devices stored more than once", [k for k, n in keys.items() if n > 1]
    )
    unpaired = [] if len(keys) == 2 * len(stored.all) else [f"{len(keys)} hashes, {len(stored.all)} records"]
    yield none("records of field devices without their key and token, or the reverse", unpaired)
    more = len(stored.all) - len(receipts)
    most, found = f"at most one a kill, {devices.kills}", f"{more:,} of {len(stored.all):,}"
    holds = 0 <= more <= devices.kills
    yield Check("records of field devices without a receipt", most, found, holds)
    waiting = [left for left in devices.left if left.get("record") != 0 or left.get("token") != 0]
    yield none("field devices that kept a record or a token to the end", waiting)
    yield none("records that field devices were refused", [line for line in devices.told if "kept" in line])


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

    def turn(self) -> None:
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
            self.visitor.record(slug, asked.sent(asked.numbered(self.design, n), token=token))
            for n in (number, number + 1)
        )
        if first:
            self.acknowledged.append(number)
        else:
            self.refused.append(f"the record {number}")
        if second or again.status != REFUSED:
            self.twice.append(invitation[:8])

    def checks(self, asking: Console) -> Iterator[Check]:
        stored = asking.stored(self.opened["pk"])
        times, secret = Counter(int(text, 8) for text in stored.all), bytes.fromhex(stored.secret)
        lost = sorted(set(self.acknowledged) - set(times))
        yield none(
            "records by exchanged invitations that are not stored", lost, f" of {len(self.acknowledged):,}"
        )
        doubled = [number for number, n in times.items() if n > 1 or number not in self.acknowledged]
        yield none("records by exchanged invitations stored twice, or never acknowledged", doubled)
        yield none("exchanges and tokens that were refused", self.refused)
        yield none("invitations exchanged for two messages, and tokens spent for two records", self.twice)
        keys = set(stored.keys)
        forgotten = [
            invitation[:8]
            for invitation, blinded in self.exchanged.items()
            if hash_with_secret(secret, HashedTextKind.EXCHANGE, f"{invitation} {blinded}").hex() not in keys
        ]
        yield none("exchanges that the database does not know", forgotten, f" of {len(self.exchanged):,}")
        unused = {hash_with_secret(secret, HashedTextKind.LINK, each).hex() for each in self.left}
        yield none(
            "invitations spent without being exchanged, or the reverse", sorted(unused ^ set(stored.unspent))
        )


# --- sets of choices and itemsets in one survey, and a disguise that lasts over two rounds


DIGITS = 6
"""Plain questions of eight choices, which say the number of a person."""
LEAST, SUPPORT = 20, 0.1


def numbers() -> dict[str, Any]:
    choices = list("01234567")
    return plain(*({"name": f"d{place}", "choices": choices} for place in range(DIGITS)))


def sets() -> list[Design]:
    itemsets = sensitive("0.6", *(question(name, *HALF) for name in ("theft", "lie", "late")), asked=2)
    return [asked.written(numbers(), subset(6, 2, "0.5"), itemsets, crosswise("cash", "0.2"), least=LEAST)]


def rounds() -> list[Design]:
    """The second round follows the first, with the same section that lasts."""
    lasting = sensitive("0.6", *(question(name, *HALF) for name in ("theft", "lie")), lasting="0.8")
    first = asked.written(numbers(), lasting, least=LEAST)
    chain = {"follows": first.fingerprint, "study": first.fingerprint}
    return [first, asked.written(numbers(), lasting, least=LEAST, **chain)]


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

    def turn(self) -> None:
        digits = [self.turns // 8**place % 8 for place in reversed(range(DIGITS))]
        sensitive = [self.random.randrange(2) for _question in self.designs[0].questions[DIGITS:]]
        code, words = secrets.token_bytes(LENGTH), secure_words()
        for design, (_pk, slug), told in zip(self.designs, self.opened, self.acknowledged, strict=True):
            _group, codes = simulate_respondent(design, DISGUISED, digits + sensitive, words, code=code)
            record = Record(design.fingerprint, DISGUISED, encode_answers(design, codes))
            page = self.visitor.get(f"/a/{slug}")
            if page.status != 200 or design.fingerprint not in page.text:
                self.refused.append(f"the page: {page.status}")
            if self.visitor.record(slug, asked.sent(record)):
                told.append(record.answers)
            else:
                self.refused.append(record.answers)

    def checks(self, asking: Console) -> Iterator[Check]:
        """Besides, the run that all these records went into gives the digits of one on a product at rest."""
        lost, more, differing = Counter[str](), Counter[str](), []
        for design, (pk, _slug), told in zip(self.designs, self.opened, self.acknowledged, strict=True):
            run = asking.call(mine, pk, SUPPORT)
            stored = asking.stored(pk)
            lost += Counter(told) - Counter(stored.all)
            more += Counter(stored.all) - Counter(told)
            sealed = [answers for batch in stored.sealed for answers in batch]
            again = asking.call(mine_anew, design.canonical, sealed, SUPPORT)
            runs = asking.wait_for_runs()
            if not runs[run].digest or runs[run].digest != runs[again].digest:
                differing.append(f"run {run} ({runs[run].state}), {again} ({runs[again].state})")
        total = sum(map(len, self.acknowledged))
        not_stored = f"{self.what}: acknowledged records that are not stored as they were sent"
        yield none(not_stored, list(lost), f" of {total:,}")
        yield none(f"{self.what}: records stored more than once, or never acknowledged", list(more))
        yield none(f"{self.what}: pages and records refused", self.refused)
        other_digits = f"{self.what}: runs with other digits than of the same records at rest"
        yield none(other_digits, differing, f" of {len(self.designs)}")
