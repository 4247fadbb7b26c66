"""Surveys with field devices, and a device of Python: what it stores, sends and seals is what the real one does."""

import json
import os
from dataclasses import replace
from functools import cache
from typing import Any

from privacy.blind_signatures.protocol import base64url_bytes, base64url_text, blind_sign
from privacy.blind_signatures.tokens import Device as Blinding
from privacy.designs import Design
from privacy.records import Envelope
from surveys.field_record_encryption import make_sealing_key, seal
from surveys.models import FieldKeys, Survey
from tests.intake import asked, exchanges

LOT = 50


@cache
def sealing(number: int) -> tuple[bytes, str]:
    """The private and the public sealing key: the same for all tests of a process, one a number."""
    return make_sealing_key()


def design(number: int = 0, **more: Any) -> Design:
    keys = {"token_key": exchanges.key(number).public.text, "sealing_key": sealing(number)[1]}
    return asked.design(**(keys | more))


def survey(asks: Design, number: int = 0, **values: Any) -> Survey:
    opened = asked.survey(asks, **values)
    FieldKeys.objects.create(survey=opened, primes=exchanges.primes(number), sealing=sealing(number)[0])
    return opened


def random_text() -> str:
    return base64url_text(os.urandom(16))


def post(to: Survey, name: str, body: dict[str, Any] | str, **headers: Any) -> Any:
    return asked.CLIENT.post(
        f"/a/{to.slug}/field/{name}",
        body if isinstance(body, str) else json.dumps(body),
        content_type=headers.pop("content_type", "application/json"),
        headers={"Sec-Fetch-Site": "same-origin"} | headers,
    )


def said(response: Any) -> tuple[int, str]:
    return response.status_code, response.json()["outcome"]


def token(number: int = 0) -> str:
    """A token of a field device, signed without asking the server."""
    made = Blinding(exchanges.key(number).public.text, os.urandom)
    return made.token(
        base64url_text(blind_sign(exchanges.key(number), base64url_bytes(made.blinded), os.urandom))
    )


def envelope(asks: Design, token: str | None, number: int = 0) -> Envelope:
    return replace(asked.envelope(asks, number, token=token), epoch=None)


def sealed(asks: Design, sent: Envelope) -> dict[str, str]:
    return {"sealed": seal(asks.sealing_key, asks.fingerprint, sent.json.encode())}


class Device:
    """A field device: it is set up by a ticket, fetches lots, and spends a token for each record."""

    def __init__(self, opened: Survey, asks: Design, ticket: str) -> None:
        self.opened, self.asks, self.ticket, self.secret = opened, asks, ticket, random_text()
        self.tokens: list[str] = []

    def set_up(self) -> Any:
        return post(self.opened, "device", {"ticket": self.ticket, "secret": self.secret})

    def blind(self, n: int) -> list[Blinding]:
        return [Blinding(self.asks.token_key, os.urandom) for _person in range(n)]

    def lot(self, number: int, messages: list[Blinding]) -> Any:
        blinded = [message.blinded for message in messages]
        return post(self.opened, "lot", {"secret": self.secret, "lot": number, "blinded": blinded})

    def fetch(self, people: int) -> None:
        for number in range(-(-people // LOT)):
            messages = self.blind(min(LOT, people - LOT * number))
            signatures = self.lot(number, messages).json()["signatures"]
            self.tokens += [m.token(s) for m, s in zip(messages, signatures, strict=True)]

    def report(self, asked_: int, waiting: bool) -> Any:
        return post(self.opened, "report", {"secret": self.secret, "asked": asked_, "waiting": waiting})
