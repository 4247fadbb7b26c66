"""Two acts on one survey at once on PostgreSQL: the second one has a thread and a connection of its own.

It begins before some statement of the first, which goes on once the second is over, or waits for a lock.
"""

import json
import random
import time
import traceback
from collections.abc import Callable
from threading import Thread

import psycopg
from django.conf import settings
from django.db import connection, connections

from tests.at_once.interleaving import PAIRS, try_pair

PATIENCE = 60
"""Seconds after which an act hangs."""


class InThread:
    """Runs an act in a thread until it is over or waits for a lock."""

    def __init__(self, watch: psycopg.Connection) -> None:
        self._watch, self._thread, self.failure = watch, Thread(), ""

    def __call__(self, act: Callable[[], None]) -> None:
        self._thread = Thread(target=self._run, args=[act])
        self._thread.start()
        end = time.monotonic() + PATIENCE
        while self._thread.is_alive() and not self._waits() and time.monotonic() < end:
            time.sleep(0.002)

    def _run(self, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception:
            self.failure = traceback.format_exc()
        finally:
            connections.close_all()

    def _waits(self) -> bool:
        rows = self._watch.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return rows.fetchone() is not None

    def end(self) -> None:
        if self._thread.ident:
            self._thread.join(PATIENCE)
        if self._thread.is_alive():
            raise TimeoutError("the second act hangs")
        if self.failure:
            raise AssertionError(self.failure)


def set_up() -> None:
    """As tests/conftest.py does for pages that are rendered in the process of a test."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"


def run(seed: int, seconds: float, places: int) -> None:
    """Tries the pairs in a random order at so many places until the time is over; prints what was tried and found."""
    set_up()
    chance, begun, done, tried, wrong = random.Random(seed), time.monotonic(), 0, 0, list[str]()
    pairs = chance.sample(PAIRS, len(PAIRS))
    server = connection.settings_dict
    where = {"host": server["HOST"], "port": server["PORT"], "user": server["USER"], "dbname": server["NAME"]}
    with psycopg.connect(**where, autocommit=True) as watch:
        while done < len(pairs) and time.monotonic() - begun < seconds:
            pair = pairs[done]
            try:
                here, found = try_pair(pair, places, chance, lambda: InThread(watch), is_serial=False)
                tried, wrong, done = tried + here, wrong + found, done + 1
            except Exception:
                wrong, done = [*wrong, f"{pair}: {traceback.format_exc()[-1500:]}"], done + 1
    spent = round(time.monotonic() - begun)
    print(json.dumps({"pairs": done, "of": len(pairs), "tried": tried, "seconds": spent, "wrong": wrong}))
