"""Signing in once a role: whoever comes later gets a session of their own, copied from the first."""

import secrets
import sqlite3
import string
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from playwright.sync_api import Cookie

NAME = "candor-session"
PRESET = "UPDATE accounts_person SET language = '', theme = 'system' WHERE username = ?"
"""As somebody before may have left it."""
LANGUAGE = "UPDATE accounts_person SET language = ? WHERE username = ?"
COPY = """
INSERT INTO django_session (session_key, session_data, expire_date)
SELECT ?, session_data, expire_date FROM django_session WHERE session_key = ? AND expire_date > ?
"""
FRESH = timedelta(minutes=5)
"""Whoever signed in longer ago may soon be asked again, before what cannot be undone."""


def copied(database: Path, cookies: Sequence[Cookie]) -> list[Any]:
    """The cookies of another browser in which the same person has just signed in.

    None if the first has signed out, or signed in a while ago.
    """
    (known,) = {cookie["value"] for cookie in cookies if cookie["name"] == NAME}
    key = "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in known)
    ends = datetime.now(UTC).replace(tzinfo=None) + timedelta(seconds=settings.SESSION_COOKIE_AGE)
    with closing(sqlite3.connect(database, timeout=60)) as connection, connection:
        if not connection.execute(COPY, (key, known, str(ends - FRESH))).rowcount:
            return []
    return [cookie | {"value": key} if cookie["name"] == NAME else {**cookie} for cookie in cookies]


def preset(database: Path, username: str) -> None:
    """Give the account the language and the theme of the browser again."""
    with closing(sqlite3.connect(database, timeout=60)) as connection, connection:
        connection.execute(PRESET, (username,))


def choose_language(database: Path, username: str, language: str) -> None:
    """Until somebody signs in with the account again."""
    with closing(sqlite3.connect(database, timeout=60)) as connection, connection:
        connection.execute(LANGUAGE, (language, username))
