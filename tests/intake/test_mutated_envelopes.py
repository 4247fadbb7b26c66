"""Bodies that no page sends are refused, or stored exactly once; `./run bench mutate_envelopes` sends more."""

import json
import os
import random
import re
import secrets
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from typing import Any, NamedTuple

import pytest
from django.db import connection, transaction
from django.utils import timezone
from hypothesis import HealthCheck, event, given, settings, strategies as st

from intake.invitations.tokens import create_tokens
from intake.models import FreshKey, Inbox, SeenKeys, Token
from privacy.designs import Design
from surveys.models import Survey
from tests.intake import asked

SENT_AGAIN = timedelta(days=60)


def month(moment: datetime) -> int:
    return (moment.year - 1970) * 12 + moment.month - 1


LEAST = 100_000
"""So large that nothing is sealed meanwhile."""
JSON = "application/json"
FORMS = [JSON, f"{JSON}; charset=utf-8", JSON.upper(), f"{JSON};charset=utf-16"]
FORM = "application/x-www-form-urlencoded"
OTHERS = ["text/plain", "", FORM, "multipart/form-data; boundary=x", "application/jsonp", "x" * 200]
FRESH = "as good a key as the one that was there"
VALUES: list[Any] = [
    *(None, True, False, 0, 1, 1, 2, -1, 1.0, 1e308, float("nan"), float("inf"), 10**400),
    *("", "0", "1", "NaN", "\x00", "\ud800", "０" * 6, "٣" * 6, FRESH),
    *("A" * 32, "a" * 31, "a" * 33, "x" * 400, "8" * 6, "9" * 6, "0" * 5, "0" * 7, "0" * 300),
    *("-00001", " 00000", "00000\n", [], {}, [1], {"a": {}}, [["000000"]]),
    *(month(datetime(2020, 1, 31, tzinfo=UTC)), 9999),
]
MEMBERS = ["key", "epoch", "record", "token", "design", "group", "answers"]


def design() -> Design:
    """Six plain questions of eight choices: the answer text is six digits from 0 to 7."""
    return asked.design(least=LEAST)


@dataclass(frozen=True)
class Body:
    data: bytes
    content_type: str
    site: str = "same-origin"

    def record_to_store(self, wanted: Design, tokens: frozenset[str] | None) -> str | None:
        """The record that has to be stored, and no other; None: it has to be refused. `tokens`: those unspent."""
        is_json = self.content_type.partition(";")[0].strip().lower() == JSON
        if self.site != "same-origin" or not is_json or len(self.data) > wanted.width + 512:
            return None
        envelope = _parse_strict_json(self.data)
        if not isinstance(envelope, dict):
            return None
        if not {"key", "record"} <= envelope.keys() <= {"key", "epoch", "record", "token"}:
            return None
        epoch, now = envelope.get("epoch"), timezone.now()
        if "epoch" in envelope and not (type(epoch) is int and 1 <= epoch <= 9999):
            return None
        if tokens is None and epoch not in range(month(now - SENT_AGAIN), month(now + timedelta(days=1)) + 1):
            return None
        key, record, token = envelope["key"], envelope["record"], envelope.get("token")
        if not _hexadecimal(key) or ("token" in envelope and not _hexadecimal(token)):
            return None
        if not isinstance(record, dict) or record.keys() != {"design", "group", "answers"}:
            return None
        group, answers = record["group"], record["answers"]
        possible = record["design"] == wanted.fingerprint and type(group) is int and group == 1
        if not possible or not isinstance(answers, str) or not re.fullmatch("[0-7]{6}", answers):
            return None
        return f"1{answers}" if tokens is None or token in tokens else None


