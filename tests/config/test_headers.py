"""What every answer carries for the browser, and how secrets are kept."""

import pytest
from django.contrib.auth.hashers import identify_hasher
from django.test import Client

from config import settings as ours

pytestmark = pytest.mark.page
ALWAYS = {"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY"}
ALWAYS["Cross-Origin-Opener-Policy"] = "same-origin"


@pytest.mark.django_db
def test_every_page_has_the_security_headers() -> None:
    for path in ("/", "/app/account/sign-in", "/app/admin/login/", "/nowhere", "/a/nowhere", "/a/receipt"):
        answer = Client().get(path)
        assert {name: answer.headers.get(name) for name in ALWAYS} == ALWAYS, path
        assert answer["Content-Security-Policy"].startswith("default-src 'none'; ")
        assert answer["Referrer-Policy"] == ("no-referrer" if path.startswith("/a/") else "same-origin")
        assert "camera=()" in answer["Permissions-Policy"]


def test_passwords_are_hashed_by_argon2() -> None:
    assert ours.PASSWORD_HASHERS[0].endswith("LimitedArgon2")
    assert identify_hasher("argon2$argon2id$v=19$m=102400,t=2,p=8$c2FsdA$aGFzaA").algorithm == "argon2"


@pytest.mark.django_db
def test_cookies_are_hidden_from_scripts_and_other_sites() -> None:
    cookies = Client().get("/app/account/sign-in").cookies
    assert set(cookies) == {"candor-csrf"}
    for cookie in cookies.values():
        assert cookie["httponly"]
        assert cookie["samesite"] == "Lax"
