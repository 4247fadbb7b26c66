"""Reads environment variables strictly: a bad value is reported, never guessed."""

import os
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from email.utils import parseaddr
from ipaddress import ip_network
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.exceptions import ImproperlyConfigured
from django.http.request import validate_host

from api.webhooks.address_blocks import IPNetwork, Reach, reach_of

T = TypeVar("T")
YES, NO = {"yes", "true", "on", "1"}, {"no", "false", "off", "0"}
SYSTEM = ("/bin", "/etc", "/usr", "/var/lib", "/var/tmp")  # noqa: S108 - no file is made there
HOST = re.compile(r"\.?[a-z0-9]([a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\]", re.IGNORECASE)


@dataclass
class Environment:
    """Parses environment variables and collects all errors, so that one failed start names every one."""

    values: Mapping[str, str]
    complaints: list[str] = field(default_factory=list)

    def read(self, name: str, parse: Callable[[str], T], default: T) -> T:
        """Returns a parsed variable, or the default if it is empty; collects the error of a bad value."""
        raw = self.values.get(name, "").strip()
        if not raw:
            return default
        try:
            return parse(raw)
        except ValueError as reason:
            self.complaints.append(f"{name}: {reason}")
            return default

    def require(self, name: str, why: str) -> None:
        """Reports an error if a variable is not set; `why`: what it is for."""
        if not self.values.get(name, "").strip():
            self.complaints.append(f"{name}: not set; {why}")

    def refuse_removed_setting(self, name: str, instead: str) -> None:
        """Reports an error if a variable of an earlier version is set, which has no effect any more.

        `instead`: what replaces the variable.
        """
        if self.values.get(name, "").strip():
            self.complaints.append(f"{name}: this setting is gone; {instead}")

    def check_address_is_allowed(self, name: str, address: str, hosts: list[str]) -> None:
        """Reports an error if the host of an address is not allowed: links to it would not work."""
        host = HOST.search(address.partition("://")[2])
        if host is None or not validate_host(host[0], hosts):
            self.complaints.append(f"{name}: {address} is none of the names in ALLOWED_HOSTS")

    def raise_complaints(self) -> None:
        if self.complaints:
            raise ImproperlyConfigured("Candor does not start:\n  " + "\n  ".join(self.complaints))


def parse_flag(raw: str) -> bool:
    if raw.lower() in YES | NO:
        return raw.lower() in YES
    raise ValueError(f"{raw!r} is neither yes nor no")


def parse_whole_number(low: int, high: int) -> Callable[[str], int]:
    def parse(raw: str) -> int:
        if not raw.isascii() or not raw.isdigit() or not low <= int(raw) <= high:
            raise ValueError(f"{raw!r} is not a whole number from {low} to {high}")
        return int(raw)

    return parse


def parse_one_of(*allowed: str) -> Callable[[str], str]:
    def parse(raw: str) -> str:
        if raw not in allowed:
            raise ValueError(f"{raw!r} is not one of {', '.join(allowed)}")
        return raw

    return parse


def parse_several_of(*allowed: str) -> Callable[[str], list[str]]:
    def parse(raw: str) -> list[str]:
        return [parse_one_of(*allowed)(name.strip()) for name in raw.split(",")]

    return parse


def parse_secret(raw: str) -> str:
    if len(raw) < 50 or len(set(raw)) < 10:
        raise ValueError(
            "needs at least 50 characters, 10 of them different; `openssl rand -hex 32` makes one"
        )
    return raw


HEADER_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{20,200}")


def parse_token(raw: str) -> str:
    if not HEADER_TOKEN.fullmatch(raw):
        raise ValueError(
            "needs 20 to 200 letters, digits or ._~+/=-, as a header takes them; `openssl rand -hex 32` makes one"
        )
    return raw


def parse_hosts(raw: str) -> list[str]:
    names = [name.strip() for name in raw.split(",") if name.strip()]
    if not names:
        raise ValueError(f"{raw!r} names no host; write names separated by commas")
    for name in names:
        if not HOST.fullmatch(name):
            raise ValueError(f"{name!r} is not a host name; write names only, separated by commas")
    return names


