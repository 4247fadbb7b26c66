"""A page that another host serves, or that stands inside a tool: its canonical form, and what it cannot have."""

import json
from dataclasses import replace
from typing import Any

import pytest

from privacy.designs import parse_design
from privacy.designs.asked_at import AskedAt
from privacy.designs.asked_at_refusals import asked_at_refusal
from tests.privacy import questionnaires as q

THEFT = q.sensitive("0.5", q.question("theft", *q.HALF))
SEX: dict[str, Any] = {"name": "sex", "choices": ["f", "m"]}
RECORD = "https://research.example.org/a/abc_-1/record"
HOST = {"host": "https://ethics.example.edu", "record": RECORD}
INSIDE = {"inside": ["https://a.tool.example.com", "https://tool.example.net:8443"]}
KEY = "0" * 64


def closed(*sections: dict[str, Any], **more: Any) -> dict[str, Any]:
    return q.make_design(*sections, **{"open_answers": False, **more})


def refusal(asked_at: object, *sections: dict[str, Any], **more: Any) -> str:
    written = closed(*(sections or (THEFT,)), asked_at=asked_at, **more)
    return q.refusal(parse_design, json.dumps(written))


@pytest.mark.parametrize("asked_at", [HOST, INSIDE])
def test_where_it_is_asked_is_part_of_the_design(asked_at: dict[str, Any]) -> None:
    asks = parse_design(json.dumps(closed(THEFT, asked_at=asked_at)))
    assert asks.as_json()["asked_at"] == asked_at
    assert parse_design(asks.canonical) == asks
    assert asks.host == asked_at.get("host", "")
    here = parse_design(json.dumps(closed(THEFT)))
    assert here.asked_at is None
    assert "asked_at" not in here.canonical


BAD_ORIGINS = [
    ("http://ethics.example.edu", "must begin with https://"),
    ("https://ethics.example.edu/survey", "a site alone, such as https://www.example.org, without a path"),
    ("https://*.example.edu", "one site without *"),
    ("https://192.0.2.7", "must have the name of a host"),
    ("https://[2001:db8::1]", "must be a site alone"),
    ("https://ethics", "must have the name of a host"),
    ("https://Ethics.example.edu", "must be written as https://ethics.example.edu"),
    ("https://ethics.example.edu/", "must be written as https://ethics.example.edu"),
    ("", "must be a site alone"),
]


@pytest.mark.parametrize(("origin", "reason"), BAD_ORIGINS)
def test_what_is_no_exact_origin_is_refused_as_host_and_as_tool(origin: str, reason: str) -> None:
    for path, asked_at in (
        ("asked_at.host", {**HOST, "host": origin}),
        ("asked_at.inside[0]", {"inside": [origin]}),
    ):
        refused = refusal(asked_at)
        assert refused.startswith(f"{path}: "), refused
        assert reason in refused


@pytest.mark.parametrize(
    ("asked_at", "reason"),
    [
        ({}, "asked_at: must have either host and record, or inside"),
        ({"host": HOST["host"]}, "asked_at: must have either host and record, or inside"),
        ({**HOST, **INSIDE}, "asked_at: must have either host and record, or inside"),
        ({**HOST, "page": "x"}, "asked_at: unknown key 'page'"),
        ({"inside": []}, "asked_at.inside: must name 1 to 20 tools"),
        ({"inside": ["https://a.example.com"] * 2}, "asked_at.inside[1]: is there twice"),
        ({**HOST, "record": "https://research.example.org/a/abc"}, "asked_at.record: must be the address"),
        (
            {**HOST, "record": "http://research.example.org/a/abc/record"},
            "asked_at.record: must be the address",
        ),
        ({**HOST, "record": f"{RECORD}?x=1"}, "asked_at.record: must be the address"),
        (
            {**HOST, "host": "https://research.example.org"},
            "asked_at.host: is the site that gets the records",
        ),
        (
            {**HOST, "host": "https://research.example.org:8443"},
            "asked_at.host: is the site that gets the records",
        ),
    ],
)
def test_a_place_that_is_none_is_refused(asked_at: object, reason: str) -> None:
    assert refusal(asked_at).startswith(reason)


