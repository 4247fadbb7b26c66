"""The surveys of these tests and what a respondent's page sends to them."""

import itertools
import json
import secrets
from typing import Any

from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from privacy.designs import Design, parse
from privacy.records import Envelope, Record
from surveys.models import Design as DesignRow, Survey
from tests.intake.sqlite_pages import rows_as_they_lie

YES_NO = ["no", "yes"]
CLIENT = Client()
_numbers = itertools.count()


def design(least: int = 20, digits: int = 6, **more: Any) -> Design:
    """Plain questions of ten choices each, so that every record can carry a number of its own."""
    questions = [{"name": f"d{place}", "choices": [str(c) for c in range(8)]} for place in range(digits)]
    return written({"kind": "plain", "questions": questions}, least=least, **more)


def written(*sections: dict[str, Any], **more: Any) -> Design:
    return parse(json.dumps({"format": "candor-design/1", "sections": list(sections)} | more))


def survey(asks: Design, **values: Any) -> Survey:
    """An open survey that asks this."""
    owner, _made = Person.objects.get_or_create(username="owner")
    row, _made = DesignRow.objects.get_or_create(
        fingerprint=asks.fingerprint, defaults={"json": asks.canonical}
    )
    if "state" in values and values["state"] != Survey.State.OPEN:
        values.setdefault("closed_at", timezone.now())
    return Survey.objects.create(**{"owner": owner, "design": row, "state": Survey.State.OPEN} | values)


def numbered(asks: Design, number: int) -> Record:
    """The record of the plain questions of `design` that says this number in base 8."""
    return Record(asks.fingerprint, 1, f"{number:0{asks.width}o}")


def envelope(asks: Design, number: int | None = None, key: str = "", token: str | None = None) -> Envelope:
    place = next(_numbers) if number is None else number
    record = numbered(asks, place % 8**asks.width)
    return Envelope(key or secrets.token_hex(16), record, token)


def envelope_of(asks: Design, answers: str, key: str = "") -> Envelope:
    return Envelope(key or secrets.token_hex(16), Record(asks.fingerprint, 1, answers))


def post(to: Survey, what: Envelope | str | bytes, **headers: Any) -> Any:
    body = what.json if isinstance(what, Envelope) else what
    return CLIENT.post(
        f"/a/{to.slug}/record",
        body,
        content_type=headers.pop("content_type", "application/json"),
        headers={"Sec-Fetch-Site": "same-origin"} | headers,
    )


def as_they_lie(table: str, value: type) -> list[Any]:
    """Of each row the value of this type, in the order in which rows lie in SQLite's pages."""
    connection.ensure_connection()
    rows = rows_as_they_lie(connection.connection, table)
    return [next(each for each in row if isinstance(each, value)) for row in rows]
