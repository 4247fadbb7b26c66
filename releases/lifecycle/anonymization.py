"""Anonymising files: from a table and a specification to a file that was read back and checked."""

import os
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from mining.document.codec import dump
from privacy.anonymity.anonymised import AnonymisedTable, count_single_person_ends
from privacy.anonymity.count_queries import marginal_distances, query_errors
from privacy.anonymity.criteria import reached_levels
from privacy.anonymity.methods import METHODS, anonymize, is_compiled, warm
from privacy.anonymity.published import check, rows_in_order, write
from privacy.anonymity.risk.population_uniqueness import special_uniques
from privacy.anonymity.risk.risks import risks, risks_before
from privacy.anonymity.tables.specification import MOST_SECONDS, Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Table, read_table
from privacy.grammar.input_error import InputError, marked as _
from privacy.grammar.json_node import MAX_BYTES
from privacy.records.codebooks import Tick, ignore_tick
from privacy.records.csv_layout import HEAD, detect_layout
from privacy.records.record_file import open_file
from releases.lifecycle.watched_thread import watched

T = TypeVar("T")

Stopped = Callable[[float], bool]
"""Asked while a method searches: the share of its time that is over. True: stop with the best so far.

What it raises ends the method. Methods but *tree* have no best so far, and are refused.
"""


def anonymize_files(
    table: Path,
    specification: Path,
    out: Path,
    cache: Path,
    stopped: Stopped = lambda _share: False,
    compiling: Tick = ignore_tick,
) -> dict[str, Any]:
    """Anonymise a delimited file into another one, which appears whole and checked, or not at all.

    `compiling` is called again and again while the search is compiled.
    """
    said = specification_file(specification)
    with open_file(table) as file:
        if said.layout is None:
            said = replace(said, layout=detect_layout(file.peek(HEAD)))
        read = read_table(file, str(table), said)
    compile_beside(cache, compiling)
    result, seconds = anonymized(read, said, cache, str(table), stopped)
    answer, order = report_of(result, said, seconds), rows_in_order(result)
    with _replacing(out) as (path, name):
        try:
            with path.open("w", encoding="utf-8", newline="") as file_out:
                write(file_out, result, order)
                file_out.flush()
                os.fsync(file_out.fileno())
        except OSError as error:
            raise InputError(name, _("cannot be written (%(what)s)"), what=error.strerror) from None
        with open_file(path) as file:
            check(file, name, result, said, order)
    return answer


def compile_beside(cache: Path, ask: Tick) -> None:
    """Load the kernels; where they have to be compiled, `ask` is called again and again meanwhile."""
    watched(lambda: warm(cache), ignore_tick if is_compiled(cache) else ask)


def specification_file(path: Path) -> Specification:
    with open_file(path) as file:
        try:
            source = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise InputError(str(path), _("cannot be read (%(what)s)"), what=error.strerror) from None
    try:
        return read_specification(source, "specification", frozenset(METHODS))
    except InputError as refusal:
        raise refusal.within(str(path)) from None


def anonymized(
    table: Table, said: Specification, cache: Path, where: str, stopped: Stopped
) -> tuple[AnonymisedTable, float]:
    """What is published, and the processor seconds of the search: a busy machine makes it no worse."""
    if said.method == "tree":
        warm(cache)
    share, began, flag = 0.0, 0.0, np.zeros(1, np.int64)

    def enough(steps: int, _cost: float) -> bool:
        nonlocal share
        over = time.thread_time() - began
        share = over / (said.seconds or MOST_SECONDS) if said.tries is None else steps / max(said.tries, 1)
        return said.tries is None and over >= said.seconds

    def ask() -> None:
        try:
            is_stopped = stopped(share)
        except BaseException:
            flag[0] = 1
            raise
        flag[0] = is_stopped or flag[0]
        if is_stopped and said.method != "tree":
            raise InputError(where, _("the search was stopped before it had a result"))

    def search() -> tuple[AnonymisedTable, float]:
        nonlocal began
        began = time.thread_time()
        outcome = anonymize(table, said, cache, enough, where, flag)
        return outcome, round(time.thread_time() - began, 3)

    return watched(search, ask)


def report_of(
    outcome: AnonymisedTable, said: Specification, seconds: float, tick: Tick = ignore_tick
) -> dict[str, Any]:
    """What is to be said of a table to those who may know its source; on large tables it takes longer than the search.

    The queries are drawn anew each time, and what is said of the source alone is rounded: exact means over known
    queries would give single values back.
    """
    draw = np.random.default_rng(secrets.randbits(256)).random

    def told(part: Callable[[], T]) -> T:
        tick()
        return part()

    return {
        "criteria": told(lambda: reached_levels(outcome.table, said, outcome.partition.labels)),
        "losses": {
            **dump(told(lambda: outcome.losses(said))),
            "marginals": rounded(told(lambda: marginal_distances(outcome))),
            "queries": rounded(dump(told(lambda: query_errors(outcome, draw)))),
        },
        "risks": {
            "before": rounded(told(lambda: risks_before(outcome.source, sample=said.sample)).as_json()),
            "after": told(lambda: risks(outcome, sample=said.sample)).as_json(),
        },
        "special": rounded(told(lambda: special_uniques(outcome.source.quasi)).as_json()),
        "ends": count_single_person_ends(outcome),
        **({"suppressed_cells": outcome.suppressed_cells} if said.cell_suppression else {}),
        "classes": outcome.partition.number,
        "seconds": seconds,
        **({} if outcome.tries is None else {"tries": outcome.tries, "seed": said.seed}),
    }


def rounded(content: Any) -> Any:
    """Every number of this JSON to two significant digits."""
    if isinstance(content, dict):
        return {name: rounded(value) for name, value in content.items()}
    if isinstance(content, list):
        return list(map(rounded, content))
    return float(f"{content:.2g}") if isinstance(content, float) and isfinite(content) else content


@contextmanager
def _replacing(out: Path) -> Iterator[tuple[Path, str]]:
    """A new file beside `out`, for this account only, which takes its place at the end; gone if anything fails."""
    try:
        handle, name = tempfile.mkstemp(prefix=".anonymize-", dir=out.parent)
    except OSError as error:
        raise InputError(str(out), _("cannot be written (%(what)s)"), what=error.strerror) from None
    os.close(handle)
    path = Path(name)
    try:
        yield path, str(out)
        try:
            path.replace(out)
        except OSError as error:
            raise InputError(str(out), _("cannot be written (%(what)s)"), what=error.strerror) from None
    finally:
        path.unlink(missing_ok=True)
