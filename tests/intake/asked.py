"""The surveys of these tests, what is sent to them, how rows lie in SQLite's file, and records for files."""

import itertools
import json
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.hpke import AEAD, KDF, KEM, Suite
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from intake.batches import sealed_batch_reader, sealing
from intake.batches.seen_keys import split_hashes
from intake.endpoint.accept_record import find_public_survey, receive_record
from intake.endpoint.epochs import NO_EPOCH, epoch_at
from intake.endpoint.keyed_hashes_of_secrets import (
    HashedTextKind,
    get_or_create_survey_secret,
    hash_with_secret,
)
from intake.endpoint.rate_limits import RequestLimits
from intake.models import Batch, FreshKey, SeenKeys
from intake.recordfiles import codebook as codebooks
from intake.recordfiles.record_file_rows import UsedRows
from privacy.blind_signatures.protocol import PrivateKey, base64url_bytes, base64url_text, blind_sign
from privacy.designs import Design, parse_design
from privacy.designs.record_encryption_key import read_sealing_key
from privacy.records import OPEN, Envelope, Record, RecordRow, batch_bit_columns
from surveys.field_record_encryption import INFO, VERSION, make_sealing_key
from surveys.lifecycle.token_signing_key import PRIME
from surveys.models import Design as DesignRow, FieldKeys, InvitationKey, Survey
from tests.privacy.conftest import TokenExchange as Blinding

Row = tuple[object, ...]
WITHOUT_CONTENT = {0: None, 8: 0, 9: 1}
WIDTHS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8, 7: 8}


def rows_as_they_lie(file: sqlite3.Connection, table: str) -> list[Row]:
    """Page by page, in each the oldest place first: SQLite fills a page from its end."""
    ((root,),) = file.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", [table]).fetchall()
    return list(_of_page(file.serialize(), root))


def _of_page(content: bytes, number: int) -> Iterator[Row]:
    size = int.from_bytes(content[16:18]) or 65536
    page = content[(number - 1) * size : number * size]
    kind, cells = page[0], int.from_bytes(page[3:5])
    is_leaf, has_rowid = kind in (0x0A, 0x0D), kind in (0x05, 0x0D)
    pointers = page[8 if is_leaf else 12 :][: 2 * cells]
    starts = (int.from_bytes(pointers[i : i + 2]) for i in range(0, 2 * cells, 2))
    for cell in (page[start:] for start in sorted(starts, reverse=True)):
        if not is_leaf:
            yield from _of_page(content, int.from_bytes(cell[:4]))
        if is_leaf or not has_rowid:
            yield tuple(_values(_payload(cell if is_leaf else cell[4:], has_rowid)))
    if not is_leaf:
        yield from _of_page(content, int.from_bytes(page[8:12]))


def _payload(cell: bytes, has_rowid: bool) -> bytes:
    length, at = _varint(cell, 0)
    if has_rowid:
        _rowid, at = _varint(cell, at)
    return cell[at : at + length]


