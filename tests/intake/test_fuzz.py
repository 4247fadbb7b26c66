"""Bodies that no page of ours sends: refused, never answered with 500, and nothing is changed by them."""

import json
from itertools import product
from typing import Any, NamedTuple

import pytest
from django.db import connection, transaction
from django.test import Client
from hypothesis import HealthCheck, event, given, settings, strategies as st

from intake.invitations.making import generate
from surveys.models import Survey
from tests.examples import examples
from tests.intake import asked

WORK = {"name": "work", "choices": ["employed", "not"]}
THEFT = {"name": "theft", "choices": ["no", "yes"], "show_if": {"work": ["employed"]}}
DRINK = {"name": "drink", "choices": ["never", "some", "much"]}
MANY = {"name": "many", "choices": [str(place) for place in range(12)]}
ASKS = asked.written(
    {"kind": "plain", "questions": [WORK, MANY]},
    {"kind": "unrelated-question", "keep": "0.5", "asked": 1, "questions": [THEFT, DRINK]},
    least=20,
)
REFUSALS = {200, 403, 404, 410, 413, 422}
MEMBERS = ["key", "record", "token", "design", "group", "answers"]

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
    ASKS.fingerprint,
    ASKS.fingerprint.upper(),
    "0" * 32,
    "0" * 31,
    "G" * 32,
    "０" * 5,
    "\x00",
    0,
    1,
    1.0,
    True,
]
almost = st.sampled_from(ALMOST)


def by_hand(record: Any) -> bool:
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
    envelope: dict[str, Any] = {"key": draw(st.sampled_from(["a" * 32, "b" * 32])), "record": record}
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
    SELECT 'record', hex(record) FROM intake_inbox UNION ALL SELECT 'fresh', hash FROM intake_freshkey
    UNION ALL SELECT 'seen', hash FROM intake_seenkey UNION ALL SELECT 'token', hash FROM intake_token
    UNION ALL SELECT state, slug FROM surveys_survey
"""


def state() -> list[tuple[str, str]]:
    with connection.cursor() as cursor:
        return sorted(cursor.execute(STATE).fetchall())


class Doors(NamedTuple):
    opened: Survey
    invited: Survey
    finished: Survey


@pytest.fixture
def doors(db: None) -> Doors:
    found = Doors(
        asked.survey(ASKS),
        asked.survey(ASKS, invited=True),
        asked.survey(ASKS, state=Survey.State.FINISHED),
    )
    generate(found.invited, 1)
    asked.post(found.opened, asked.envelope_of(ASKS, "00120", key="a" * 32))
    return found


def attacked(doors: Doors, body: bytes) -> int:
    """Sent to each of the doors; the open one, whose status this is, may store it only if it is a record. Undone
    afterwards."""
    with transaction.atomic():
        status = sent_to_all(doors, body)
        transaction.set_rollback(True)
    return status


def sent_to_all(doors: Doors, body: bytes) -> int:
    before = state()
    refused = {post(survey, body) for survey in (doors.invited, doors.finished)}
    assert refused <= REFUSALS
    assert state() == before
    status = post(doors.opened, body)
    if status == 201:
        envelope = json.loads(body)
        assert envelope["key"] != "a" * 32
        assert by_hand(envelope["record"])
        # One record and one key more.
        assert len(state()) == len(before) + 2
    else:
        assert status in REFUSALS
        assert state() == before
    return status


CLIENT = Client()


def post(survey: Survey, body: bytes) -> int:
    address = f"/a/{survey.slug}/record"
    return CLIENT.post(address, body, content_type="application/json").status_code


checks = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]


@pytest.mark.page
def test_each_member_with_each_value_that_is_almost_right(doors: Doors) -> None:
    for value in ALMOST:
        for inside, member in product(("envelope", "record"), MEMBERS):
            record = {"design": ASKS.fingerprint, "group": 1, "answers": "00120"}
            envelope: dict[str, Any] = {"key": "b" * 32, "record": record}
            (envelope if inside == "envelope" else record)[member] = value
            attacked(doors, json.dumps(envelope).encode())


# Each example takes 4 ms; `./run bench mutate_envelopes` sends as many others as wanted.
@pytest.mark.page
@given(bodies())
@settings(max_examples=examples(2_000), suppress_health_check=checks, database=None)
def test_two_thousand_bodies(doors: Doors, body: bytes) -> None:
    event(f"{attacked(doors, body)}")


@pytest.mark.django_db
def test_a_good_body_is_stored_by_the_same_test() -> None:
    survey = asked.survey(ASKS)
    good = asked.envelope_of(ASKS, "00120", key="b" * 32)
    assert by_hand(json.loads(good.record.json))
    assert asked.post(survey, good).status_code == 201
