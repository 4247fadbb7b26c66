"""Second factors of a person: an authenticator app or passkeys, and recovery codes in case these are lost."""

import re
from collections.abc import Callable

from allauth.mfa import app_settings
from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from accounts import credentials, mail, sessions
from accounts.activity_log import log_activity
from accounts.models import Person

Kind = Authenticator.Type
NOTES = {Kind.TOTP: "TOTP", Kind.WEBAUTHN: "WebAuthn"}


def has_factor(person: Person) -> bool:
    return credentials.second_factors(person).exists()


def must_have_factor(person: Person) -> bool:
    """True if the operator requires a second factor for one of the person's roles."""
    attributes = {"researchers": "is_researcher", "reviewers": "is_reviewer", "superusers": "is_superuser"}
    if any(getattr(person, attributes[role]) for role in settings.SECOND_FACTOR_FOR):
        return True
    return "reviewers" in settings.SECOND_FACTOR_FOR and any(
        reviews(person) for reviews in _reviewers_of_some
    )


_reviewers_of_some: list[Callable[[Person], bool]] = []


def register_reviewer_test(reviews: Callable[[Person], bool]) -> None:
    """Registers the function that says whether a person without the reviewer role reviews some survey.

    Such a person needs the second factor of a reviewer.
    """
    _reviewers_of_some[:] = [reviews]


def authenticator_app(person: Person) -> Authenticator | None:
    return Authenticator.objects.filter(user=person, type=Kind.TOTP).first()


def passkeys(person: Person) -> QuerySet[Authenticator]:
    return Authenticator.objects.filter(user=person, type=Kind.WEBAUTHN).order_by("pk")


def count_recovery_codes(person: Person) -> int:
    row = Authenticator.objects.filter(user=person, type=Kind.RECOVERY_CODES).first()
    return app_settings.RECOVERY_CODE_COUNT - int(row.data["used_mask"]).bit_count() if row else 0


def enrolment_details(person: Person, secret: str) -> dict[str, str]:
    """Returns what to show to add an authenticator app: the otpauth address, its QR code as an image address, and the
    secret in groups of four."""
    import segno  # late for cost

    address = get_adapter().build_totp_url(person, secret)
    picture = segno.make(address, error="m").svg_data_uri(scale=5, border=2, light="#fff")
    return {"address": address, "picture": picture, "secret": " ".join(re.findall(".{1,4}", secret))}


@transaction.atomic
def add_app(person: Person, secret: str) -> None:
    from allauth.mfa.totp.internal.auth import TOTP  # late for cost

    TOTP.activate(person, secret)
    log_activity(person, "accounts.factor-added", person, note=NOTES[Kind.TOTP])


@transaction.atomic
def add_passkey(person: Person, name: str, credential: object) -> None:
    """Adds a passkey whose credential `passkeys.NewPasskeyForm` has verified."""
    Authenticator.objects.create(
        user=person, type=Kind.WEBAUTHN, data={"name": name, "credential": credential}
    )
    log_activity(person, "accounts.factor-added", person, note=NOTES[Kind.WEBAUTHN])


@transaction.atomic
def replace_recovery_codes(person: Person) -> list[str]:
    """Creates ten recovery codes, which replace all earlier ones."""
    from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes  # late for cost

    Authenticator.objects.filter(user=person, type=Kind.RECOVERY_CODES).delete()
    codes: list[str] = RecoveryCodes.activate(person).generate_codes()
    log_activity(person, "accounts.codes-made", person)
    return codes


@transaction.atomic
def remove_factor(person: Person, kind: str, **which: int) -> None:
    """Removes a second factor, and the recovery codes with the last one."""
    get_object_or_404(Authenticator, user=person, type=kind, **which).delete()
    if not has_factor(person):
        Authenticator.objects.filter(user=person).delete()
    log_activity(person, "accounts.factor-removed", person, note=NOTES[Kind(kind)])


def remove_all_factors(person: Person, by: Person) -> None:
    """Removes all second factors of a person who lost them, ends their sessions and notifies them by email."""
    with transaction.atomic():
        Authenticator.objects.filter(user=person).delete()
        log_activity(by, "accounts.factor-removed", person)
    sessions.end_all_sessions(person)
    if person.email:
        mail.send_in_background(mail.compose_letter("factor-removed", person, by=by.get_full_name()))
