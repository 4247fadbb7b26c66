"""Anonymises a table file by a specification: searches for equivalence classes, writes the output file, reads it back
and checks it."""

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

from mining.cancellable_thread import run_in_thread
from mining.json_codec import node_to_json
from privacy import machine_code_cache
from privacy.anonymity.anonymisation_result import AnonymisedTable, count_range_ends_of_one_person
from privacy.anonymity.count_query_errors import marginal_distances, query_errors
from privacy.anonymity.criteria_check import asked_and_reached_levels
from privacy.anonymity.published_file import (
    check_published_table,
    record_order_by_cells,
    write_published_table,
)
from privacy.anonymity.risk.population_uniqueness import special_uniqueness_scores
from privacy.anonymity.risk.risks import risks, risks_before_anonymisation
from privacy.anonymity.table_anonymisation import DEFAULT_KERNELS, METHODS, anonymize, load_default_kernels
from privacy.anonymity.tables.specification import MOST_SECONDS, Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Table, read_table
from privacy.grammar.input_error import InputError, mark_for_translation as _, unreadable_file
from privacy.grammar.json_node import MAX_BYTES
from privacy.records.csv_dialect_detection import HEAD, detect_layout
from privacy.records.dictionary_encoding import Tick, ignore_tick
from privacy.records.record_file import open_table_file

T = TypeVar("T")

Stopped = Callable[[float], bool]
"""Callback of a search: takes the share of its time that is over, and returns True to stop with the best result so far.

An exception from it ends the search. Stopping is an error for methods other than *tree*, which have no result before
the end.
"""


def anonymize_files(
    table: Path,
    specification: Path,
    out: Path,
    stopped: Stopped = lambda _share: False,
    compiling: Tick = ignore_tick,
) -> dict[str, Any]:
    """Anonymises a delimited file and returns the report; the output file appears complete and checked, or not at all.

    `stopped` is called during the search, see `Stopped`; `compiling` repeatedly while the kernels are compiled.
    """
    read, said = read_table_and_specification(table, specification)
    load_kernels(compiling)
    result, seconds = anonymize_table(read, said, str(table), stopped)
    answer, order = make_anonymisation_report(result, said, seconds), record_order_by_cells(result)
    with _replacement_file(out) as (path, name):
        try:
            with path.open("w", encoding="utf-8", newline="") as file_out:
                write_published_table(file_out, result, order)
                file_out.flush()
                os.fsync(file_out.fileno())
        except OSError as error:
            raise InputError(name, _("cannot be written (%(what)s)"), what=error.strerror) from None
        with open_table_file(path) as file:
            check_published_table(file, name, result, said, order)
    return answer


def read_table_and_specification(table: Path, specification: Path) -> tuple[Table, Specification]:
    """Reads a CSV file by its specification, which gets the file's layout where it names none."""
    said = read_specification_file(specification)
    with open_table_file(table) as file:
        if said.layout is None:
            said = replace(said, layout=detect_layout(file.peek(HEAD)))
        return read_table(file, str(table), said), said


def load_kernels(ask: Tick) -> None:
    """Loads the compiled kernels; if they must be compiled first, calls `ask` repeatedly meanwhile."""
    compiled = machine_code_cache.has_compiled(DEFAULT_KERNELS)
    run_in_thread(load_default_kernels, ignore_tick if compiled else ask)


def read_specification_file(path: Path) -> Specification:
    """Reads a specification (candor-release/1) from a file; raises `InputError` with the place of a fault."""
    with open_table_file(path) as file:
        try:
            source = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise unreadable_file(path, error) from None
    try:
        return read_specification(source, "specification", frozenset(METHODS))
    except InputError as refusal:
        raise refusal.with_outer_path(str(path)) from None


def anonymize_table(
    table: Table, specification: Specification, location: str, stopped: Stopped
) -> tuple[AnonymisedTable, float]:
    """Returns the anonymised table, and the processor seconds of the search.

    Processor time limits the search, so that a busy machine does not make the result worse.
    """
    if specification.method == "tree":
        load_default_kernels()
    share, began, flag = 0.0, 0.0, np.zeros(1, np.int64)

    def may_stop_search(steps: int, _cost: float) -> bool:
        nonlocal share
        over = time.thread_time() - began
        share = (
            over / (specification.seconds or MOST_SECONDS)
            if specification.tries is None
            else steps / max(specification.tries, 1)
        )
        return specification.tries is None and over >= specification.seconds

    def pass_on_stop() -> None:
        try:
            is_stopped = stopped(share)
        except BaseException:
            flag[0] = 1
            raise
        flag[0] = is_stopped or flag[0]
        if is_stopped and specification.method != "tree":
            raise InputError(location, _("the search was stopped before it had a result"))

    def search() -> tuple[AnonymisedTable, float]:
        nonlocal began
        began = time.thread_time()
        outcome = anonymize(table, specification, may_stop_search, location, flag)
        return outcome, round(time.thread_time() - began, 3)

    return run_in_thread(search, pass_on_stop)


def make_anonymisation_report(
    outcome: AnonymisedTable, specification: Specification, seconds: float, tick: Tick = ignore_tick
) -> dict[str, Any]:
    """Returns a report on an anonymised table: criteria reached, information losses, risks before and after. It is for
    readers who may know the source table, and can take longer than the search.

    The queries are drawn anew each time, and numbers about the source alone are rounded: exact means over known queries
    would reveal single values.
    """
    draw = np.random.default_rng(secrets.randbits(256)).random

    def compute_after_tick(part: Callable[[], T]) -> T:
        tick()
        return part()

    return {
        "criteria": compute_after_tick(
            lambda: asked_and_reached_levels(outcome.table, specification, outcome.partition.labels)
        ),
        "losses": {
            **node_to_json(compute_after_tick(lambda: outcome.information_losses(specification))),
            "marginals": round_numbers(compute_after_tick(lambda: marginal_distances(outcome))),
            "queries": round_numbers(node_to_json(compute_after_tick(lambda: query_errors(outcome, draw)))),
        },
        "risks": {
            "before": round_numbers(
                compute_after_tick(
                    lambda: risks_before_anonymisation(outcome.source, sample=specification.sample)
                ).as_json()
            ),
            "after": compute_after_tick(lambda: risks(outcome, sample=specification.sample)).as_json(),
        },
        "special": round_numbers(
            compute_after_tick(lambda: special_uniqueness_scores(outcome.source.quasi)).as_json()
        ),
        "ends": count_range_ends_of_one_person(outcome),
        **({"suppressed_cells": outcome.suppressed_cell_count} if specification.cell_suppression else {}),
        "classes": outcome.partition.class_count,
        "seconds": seconds,
        **({} if outcome.tries is None else {"tries": outcome.tries, "seed": specification.seed}),
    }


def round_numbers(content: Any) -> Any:
    """Rounds every number of a JSON value to two significant digits."""
    if isinstance(content, dict):
        return {name: round_numbers(value) for name, value in content.items()}
    if isinstance(content, list):
        return list(map(round_numbers, content))
    return float(f"{content:.2g}") if isinstance(content, float) and isfinite(content) else content


@contextmanager
def _replacement_file(out: Path) -> Iterator[tuple[Path, str]]:
    """Yields a temporary file next to `out`, readable by this account only. It replaces `out` on success, and is
    removed on failure."""
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