def test_only_places_of_the_own_machine_are_for_trying() -> None:
    local = {"host": "http://localhost:8001", "record": "http://localhost:8000/a/abc/record"}
    trying = [parse_design(json.dumps(closed(THEFT, asked_at=at))).asked_at for at in (local, HOST, INSIDE)]
    assert [at is not None and at.is_for_trying for at in trying] == [True, False, False]


LONG = q.plain(*({"name": f"q{number}", "choices": ["a", "b"]} for number in range(1_300)))
"""With the sensitive question 1,301 digits of answers."""
LASTING = q.sensitive("0.81", q.question("theft", *q.HALF), lasting="0.9")
PLACES = q.grid(3, 1)
ALL_INSIDE, OUTSIDE = q.place("home", PLACES, [0, 1, 2]), q.place("home", PLACES, [0, 1])
DRAWN = q.plain(q.drawn_question("version", "0.5", "0.5"))
ROTATING = q.sensitive("0.3", q.question("theft", *q.HALF), q.question("drugs", *q.HALF), asked=1)
CASES: dict[str, tuple[tuple[dict[str, Any], ...], dict[str, Any], bool, bool]] = {
    "lasting": ((LASTING,), {}, False, False),
    "quotas": ((q.plain(SEX), THEFT), {"quotas": [{"answers": {"sex": "f"}, "limit": 30}]}, False, False),
    "sites": ((THEFT,), {"sites": ["https://www.example.org"]}, False, False),
    "rehearsal": ((THEFT,), {"rehearsal": True}, False, False),
    "follows": ((THEFT,), {"follows": KEY}, True, False),
    "rounds": ((THEFT,), {"rounds": 3}, True, False),
    "open": ((THEFT,), {"open_answers": True}, True, False),
    "direct": ((THEFT,), {"direct": "0.5"}, True, False),
    "completion": ((THEFT,), {"panel": {"en": "Code"}}, True, False),
    "crosswise questions": ((q.crosswise("tax", "0.25"),), {}, True, False),
    "outside": ((OUTSIDE,), {}, True, False),
    "drawn": ((DRAWN, THEFT), {}, True, False),
    "rotating": ((ROTATING,), {}, True, False),
    "long": ((LONG, THEFT), {}, True, False),
    "longest": ((LONG,), {}, True, True),
    "plain": ((q.plain(SEX), THEFT), {}, True, True),
    "understanding": ((THEFT, q.UNDERSTOOD), {"understanding": True}, True, True),
    "control": ((q.sensitive("0.5", q.question("theft", *q.HALF, known="0.1")),), {}, True, True),
    "order": (
        (q.sensitive("0.5", q.question("theft", *q.HALF), q.question("tax", *q.HALF), order="random"),),
        {},
        True,
        True,
    ),
    "sets": ((q.subset(4, 2, "0.8"),), {}, True, True),
    "numbers": ((q.window("age", 100, 5),), {}, True, True),
    "places": ((ALL_INSIDE,), {}, True, True),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("column", ["host", "inside"])
def test_each_feature_is_allowed_or_refused_by_one_sentence(name: str, column: str) -> None:
    sections, more, at_host, in_tool = CASES[name]
    refused = refusal(HOST if column == "host" else INSIDE, *sections, **more)
    is_allowed = at_host if column == "host" else in_tool
    assert (refused == "") == is_allowed, refused
    if not is_allowed:
        assert ": " in refused.removeprefix("asked_at: "), "the way out"


@pytest.mark.parametrize(
    ("keys", "is_invited", "at_host"),
    [({"invitation_key": "x"}, False, False), ({"sealing_key": "x"}, False, False), ({}, True, True)],
)
def test_keys_and_invitations_are_refused_where_the_page_is_not_ours(
    keys: dict[str, Any], is_invited: bool, at_host: bool
) -> None:
    asks = replace(q.design(THEFT, open_answers=False), **keys)
    host, inside = AskedAt(HOST["host"], RECORD), AskedAt(inside=tuple(INSIDE["inside"]))
    refused = [asked_at_refusal(replace(asks, asked_at=at), is_invited) for at in (None, host, inside)]
    assert [each is None for each in refused] == [True, at_host, False]