def _values(payload: bytes) -> Iterator[object]:
    end, at = _varint(payload, 0)
    body = end
    while at < end:
        kind, at = _varint(payload, at)
        if kind in WITHOUT_CONTENT:
            yield WITHOUT_CONTENT[kind]
            continue
        width = WIDTHS.get(kind, (kind - 12) // 2)
        value, body = payload[body : body + width], body + width
        if kind < 12:
            yield int.from_bytes(value, signed=True)
        else:
            yield value.decode() if kind % 2 else value


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for _byte in range(9):
        value = value << 7 | data[at] & 0x7F
        at += 1
        if not data[at - 1] & 0x80:
            break
    return value, at


# --- The surveys of these tests and what a respondent's page sends to them

CLIENT = Client()
_numbers = itertools.count()


def design(least: int = 20, digits: int = 6, **more: Any) -> Design:
    """Plain questions of ten choices each, so that every record can carry a number of its own."""
    questions = [{"name": f"d{place}", "choices": [str(c) for c in range(8)]} for place in range(digits)]
    return make_design({"kind": "plain", "questions": questions}, least=least, **more)


AGE_IN_BANDS = {
    "name": "age",
    "text": "How old are you?",
    "choices": ["<18", "18..34", "35..54", "55+"],
    "number": {"low": 0, "high": 120, "limits": [18, 35, 55], "unit": "years"},
}


def make_design(*sections: dict[str, Any], **more: Any) -> Design:
    return parse_design(json.dumps({"format": "candor-design/1", "sections": list(sections)} | more))


def survey(asks: Design, **values: Any) -> Survey:
    """An open survey that asks this."""
    owner, _made = Person.objects.get_or_create(username="owner")
    row, _made = DesignRow.objects.get_or_create(
        fingerprint=asks.fingerprint, defaults={"json": asks.canonical}
    )
    if "state" in values and values["state"] != Survey.State.OPEN:
        values.setdefault("closed_at", timezone.now())
    return Survey.objects.create(**{"owner": owner, "design": row, "state": Survey.State.OPEN} | values)


def number_record(asks: Design, number: int) -> Record:
    """The record of the plain questions of `design` that says this number in base 8."""
    return Record(asks.fingerprint, 1, f"{number:0{asks.width}o}")


def envelope(asks: Design, number: int | None = None, key: str = "", token: str | None = None) -> Envelope:
    place = next(_numbers) if number is None else number
    record = number_record(asks, place % 8**asks.width)
    return send_as_page(record, key, token)


def envelope_of(asks: Design, answers: str, key: str = "") -> Envelope:
    return send_as_page(Record(asks.fingerprint, 1, answers), key)


def send_as_page(record: Record, key: str = "", token: str | None = None) -> Envelope:
    """A record as a page of this month sends it; where invitations are asked for, the month is ignored."""
    return Envelope(key or secrets.token_hex(16), record, token, epoch_at(timezone.now()))


def post(to: Survey, what: Envelope | str | bytes, **headers: Any) -> Any:
    return post_to(to, "record", what.json if isinstance(what, Envelope) else what, **headers)


def post_to(to: Survey, place: str, body: str | bytes, **headers: Any) -> Any:
    return CLIENT.post(
        f"/a/{to.slug}/{place}",
        body,
        content_type=headers.pop("content_type", "application/json"),
        headers={"Sec-Fetch-Site": "same-origin"} | headers,
    )


def post_form(to: Survey, body: str, **headers: str) -> Any:
    return post_to(to, "form", body, content_type="application/x-www-form-urlencoded", **headers)


def missing_parts(text: str, *parts: str) -> list[str]:
    """Those that the text should hold and does not."""
    return [part for part in parts if part not in text]


def parts_in_text(text: str, *parts: str) -> list[str]:
    """Those that the text should not hold and does."""
    return [part for part in parts if part in text]


def take_in(to: Survey, envelopes: Iterable[Envelope]) -> None:
    """Stores each of them, without a look at whether a sealing is due."""
    public = find_public_survey(to.slug)
    assert public
    for each in envelopes:
        assert receive_record(public, each.json.encode(), timezone.now(), RequestLimits()).status == 201


STORED, KNOWN = (201, "stored"), (200, "already stored")
UNINVITED, IMPOSSIBLE = (403, "unknown or spent token"), (422, "not a record of this design")
MALFORMED, CLOSED, TOO_LONG = (422, "malformed"), (410, "closed"), (413, "too long")


def outcome_of(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["outcome"]


def outcome(to: Survey, what: Envelope | str | bytes, **headers: Any) -> tuple[int, str]:
    """What the page is told of it."""
    return outcome_of(post(to, what, **headers))


# --- Surveys whose invitations are exchanged, and what their respondents' devices send


def signing_key(number: int = 0) -> PrivateKey:
    """The same for all tests of a process, one a number."""
    return _signing_key(number)


@cache
def _signing_key(_number: int) -> PrivateKey:
    numbers = rsa.generate_private_key(65_537, 2048).private_numbers()
    return PrivateKey(numbers.p, numbers.q)


def primes(number: int = 0) -> bytes:
    key = signing_key(number)
    return b"".join(prime.to_bytes(PRIME, "big") for prime in (key.p, key.q))


def exchange_design(number: int = 0, **more: Any) -> Design:
    return design(invitation_key=signing_key(number).public.text, **more)


def exchange_survey(asks: Design, number: int = 0, **values: Any) -> Survey:
    opened = survey(asks, invited=True, **values)
    InvitationKey.objects.create(survey=opened, primes=primes(number))
    return opened


STORE_KEY = """
from surveys.models import InvitationKey
InvitationKey.objects.create(survey_id={survey}, primes={primes!r})
"""
"""The same for a product in another process."""


def blinding(key: str) -> Blinding:
    return Blinding(key, os.urandom)


def exchange_body(asks: Design, invitation: str, blinded: str) -> str:
    return json.dumps({"design": asks.fingerprint, "invitation": invitation, "blinded": blinded})


def token(number: int = 0) -> str:
    """A token as a device gets it, without any invitation, and without asking the server."""
    made = blinding(signing_key(number).public.text)
    signature = blind_sign(signing_key(number), base64url_bytes(made.blinded), os.urandom)
    return made.token(base64url_text(signature))


# --- Surveys with field devices, and a device of Python that stores, sends and seals what the real one does

LOT = 50


@cache
def sealing_key(number: int) -> tuple[bytes, str]:
    """The private and the public key: the same for all tests of a process, one a number."""
    return make_sealing_key()


def field_design(number: int = 0, **more: Any) -> Design:
    keys = {"token_key": signing_key(number).public.text, "sealing_key": sealing_key(number)[1]}
    return design(**(keys | more))


def field_survey(asks: Design, number: int = 0, **values: Any) -> Survey:
    opened = survey(asks, **values)
    FieldKeys.objects.create(survey=opened, primes=primes(number), sealing=sealing_key(number)[0])
    return opened


def random_text() -> str:
    return base64url_text(os.urandom(16))


def post_field(to: Survey, name: str, body: dict[str, Any] | str, **headers: Any) -> Any:
    return post_to(to, f"field/{name}", body if isinstance(body, str) else json.dumps(body), **headers)


def field_envelope(asks: Design, token: str | None, number: int = 0) -> Envelope:
    return replace(envelope(asks, number, token=token), epoch=None)


def encrypt_field_record(key: str, fingerprint: str, content: bytes) -> str:
    """For the holder of the private half of `key`, as `intake/static/intake/field/sealing.js` does."""
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), read_sealing_key(key))
    suite = Suite(KEM.P256, KDF.HKDF_SHA256, AEAD.AES_256_GCM)
    return base64url_text(VERSION + suite.encrypt(content, public, INFO + bytes.fromhex(fingerprint)))