def parse_networks(raw: str) -> list[IPNetwork]:
    return [ip_network(name.strip()) for name in raw.split(",")]


def parse_private_networks(raw: str) -> list[IPNetwork]:
    """Parses private networks such as 10.2.0.0/16; refuses public ones, which need not be listed, and those that are
    never permitted."""
    parsed = parse_networks(raw)
    for network in parsed:
        if reach_of(network) is not Reach.LOCAL:
            raise ValueError(f"{network} is no private network such as 10.2.0.0/16")
    return parsed


def parse_ports(raw: str) -> list[int]:
    return [parse_whole_number(1, 65_535)(name.strip()) for name in raw.split(",")]


def parse_site_address(raw: str) -> str:
    """Parses http(s)://name or http(s)://name:port, the beginning of every link in emails and on posters."""
    url = urlsplit(raw.removesuffix("/"))
    name = f"[{url.hostname}]" if url.hostname and ":" in url.hostname else url.hostname or ""
    whole = f"{url.scheme}://{name}" + (f":{parse_port(url)}" if parse_port(url) else "")
    if url.scheme not in ("http", "https") or not HOST.fullmatch(name) or name.startswith("."):
        raise ValueError(f"{raw!r} is no address such as https://survey.example.org")
    if whole != raw.removesuffix("/").lower():
        raise ValueError(f"{raw!r} holds more than a scheme, a name and a port; write {whole}")
    return whole


def parse_time_zone(raw: str) -> str:
    try:
        ZoneInfo(raw)
    except (ZoneInfoNotFoundError, ValueError):
        raise ValueError(f"{raw!r} is not a time zone such as Europe/Vienna") from None
    return raw


def parse_exclusive_folder(raw: str) -> Path:
    """Parses the path of a folder that Candor alone may use; other accounts will lose all access to it."""
    path = Path(raw)
    if not path.is_absolute():
        raise ValueError(f"{raw!r} is not an absolute path")
    home = Path(os.environ.get("HOME") or "/root")
    for other in (*SYSTEM, tempfile.gettempdir(), home.parent):
        if path.resolve() in (Path(other).resolve(), *Path(other).resolve().parents):
            raise ValueError(
                f"{raw!r} is not for Candor alone; name a folder of its own, such as {path}/candor"
            )
    return path


def sqlite_settings(path: Path) -> dict[str, Any]:
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": path,
        # The last connection to close would otherwise copy the log into the file, after every lone request.
        "CONN_MAX_AGE": 60,
        "OPTIONS": {
            "transaction_mode": "IMMEDIATE",
            "timeout": 20,
            "init_command": "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA secure_delete=ON;",
        },
    }


APPLICATION = "candor"
"""The application_name of Candor's PostgreSQL connections; a restore queries the server for others that have it."""

POSTGRES_OPTIONS: dict[str, Callable[[str], Any]] = {
    "sslmode": parse_one_of("disable", "allow", "prefer", "require", "verify-ca", "verify-full"),
    "sslrootcert": str,
    "host": str,
    "connect_timeout": parse_whole_number(1, 3600),
}


def parse_port(url: SplitResult) -> int | None:
    """Returns the port of an address, None without one; refuses 0."""
    if url.port == 0:
        raise ValueError("0 is not a port; write one from 1 to 65535, or leave it out")
    return url.port


