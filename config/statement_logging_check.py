"""Detects PostgreSQL settings that log the values of statements, and names the settings that prevent it.

Values are bound on the server (`server_side_binding`), so a statement's text contains none. The settings
below decide whether values are logged beside it: a record next to the hashes of its key and its invitation.
Each connection sets those that its role may set; an administrator must set the others for the role.
"""

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper

logger = logging.getLogger(__name__)

PARAMETERS = "log_parameter_max_length"
HIDING = {
    PARAMETERS: "0",
    "log_parameter_max_length_on_error": "0",
    # They write the trees of statements, in which values stand as constants.
    "debug_print_parse": "off",
    "debug_print_rewritten": "off",
    "debug_print_plan": "off",
    # The same in plans, also of what a function does inside.
    "auto_explain.log_min_duration": "-1",
    "pgaudit.log_parameter": "off",
}
"""For each PostgreSQL setting the value that keeps the values of statements out of the log."""

TURNED_ON: dict[str, Callable[[str], bool]] = {
    "log_statement": lambda value: value in ("mod", "all"),
    "log_min_duration_statement": lambda value: int(value) >= 0,
    "log_min_duration_sample": lambda value: int(value) >= 0,
    "log_transaction_sample_rate": lambda value: float(value) > 0,
}
"""Settings that turn on the logging of statements, with a test for "on"; PARAMETERS matters only if one is on."""

PRIVILEGE = "current_setting('is_superuser') = 'on' OR has_parameter_privilege(name, 'SET')"
FIND = "SELECT name, setting, context = 'user' OR {may} FROM pg_settings WHERE name = ANY(%s)"
SET = "SELECT set_config(name, value, false) FROM unnest(%s::text[], %s::text[]) AS wanted (name, value)"


@dataclass(frozen=True)
class ServerSetting:
    """A setting of PostgreSQL: its value, and whether this role may set it."""

    name: str
    value: str
    settable: bool

    @property
    def hides(self) -> bool:
        """True if the value keeps the values of statements out of the log."""
        return self.value == HIDING[self.name]


def hide_values_in_new_connection(sender: Any, connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    """Signal receiver: on each new connection, turns off what would log the values of statements.

    Logs a warning about settings that this role may not change.
    """
    if connection.vendor != "postgresql":
        return
    by_name = statement_logging_settings(connection)
    ours = [
        setting.name
        for setting in by_name.values()
        if setting.name in HIDING and setting.settable and not setting.hides
    ]
    if ours:
        with connection.cursor() as cursor:
            cursor.execute(SET, [ours, [HIDING[name] for name in ours]])
    others = {name: setting for name, setting in by_name.items() if name not in ours}
    if through := settings_exposing_values(others):
        _log_once(
            f"{warning_text(others, through)}; run as an administrator: {alter_role_statements(connection, through)}"
        )


def statement_logging_settings(connection: BaseDatabaseWrapper) -> dict[str, ServerSetting]:
    """Returns, by name, the PostgreSQL settings that decide whether values of statements are logged."""
    recent = getattr(connection, "pg_version", 0) >= 150_000
    may = PRIVILEGE if recent else PRIVILEGE.partition(" OR ")[0]
    with connection.cursor() as cursor:
        cursor.execute(FIND.format(may=may), [[*HIDING, *TURNED_ON]])
        return {name: ServerSetting(name, value, settable) for name, value, settable in cursor.fetchall()}


def settings_exposing_values(by_name: dict[str, ServerSetting]) -> list[str]:
    """Returns the names of PostgreSQL settings through which the values of statements reach the log now."""
    logged = any(is_on(by_name[name].value) for name, is_on in TURNED_ON.items() if name in by_name)
    return [name for name in settings_exposing_if_logging(by_name) if name != PARAMETERS or logged]


def settings_exposing_if_logging(by_name: dict[str, ServerSetting]) -> list[str]:
    """Returns the names of PostgreSQL settings that would log values if logging were turned on."""
    return [name for name in HIDING if name in by_name and not by_name[name].hides]


def warning_text(by_name: dict[str, ServerSetting], through: Iterable[str]) -> str:
    """Returns a warning with the PostgreSQL settings that log values, and those that turn logging on."""
    on = [name for name, is_on in TURNED_ON.items() if name in by_name and is_on(by_name[name].value)]
    named = ", ".join(f"{name} = {by_name[name].value}" for name in [*through, *on])
    return f"The log of PostgreSQL holds the values of statements, records among them ({named})"


def alter_role_statements(connection: BaseDatabaseWrapper, names: Iterable[str]) -> str:
    """Returns SQL by which an administrator sets these settings for this role, in this database only."""
    quote = connection.ops.quote_name
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user, current_database()")
        role, database = cursor.fetchone()
    head = f"ALTER ROLE {quote(role)} IN DATABASE {quote(database)} SET"
    return " ".join(f"{head} {name} = '{HIDING[name]}';" for name in names)


@lru_cache(maxsize=8)
def _log_once(words: str) -> None:
    """Logs a warning once in a process, not at every connection."""
    logger.error(words)
