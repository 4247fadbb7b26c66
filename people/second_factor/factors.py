"""Second factors of a person: an authenticator app, passkeys, and recovery codes for the day they are lost."""

import re
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urlencode

import segno
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret, validate_totp_code
from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from people import lockout, site
from people.history import log_activity
from people.models import Person

Kind = Authenticator.Type
NOTES = {Kind.TOTP: "TOTP", Kind.WEBAUTHN: "WebAuthn"}
USED_SECONDS = 120
"""Longer than a code of an app is taken: no code is taken twice."""


def has_factor(person: Person) -> bool:
    return Authenticator.objects.filter(user=person).exclude(type=Kind.RECOVERY_CODES).exists()


def must_have_factor(person: Person) -> bool:
    """Whether the operator demands one of a role of this person."""
    holds = {
        "researchers": lambda: person.is_researcher,
        "reviewers": lambda: person.is_reviewer,
        "superusers": lambda: person.is_superuser,
    }
    return any(holds[role]() for role in settings.SECOND_FACTOR_FOR)


def is_code_right(request: HttpRequest, person: Person, code: str) -> bool:
    """Whether this is a code of the app, or a recovery code, that was not used before. Wrong ones have to wait as
    wrong passwords do, counted on their own."""
    guess = lockout.guess_of(request, f"second factor of {person.get_username()}")
    now = timezone.now().timestamp()
    request.guess = guess  # type: ignore[attr-defined]
    request.seconds_to_wait = guess.take(now)  # type: ignore[attr-defined]
    if request.seconds_to_wait:  # type: ignore[attr-defined]
        return False
    code = code.replace(" ", "")
    for factor in Authenticator.objects.filter(user=person, type__in=[Kind.TOTP, Kind.RECOVERY_CODES]):
        used = salted_hmac("people.second_factor", f"{factor.pk} {code}", algorithm="sha256").hexdigest()
        if factor.wrap().validate_code(code) and cache.add(used, 1, USED_SECONDS):
            factor.record_usage()
            guess.passed()
            return True
    request.seconds_to_wait = guess.failed(now)  # type: ignore[attr-defined]
    return False


def is_code_of_secret(secret: str, code: str) -> bool:
    return validate_totp_code(secret, code.replace(" ", ""))


def new_secret() -> str:
    return generate_totp_secret()


def enrolment(person: Person, secret: str) -> dict[str, str]:
    """What an app reads: the address, its QR code as the address of a picture, and the secret in groups of four."""
    label = quote(f"{site.name()}:{person.get_username()}")
    address = f"otpauth://totp/{label}?{urlencode({'secret': secret, 'issuer': site.name()})}"
    picture = segno.make(address, error="m").svg_data_uri(scale=5, border=2, light="#fff")
    return {"address": address, "picture": picture, "secret": " ".join(re.findall(".{1,4}", secret))}


@dataclass(frozen=True)
class FactorRow:
    pk: int
    kind: str
    name: str
    added: datetime
    used: datetime | None


def of_person(person: Person) -> list[FactorRow]:
    rows = Authenticator.objects.filter(user=person).exclude(type=Kind.RECOVERY_CODES).order_by("created_at")
    return [
        FactorRow(row.pk, row.type, row.data.get("name", ""), row.created_at, row.last_used_at) for row in rows
    ]


def has_app(person: Person) -> bool:
    return Authenticator.objects.filter(user=person, type=Kind.TOTP).exists()


def codes_left(person: Person) -> int:
    row = Authenticator.objects.filter(user=person, type=Kind.RECOVERY_CODES).first()
    return len(row.wrap().get_unused_codes()) if row else 0


@transaction.atomic
def add_app(person: Person, secret: str) -> None:
    TOTP.activate(person, secret)
    log_activity(person, "people.factor-added", person, note="TOTP")


@transaction.atomic
def new_codes(person: Person) -> list[str]:
    """Ten codes in place of those of before."""
    Authenticator.objects.filter(user=person, type=Kind.RECOVERY_CODES).delete()
    codes: list[str] = RecoveryCodes.activate(person).generate_codes()
    log_activity(person, "people.codes-made", person)
    return codes


@transaction.atomic
def remove(person: Person, pk: int) -> None:
    """Recovery codes go with the last factor."""
    row = Authenticator.objects.filter(user=person, pk=pk).exclude(type=Kind.RECOVERY_CODES).first()
    if row is None:
        raise Http404
    row.delete()
    if not has_factor(person):
        Authenticator.objects.filter(user=person).delete()
    log_activity(person, "people.factor-removed", person, note=NOTES[row.type])
