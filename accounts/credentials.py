"""The credentials of a person (password, factors, providers) with their roles: detects any change, and
revokes them all."""

from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.db import transaction
from django.db.models import QuerySet
from django.dispatch import Signal
from django.utils.crypto import salted_hmac

from accounts import role_assignment
from accounts.models import History, Person

all_ended = Signal()
"""Signal, sent with `person` in the transaction that revokes all credentials of the account."""


def credentials_fingerprint(person: Person) -> str:
    """Returns a fingerprint that changes with the password, a second factor, a provider or a role, even if
    the change is reverted."""
    changes = History.objects.about(person).filter(what__in=role_assignment.CHANGES)
    parts = (
        person.password,
        person.is_superuser,
        sorted(person.roles),
        changes.values_list("pk", flat=True).first(),
        list(second_factors(person).order_by("pk").values_list("pk", flat=True)),
        list(SocialAccount.objects.filter(user=person).order_by("pk").values_list("pk", flat=True)),
    )
    return salted_hmac("accounts.credentials", repr(parts), algorithm="sha256").hexdigest()


def second_factors(person: Person) -> QuerySet[Authenticator]:
    kinds = [Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN]
    return Authenticator.objects.filter(user=person, type__in=kinds)


@transaction.atomic
def end_all_credentials(person: Person) -> None:
    """Removes a person's password, second factors and provider sign-ins, which ends all that depends on them: sessions,
    links, known devices, API tokens and webhooks.

    Used when a provider's sign-in is joined to an account.
    """
    Authenticator.objects.filter(user=person).delete()
    SocialAccount.objects.filter(user=person).delete()
    person.set_unusable_password()
    person.new_email = ""
    person.save(update_fields=["password", "new_email"])
    all_ended.send(Person, person=person)
