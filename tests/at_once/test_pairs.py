"""Two acts on one survey at once: whatever one does in the midst of the other, one of them came first.

One act runs until it is about to send some statement to the database, then another act, then the rest of the first. The
oracle is the serial order: with the same two pages open, what is stored afterwards must be what one act after the other
stores, in either order, and each person must read what they would read then: done, or why not.

On PostgreSQL the second act has a thread and a connection of its own: the first goes on once the second is over, or
waits for a lock.
"""

import json
import random
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from threading import Thread
from typing import Any, Protocol

import psycopg
import pytest
from django.conf import settings
from django.db import connection, connections

from tests.at_once.worlds import (
    ACTS,
    DONE,
    SILENT,
    WORLDS,
    all_facts,
    delete_left_behind,
    forget_cached_surveys,
)

pytestmark = [pytest.mark.page, pytest.mark.django_db]


PATIENCE = 60
"""Seconds after which an act hangs."""


class Between(Protocol):
    """Runs the second act in the midst of the first; `wait_for_end` waits until it is over."""

    def __call__(self, act: Callable[[], None]) -> None: ...
    def wait_for_end(self) -> None: ...


class InTheMidst:
    """Runs it on the same connection, to its end."""

    def __call__(self, act: Callable[[], None]) -> None:
        act()

    def wait_for_end(self) -> None: ...


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

    def wait_for_end(self) -> None:
        if self._thread.ident:
            self._thread.join(PATIENCE)
        if self._thread.is_alive():
            raise TimeoutError("the second act hangs")
        if self.failure:
            raise AssertionError(self.failure)


@dataclass(frozen=True)
class Result:
    """What each person reads by the name of their act, and what is stored."""

    said: dict[str, str]
    stored: dict[str, Any]

    @property
    def order(self) -> tuple[dict[str, bool], dict[str, Any]]:
        return {name: words == DONE for name, words in self.said.items()}, self.stored


Pair = tuple[str, str, str]
"""A world, and the names of two acts there."""
PAIRS: list[Pair] = [(world, *names) for world, acts in ACTS.items() for names in combinations(acts, 2)]
AT_THE_END = 10**6


class Statements:
    """Counts the statements of an act that are at a place where another may come between.

    `is_serial`: as on SQLite, which lets one transaction write at a time, nothing comes between the statements of one.
    """

    def __init__(self, at: int, act: Callable[[], None], *, is_serial: bool) -> None:
        self.count, self._at, self._act, self._is_serial = 0, at, act, is_serial
        self._outside = len(connection.savepoint_ids)
        self.is_over = False

    def __call__(self, execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        # Django forgets a savepoint before it sends the statement that ends it.
        is_end = sql.startswith(("RELEASE", "ROLLBACK"))
        is_inside = is_end or len(connection.savepoint_ids) > self._outside
        if not (self._is_serial and is_inside):
            self.count += 1
            if self.count == self._at and not self.is_over:
                self.is_over = True
                self._act()
        return execute(sql, params, many, context)


def run_pair(pair: Pair, at: int, between: Between, *, is_serial: bool) -> tuple[Result, int]:
    """The second act comes before statement number `at` of the first, or after the last. The number of statements of
    the first act comes with the result."""
    name, first, second = pair
    world, acts = WORLDS[name](), ACTS[name]
    # Whoever presses first, the pages were opened in one order.
    held = {act: acts[act].hold(world) for act in acts if act in (first, second)}
    said: dict[str, str] = {}

    def press_second() -> None:
        forget_cached_surveys()
        said[second] = acts[second].press(world, held[second])

    statements = Statements(at, lambda: between(press_second), is_serial=is_serial)
    forget_cached_surveys()
    with connection.execute_wrapper(statements):
        said[first] = acts[first].press(world, held[first])
    between.wait_for_end()
    if second not in said:
        press_second()
    delete_left_behind(world)
    return Result(said, all_facts(world)), statements.count


def try_pair(
    pair: Pair, places: int, chance: random.Random, between: Callable[[], Between], *, is_serial: bool
) -> tuple[int, list[str]]:
    """Tries both acts as the first one, the other at so many places; the number of tries, and what was wrong."""
    world, one, other = pair
    directions = ((world, one, other), (world, other, one))
    serial = [run_pair(names, AT_THE_END, between(), is_serial=is_serial) for names in directions]
    orders, tried, wrong = [result for result, _count in serial], 0, list[str]()
    for names, (_result, count) in zip(directions, serial, strict=True):
        for at in chance.sample(range(1, count + 1), min(places, count)):
            found, _count = run_pair(names, at, between(), is_serial=is_serial)
            tried += 1
            if found.order not in [order.order for order in orders] or SILENT in found.said.values():
                wrong.append(describe(names, at, found, orders))
    return tried, wrong


def describe(names: Pair, at: int, found: Result, orders: Sequence[Result]) -> str:
    """Where the result differs from both orders."""
    lines = [f"{names} at {at}: {found.said}"]
    for other in orders:
        lines.append(f"  for {other.said}")
        lines += [
            f"    {name}: {value!r} for {other.stored[name]!r}"
            for name, value in found.stored.items()
            if value != other.stored[name]
        ]
    return "\n".join(lines)


# --- all pairs on PostgreSQL, in a random order


def set_up() -> None:
    """As tests/conftest.py does for pages that are rendered in the process of a test."""
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    settings.STORAGES = {**settings.STORAGES, "staticfiles": plain}
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"


def run_campaign(seed: int, seconds: float, places: int, all_pairs: Sequence[Pair] = PAIRS) -> None:
    """Tries the pairs in a random order at so many places until the time is over; prints what was tried and found."""
    set_up()
    chance, begun, done, tried, wrong = random.Random(seed), time.monotonic(), 0, 0, list[str]()
    pairs = chance.sample(all_pairs, len(all_pairs))
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


# --- the tests ---


@pytest.mark.at_push(3)
@pytest.mark.parametrize("pair", PAIRS, ids=map(": ".join, PAIRS))
def test_two_simultaneous_actions_end_as_one_after_the_other(pair: Pair) -> None:
    """On SQLite, where one transaction at a time writes; for PostgreSQL see test_pairs_on_postgresql.py."""
    tried, wrong = try_pair(pair, 1, random.Random(": ".join(pair)), InTheMidst, is_serial=True)
    assert not wrong, "\n".join(wrong)
    assert tried


@pytest.mark.parametrize("places", [1, pytest.param(5, marks=pytest.mark.night)])
def test_publishing_and_deleting_at_once_end_as_one_after_the_other(places: int) -> None:
    pair = ("reviewable", "publish", "destroy")
    _tried, wrong = try_pair(pair, places, random.Random(71), InTheMidst, is_serial=True)
    assert not wrong, "\n".join(wrong)
