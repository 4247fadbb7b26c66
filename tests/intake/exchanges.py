"""Surveys whose invitations are exchanged, and what their respondents' devices send."""

import json
import os
from functools import cache
from typing import Any

from cryptography.hazmat.primitives.asymmetric import rsa

from privacy.blind_signatures.protocol import PrivateKey, base64url_bytes, base64url_text, blind_sign
from privacy.blind_signatures.tokens import Device
from privacy.designs import Design
from surveys.lifecycle.invitation_keys import PRIME
from surveys.models import InvitationKey, Survey
from tests.intake import asked


def key(number: int = 0) -> PrivateKey:
    """The same for all tests of a process, one a number."""
    return _made(number)


@cache
def _made(_number: int) -> PrivateKey:
    numbers = rsa.generate_private_key(65_537, 2048).private_numbers()
    return PrivateKey(numbers.p, numbers.q)


def primes(number: int = 0) -> bytes:
    return b"".join(prime.to_bytes(PRIME, "big") for prime in (key(number).p, key(number).q))


def design(number: int = 0, **more: Any) -> Design:
    return asked.design(invitation_key=key(number).public.text, **more)


def survey(asks: Design, number: int = 0, **values: Any) -> Survey:
    opened = asked.survey(asks, invited=True, **values)
    InvitationKey.objects.create(survey=opened, primes=primes(number))
    return opened


def device(asks: Design) -> Device:
    return Device(asks.invitation_key, os.urandom)


def body(asks: Design, invitation: str, blinded: str) -> str:
    return json.dumps({"design": asks.fingerprint, "invitation": invitation, "blinded": blinded})


def post(to: Survey, body: str | bytes, **headers: Any) -> Any:
    return asked.CLIENT.post(
        f"/a/{to.slug}/exchange",
        body,
        content_type=headers.pop("content_type", "application/json"),
        headers={"Sec-Fetch-Site": "same-origin"} | headers,
    )


def token(number: int = 0) -> str:
    """A token as a device gets it, without any invitation."""
    made = Device(key(number).public.text, os.urandom)
    return made.token(base64url_text(blind_sign(key(number), base64url_bytes(made.blinded), os.urandom)))


STORE_KEY = """
from surveys.models import InvitationKey
InvitationKey.objects.create(survey_id={survey}, primes={primes!r})
"""
"""For a product in another process."""
