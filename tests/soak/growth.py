"""What grows while records come in, without any fault: memory, open files, rows, bytes, lines of the log."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.soak.load import Check, Load, Weight, of_memory
from tests.soak.soak import ASKS
from tests.soak.system import OVER, Console, System, console, running

PAUSE = 5.0
"""Seconds between two looks."""
RUN_EVERY = 60.0
"""Seconds between two mining runs."""
ROWS = """
from django.apps import apps
from django.db import connection
size = 0
if connection.vendor == "postgresql":
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        size = cursor.fetchone()[0]
models = apps.get_models(include_auto_created=True)
said = [size, {model._meta.db_table: model._base_manager.count() for model in models}]
"""
"""The bytes of PostgreSQL's database, and the rows of each table."""
SPARE_ROWS, FEW = 400, 0.02
"""Rows that a table may have more than before, and for each record: batches and their keys, runs, and what waits."""
MORE_FILES = 24
BYTES_OF_RECORD, SPARE_BYTES = 600, 8_000_000
"""Of the whole folder: answers, keys, what SQLite leaves free, and its write-ahead file."""
LINES, SPARE_LINES = 0.001, 20


@dataclass(frozen=True)
class Look:
    """`records`: acknowledged until then; `files`: open ones by role, of the process that has most."""

    moment: float
    records: int
    weights: list[Weight]
    files: dict[str, int]
    rows: dict[str, int]
    bytes: int
    lines: int


def look(system: System, asking: Console, load: Load) -> Look:
    moment, records = time.monotonic(), len(load.told.acknowledged)
    weights = [Weight(role, pid, moment, kilobytes) for role, pid, kilobytes in system.memory()]
    files: dict[str, int] = {}
    for weight in weights:
        files[weight.role] = max(files.get(weight.role, 0), open_files(weight.pid))
    size = sum(path.stat().st_size for path in system.var.rglob("*") if path.is_file() and path.exists())
    database, rows = asking.ask(ROWS)
    return Look(moment, records, weights, files, rows, size + database, system.log.read_text().count("\n"))


def open_files(pid: int) -> int:
    try:
        return len(list(Path(f"/proc/{pid}/fd").iterdir()))
    except OSError:
        return 0


def grow(stack: str, seconds: float, seed: int, rate: float) -> tuple[list[Look], list[Check]]:
    """So long, at `rate` respondents a second; what was seen, and what was expected of it."""
    looks: list[Look] = []
    with running(stack, behind_nginx=stack == "production") as system, console(system) as asking:
        system.wait_until_healthy()
        survey, slug, _none = asking.open(ASKS)
        load = Load(system.front, ASKS, slug, ("", []), seed, rate)
        load.start()
        began = last_run = time.monotonic()
        try:
            asking.wait_for_a_batch(survey)
            while time.monotonic() - began < seconds:
                if time.monotonic() - last_run > RUN_EVERY:
                    last_run = time.monotonic()
                    asking.start_run(survey, min_support=0.05 + len(looks) / 10_000)
                asking.wait_for_job(asking.start_job(0.25), *OVER)
                looks.append(look(system, asking, load))
                time.sleep(PAUSE)
        finally:
            load.stop()
        system.wait_until_healthy()
    return looks, list(checks(looks))


def checks(looks: Sequence[Look]) -> Iterator[Check]:
    """Of the last two thirds: before, everything is loaded and filled for the first time."""
    first, last = looks[len(looks) // 3], looks[-1]
    records = last.records - first.records
    yield from of_memory([weight for each in looks for weight in each.weights])
    for role, before in first.files.items():
        after = max(each.files.get(role, 0) for each in looks[len(looks) // 3 :])
        yield within(f"open files: {role}", after, before + MORE_FILES)
    for table, after in last.rows.items():
        more, most = after - first.rows.get(table, 0), round(FEW * records) + SPARE_ROWS
        if more:
            yield within(f"more rows: {table}", more, most)
    yield within(
        "more bytes under VAR and in PostgreSQL",
        last.bytes - first.bytes,
        BYTES_OF_RECORD * records + SPARE_BYTES,
    )
    yield within("more lines of the log", last.lines - first.lines, round(LINES * records) + SPARE_LINES)


def within(what: str, observed: int, most: int) -> Check:
    return Check(what, f"at most {most:,}", f"{observed:,}", observed <= most)
