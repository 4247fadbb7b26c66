"""Programs with tokens, in the small world."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.core.cache import cache
from django.core.wsgi import get_wsgi_application
from django.test import Client
from django.utils import timezone

from accounts.models import Person
from api import tokens
from api.models import Scope
from config.anonymous_wsgi import Application, anonymized
from tests.importing.conftest import read_here
from tests.wake_ups import broker

__all__ = ["broker", "read_here"]
EVERY = tuple(Scope)


def as_served() -> Application:
    """The application with the layer that every request comes through."""
    return anonymized(get_wsgi_application(), behind_proxy=False)


def secret_of(person: Person, scopes: Sequence[Scope] = EVERY) -> str:
    now = timezone.now()
    return tokens.make(person, "Nightly report", scopes, now + timedelta(days=1), now)[1]


def program(person: Person, scopes: Sequence[Scope] = EVERY) -> Client:
    """A client that sends a new token of this person with each request, and no cookie."""
    return with_token(secret_of(person, scopes))


def with_token(secret: str) -> Client:
    return Client(raise_request_exception=False, headers={"Authorization": f"Bearer {secret}"})


@pytest.fixture(autouse=True)
def _fresh_budgets(request: pytest.FixtureRequest) -> None:
    if "db" in request.fixturenames:
        cache.clear()
