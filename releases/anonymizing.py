"""Anonymising files: from a table and a specification to a file that was read back and checked."""

import os
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy.anonymity.anonymised import AnonymisedTable
from privacy.anonymity.count_queries import query_errors
from privacy.anonymity.marginals import marginal_distances
from privacy.anonymity.methods import METHODS, anonymize, warm
from privacy.anonymity.published import check, write
from privacy.anonymity.reached import reached
from privacy.anonymity.risks import risks, risks_before
from privacy.anonymity.specification import MOST_SECONDS, Specification, read_specification
from privacy.anonymity.table import Table, read_table
from privacy.grammar.node import MAX_BYTES
from privacy.grammar.refusal import Refusal, marked as _
from privacy.records.record_file import open_file

Stopped = Callable[[float], bool]
"""Asked while a method searches: the share of its time that is over. True: stop with the best so far."""


def anonymize_files(
    table: Path, specification: Path, out: Path, cache: Path, stopped: Stopped = lambda _share: False
) -> dict[str, Any]:
    """Anonymise a CSV file into another one, which appears whole and checked, or not at all."""
    said = specification_file(specification)
    with open_file(table) as file:
        read = read_table(file, str(table), said)
    found, seconds = anonymized(read, said, cache, str(table), stopped)
    answer, order = report_of(found, said, seconds), order_by_chance(found)
    with _replacing(out) as (path, name):
        try:
            with path.open("w", encoding="utf-8", newline="") as file_out:
                write(file_out, found, order)
                file_out.flush()
                os.fsync(file_out.fileno())
        except OSError as error:
            raise Refusal(name, _("cannot be written (%(what)s)"), what=error.strerror) from None
        with open_file(path) as file:
            check(file, name, found, said, order)
    return answer


def specification_file(path: Path) -> Specification:
    with open_file(path) as file:
        try:
            source = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise Refusal(str(path), _("cannot be read (%(what)s)"), what=error.strerror) from None
    try:
        return read_specification(source, "specification", frozenset(METHODS))
    except Refusal as refusal:
        raise refusal.within(str(path)) from None


def anonymized(
    table: Table, said: Specification, cache: Path, where: str, stopped: Stopped
) -> tuple[AnonymisedTable, float]:
    """What is published, and the seconds of the search."""
    if said.method == "tree":
        warm(cache)
    start = time.monotonic()

    def enough(_steps: int, _loss: float) -> bool:
        over = time.monotonic() - start
        return over >= said.seconds or stopped(over / (said.seconds or MOST_SECONDS))

    outcome = anonymize(table, said, cache, enough, where)
    return outcome, round(time.monotonic() - start, 3)


def report_of(outcome: AnonymisedTable, said: Specification, seconds: float) -> dict[str, Any]:
    """What is to be said of a table to those who may know its source; on large tables it takes longer than the search.

    The queries are drawn anew each time, and what is said of the source alone is rounded: exact means over known
    queries would give single values back.
    """
    draw = np.random.default_rng(secrets.randbits(256)).random
    return {
        "criteria": reached(outcome.table, said, outcome.partition.labels),
        "losses": {
            **outcome.losses(said).as_json(),
            "marginals": rounded(marginal_distances(outcome)),
            "queries": rounded(query_errors(outcome, draw).as_json()),
        },
        "risks": {
            "before": rounded(risks_before(outcome.source).as_json()),
            "after": risks(outcome).as_json(),
        },
        "classes": outcome.partition.number,
        "seconds": seconds,
    }


def rounded(content: Any) -> Any:
    """Every number of this JSON to two significant digits."""
    if isinstance(content, dict):
        return {name: rounded(value) for name, value in content.items()}
    if isinstance(content, list):
        return list(map(rounded, content))
    return float(f"{content:.2g}") if isinstance(content, float) and isfinite(content) else content


def order_by_chance(outcome: AnonymisedTable) -> NDArray[np.int64]:
    """An order of the published records for one file."""
    return np.random.default_rng(secrets.randbits(256)).permutation(len(outcome.kept))


@contextmanager
def _replacing(out: Path) -> Iterator[tuple[Path, str]]:
    """A new file beside `out`, for this account only, which takes its place at the end; gone if anything fails."""
    try:
        handle, name = tempfile.mkstemp(prefix=".anonymize-", dir=out.parent)
    except OSError as error:
        raise Refusal(str(out), _("cannot be written (%(what)s)"), what=error.strerror) from None
    os.close(handle)
    path = Path(name)
    try:
        yield path, str(out)
        try:
            path.replace(out)
        except OSError as error:
            raise Refusal(str(out), _("cannot be written (%(what)s)"), what=error.strerror) from None
    finally:
        path.unlink(missing_ok=True)