def parse_database(raw: str) -> dict[str, Any]:
    """Parses sqlite:///absolute/path or postgres://user:password@host:port/name."""
    url = urlsplit(raw)
    if url.scheme == "sqlite":
        if url.netloc or not url.path.startswith("/") or url.path == "/" or url.query:
            raise ValueError("write sqlite:///absolute/path")
        return sqlite_settings(Path(unquote(url.path)))
    if url.scheme not in ("postgres", "postgresql"):
        raise ValueError(
            f"{url.scheme or raw!r} is not a database Candor knows; write sqlite:/// or postgres://"
        )
    name = unquote(url.path.removeprefix("/"))
    if not name or "/" in name:
        raise ValueError("names no database; write postgres://user:password@host:5432/name")
    # Every record runs the same few statements; planning them again is a third of their cost.
    options: dict[str, Any] = {
        "server_side_binding": True,
        "prepare_threshold": 5,
        "application_name": APPLICATION,
    }
    for key, value in parse_qsl(url.query, keep_blank_values=True):
        if key not in POSTGRES_OPTIONS:
            raise ValueError(f"does not take {key!r}; {', '.join(POSTGRES_OPTIONS)} it does")
        try:
            options[key] = POSTGRES_OPTIONS[key](value)
        except ValueError as reason:
            raise ValueError(f"{key}: {reason}") from None
    socket = options.pop("host", "")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": name,
        "USER": unquote(url.username or ""),
        "PASSWORD": unquote(url.password or ""),
        "HOST": url.hostname or socket,
        "PORT": str(parse_port(url) or ""),
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": options,
    }


def with_timeouts(database: dict[str, Any], *, connect: int, statement: int, lock: int) -> dict[str, Any]:
    """Returns the settings of a database with these timeouts in seconds; 0: no timeout.

    `jobs.database` adds client-side timeouts.
    """
    options = dict(database["OPTIONS"])
    if "sqlite" in database["ENGINE"]:
        # A statement runs in our own process; it can only wait for the locks of other processes.
        return {**database, "OPTIONS": {**options, "timeout": lock or 86_400}}
    options.setdefault("connect_timeout", connect)
    options["options"] = f"-c statement_timeout={1000 * statement} -c lock_timeout={1000 * lock}"
    # A server that vanished is noticed after about a minute.
    options |= {
        "keepalives_idle": 30,
        "keepalives_interval": 10,
        "keepalives_count": 3,
        "tcp_user_timeout": 60_000,
    }
    return {**database, "OPTIONS": options}


def parse_redis(raw: str) -> str:
    url = urlsplit(raw)
    if url.scheme not in ("redis", "rediss") or not url.hostname:
        raise ValueError("write redis://host:6379/0")
    if url.path.strip("/") and not url.path.strip("/").isdigit():
        raise ValueError("ends in no database number; write redis://host:6379/0")
    parse_port(url)
    return raw


def parse_mail(raw: str) -> dict[str, Any]:
    """Parses the mail setting: console:, file:///folder or smtp(s)://user:password@host:port.

    smtp with ?tls=yes uses STARTTLS.
    """
    url = urlsplit(raw)
    if url.scheme == "console":
        return {"EMAIL_BACKEND": "django.core.mail.backends.console.EmailBackend"}
    if url.scheme == "file":
        if url.netloc or not url.path.startswith("/"):
            raise ValueError("write file:///absolute/folder")
        return {
            "EMAIL_BACKEND": "django.core.mail.backends.filebased.EmailBackend",
            "EMAIL_FILE_PATH": unquote(url.path),
        }
    if url.scheme not in ("smtp", "smtps") or not url.hostname:
        raise ValueError(
            "write smtps://user:password@host:465, smtp://host:587?tls=yes, file:///folder or console:"
        )
    query = dict(parse_qsl(url.query, keep_blank_values=True))
    if set(query) - {"tls"}:
        raise ValueError("takes no other option than tls=yes")
    if query and url.scheme == "smtps":
        raise ValueError("smtps:// is encrypted from its first byte; leave tls= out, or write smtp://")
    return {
        "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
        "EMAIL_HOST": url.hostname,
        "EMAIL_PORT": parse_port(url) or (465 if url.scheme == "smtps" else 587),
        "EMAIL_HOST_USER": unquote(url.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(url.password or ""),
        "EMAIL_USE_SSL": url.scheme == "smtps",
        "EMAIL_USE_TLS": parse_flag(query.get("tls", "no")),
        "EMAIL_TIMEOUT": 20,
    }


def parse_mail_address(raw: str) -> str:
    _, mailbox = parseaddr(raw)
    if not re.fullmatch(r"[^@\s]+@[^@\s]+", mailbox):
        raise ValueError(f"{raw!r} is not a mail address such as Candor <candor@example.org>")
    return raw
