"""The file of providers, and the settings of signing in: parsed strictly, refused in a sentence."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from config import sign_in_providers

CAMPUS = {
    "protocol": "openid_connect",
    "id": "campus",
    "name": "Campus",
    "server_url": "https://login.example.org/",
    "client_id": "candor",
    "secret": "very-secret",
}

SAML = {
    "protocol": "saml",
    "id": "campus",
    "name": "Campus",
    "entity_id": "https://idp.example.org/saml",
    "sso_url": "https://idp.example.org/sso/",
    "certificate": "-----BEGIN CERTIFICATE-----\nQUJD\nREVG\n-----END CERTIFICATE-----\n",
    "attributes": {"email": "mail"},
}


def file(folder: Path, entries: object) -> str:
    path = folder / "providers.json"
    path.write_text(json.dumps(entries))
    return str(path)


def test_a_provider_is_read(tmp_path: Path) -> None:
    entry = {**CAMPUS, "trust_email": True, "roles_claim": "groups", "researchers": ["staff"]}
    read = sign_in_providers.providers(file(tmp_path, [entry]))
    assert sign_in_providers.allauth_settings(read)["openid_connect"]["APPS"] == [
        {
            "provider_id": "campus",
            "name": "Campus",
            "client_id": "candor",
            "secret": "very-secret",
            "settings": {
                "server_url": "https://login.example.org",
                "trust_email": True,
                "roles_claim": "groups",
                "researchers": ["staff"],
            },
        }
    ]


def test_a_provider_of_saml_is_read(tmp_path: Path) -> None:
    read = sign_in_providers.providers(file(tmp_path, [SAML]))
    (app,) = sign_in_providers.allauth_settings(read)["saml"]["APPS"]
    assert (app["provider_id"], app["client_id"], app["secret"]) == ("campus", "campus", "")
    assert app["settings"] == {
        "entity_id": "https://idp.example.org/saml",
        "sso_url": "https://idp.example.org/sso/",
        "certificate": "QUJDREVG",
        "attributes": {"email": "mail"},
    }


NONSENSE_OF_SAML: list[tuple[dict[str, Any], str]] = [
    ({"secret": "s"}, "does not take secret"),
    ({"certificate": "/etc/idp.crt!"}, "certificate: is no certificate in PEM"),
    ({"sso_url": "idp"}, "sso_url: 'idp' is no address"),
    ({"attributes": {"mail": "email"}}, "attributes: is not an object with some of uid"),
    ({"attributes": {"email": ["mail"]}}, "attributes: is not a text"),
]
NONSENSE: list[tuple[dict[str, Any], str]] = [
    ({"protocol": "telepathy"}, "its protocol is not one of openid_connect"),
    ({"colour": "red"}, "does not take colour"),
    ({"name": None}, "lacks name"),
    ({"name": " "}, "name: is not a text"),
    ({"id": "a/b"}, "id: 'a/b' has other characters than a-z, 0-9 and -"),
    ({"server_url": "login.example.org"}, "server_url: 'login.example.org' is no address"),
    ({"secret": 7}, "secret: is not a text"),
    ({"trust_email": "yes"}, "trust_email: 'yes' is neither true nor false"),
    ({"researchers": ["staff"]}, "roles_claim needs researchers or reviewers"),
    ({"roles_claim": "groups"}, "roles_claim needs researchers or reviewers"),
    ({"roles_claim": "groups", "reviewers": "board"}, "reviewers: is not a list of texts"),
]


def test_nonsense_is_refused_by_its_place(tmp_path: Path) -> None:
    for usual, changes in ((SAML, NONSENSE_OF_SAML), (CAMPUS, NONSENSE)):
        for change, words in changes:
            entry = {key: value for key, value in {**usual, **change}.items() if value is not None}
            with pytest.raises(ValueError, match="provider 1") as refused:
                sign_in_providers.providers(file(tmp_path, [entry]))
            assert str(refused.value).startswith(f"provider 1: {words}")
            assert "very-secret" not in str(refused.value)


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not an absolute path"):
        sign_in_providers.providers("providers.json")
    with pytest.raises(ValueError, match="cannot be read"):
        sign_in_providers.providers(str(tmp_path / "nowhere"))
    (tmp_path / "text").write_text("{")
    with pytest.raises(ValueError, match="is not JSON"):
        sign_in_providers.providers(str(tmp_path / "text"))


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    nothing: list[object] = [{}, []]
    for entries in nothing:
        with pytest.raises(ValueError, match="is not a list"):
            sign_in_providers.providers(file(tmp_path, entries))
    with pytest.raises(ValueError, match="two providers have the same id"):
        sign_in_providers.providers(file(tmp_path, [CAMPUS, CAMPUS]))


PROGRAM = """
import sys, django
django.setup()
from django.urls import reverse
print(*(reverse(name, args=["campus"]) for name in sys.argv[1:]), "onelogin" in sys.modules)
"""


def start(*names: str, **variables: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", **variables}
    return subprocess.run([sys.executable, "-c", PROGRAM, *names], env=env, capture_output=True, text=True)


@pytest.mark.night
@pytest.mark.page
def test_a_process_with_a_file_serves_its_providers(tmp_path: Path) -> None:
    answer = start("openid_connect_login", SIGN_IN_PROVIDERS=file(tmp_path, [CAMPUS]))
    assert answer.stdout.strip() == "/app/account/oidc/campus/sign-in False", answer.stderr
    answer = start("saml_acs", "saml_metadata", SIGN_IN_PROVIDERS=file(tmp_path, [SAML]))
    assert answer.stdout.strip() == "/app/account/saml/campus/back /app/account/saml/campus/metadata True", (
        answer.stderr
    )
