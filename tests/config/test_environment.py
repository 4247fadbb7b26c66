"""Settings, and the file of providers of sign-ins, are read strictly: a bad value is named with its reason."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from config import environment, sign_in_providers
from config.environment import Environment
from tests import servers
from tests.config.conftest import SettingsOf, python

GOOD_SECRET = "0123456789abcdef" * 4
PRODUCTION = {"PRODUCTION": "yes", "SECRET_KEY": GOOD_SECRET}
PARSERS: dict[str, Callable[[str], Any]] = {
    "DEBUG": environment.parse_flag,
    "ALLOWED_HOSTS": environment.parse_hosts,
    "DATABASE_URL": environment.parse_database,
    "REDIS_URL": environment.parse_redis,
    "SECRET_KEY": environment.parse_secret,
    "METRICS_TOKEN": environment.parse_token,
    "WEBHOOK_NETWORKS": environment.parse_private_networks,
    "WEBHOOK_DENY": environment.parse_networks,
    "WEBHOOK_PORTS": environment.parse_ports,
    "VAR": environment.parse_exclusive_folder,
    "TIME_ZONE": environment.parse_time_zone,
    "LEAST_FLOOR": environment.parse_whole_number(20, 100_000),
    "RECORDS_PER_MINUTE": environment.parse_whole_number(1, 1_000_000),
    "SEND_AGAIN_DAYS": environment.parse_whole_number(7, 3650),
    "FIELD_GRACE_DAYS": environment.parse_whole_number(0, 30),
    "LOG_LEVEL": environment.parse_one_of("DEBUG", "INFO"),
    "MAIL_URL": environment.parse_mail,
    "MAIL_FROM": environment.parse_mail_address,
    "SITE_URL": environment.parse_site_address,
}
NOT_FOR_CANDOR_ALONE = ("/", "/tmp", "/var", "/var/lib", "/home", "/usr", "/etc", "/var/../tmp/")
BAD = [
    ("DEBUG", "maybe", "neither yes nor no"),
    ("ALLOWED_HOSTS", "https://example.org", "not a host name"),
    ("DATABASE_URL", "mysql://a/b", "not a database Candor knows"),
    ("ALLOWED_HOSTS", ",", "names no host"),
    ("DATABASE_URL", "postgres://host/", "names no database"),
    ("DATABASE_URL", "postgres://host/db?pool=1", "does not take 'pool'"),
    ("DATABASE_URL", "postgres://host:port/db", "Port could not be cast"),
    ("DATABASE_URL", "postgres://host:0/db", "0 is not a port"),
    ("DATABASE_URL", "postgres://host/db?connect_timeout=abc", "connect_timeout: 'abc' is not a whole"),
    ("DATABASE_URL", "postgres://host/db?sslmode=bogus", "sslmode: 'bogus' is not one of disable"),
    ("DATABASE_URL", "sqlite://relative.db", "sqlite:///absolute/path"),
    ("REDIS_URL", "localhost:6379", "redis://host:6379/0"),
    ("REDIS_URL", "redis://localhost/first", "no database number"),
    ("REDIS_URL", "redis://localhost:abc/0", "Port could not be cast"),
    ("REDIS_URL", "redis://localhost:0/0", "0 is not a port"),
    ("REDIS_URL", "redis://localhost:70000/0", "Port out of range"),
    ("SECRET_KEY", "short", "at least 50 characters"),
    ("SECRET_KEY", "a" * 60, "10 of them different"),
    ("METRICS_TOKEN", "short", "needs 20 to 200"),
    ("METRICS_TOKEN", "two words of a long token", "as a header takes them"),
    ("WEBHOOK_NETWORKS", "10.0.0.0/8,8.8.8.0/24", "8.8.8.0/24 is no private network"),
    ("WEBHOOK_NETWORKS", "0.0.0.0/0", "no private network"),
    *(
        ("WEBHOOK_NETWORKS", network, f"{network} is no private network")
        for network in (
            "169.254.0.0/16",
            "10.0.0.0/7",
            "224.0.0.0/8",
            "::/0",
            "2001:20::/28",
            "64:ff9b:1::/48",
        )
    ),
    ("WEBHOOK_NETWORKS", "intranet", "does not appear to be"),
    ("WEBHOOK_DENY", "10.0.0.0/8,intranet", "does not appear to be"),
    ("WEBHOOK_DENY", "10.0.0.1/8", "has host bits set"),
    ("WEBHOOK_PORTS", "443,0", "not a whole number from 1"),
    ("VAR", "var", "not an absolute path"),
    *(("VAR", place, "name a folder of its own") for place in NOT_FOR_CANDOR_ALONE),
    ("TIME_ZONE", "Mars/Olympus", "not a time zone"),
    ("LEAST_FLOOR", "19", "not a whole number from 20"),
    ("LEAST_FLOOR", "٤٠", "not a whole number from 20"),
    ("RECORDS_PER_MINUTE", "0", "not a whole number from 1"),
    ("SEND_AGAIN_DAYS", "6", "not a whole number from 7"),
    ("FIELD_GRACE_DAYS", "31", "not a whole number from 0"),
    ("RECORDS_PER_MINUTE", "many", "not a whole number from 1"),
    ("LOG_LEVEL", "loud", "not one of DEBUG"),
    ("MAIL_URL", "pigeon://roof", "smtps://"),
    ("MAIL_URL", "smtp://host?tls=perhaps", "neither yes nor no"),
    ("MAIL_URL", "smtps://host?tls=yes", "leave tls= out"),
    ("MAIL_URL", "smtp://host:0", "0 is not a port"),
    ("MAIL_URL", "file:relative", "file:///absolute/folder"),
    ("MAIL_URL", "file://relative/mail", "file:///absolute/folder"),
    ("MAIL_FROM", "nobody", "not a mail address"),
    ("SITE_URL", "survey.example.org", "no address such as https://survey.example.org"),
    ("SITE_URL", "ftp://survey.example.org", "no address such as"),
    ("SITE_URL", "https://", "no address such as"),
    ("SITE_URL", "https://.example.org", "no address such as"),
    ("SITE_URL", "https://survey.example.org/candor", "write https://survey.example.org$"),
    ("SITE_URL", "https://ann:pw@survey.example.org", "write https://survey.example.org$"),
    ("SITE_URL", "https://survey.example.org:0", "0 is not a port"),
]


def test_a_bad_value_is_named_with_its_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    for name, value, reason in BAD:
        env = Environment({name: value})
        env.read(name, PARSERS[name], None)
        with pytest.raises(ImproperlyConfigured, match=f"{name}: .*{reason}"):
            env.raise_complaints()
    assert {name for name, _value, _reason in BAD} == PARSERS.keys()


def test_every_bad_or_removed_setting_is_named_at_once() -> None:
    env = Environment({"A": "x", "B": "y", "SHARD_RECORDS": "4000"})
    for name in ("A", "B"):
        env.read(name, environment.parse_flag, False)
    env.refuse_removed_setting("SHARD_RECORDS", "remove it")
    env.refuse_removed_setting("REDIS_URL", "remove it")
    words = r"(?s)A: .*B: .*  SHARD_RECORDS: this setting is gone; remove it$"
    with pytest.raises(ImproperlyConfigured, match=words):
        env.raise_complaints()


def test_site_address_is_scheme_known_name_and_optional_port() -> None:
    for written, read in {
        "https://survey.example.org": "https://survey.example.org",
        "https://Survey.Example.org/": "https://survey.example.org",
        "http://127.0.0.1:8000": "http://127.0.0.1:8000",
        "http://[::1]:8000": "http://[::1]:8000",
    }.items():
        assert environment.parse_site_address(written) == read
    env = Environment({})
    env.check_address_is_allowed("SITE_URL", "https://survey.example.org:8443", [".example.org"])
    env.check_address_is_allowed("SITE_URL", "http://[::1]:8000", ["[::1]"])
    env.raise_complaints()
    env.check_address_is_allowed("SITE_URL", "https://survey.example.com", ["survey.example.org"])
    words = r"SITE_URL: https://survey\.example\.com is none of the names"
    with pytest.raises(ImproperlyConfigured, match=words):
        env.raise_complaints()


def test_production_uses_its_first_name_without_a_site_address(settings_of: SettingsOf) -> None:
    for site, env in {
        "https://survey.example.org": {"ALLOWED_HOSTS": "survey.example.org,other.example"},
        "http://example.org": {"ALLOWED_HOSTS": ".example.org", "HTTPS": "no"},
        "https://a.example.org:8443": {
            "ALLOWED_HOSTS": ".example.org",
            "SITE_URL": "https://a.example.org:8443",
        },
    }.items():
        assert settings_of(**PRODUCTION, **env)["SITE_URL"] == site


@pytest.mark.page
def test_matrix_products_start_no_threads_in_any_process() -> None:
    """`./run serve` sets nothing of its own for it: all of its processes read the settings first."""
    code = (
        "from django.conf import settings; settings.DEBUG\n"
        "import os, numpy; numpy.ones((600, 600)) @ numpy.ones((600, 600))\n"
        "print(len(os.listdir('/proc/self/task')))"
    )
    done = python("-c", code, env=servers.environment(DJANGO_SETTINGS_MODULE="config.settings"))
    assert done.stdout.split() == ["1"], done.stderr


def test_postgres_and_mail_addresses_are_parsed_and_values_bound_on_the_server() -> None:
    found = environment.parse_database("postgres://ada:p%40ss@db.example.org:5433/candor?sslmode=require")
    address = [found[name] for name in ("USER", "PASSWORD", "HOST", "PORT")]
    assert address == ["ada", "p@ss", "db.example.org", "5433"]
    assert found["OPTIONS"]["sslmode"] == "require"
    assert found["OPTIONS"]["server_side_binding"]
    found = environment.parse_mail("smtp://user:pw@mail.example.org?tls=yes")
    server = [found[f"EMAIL_{name}"] for name in ("HOST", "PORT", "USE_TLS")]
    assert server == ["mail.example.org", 587, True]


def test_sqlite_overwrites_deleted_rows_and_syncs() -> None:
    options = environment.sqlite_settings(Path("/tmp/x"))["OPTIONS"]
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "secure_delete=ON"):
        assert pragma in options["init_command"]
    assert options["transaction_mode"] == "IMMEDIATE"


@pytest.mark.page
def test_production_process_without_secrets_does_not_start() -> None:
    """And says so in a line of each setting, without a trace."""
    done = python("manage.py", "check", env=servers.environment(PRODUCTION="yes"))
    first, *complaints = done.stderr.splitlines()
    assert (done.returncode, first) == (1, "Candor does not start:")
    assert [line.partition(";")[0] for line in complaints] == [
        "  SECRET_KEY: not set",
        "  ALLOWED_HOSTS: not set",
    ]
    traced = python("manage.py", "check", "--traceback", env=servers.environment(PRODUCTION="yes"))
    assert traced.stderr.startswith("Traceback")


def test_debug_is_refused_in_production(settings_of: SettingsOf) -> None:
    with pytest.raises(ImproperlyConfigured, match="DEBUG: "):
        settings_of(**PRODUCTION, DEBUG="yes", ALLOWED_HOSTS="example.org")


def test_production_with_its_secrets_starts_with_secure_cookies(settings_of: SettingsOf) -> None:
    found = settings_of(**PRODUCTION, ALLOWED_HOSTS="example.org")
    names = ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SESSION_COOKIE_NAME", "SECURE_SSL_REDIRECT")
    assert [found[name] for name in names] == [True, True, "__Secure-session", True]


def test_invalid_sign_in_settings_are_refused(settings_of: SettingsOf) -> None:
    no_password = {"PASSWORD_SIGN_IN": "no"}
    for words, env in {
        "SIGN_IN_PROVIDERS: /nowhere.json cannot be read": {"SIGN_IN_PROVIDERS": "/nowhere.json"},
        "SIGN_IN_PROTOCOLS: 'kerberos' is not one of": {"SIGN_IN_PROTOCOLS": "kerberos"},
        "BREAK_GLASS_ACCOUNT: not set": no_password,
        "PASSWORD_SIGN_IN: off, and no provider is set": {**no_password, "BREAK_GLASS_ACCOUNT": "root"},
        "SECOND_FACTOR_FOR: 'everybody' is not one of": {"SECOND_FACTOR_FOR": "everybody"},
        "CONFIRM_MINUTES: '-1' is not a whole number": {"CONFIRM_MINUTES": "-1"},
    }.items():
        with pytest.raises(ImproperlyConfigured, match=re.escape(words)):
            settings_of(**env)


def test_no_cookie_requires_the_root_path(settings_of: SettingsOf) -> None:
    for secure in (False, True):
        found = settings_of(HTTPS="yes" if secure else "no")
        names = {found[f"{kind}_COOKIE_NAME"] for kind in ("SESSION", "CSRF", "LANGUAGE", "THEME")}
        assert not [name for name in names if name.startswith("__Host-")]
        assert all(name.startswith("__Secure-") for name in names) is secure


# --- the file of providers ---


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


def test_openid_provider_setting_is_read(tmp_path: Path) -> None:
    entry = {**CAMPUS, "trust_email": True, "roles_claim": "groups", "researchers": ["staff"]}
    read = sign_in_providers.read_identity_providers(file(tmp_path, [entry]))
    (app,) = sign_in_providers.allauth_settings(read)["openid_connect"]["APPS"]
    settings = {"server_url": "https://login.example.org", "trust_email": True}
    assert app.pop("settings") == settings | {"roles_claim": "groups", "researchers": ["staff"]}
    named = {"provider_id": "campus", "name": "Campus", "client_id": "candor", "secret": "very-secret"}
    assert app == named


def test_saml_provider_setting_is_read(tmp_path: Path) -> None:
    read = sign_in_providers.read_identity_providers(file(tmp_path, [SAML]))
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
    ({"server_url": "http://login.example.org"}, "server_url: 'http://login.example.org' is not encrypted"),
    ({"server_url": "http://localhost.a.org"}, "server_url: 'http://localhost.a.org' is not encrypted"),
    ({"secret": 7}, "secret: is not a text"),
    ({"trust_email": "yes"}, "trust_email: 'yes' is neither true nor false"),
    ({"researchers": ["staff"]}, "roles_claim needs researchers or reviewers"),
    ({"roles_claim": "groups"}, "roles_claim needs researchers or reviewers"),
    ({"roles_claim": "groups", "reviewers": "board"}, "reviewers: is not a list of texts"),
]


def test_invalid_provider_settings_are_refused_by_place(tmp_path: Path) -> None:
    for usual, changes in ((SAML, NONSENSE_OF_SAML), (CAMPUS, NONSENSE)):
        for change, words in changes:
            entry = {key: value for key, value in {**usual, **change}.items() if value is not None}
            with pytest.raises(ValueError, match="provider 1") as refused:
                sign_in_providers.read_identity_providers(file(tmp_path, [entry]))
            assert str(refused.value).startswith(f"provider 1: {words}")
            assert "very-secret" not in str(refused.value)


def test_wrong_provider_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("{")
    for path, words in {
        "providers.json": "is not an absolute path",
        str(tmp_path / "nowhere"): "cannot be read",
        str(tmp_path / "text"): "is not JSON",
    }.items():
        with pytest.raises(ValueError, match=words):
            sign_in_providers.read_identity_providers(path)
    contents: list[tuple[object, str]] = [({}, "is not a list"), ([], "is not a list")]
    for entries, words in [*contents, ([CAMPUS, CAMPUS], "two providers have the same id")]:
        with pytest.raises(ValueError, match=words):
            sign_in_providers.read_identity_providers(file(tmp_path, entries))


PROGRAM = """
import sys, django
django.setup()
from django.urls import reverse
print(*(reverse(name, args=["campus"]) for name in sys.argv[1:]), "onelogin" in sys.modules)
"""


@pytest.mark.night
@pytest.mark.page
def test_process_with_a_provider_file_serves_its_providers(tmp_path: Path) -> None:
    home = "/app/account"
    for entry, names, said in (
        (CAMPUS, ["openid_connect_login"], f"{home}/oidc/campus/sign-in False"),
        (SAML, ["saml_acs", "saml_metadata"], f"{home}/saml/campus/back {home}/saml/campus/metadata True"),
    ):
        providers = file(tmp_path, [entry])
        env = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "SIGN_IN_PROVIDERS": providers}
        answer = python("-c", PROGRAM, *names, env=env)
        assert answer.stdout.strip() == said, answer.stderr
