"""Answers the requests of field devices: set-up, lots of blinded messages to sign, reports of their state,
and sealed records.

Bodies are strict JSON, as in `intake.endpoint.invitation_exchange`. A device authenticates by its secret,
which is in no request with a record: nothing that is stored or sent ties a record to the device.
"""

import json
import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from os import urandom
from threading import Lock

from django.db import transaction
from django.db.models import QuerySet

from intake.endpoint.accept_record import FIELD_ENVELOPE, Outcome, PublicSurvey
from intake.endpoint.keyed_hashes_of_secrets import HashedTextKind
from intake.field_devices.devices import LOT, STEP, lot_size
from intake.field_devices.models import MOST_PEOPLE, FieldDevice, FieldLot
from privacy.blind_signatures.protocol import RandomBytes, base64url_bytes, base64url_text, blind_sign
from privacy.blind_signatures.tokens import BLINDED, BLINDED_LENGTH
from privacy.designs import InputError
from privacy.grammar.json_node import Node, read_json
from surveys.field_record_encryption import decrypt_field_record
from surveys.lifecycle.field_device_keys import private_field_token_key, private_sealing_key
from surveys.models import Survey

SECRET = re.compile(r"[-\w]{22}", re.ASCII)
"""Pattern of a ticket and of a device's secret: 16 bytes in base64url."""
LONGEST = 512
"""Highest number of bytes of a device's request without blinded messages: our page needs 75."""
LONGEST_LOT = LONGEST + LOT * (BLINDED_LENGTH + 4)
LOT_SECONDS, LOT_WAIT = 1.0, 1
"""Least seconds between two lots of a process, and the Retry-After in seconds that a refused device gets."""
WAITING_SECONDS = 2 * LOT_WAIT
"""A refused device that has not asked again for so long is waiting no more."""
MOST_DEVICES = 1000
"""Of so many devices a process knows when they asked."""
Reply = tuple[Outcome, str]
"""An outcome, and the other members of the response as a JSON object."""
NOTHING = "{}"
"""A response without other members."""


@dataclass(slots=True)
class DeviceTurn:
    """`asked`: when this device last asked; `admitted`: when a lot of it was last admitted."""

    asked: float
    admitted: float = float("-inf")

    def is_waiting(self, now: float) -> bool:
        """Returns True if its last request was refused, and it can be expected to ask again."""
        return self.admitted != self.asked and now - self.asked <= WAITING_SECONDS


