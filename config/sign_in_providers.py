"""Reads the identity providers that people sign in with (SIGN_IN_PROVIDERS): a JSON file, parsed strictly."""

import base64
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

IDENT = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def _read_text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("is not a text")
    return value.strip()


def _read_identifier(value: object) -> str:
    if not IDENT.fullmatch(_read_text(value)):
        raise ValueError(f"{value!r} has other characters than a-z, 0-9 and -")
    return _read_text(value)


THIS_MACHINE = re.compile(r"(.+\.)?localhost|127\.0\.0\.1|::1")
"""Names and addresses of this machine, on which nothing need be encrypted (RFC 6761)."""


def _read_url(value: object) -> str:
    url = urlsplit(_read_text(value))
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ValueError(f"{value!r} is no address such as https://login.example.org")
    if url.scheme == "http" and not THIS_MACHINE.fullmatch(url.hostname):
        raise ValueError(f"{value!r} is not encrypted: use https://")
    return _read_text(value)


def _read_url_without_slash(value: object) -> str:
    return _read_url(value).rstrip("/")


def _read_flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")
    return value


def _read_text_list(value: object) -> list[str]:
    if not isinstance(value, list) or not value:
        raise ValueError("is not a list of texts")
    return [_read_text(name) for name in value]


class EntryKey(NamedTuple):
    """A key of a provider's entry: how its value is parsed, and whether it must be there."""

    parse: Callable[[object], Any]
    needed: bool = False


FIELDS = ("uid", "email", "email_verified", "name", "first_name", "last_name", "username")


def _read_attributes(value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not set(value) <= set(FIELDS):
        raise ValueError(f"is not an object with some of {', '.join(FIELDS)}")
    return {name: _read_text(attribute) for name, attribute in value.items()}


def _read_certificate(value: object) -> str:
    body = re.sub(r"-----(BEGIN|END) CERTIFICATE-----|\s", "", _read_text(value))
    try:
        base64.b64decode(body, validate=True)
    except ValueError:
        raise ValueError("is no certificate in PEM") from None
    return body


BOTH = {
    "protocol": EntryKey(_read_text, True),
    "id": EntryKey(_read_identifier, True),
    "name": EntryKey(_read_text, True),
    "trust_email": EntryKey(_read_flag),
    "roles_claim": EntryKey(_read_text),
    "researchers": EntryKey(_read_text_list),
    "reviewers": EntryKey(_read_text_list),
}
KEYS = {
    "openid_connect": BOTH
    | {
        "server_url": EntryKey(_read_url_without_slash, True),
        "client_id": EntryKey(_read_text, True),
        "secret": EntryKey(_read_text, True),
        "scope": EntryKey(_read_text_list),
    },
    "saml": BOTH
    | {
        "entity_id": EntryKey(_read_text, True),
        "sso_url": EntryKey(_read_url, True),
        "certificate": EntryKey(_read_certificate, True),
        "attributes": EntryKey(_read_attributes),
    },
}
PROTOCOLS = tuple(KEYS)
NO_SETTINGS = ("protocol", "id", "name", "client_id", "secret")
"""Keys of an entry that are not settings; all others go into the field `settings` of the provider's entry in
the administration."""


def read_identity_providers(raw: str) -> list[dict[str, Any]]:
    """Reads the identity providers from a JSON file; `raw`: its absolute path.

    Raises ValueError naming the wrong key and its entry, without repeating a secret.
    """
    path = Path(raw)
    if not path.is_absolute():
        raise ValueError(f"{raw!r} is not an absolute path")
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))
    except OSError as failure:
        raise ValueError(f"{raw} cannot be read ({failure.strerror})") from None
    except ValueError:
        raise ValueError(f"{raw} is not JSON") from None
    if not isinstance(entries, list) or not entries:
        raise ValueError(f"{raw} is not a list of providers")
    result = [_read_provider(entry, number) for number, entry in enumerate(entries, 1)]
    names = [entry["id"] for entry in result]
    if len(set(names)) < len(names):
        raise ValueError("two providers have the same id")
    return result


def _read_provider(entry: object, number: int) -> dict[str, Any]:
    protocol = entry.get("protocol") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or protocol not in PROTOCOLS:
        raise ValueError(f"provider {number}: its protocol is not one of {', '.join(PROTOCOLS)}")
    keys = KEYS[protocol]
    if unknown := sorted(set(entry) - set(keys)):
        raise ValueError(f"provider {number}: does not take {', '.join(unknown)}; it takes {', '.join(keys)}")
    if missing := [name for name, key in keys.items() if key.needed and name not in entry]:
        raise ValueError(f"provider {number}: lacks {', '.join(missing)}")
    result = {}
    for name, value in entry.items():
        try:
            result[name] = keys[name].parse(value)
        except ValueError as reason:
            words = "is not a text" if name == "secret" else reason
            raise ValueError(f"provider {number}: {name}: {words}") from None
    if ("researchers" in result or "reviewers" in result) != ("roles_claim" in result):
        raise ValueError(f"provider {number}: roles_claim needs researchers or reviewers, and these need it")
    return result


def allauth_settings(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Converts identity providers to django-allauth's setting SOCIALACCOUNT_PROVIDERS."""
    apps: dict[str, list[dict[str, Any]]] = {protocol: [] for protocol in PROTOCOLS}
    for entry in entries:
        app = {
            "provider_id": entry["id"],
            "name": entry["name"],
            "client_id": entry.get("client_id", entry["id"]),
            "secret": entry.get("secret", ""),
            "settings": {key: value for key, value in entry.items() if key not in NO_SETTINGS},
        }
        apps[entry["protocol"]].append(app)
    return {
        "openid_connect": {"APPS": apps["openid_connect"], "OAUTH_PKCE_ENABLED": True},
        "saml": {"APPS": apps["saml"], "provider_class": "accounts.providers.saml_responses.Provider"},
    }
