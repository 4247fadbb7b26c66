"""Tokens: how they are made, kept, limited and ended."""

import itertools
import logging
import re
from collections.abc import Callable
from datetime import timedelta
from hashlib import sha256

import pytest
from allauth.socialaccount.models import SocialAccount
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.fixtures import Settings

from accounts import role_assignment
from accounts.models import RESEARCHERS, REVIEWERS, History, Person
from accounts.second_factor import factors
from api import tokens
from api.models import Token
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.api.conftest import problem, program, secret_of, signed_in_long_ago, with_token
from tests.cast import As

pytestmark = [pytest.mark.django_db, pytest.mark.page]
PAGE, NEW = reverse("api:tokens"), reverse("api:token-new")
SURVEYS = "/api/1/surveys"
FORM = {"name": "Nightly report", "scopes": ["read:reports"], "days": "30"}


def end_of(token: Token) -> str:
    return reverse("api:token-end", args=[token.pk])


def test_token_is_shown_once_stored_as_a_hash_and_its_use_noted(owner: Person, signed_in_as: As) -> None:
    client = signed_in_as(owner)
    page = client.post(NEW, FORM)
    token = Token.objects.get()
    secret = page.context["secret"]
    assert secret in page.text
    assert token.digest == sha256(secret.encode()).hexdigest()
    assert (token.scopes, (token.expires - token.created).days) == (["read:reports"], 30)
    listed = client.get(PAGE).text
    assert "Nightly report" in listed
    assert secret not in listed
    assert not Token.objects.filter(used__isnull=False).exists()
    assert with_token(secret).get("/api/1/reports").status_code == 200
    assert Token.objects.get().used
    assert History.objects.get(what="api.token-made").note == "read:reports"


def test_token_form_demands_a_scope_and_a_known_duration(owner: Person, signed_in_as: As) -> None:
    client = signed_in_as(owner)
    for name, value in (("scopes", ()), ("scopes", ["everything"]), ("days", "9999"), ("name", "")):
        assert "secret" not in client.post(NEW, {**FORM, name: value}).context
    assert not Token.objects.exists()


def test_making_a_token_asks_for_confirmation(owner: Person, signed_in_as: As) -> None:
    asks_again = signed_in_long_ago(signed_in_as(owner)).post(NEW, FORM)
    assert asks_again["Location"].startswith(reverse("accounts:confirm"))
    assert not Token.objects.exists()


def test_token_is_seen_and_ended_by_its_person_only(
    owner: Person, stranger: Person, superuser: Person, signed_in_as: As
) -> None:
    client = program(owner)
    token = Token.objects.get()
    for other in (stranger, superuser):
        assert "Nightly report" not in signed_in_as(other).get(PAGE).text
        assert signed_in_as(other).post(end_of(token)).status_code == 404
    assert client.get(SURVEYS).status_code == 200
    assert signed_in_as(owner).get(end_of(token)).status_code == 405
    assert signed_in_as(owner).post(end_of(token)).status_code == 302
    assert client.get(SURVEYS).status_code == 401
    assert client.get(SURVEYS)["WWW-Authenticate"] == "Bearer"


def test_api_never_redirects_to_the_sign_in_page() -> None:
    for page, method in itertools.product((PAGE, NEW, f"{PAGE}/1/end"), ("get", "post")):
        assert getattr(Client(), method)(page).status_code in (302, 405), page


def test_person_has_a_limited_number_of_tokens(owner: Person) -> None:
    for _each in range(tokens.LIMIT):
        secret_of(owner)
    with pytest.raises(NotAllowed):
        secret_of(owner)
    tokens.end_token(Token.objects.latest("pk"), owner, timezone.now())
    assert secret_of(owner)


def test_each_token_has_its_own_request_budget(owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tokens, "PER_MINUTE", 3)
    first, second = program(owner), program(owner)
    assert [first.get(SURVEYS).status_code for _each in range(5)] == [200, 200, 200, 429, 429]
    late = first.get(SURVEYS)
    assert problem(late, 429)
    assert 0 < int(late["Retry-After"]) <= 60
    assert second.get(SURVEYS).status_code == 200


def test_token_of_a_person_who_must_add_a_factor_does_nothing(owner: Person, settings: Settings) -> None:
    settings.SECOND_FACTOR_FOR = ["researchers"]
    assert program(owner).get(SURVEYS).status_code == 403


