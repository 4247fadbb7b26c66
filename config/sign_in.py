"""Reads the providers that people sign in with (SIGN_IN_PROVIDERS): a JSON file, parsed strictly."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

PROTOCOLS = ("openid_connect",)
IDENT = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("is not a text")
    return value.strip()


def _ident(value: object) -> str:
    if not IDENT.fullmatch(_text(value)):
        raise ValueError(f"{value!r} has other characters than a-z, 0-9 and -")
    return _text(value)


def _address(value: object) -> str:
    url = urlsplit(_text(value))
    if url.scheme not in ("http", "https") or not url.hostname:
        raise ValueError(f"{value!r} is no address such as https://login.example.org")
    return _text(value).rstrip("/")


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"{value!r} is neither true nor false")
    return value


def _names(value: object) -> list[str]:
    if not isinstance(value, list) or not value:
        raise ValueError("is not a list of texts")
    return [_text(name) for name in value]


class Key(NamedTuple):
    parse: Callable[[object], Any]
    needed: bool = False


KEYS = {
    "protocol": Key(_text, True),
    "id": Key(_ident, True),
    "name": Key(_text, True),
    "server_url": Key(_address, True),
    "client_id": Key(_text, True),
    "secret": Key(_text, True),
    "scope": Key(_names),
    "trust_email": Key(_flag),
    "roles_claim": Key(_text),
    "researchers": Key(_names),
    "reviewers": Key(_names),
}
SETTINGS = ("server_url", "scope", "trust_email", "roles_claim", "researchers", "reviewers")
"""Those that an entry of the administration has in its field of settings."""


def providers(raw: str) -> list[dict[str, Any]]:
    """The entries of the file at this absolute path, in their order. ValueError says which key of which entry is
    wrong, and never repeats a secret."""
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
    result = [_provider(entry, number) for number, entry in enumerate(entries, 1)]
    names = [entry["id"] for entry in result]
    if len(set(names)) < len(names):
        raise ValueError("two providers have the same id")
    return result


def _provider(entry: object, number: int) -> dict[str, Any]:
    protocol = entry.get("protocol") if isinstance(entry, dict) else None
    if not isinstance(entry, dict) or protocol not in PROTOCOLS:
        raise ValueError(f"provider {number}: its protocol is not one of {', '.join(PROTOCOLS)}")
    if unknown := sorted(set(entry) - set(KEYS)):
        raise ValueError(f"provider {number}: does not take {', '.join(unknown)}; it takes {', '.join(KEYS)}")
    if missing := [name for name, key in KEYS.items() if key.needed and name not in entry]:
        raise ValueError(f"provider {number}: lacks {', '.join(missing)}")
    result = {}
    for name, value in entry.items():
        try:
            result[name] = KEYS[name].parse(value)
        except ValueError as reason:
            words = "is not a text" if name == "secret" else reason
            raise ValueError(f"provider {number}: {name}: {words}") from None
    if ("researchers" in result or "reviewers" in result) != ("roles_claim" in result):
        raise ValueError(f"provider {number}: roles_claim needs researchers or reviewers, and these need it")
    return result


def for_allauth(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """SOCIALACCOUNT_PROVIDERS, as django-allauth reads it."""
    apps = [
        {
            "provider_id": entry["id"],
            "name": entry["name"],
            "client_id": entry["client_id"],
            "secret": entry["secret"],
            "settings": {key: entry[key] for key in SETTINGS if key in entry},
        }
        for entry in entries
    ]
    return {"openid_connect": {"APPS": apps, "OAUTH_PKCE_ENABLED": True}}