def sealed_body(asks: Design, sent: Envelope) -> dict[str, str]:
    return {"sealed": encrypt_field_record(asks.sealing_key, asks.fingerprint, sent.json.encode())}


class FieldDevice:
    """It is set up by a ticket, fetches lots, and spends a token for each record."""

    def __init__(self, opened: Survey, asks: Design, ticket: str) -> None:
        self.opened, self.asks, self.ticket, self.secret = opened, asks, ticket, random_text()
        self.tokens: list[str] = []

    def set_up(self) -> Any:
        return post_field(self.opened, "device", {"ticket": self.ticket, "secret": self.secret})

    def blind_tokens(self, n: int) -> list[Blinding]:
        return [blinding(self.asks.token_key) for _person in range(n)]

    def fetch_signatures(self, number: int, messages: list[Blinding]) -> Any:
        blinded = [message.blinded for message in messages]
        return post_field(self.opened, "lot", {"secret": self.secret, "lot": number, "blinded": blinded})

    def fetch(self, people: int) -> None:
        for number in range(-(-people // LOT)):
            messages = self.blind_tokens(min(LOT, people - LOT * number))
            signatures = self.fetch_signatures(number, messages).json()["signatures"]
            self.tokens += [m.token(s) for m, s in zip(messages, signatures, strict=True)]

    def report(self, asked_: int, waiting: bool) -> Any:
        return post_field(self.opened, "report", {"secret": self.secret, "asked": asked_, "waiting": waiting})


# --- what is stored of it: hashes


def hash_of(survey: Survey, kind: HashedTextKind, text: str) -> bytes:
    return hash_with_secret(get_or_create_survey_secret(survey.pk), kind, text)


def hash_of_key(survey: Survey, envelope: Envelope) -> bytes:
    epoch = NO_EPOCH if survey.invited else envelope.epoch
    return hash_of(survey, HashedTextKind.KEY, f"{epoch} {envelope.key}")


def fresh_hashes(**where: Any) -> set[bytes]:
    return {bytes(row.hash) for row in FreshKey.objects.filter(**where)}


def seen_hashes(**where: Any) -> list[bytes]:
    """In the order of the blocks, and in each as they lie."""
    blocks = SeenKeys.objects.filter(**where).order_by("survey", "epoch", "first")
    return [hash_ for block in blocks for hash_ in split_hashes(bytes(block.hashes))]


def as_they_lie(table: str, value: type) -> list[Any]:
    """Of each row the value of this type, in the order in which rows lie in SQLite's pages."""
    connection.ensure_connection()
    rows = rows_as_they_lie(connection.connection, table)
    return [next(each for each in row if isinstance(each, value)) for row in rows]


def start(design: Design, language: str = "en", form: bool = False) -> str:
    """The page, or the form without a script, of a survey with this design."""
    made = survey(design)
    address = f"{made.address}/form" if form else made.address
    return Client().get(address, headers={"Accept-Language": language}).text


# --- records as they stand in a file, and batches that hold known ones


def pack_rows(design: Design, rows: Sequence[RecordRow]) -> bytes:
    group = np.array([row.group for row in rows], np.uint8)
    most = max(question.not_applicable for question in design.questions)
    codes = np.array([row.codes for row in rows], np.min_scalar_type(most)).T
    return batch_bit_columns.pack_batch(design, group, codes)


def used_rows(design: Design, *parts: Sequence[RecordRow], seed: int = 1) -> UsedRows:
    """As they would be read from batches of these rows."""
    opened = tuple(batch_bit_columns.columns_from_bytes(design, pack_rows(design, part)) for part in parts)
    order = np.random.default_rng(seed).permutation(sum(part.n for part in opened))
    return UsedRows(design, opened, order.astype(np.uint32))


def seal_batches(survey: Survey, design: Design, *parts: Sequence[RecordRow]) -> None:
    """Batches of these rows, as a sealing leaves them."""
    for number, rows in enumerate(parts, 1):
        Batch.objects.create(
            survey=survey, first=number, last=number, n=len(rows), columns=pack_rows(design, rows)
        )


def sealed_codes(survey: Survey) -> list[Any]:
    """Of each batch the codes of its records, a row a question, in the order in which they lie there."""
    read = sealed_batch_reader.read_batches(survey, sealing.last_batch_number(survey.pk))
    return [batch_bit_columns.unpack_columns(batch.columns)[1] for batch in read]


def codebook(records: UsedRows, file: str, title: str, language: str) -> str:
    return codebooks.codebook_markdown(records.design, file, title, language, records)


def cells_of(table: Any, column: str) -> list[str]:
    """A column of a Parquet file as the cells of a CSV file, by what its own metadata say of null."""
    signs = {"not applicable": "-", "not asked": ""}
    about = table.schema.field(column).metadata or {}
    missing = about.get(b"candor:missing", table.schema.metadata[b"candor:missing"])
    null = signs[json.loads(missing)["null"]]
    return [null if cell is None else str(cell) for cell in table[column].to_pylist()]


def told_rows(design: Design, rows: Sequence[RecordRow]) -> Iterator[RecordRow]:
    """What a file that leaves the product tells of these rows: no plain answer and no place of an open record."""
    plain = [question.withheld_if_open for question in design.questions]
    for group, codes in rows:
        hidden = [
            question.withheld if group == OPEN and is_plain else code
            for question, code, is_plain in zip(design.questions, codes, plain, strict=True)
        ]
        yield RecordRow(group, tuple(hidden))
