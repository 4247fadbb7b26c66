"""Django system checks of the settings: folders, mail, HTTPS, file access, logs, migrations."""

import os
from collections.abc import Sequence
from email.utils import parseaddr
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning as CheckWarning, register
from django.core.checks.registry import registry
from django.core.checks.urls import (
    check_custom_error_handlers,
    check_url_config,
    check_url_namespaces_unique,
)
from django.db import connections

from config import migration_digests, statement_logging_check
from config.start import file_permissions
from surveys.triggers import check_triggers_exist

SQLITE = "django.db.backends.sqlite3"
MOST_NAMED = 5
"""Highest number of files that a message lists."""


def check_folder_is_writable(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    folder: Path = settings.VAR
    nearest = next(path for path in (folder, *folder.parents) if path.exists())
    if nearest.is_dir() and os.access(nearest, os.W_OK):
        return []
    hint = "Make it writable for the account Candor runs under, or name another folder with VAR."
    return [Error(f"Candor cannot write in {folder}.", hint=hint, id="candor.E001")]


def check_mail_is_sent(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    if not settings.PRODUCTION or not settings.EMAIL_BACKEND.endswith("console.EmailBackend"):
        return []
    hint = "Set MAIL_URL, such as smtp://user:password@mail.example.org:587?tls=yes; passwords are reset by mail."
    return [
        CheckWarning("Mail is only printed, so nobody can reset a password.", hint=hint, id="candor.W003")
    ]


def check_mail_sender(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    sender = parseaddr(settings.DEFAULT_FROM_EMAIL)[1]
    is_sent = settings.EMAIL_BACKEND.endswith("smtp.EmailBackend")
    if not settings.PRODUCTION or not is_sent or not sender.endswith("@localhost"):
        return []
    hint = "Set MAIL_FROM, such as Candor <candor@survey.example.org>, to an address that MAIL_URL may send from."
    words = f"Letters come from {sender}, which other mail servers refuse."
    return [CheckWarning(words, hint=hint, id="candor.W011")]


def check_https(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    if not settings.PRODUCTION or settings.HTTPS:
        return []
    hint = "Remove HTTPS=no and put a proxy with a certificate in front (BEHIND_PROXY=yes)."
    return [CheckWarning("Answers and passwords travel unencrypted.", hint=hint, id="candor.W004")]


def check_https_proxy(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    if not settings.PRODUCTION or not settings.HTTPS or settings.BEHIND_PROXY:
        return []
    hint = (
        "Set BEHIND_PROXY=yes, and let the proxy set X-Forwarded-Proto and -For; without a proxy, HTTPS=no."
    )
    words = (
        "HTTPS is on and no proxy is believed: behind one, every page would redirect to itself, and failed sign-ins "
        "of all people would count as one place's."
    )
    return [CheckWarning(words, hint=hint, id="candor.W006")]


def check_sqlite_without_redis(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    if settings.DATABASES["default"]["ENGINE"] != SQLITE or not settings.REDIS_URL:
        return []
    hint = (
        "Set DATABASE_URL to a PostgreSQL server, or leave REDIS_URL out and run everything on one machine."
    )
    return [CheckWarning("Redis calls workers that a SQLite file cannot serve.", hint=hint, id="candor.W005")]


def check_file_access(app_configs: Any, **kwargs: Any) -> list[CheckMessage]:
    """Returns a warning if other accounts of the machine can open files of the instance."""
    exposed = list(file_permissions.paths_open_to_others(file_permissions.protected_paths(settings)))
    if not exposed:
        return []
    named = ", ".join(map(str, exposed[:MOST_NAMED])) + (
        f" and {len(exposed) - MOST_NAMED} more" if exposed[MOST_NAMED:] else ""
    )
    hint = (
        f"The next start with ./run closes them, or `chmod -R go-rwx {exposed[0]}`; sessions, keys and answers are in"
        " there."
    )
    return [CheckWarning(f"Other accounts of this machine can open {named}.", hint=hint, id="candor.W007")]


def check_statement_logs(
    app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    """Returns a warning if PostgreSQL logs the values of statements, by the server's settings.

    Run by `manage.py check --database default` and at every start.
    """
    messages: list[CheckMessage] = []
    for connection in [connections[alias] for alias in databases or ()]:
        if connection.vendor != "postgresql":
            continue
        known = statement_logging_check.statement_logging_settings(connection)
        through, could = (
            statement_logging_check.settings_exposing_values(known),
            statement_logging_check.settings_exposing_if_logging(known),
        )
        statements = statement_logging_check.alter_role_statements(connection, could)
        hint = f"Run as an administrator of the server: {statements}"
        if through:
            kind, id_ = (Error, "candor.E008") if settings.PRODUCTION else (CheckWarning, "candor.W008")
            messages.append(
                kind(f"{statement_logging_check.warning_text(known, through)}.", hint=hint, id=id_)
            )
        elif could:
            words = (
                "Whoever has PostgreSQL log statements has it log records with the hashes of their keys and invitations"
                f" ({', '.join(could)})."
            )
            messages.append(CheckWarning(words, hint=hint, id="candor.W009"))
    return messages


def check_migrations_are_current(
    app_configs: Any, databases: Sequence[str] | None = None, **kwargs: Any
) -> list[CheckMessage]:
    reasons = [migration_digests.reason_to_refuse_database(connections[alias]) for alias in databases or ()]
    return [Error(f"{words[0].upper()}{words[1:]}.", id="candor.E010") for words in reasons if words]


def register_all() -> None:
    """Registers all checks of the product, and removes checks of Django that load all pages."""
    # They load all pages and the API, which most commands never ask for; a test makes them instead.
    registry.registered_checks -= {check_custom_error_handlers, check_url_config, check_url_namespaces_unique}
    register(check_migrations_are_current, Tags.database)
    register(check_triggers_exist, Tags.database)
    register(check_folder_is_writable, Tags.files)
    register(check_mail_is_sent, "mail")
    register(check_mail_sender, "mail")
    register(check_https, Tags.security)
    register(check_https_proxy, Tags.security)
    register(check_sqlite_without_redis, Tags.compatibility)
    register(check_file_access, Tags.security)
    register(check_statement_logs, Tags.database)