def test_plain_http_is_refused_and_not_redirected(settings: Settings, owner: Person) -> None:
    settings.HTTPS = settings.SECURE_SSL_REDIRECT = True
    assert problem(program(owner).get(SURVEYS), 403)


def test_log_holds_no_token(caplog: pytest.LogCaptureFixture, settings: Settings) -> None:
    caplog.set_level(logging.DEBUG)
    settings.DEBUG = True
    for header in ("Bearer candor_telltale", "Token candor_telltale", "candor_telltale"):
        assert Client(headers={"Authorization": header}).get(SURVEYS).status_code == 401
    assert "/api/1/surveys" in caplog.text
    assert "telltale" not in caplog.text


def test_api_reference_names_every_operation_and_runs_no_script() -> None:
    client = Client()
    page = client.get(reverse("api:reference"))
    assert page.status_code == 200
    for path in client.get(reverse("api:openapi")).json()["paths"]:
        assert path in page.text
    assert not re.search(r"<script(?![^>]*src=)", page.text)
    assert "<code>since</code>: only those created on this day or later." in page.text
    assert not page.cookies
    assert client.post(reverse("api:reference")).status_code == 405


def role_taken_and_given_back(person: Person) -> None:
    role_assignment.remove_role(person, RESEARCHERS, by=None)
    role_assignment.give_role(person, RESEARCHERS, by=None)


def set_password(person: Person, password: str | None) -> None:
    """None: one that cannot be used."""
    person.set_password(password)
    person.save()


CHANGES: dict[str, Callable[[Person], object]] = {
    "password": lambda person: set_password(person, "correct horse battery"),
    "no password": lambda person: set_password(person, None),
    "role back": role_taken_and_given_back,
    "new role": lambda person: role_assignment.give_role(person, REVIEWERS, by=None),
    "factor": lambda person: factors.add_app(person, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"),
    "no factor": lambda person: factors.remove_all_factors(person, person),
}


def test_a_changed_password_factor_or_role_ends_tokens(
    owner: Person, signed_in_as: As, subtests: pytest.Subtests
) -> None:
    for ends, (name, change) in enumerate(CHANGES.items(), 1):
        with subtests.test(name):
            client = program(owner)
            assert client.get(SURVEYS).status_code == 200
            change(owner)
            owner = Person.objects.get(pk=owner.pk)
            assert client.get(SURVEYS).status_code == 401
            ended = History.objects.filter(what="api.token-ended")
            assert (ended.count(), ended.latest("pk").who) == (ends, None)
            assert not Token.objects.filter(ended=None).exists()
    assert "Nightly report" not in signed_in_as(owner).get(PAGE).text


def test_renaming_or_signing_in_ends_no_token(owner: Person, signed_in_as: As) -> None:
    client = program(owner)
    Person.objects.filter(pk=owner.pk).update(name="Olga", new_email="olga@example.org")
    signed_in_as(owner)
    assert client.get(SURVEYS).status_code == 200


def test_token_of_a_provider_account_works_for_thirty_days(owner: Person, settings: Settings) -> None:
    SocialAccount.objects.create(user=owner, provider="campus", uid="owner")
    client = program(owner)
    for days, status in ((None, 403), (31, 403), (29, 200)):
        last = None if days is None else timezone.now() - timedelta(days=days)
        Person.objects.filter(pk=owner.pk).update(last_login=last)
        assert client.get(SURVEYS).status_code == status
    set_password(owner, "correct horse battery")
    Person.objects.filter(pk=owner.pk).update(last_login=None)
    again = program(owner)
    assert again.get(SURVEYS).status_code == 200
    settings.PASSWORD_SIGN_IN = False
    assert again.get(SURVEYS).status_code == 403


def test_pages_warn_that_tokens_end(owner: Person, superuser: Person, signed_in_as: As) -> None:
    client = signed_in_as(owner)
    for page in (reverse("accounts:password-change"), reverse("accounts:second-factor")):
        assert "our tokens for programs end." in client.get(page).text
    assert "ends before its date" in client.get(NEW).text
    page = reverse("admin:accounts_person_change", args=[owner.pk])
    assert signed_in_as(superuser).get(page).text.count("ends the person’s tokens for programs") == 2