def _hexadecimal(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{32}", value) is not None


def _parse_strict_json(data: bytes) -> Any:
    """JSON as its standard has it, each member once; nothing where it is none."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a member twice")
        return dict(pairs)

    def constant(word: str) -> Any:
        raise ValueError(word)

    try:
        return json.loads(data.decode("utf-8-sig"), object_pairs_hook=members, parse_constant=constant)
    except (ValueError, RecursionError):
        return None


# --- what is done to one


def body(rng: random.Random, wanted: Design, number: int, token: str | None) -> Body:
    """An envelope of its own with nothing to three things done to it."""
    record: dict[str, Any] = {"design": wanted.fingerprint, "group": 1, "answers": f"{number % 8**6:06o}"}
    epoch = month(timezone.now())
    envelope: dict[str, Any] = {"key": secrets.token_hex(16), "epoch": epoch, "record": record}
    if token is not None:
        envelope["token"] = token
    # One in four is left as it is, so that a good one comes between all that is bad.
    for _change in range(rng.choice([0, 0, 1, 1, 1, 2, 2, 3])):
        _member(rng, rng.choice([envelope, record]))
    text = json.dumps(
        envelope, separators=rng.choice([(",", ":"), (", ", ": ")]), ensure_ascii=rng.random() < 0.8
    )
    data = text.encode(errors="surrogatepass")
    if rng.random() < 0.4:
        data = _bytes(rng, data)
    content_type = rng.choice(OTHERS) if rng.random() < 0.03 else rng.choice([FORMS[0], FORMS[0], *FORMS])
    site = rng.choice(["cross-site", "same-site", "none"]) if rng.random() < 0.02 else "same-origin"
    return Body(data, content_type, site)


def _member(rng: random.Random, inside: dict[str, Any]) -> None:
    name = rng.choice([*inside, *MEMBERS, "more", "", "\x00", "Key"])
    match rng.randrange(4):
        case 0:
            inside.pop(name, None)
        case 1:
            inside[rng.choice(MEMBERS)] = inside.get(name)
        case _:
            value = rng.choice(VALUES)
            inside[name] = secrets.token_hex(16) if value is FRESH else value


def _bytes(rng: random.Random, data: bytes) -> bytes:
    at, to = sorted(rng.randrange(len(data) + 1) for _end in range(2))
    noise = bytes(rng.randrange(256) for _byte in range(rng.randrange(1, 5)))
    changes = [
        *(data[:at] + noise + data[at:], data[:at] + data[at + 1 :], data[:at] + data[to:]),
        *(data[:to] + data[at:to] + data[to:], data[:at], data * 2, b"\xef\xbb\xbf" + data),
        *(data + b" " * rng.randrange(700), b" \t\r\n" + data, data + b"\x00"),
        *(data.replace(b"0", b"\\u0030", 3), data.replace(b'"key"', b'"k\\u0065y"')),
        data.replace(b'"group"', b'"group":1,"group"'),
        data.replace(b'"record":{', b'"record":{"more":{},'),
        *(data.replace(b":1,", other) for other in (b":1.0,", b":1e0,", b":01,", b":NaN,")),
        *(data.replace(b'"', b"'"), data.replace(b"}", b",}"), b"[" + data + b"]"),
        b"[" * rng.randrange(1, 400) + data,
        json.dumps(data.decode(errors="replace")).encode(),
        data.decode(errors="replace").encode("utf-16"),
        *(b"", b"null", noise * 60),
    ]
    return rng.choice(changes)


# --- each is refused or stored exactly once

SEED = int(os.environ.get("SEED", "20260301"))
REFUSED = {403, 410, 413, 422}


def post(survey: Survey, body: Body) -> Any:
    return asked.post(survey, body.data, content_type=body.content_type, **{"Sec-Fetch-Site": body.site})


@pytest.mark.django_db
@pytest.mark.page
@pytest.mark.parametrize("many", [120, pytest.param(400, marks=pytest.mark.night)])
@pytest.mark.parametrize("invited", [False, True])
def test_mutated_envelope_is_refused_or_stored_exactly_once(invited: bool, many: int) -> None:
    print(f"SEED={SEED}")
    rng, wanted = random.Random(SEED), design()
    survey = asked.survey(wanted, invited=invited)
    unspent = create_tokens(survey, many) if invited else []
    expected: Counter[bytes] = Counter()
    statuses: Counter[int] = Counter()
    for number in range(many):
        sent = body(rng, wanted, number, unspent[number] if invited else None)
        record = sent.record_to_store(wanted, frozenset(unspent) if invited else None)
        answers = [post(survey, sent) for _turn in range(2)]
        statuses[answers[0].status_code] += 1
        assert len({len(answer.content) for answer in answers}) == 1
        if record is None:
            assert answers[0].status_code in REFUSED, sent
            assert answers[1].status_code == answers[0].status_code, sent
        else:
            expected[record.encode()] += 1
            assert [answer.status_code for answer in answers] == [201, 200], sent
    stored = Counter(bytes(row.record) for row in Inbox.objects.all())
    assert stored == expected
    assert FreshKey.objects.count() == sum(expected.values())
    assert not SeenKeys.objects.exists()
    assert Token.objects.count() == len(unspent) - (sum(expected.values()) if invited else 0)
    assert 0.15 * many < statuses[201] < 0.85 * many
    assert set(statuses) <= REFUSED | {201}


# --- Bodies that no page of ours sends

WORK = {"name": "work", "choices": ["employed", "not"]}
THEFT = {"name": "theft", "choices": ["no", "yes"], "show_if": {"work": ["employed"]}}
DRINK = {"name": "drink", "choices": ["never", "some", "much"]}
MANY = {"name": "many", "choices": [str(place) for place in range(12)]}
ASKS = asked.make_design(
    {"kind": "plain", "questions": [WORK, MANY]},
    {"kind": "unrelated-question", "keep": "0.5", "asked": 1, "questions": [THEFT, DRINK]},
    least=20,
)
REFUSALS = {200, 403, 404, 410, 413, 422}
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
digits = st.one_of(
    st.text("0123456789", max_size=8),
    st.from_regex("[0-3]{2}1[0-4][0-4]", fullmatch=True),
    st.from_regex("[01](0[0-9]|1[01])([013]3|2[0-2])", fullmatch=True),
)
ALMOST: list[Any] = [
    *(ASKS.fingerprint, ASKS.fingerprint.upper(), "0" * 32, "0" * 31, "G" * 32, "０" * 5),
    *("\x00", 0, 1, 1.0, True),
]
almost = st.sampled_from(ALMOST)


def is_possible_record(record: Any) -> bool:
    """Whether a record of this design is possible, spelled out: two plain digits groups, then one of two drawn."""
    if record.keys() != {"design", "group", "answers"} or record["design"] != ASKS.fingerprint:
        return False
    answers = record["answers"]
    # Neither 1.0 nor true is 1.
    if type(record["group"]) is not int or record["group"] != 1 or not isinstance(answers, str):
        return False
    work, many, theft, drink = answers[:1], answers[1:3], answers[3:4], answers[4:]
    hidden = "3" if work == "1" else ""
    drawn = (theft in ({hidden} if hidden else {"0", "1"}) and drink == "3") or (
        theft == "2" and drink in ("0", "1", "2")
    )
    return work in ("0", "1") and len(many) == 2 and many.isdecimal() and int(many) < 12 and drawn


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    """An envelope with up to three things done to it, or no envelope at all."""
    if draw(st.integers(0, 9)) == 0:
        return draw(st.binary(max_size=300) | json_values.map(lambda value: json.dumps(value).encode()))
    record: dict[str, Any] = {"design": ASKS.fingerprint, "group": 1, "answers": draw(digits)}
    key = draw(st.sampled_from(["a" * 32, "b" * 32]))
    envelope: dict[str, Any] = {"key": key, "epoch": month(timezone.now()), "record": record}
    for _change in range(draw(st.integers(0, 3))):
        inside = draw(st.sampled_from([envelope, record]))
        member = draw(st.sampled_from(MEMBERS) | st.text(max_size=5))
        what = draw(st.sampled_from(["replace", "remove"]))
        if what == "remove":
            inside.pop(member, None)
        else:
            inside[member] = draw(almost | json_values | digits)
    body = json.dumps(envelope, ensure_ascii=draw(st.booleans())).encode(errors="surrogatepass")
    match draw(st.integers(0, 9)):
        case 0:
            at = draw(st.integers(0, len(body)))
            return body[:at] + draw(st.binary(max_size=4)) + body[at + draw(st.integers(0, 4)) :]
        case 1:
            return body.replace(b'"group"', b'"group":1,"group"')
        case 2:
            return body * 2
        case 3:
            return b"[" * draw(st.integers(1, 600)) + body
    return body


STATE = """
    SELECT 'record', hex(record) FROM intake_inbox UNION ALL SELECT 'fresh', hex(hash) FROM intake_freshkey
    UNION ALL SELECT 'seen', hex(hashes) FROM intake_seenkeys UNION ALL SELECT 'token', hex(hash) FROM intake_token
    UNION ALL SELECT state, slug FROM surveys_survey
"""


def database_state() -> list[tuple[str, str]]:
    with connection.cursor() as cursor:
        return sorted(cursor.execute(STATE).fetchall())


class Doors(NamedTuple):
    opened: Survey
    invited: Survey
    finished: Survey


@pytest.fixture
def open_doors(db: None) -> Doors:
    opened, invited = asked.survey(ASKS), asked.survey(ASKS, invited=True)
    create_tokens(invited, 1)
    asked.post(opened, asked.envelope_of(ASKS, "00120", key="a" * 32))
    return Doors(opened, invited, asked.survey(ASKS, state=Survey.State.FINISHED))


def attack_all_doors(doors: Doors, body: bytes) -> int:
    """Sent to each of the doors; the open one, whose status this is, may store it only if it is a record. Undone
    afterwards."""
    with transaction.atomic():
        before = database_state()
        refused = {asked.post(survey, body).status_code for survey in (doors.invited, doors.finished)}
        assert refused <= REFUSALS
        assert database_state() == before
        status: int = asked.post(doors.opened, body).status_code
        if status == 201:
            envelope = json.loads(body)
            assert envelope["key"] != "a" * 32
            assert is_possible_record(envelope["record"])
            # One record and one key more.
            assert len(database_state()) == len(before) + 2
        else:
            assert status in REFUSALS
            assert database_state() == before
        transaction.set_rollback(True)
    return status


checks = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]


def good_envelope() -> tuple[dict[str, Any], dict[str, Any]]:
    """An envelope that is stored, and the record in it."""
    record = {"design": ASKS.fingerprint, "group": 1, "answers": "00120"}
    return {"key": "b" * 32, "epoch": month(timezone.now()), "record": record}, record


@pytest.mark.night
@pytest.mark.page
def test_each_member_with_a_nearly_valid_value_is_refused_or_stored_once(open_doors: Doors) -> None:
    assert is_possible_record(good_envelope()[1])
    assert attack_all_doors(open_doors, json.dumps(good_envelope()[0]).encode()) == 201
    for value, inside, member in product(ALMOST, ("envelope", "record"), MEMBERS):
        envelope, record = good_envelope()
        (envelope if inside == "envelope" else record)[member] = value
        attack_all_doors(open_doors, json.dumps(envelope).encode())


# Each example takes 4 ms; `./run bench mutate_envelopes` sends as many others as wanted.
@pytest.mark.night
@pytest.mark.page
@given(bodies())
@settings(max_examples=500, suppress_health_check=checks, database=None)
def test_two_thousand_mutated_bodies_are_refused_or_stored_once(open_doors: Doors, body: bytes) -> None:
    event(f"{attack_all_doors(open_doors, body)}")
