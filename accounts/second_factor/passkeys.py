"""Passkeys (WebAuthn): their owner adds, renames and removes them, and shows one in place of a code.

A challenge waits in the session and is answered once. The library is loaded where a passkey is made or shown.
"""

import struct
from datetime import datetime
from typing import Any, NamedTuple

from allauth.mfa.models import Authenticator
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404

from accounts.history import log_activity
from accounts.models import Person
from accounts.second_factor import factors

INVALID = (ValidationError, ValueError, TypeError, LookupError, AttributeError, struct.error)
"""What the library raises on an answer that is wrong, or that no browser makes."""


class Passkey(NamedTuple):
    pk: int
    name: str
    created_at: datetime
    last_used_at: datetime | None


def _rows(person: Person) -> QuerySet[Authenticator]:
    return Authenticator.objects.filter(user=person, type=factors.Kind.WEBAUTHN)


def of_person(person: Person) -> list[Passkey]:
    rows = _rows(person).order_by("pk")
    return [Passkey(row.pk, row.data["name"], row.created_at, row.last_used_at) for row in rows]


def own(person: Person, pk: int) -> Authenticator:
    row = _rows(person).filter(pk=pk).first()
    if row is None:
        raise Http404
    return row


def creation_options(person: Person) -> dict[str, Any]:
    """For `navigator.credentials.create`; the answer has to be to this challenge."""
    from allauth.mfa.webauthn.internal import auth  # late for cost

    return auth.begin_registration(person, passwordless=False)


def request_options(person: Person) -> dict[str, Any]:
    """For `navigator.credentials.get`; the answer has to be to this challenge."""
    from allauth.mfa.webauthn.internal import auth  # late for cost

    return auth.begin_authentication(person)


def is_new(credential: dict[str, Any]) -> bool:
    """Whether a browser made this passkey here and for the last challenge."""
    from allauth.mfa.webauthn.internal import auth  # late for cost

    try:
        auth.complete_registration(credential)
    except INVALID:
        return False
    finally:
        auth.clear_state()
    return True


def is_right(person: Person, credential: dict[str, Any]) -> bool:
    """Whether a passkey of this person answered the last challenge. Nobody can guess one, so nothing is counted."""
    from allauth.mfa.webauthn.internal import auth  # late for cost

    try:
        auth.complete_authentication(person, credential).record_usage()
    except INVALID:
        return False
    finally:
        auth.clear_state()
    return True


@transaction.atomic
def add(person: Person, name: str, credential: dict[str, Any]) -> None:
    """A credential that `is_new`."""
    from allauth.mfa.webauthn.internal.auth import WebAuthn  # late for cost

    WebAuthn.add(person, name, credential)
    log_activity(person, "accounts.factor-added", person, note="WebAuthn")


def rename(row: Authenticator, name: str) -> None:
    row.data["name"] = name
    row.save(update_fields=["data"])


@transaction.atomic
def remove(person: Person, pk: int) -> None:
    own(person, pk).delete()
    factors.remove_idle_codes(person)
    log_activity(person, "accounts.factor-removed", person, note="WebAuthn")
