"""Creates and ends API tokens, and finds the token of a request."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from allauth.socialaccount.models import SocialAccount
from django.db import transaction
from django.utils.translation import gettext as _

from accounts import credentials, password_links
from accounts.activity_log import log_activity
from accounts.password_guess_limits import SharedTries
from api.models import Scope, Token
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

PREFIX = "candor_"
"""First characters of a token, by which secret scanners recognise published tokens."""
RANDOM_BYTES = 32
LIMIT = 20
"""Highest number of usable tokens of a person, since each has a request budget of its own."""
PER_MINUTE, WINDOW = 60, 60
"""Highest number of requests of a token, and the length of the window in seconds."""
SIGN_ON_LASTS = timedelta(days=30)
"""Time after its person's last sign-in by a provider for which a token works."""
USE_STORED = timedelta(minutes=5)
"""Least time between two updates of a token's last use."""


def create_token(
    person: "Person", name: str, scopes: Sequence[Scope], expires: datetime, now: datetime
) -> tuple[Token, str]:
    """Creates a token; returns it with its secret, which is stored nowhere."""
    secret = PREFIX + secrets.token_urlsafe(RANDOM_BYTES)
    with transaction.atomic():
        if len(list_usable_tokens_ending_outdated(person, now)) >= LIMIT:
            raise NotAllowed(_("You have %(limit)s tokens. End one of them first.") % {"limit": LIMIT})
        token = Token.objects.create(
            person=person,
            name=name,
            digest=hash_secret(secret),
            credentials=credentials.credentials_fingerprint(person),
            scopes=[scope.value for scope in scopes],
            created=now,
            expires=expires,
        )
        log_activity(person, "api.token-made", token, note=", ".join(token.scopes), when=now)
    return token, secret


def end_token(token: Token, person: "Person | None", now: datetime) -> None:
    """Ends a token. `person`: the person who ends it, None for Candor itself."""
    with transaction.atomic():
        if Token.objects.filter(pk=token.pk, ended=None).update(ended=now):
            log_activity(person, "api.token-ended", token, when=now)


def list_usable_tokens_ending_outdated(person: "Person", now: datetime) -> list[Token]:
    """Returns the person's usable tokens.

    Ends tokens that were made before the last change of the person's credentials or roles.
    """
    usable, fingerprint = [], credentials.credentials_fingerprint(person)
    for token in Token.objects.filter(person=person).valid_at(now):
        if token.credentials == fingerprint:
            usable.append(token)
        else:
            end_token(token, None, now)
    return usable


def find_usable_token(secret: str, now: datetime) -> Token | None:
    """Returns the usable token with this secret, if its person's account is active; else None."""
    usable = Token.objects.valid_at(now).select_related("person")
    token = usable.filter(digest=hash_secret(secret), person__is_active=True).first()
    return (
        token
        if token is not None and token in list_usable_tokens_ending_outdated(token.person, now)
        else None
    )


def must_sign_in_again(person: "Person", now: datetime) -> bool:
    """True if the person can sign in by a provider only, and has not for a long time: the provider may have closed the
    account."""
    has_password = person.has_usable_password() and password_links.may_use_password(person.username)
    if has_password or not SocialAccount.objects.filter(user=person).exists():
        return False
    return person.last_login is None or now - person.last_login > SIGN_ON_LASTS


def store_time_of_use(token: Token, now: datetime) -> None:
    if token.used is None or abs(now - token.used) > USE_STORED:
        Token.objects.filter(pk=token.pk).update(used=now)


class Budget(NamedTuple):
    """The requests that a token has left in this minute, and the seconds until one more is allowed.

    `is_allowed`: this request was within the budget.
    """

    is_allowed: bool
    left: int
    reset: int


def count_request(token: Token, now: datetime) -> Budget:
    tries = SharedTries([f"api-{token.pk}-{number}" for number in range(PER_MINUTE)], WINDOW)
    return Budget(tries.use_try(now.timestamp()), tries.left, tries.reset)


def hash_secret(secret: str) -> str:
    """Returns the SHA-256 of a secret. No salt and no slow hash: 256 random bits cannot be guessed."""
    return sha256(secret.encode(errors="surrogatepass")).hexdigest()
