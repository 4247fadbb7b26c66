"""Envelopes to which things were done that no page does, and what should become of each, told without our parser."""

import json
import random
import re
import secrets
from dataclasses import dataclass
from typing import Any

from privacy.designs import Design
from tests.intake import asked

LEAST = 100_000
"""So large that nothing is sealed meanwhile."""
FORMS = [
    "application/json",
    "application/json; charset=utf-8",
    "APPLICATION/JSON",
    "application/json;charset=utf-16",
]
OTHERS = [
    "text/plain",
    "",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "x" * 200,
]
FRESH = "as good a key as the one that was there"
VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    1,
    2,
    -1,
    1.0,
    1e308,
    float("nan"),
    float("inf"),
    10**400,
    "",
    "0",
    "1",
    "NaN",
    "\x00",
    "\ud800",
    "０" * 6,
    "٣" * 6,
    FRESH,
    "A" * 32,
    "a" * 31,
    "a" * 33,
    "x" * 400,
    "8" * 6,
    "9" * 6,
    "0" * 5,
    "0" * 7,
    "0" * 300,
    "-00001",
    " 00000",
    "00000\n",
    [],
    {},
    [1],
    {"a": {}},
    [["000000"]],
]
MEMBERS = ["key", "record", "token", "design", "group", "answers"]


def design() -> Design:
    """Six plain questions of eight choices: the answer text is six digits from 0 to 7."""
    return asked.design(least=LEAST)


@dataclass(frozen=True)
class Body:
    data: bytes
    content_type: str
    site: str = "same-origin"

    def stored(self, wanted: Design, tokens: frozenset[str] | None) -> str | None:
        """The record that has to be stored, and no other; None: it has to be refused. `tokens`: those unspent."""
        if (
            self.site != "same-origin"
            or self.content_type.partition(";")[0].strip().lower() != "application/json"
        ):
            return None
        if len(self.data) > wanted.width + 512:
            return None
        envelope = _strictly(self.data)
        if not isinstance(envelope, dict) or not {"key", "record"} <= envelope.keys() <= {
            "key",
            "record",
            "token",
        }:
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


def _strictly(data: bytes) -> Any:
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


# --- what is done to one --------------------------------------------------------------------------------------------


def body(rng: random.Random, wanted: Design, number: int, token: str | None) -> Body:
    """An envelope of its own with nothing to three things done to it."""
    record: dict[str, Any] = {"design": wanted.fingerprint, "group": 1, "answers": f"{number % 8**6:06o}"}
    envelope: dict[str, Any] = {"key": secrets.token_hex(16), "record": record}
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
    return rng.choice(
        [
            data[:at] + noise + data[at:],
            data[:at] + data[at + 1 :],
            data[:at] + data[to:],
            data[:to] + data[at:to] + data[to:],
            data[:at],
            data * 2,
            b"\xef\xbb\xbf" + data,
            data + b" " * rng.randrange(700),
            b" \t\r\n" + data,
            data + b"\x00",
            data.replace(b"0", b"\\u0030", 3),
            data.replace(b'"key"', b'"k\\u0065y"'),
            data.replace(b'"group"', b'"group":1,"group"'),
            data.replace(b'"record":{', b'"record":{"more":{},'),
            data.replace(b":1,", b":1.0,"),
            data.replace(b":1,", b":1e0,"),
            data.replace(b":1,", b":01,"),
            data.replace(b":1,", b":NaN,"),
            data.replace(b'"', b"'"),
            data.replace(b"}", b",}"),
            b"[" * rng.randrange(1, 400) + data,
            b"[" + data + b"]",
            json.dumps(data.decode(errors="replace")).encode(),
            data.decode(errors="replace").encode("utf-16"),
            b"",
            b"null",
            noise * 60,
        ]
    )
