"""The second factor of a person: an authenticator app or passkeys, and recovery codes for the day these are lost."""

import re
from urllib.parse import quote, urlencode

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from accounts import lockout, site
from accounts.history import log_activity
from accounts.models import Person

Kind = Authenticator.Type
STAGE = "second-factor"
"""The name of the step of a sign-in that asks for it."""
USED_SECONDS = 120
"""Longer than a code of an app is taken: no code is taken twice."""


def has_factor(person: Person) -> bool:
    return Authenticator.objects.filter(user=person, type__in=[Kind.TOTP, Kind.WEBAUTHN]).exists()


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
        used = salted_hmac("accounts.second_factor", f"{factor.pk} {code}", algorithm="sha256").hexdigest()
        if factor.wrap().validate_code(code) and cache.add(used, 1, USED_SECONDS):
            factor.record_usage()
            guess.passed()
            return True
    request.seconds_to_wait = guess.failed(now)  # type: ignore[attr-defined]
    return False


def is_code_of_secret(secret: str, code: str) -> bool:
    from allauth.mfa.totp.internal.auth import validate_totp_code  # late for cost

    return validate_totp_code(secret, code.replace(" ", ""))


def new_secret() -> str:
    from allauth.mfa.totp.internal.auth import generate_totp_secret  # late for cost

    return generate_totp_secret()


def enrolment(person: Person, secret: str) -> dict[str, str]:
    """What an app reads: the address, its QR code as the address of a picture, and the secret in groups of four."""
    import segno  # late for cost

    label = quote(f"{site.name()}:{person.get_username()}")
    address = f"otpauth://totp/{label}?{urlencode({'secret': secret, 'issuer': site.name()})}"
    picture = segno.make(address, error="m").svg_data_uri(scale=5, border=2, light="#fff")
    return {"address": address, "picture": picture, "secret": " ".join(re.findall(".{1,4}", secret))}


def app_of(person: Person) -> Authenticator | None:
    return Authenticator.objects.filter(user=person, type=Kind.TOTP).first()


def codes_left(person: Person) -> int:
    row = Authenticator.objects.filter(user=person, type=Kind.RECOVERY_CODES).first()
    return len(row.wrap().get_unused_codes()) if row else 0


@transaction.atomic
def add_app(person: Person, secret: str) -> None:
    from allauth.mfa.totp.internal.auth import TOTP  # late for cost

    TOTP.activate(person, secret)
    log_activity(person, "accounts.factor-added", person, note="TOTP")


@transaction.atomic
def new_codes(person: Person) -> list[str]:
    """Ten codes in place of those of before."""
    from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes  # late for cost

    Authenticator.objects.filter(user=person, type=Kind.RECOVERY_CODES).delete()
    codes: list[str] = RecoveryCodes.activate(person).generate_codes()
    log_activity(person, "accounts.codes-made", person)
    return codes


@transaction.atomic
def remove_app(person: Person) -> None:
    app = app_of(person)
    if app is None:
        raise Http404
    app.delete()
    remove_idle_codes(person)
    log_activity(person, "accounts.factor-removed", person, note="TOTP")


def remove_idle_codes(person: Person) -> None:
    """Recovery codes go with the last factor that they stand in for."""
    if not has_factor(person):
        Authenticator.objects.filter(user=person).delete()


@transaction.atomic
def remove_all(person: Person, by: Person) -> None:
    """For a person who lost theirs."""
    Authenticator.objects.filter(user=person).delete()
    log_activity(by, "accounts.factor-removed", person)