class LotRateLimit:
    """Rate limit: admits one lot of tokens a second to be signed, since signing takes a process half a second.

    Each device in turn: of those that are waiting, the one goes first whose last lot was the longest ago. Whoever asks
    without a pause therefore gets what the others leave.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = float("-inf")
        self._turns: dict[int, DeviceTurn] = {}
        self._lock = Lock()

    def try_acquire(self, device: int) -> bool:
        """Returns True if a lot of this device may be signed now."""
        with self._lock:
            now = self._clock()
            turn = self._turns.pop(device, None) or DeviceTurn(now)
            turn.asked = now
            self._turns[device] = turn  # the last of them: they stand in the order in which they asked
            if len(self._turns) > MOST_DEVICES:
                del self._turns[next(iter(self._turns))]
            waiting = (other for other in self._turns.values() if other.is_waiting(now))
            is_admitted = now - self._last >= LOT_SECONDS and all(
                turn.admitted <= other.admitted for other in waiting
            )
            if is_admitted:
                self._last = turn.admitted = now
            return is_admitted


PACE = LotRateLimit()


def set_up_device(public: PublicSurvey, body: bytes) -> Reply:
    """Sets up a device: stores the hash of its secret under its ticket, once. The same ticket and secret get the same
    answer again."""
    try:
        members = _parse_json_members(body, "ticket", "secret")
        ticket, secret = (_read_device_secret(members[name]) for name in ("ticket", "secret"))
    except InputError:
        return Outcome.MALFORMED, NOTHING
    if public.state != Survey.State.OPEN:
        return Outcome.CLOSED, NOTHING
    hash_, devices = (
        public.hash(HashedTextKind.DEVICE, secret),
        FieldDevice.objects.filter(survey=public.survey),
    )
    devices_of_ticket = devices.filter(ticket=public.hash(HashedTextKind.TICKET, ticket), is_withdrawn=False)
    # Nobody draws a secret twice: one that belongs to another ticket was copied.
    if not devices.filter(secret=hash_).exists():
        devices_of_ticket.filter(secret=None).update(secret=hash_)
    device = devices_of_ticket.first()
    if device is None:
        return Outcome.UNKNOWN_CODE, NOTHING
    if device.secret is None or bytes(device.secret) != hash_:
        return Outcome.USED, NOTHING
    return Outcome.SET_UP, json.dumps({"label": device.label, "people": device.people})


def sign_lot(
    public: PublicSurvey, body: bytes, pace: LotRateLimit = PACE, random_bytes: RandomBytes = urandom
) -> Reply:
    """Signs a numbered portion (lot) of a device's blinded messages, which makes them tokens.

    The same lot is signed again if it is requested again; other messages under its number are refused.
    """
    try:
        members = _parse_json_members(body, "secret", "lot", "blinded")
        secret, number = _read_device_secret(members["secret"]), members["lot"].integer(0, MOST_PEOPLE // LOT)
        blinded = [node.text() for node in members["blinded"].items()]
    except InputError:
        return Outcome.MALFORMED, NOTHING
    if public.state != Survey.State.OPEN:
        return Outcome.CLOSED, NOTHING
    key = private_field_token_key(public.survey)
    if key is None or key.public.text != public.design.token_key:
        return Outcome.CLOSED, NOTHING
    if not all(map(BLINDED.fullmatch, blinded)):
        return Outcome.MALFORMED, NOTHING
    messages = [base64url_bytes(text) for text in blinded]
    if any(int.from_bytes(message, "big") >= key.public.n for message in messages):
        return Outcome.MALFORMED, NOTHING
    with transaction.atomic():
        # Locked, so that a lot is never stored after its device was withdrawn.
        device = _devices_with_secret(public, secret).select_for_update().first()
        if device is None:
            return Outcome.UNKNOWN_CODE, NOTHING
        if not blinded or len(blinded) != lot_size(device.people, number):
            return Outcome.MALFORMED, NOTHING
        hash_ = public.hash(HashedTextKind.LOT, " ".join([secret, str(number), *blinded]))
        lots = FieldLot.objects.filter(device=device, number=number)
        if lots.exclude(hash=hash_).exists():
            return Outcome.ANOTHER_LOT, NOTHING
        if not pace.try_acquire(device.pk):
            return Outcome.TOO_OFTEN, NOTHING
        lots.get_or_create(device=device, number=number, defaults={"hash": hash_})
    signatures = [base64url_text(blind_sign(key, message, random_bytes)) for message in messages]
    return Outcome.SIGNED, json.dumps({"signatures": signatures})


def store_device_report(public: PublicSurvey, body: bytes) -> Reply:
    """Stores a device's report: about how many people it asked, in fives, and whether records wait on it."""
    try:
        members = _parse_json_members(body, "secret", "asked", "waiting")
        secret, asked = _read_device_secret(members["secret"]), members["asked"].integer(0, MOST_PEOPLE)
        waiting = members["waiting"].boolean()
    except InputError:
        return Outcome.MALFORMED, NOTHING
    if asked % STEP:
        return Outcome.MALFORMED, NOTHING
    is_noted = _devices_with_secret(public, secret).update(asked=asked, is_waiting=waiting)
    return (Outcome.NOTED if is_noted else Outcome.UNKNOWN_CODE), NOTHING


def unseal_record(public: PublicSurvey, body: bytes) -> bytes | Outcome:
    """Decrypts the sealed record of a field device: returns its envelope, or the outcome that refuses it."""
    try:
        sealed = _parse_json_members(body, "sealed")["sealed"].text()
    except InputError:
        return Outcome.MALFORMED
    if not public.design.has_field_devices:
        return Outcome.IMPOSSIBLE
    key = private_sealing_key(public.survey)
    if key is None:
        return Outcome.CLOSED
    if len(sealed) != public.sealed_record_length:
        return Outcome.IMPOSSIBLE
    try:
        envelope = decrypt_field_record(key, public.design.fingerprint, sealed)
    except ValueError:
        return Outcome.IMPOSSIBLE
    return envelope if len(envelope) == public.design.width + FIELD_ENVELOPE else Outcome.IMPOSSIBLE


def _parse_json_members(body: bytes, *names: str) -> dict[str, Node]:
    return read_json(body, "request").members(frozenset(names), frozenset())


def _read_device_secret(node: Node) -> str:
    text = node.text()
    if SECRET.fullmatch(text) is None:
        raise InputError(node.path, "is malformed")
    return text


def _devices_with_secret(public: PublicSurvey, secret: str) -> QuerySet[FieldDevice]:
    hash_ = public.hash(HashedTextKind.DEVICE, secret)
    return FieldDevice.objects.filter(survey=public.survey, secret=hash_, is_withdrawn=False)
