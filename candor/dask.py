"""Records on the workers of a Dask cluster, for more of them than one machine holds (docs/scale.md).

Mining reads records through counts alone, and counts are integers that add up in any order: the digits are those of one
machine, however the records are divided. Each worker holds the packed columns of its files; queries go out and sums of
counts come back.
"""

import logging
from collections import Counter as Tally
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial, reduce
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from dask.delayed import delayed
from distributed import Client, Future, LocalCluster, as_completed, get_client

from candor.surveys import Records
from mining.counting import MinedRecords, read_record_file
from mining.queries_and_counters import Counter, Counts, Queries, Query, as_queries
from privacy.designs import Design, InputError, parse_design
from privacy.grammar.input_error import mark_for_translation as _, unreadable_file

if TYPE_CHECKING:
    import pandas as pd

PATIENCE = 20
"""Seconds until a scheduler has answered."""
FAN = 8
"""Sums that a task of the tree adds up."""

Stamp = tuple[int, int]
"""Size of a file, and when it changed."""
Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Part:
    """The records of one file, or of one partition of a frame, on a worker."""

    counter: Counter
    is_withheld: bool
    left_out: Mapping[str, int]


@dataclass(frozen=True)
class PartSummary:
    """What is told of a part: its numbers of open and of disguised records, and why rows were left out."""

    n: tuple[int, int]
    is_withheld: bool
    left_out: Mapping[str, int]


@dataclass(frozen=True)
class ClusterCounter:
    """Counter of the records of all `parts`, which are futures of `Part`."""

    design: Design
    n: tuple[int, int]
    parts: "Sequence[Future[Part]]"
    client: Client

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        asked = as_queries(self.design, queries)
        if not len(asked):
            return np.zeros((0, 2), np.int64)
        # A task and no scattered data, so that a worker that is lost with it can be replaced.
        shared = self.client.submit(_same, asked, pure=False)
        sums = self.client.map(_count_part, self.parts, queries=shared, pure=False)
        while len(sums) > 1:
            groups = [sums[start : start + FAN] for start in range(0, len(sums), FAN)]
            sums = self.client.map(partial(reduce, add), groups, pure=False)
        counts: Counts = sums[0].result()
        return counts


class _OnWorkers(Sequence[Any]):
    """Stands for columns that are on workers: there are some, or none, and nobody here reads them."""

    def __init__(self, length: int) -> None:
        self._length = length

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, _index: Any) -> Any:
        raise InputError("records", _("are on the workers of a cluster, where only counts are made of them"))


@dataclass(frozen=True)
class ClusterRecords(MinedRecords):
    """Records on workers; what reads their columns instead of counting is refused."""

    counted: ClusterCounter | None = None
    is_counted_only: ClassVar[bool] = True

    @property
    def n(self) -> int:
        return sum(self.counter().n)

    def counter(self) -> Counter:
        assert self.counted
        return self.counted


def counter(
    source: Any,
    design: Design,
    client: Client | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    codes: Mapping[str, Mapping[Any, str]] | None = None,
    progress: Progress | None = None,
) -> Records:
    """Reads records on the workers of a cluster; the result takes the place of those of `read_records`.

    `source`: a pattern as `records/*.parquet`, or paths, of CSV or Parquet files that every worker can read; or a frame
    of `dask.dataframe`, with `columns` and `codes` as in `candor.records`. `client`: by default the current one.
    `progress` is called with the number of parts that are read, and that there are. A worker that is lost is replaced
    by reading its parts again; a file that changed meanwhile ends the count with its name.
    """
    here = client or get_client()
    if hasattr(source, "to_delayed"):
        read = delayed(_read_partition, pure=False)
        meaning = {"text": design.canonical, "columns": columns or {}, "codes": codes or {}}
        futures = here.compute([read(partition, **meaning) for partition in source.to_delayed()])
    else:
        paths = find_files(source)
        stamps = [_stamp(path) for path in paths]
        futures = here.map(_read_part, paths, stamps, text=design.canonical, pure=False)
    for number, _done in enumerate(as_completed(futures), 1):
        if progress:
            progress(number, len(futures))
    parts = here.gather(here.map(_describe, futures, pure=False))
    n = tuple(sum(part.n[group] for part in parts) for group in range(2))
    if not sum(n):
        raise InputError("records", _("holds no record"))
    withheld = sum(part.is_withheld for part in parts)
    left_out = sum((Tally(part.left_out) for part in parts), Tally())
    counted = ClusterCounter(design.mined, (n[0], n[1]), futures, here)
    records = ClusterRecords(design.mined, _OnWorkers(len(futures)), _OnWorkers(withheld), counted)
    return Records(design, records, dict(left_out))


def find_files(source: Any) -> list[str]:
    """Returns the paths of a pattern, in their order, or of a list; refuses what is not there."""
    if isinstance(source, str | Path):
        place = Path(source)
        paths = sorted(map(str, Path(place.anchor or ".").glob(str(place.relative_to(place.anchor)))))
    else:
        paths = list(map(str, source))
    if not paths:
        raise InputError(str(source), _("no file has this name"))
    return paths


def _stamp(path: str) -> Stamp:
    try:
        found = Path(path).stat()
    except (OSError, ValueError) as error:
        raise unreadable_file(Path(path), error) from None
    return found.st_size, found.st_mtime_ns


@contextmanager
def reader_on_cluster(
    scheduler: str | None, workers: int | None, progress: Progress
) -> Iterator[Callable[[Design, Path], MinedRecords]]:
    """Context manager: connects to a scheduler or starts workers here; returns what reads files of a pattern there."""
    with ExitStack() as opened:
        try:
            cluster = scheduler or opened.enter_context(
                LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    dashboard_address="127.0.0.1:0",
                    silence_logs=logging.ERROR,
                )
            )
            client = opened.enter_context(Client(cluster, timeout=PATIENCE))
        except (OSError, ValueError) as error:
            raise InputError("scheduler", _("cannot be reached (%(what)s)"), what=error) from None

        def read(design: Design, pattern: Path) -> MinedRecords:
            return counter(str(pattern), design, client, progress=progress).mined

        yield read


# --- on a worker


def _read_part(path: str, stamp: Stamp, *, text: str) -> Part:
    """Reads a file, which is the one that was there when the count began."""
    before = _stamp(path)
    records = read_record_file(parse_design(text), Path(path))
    if not before == stamp == _stamp(path):
        raise InputError(path, _("changed while it was counted; begin again"))
    return Part(records.counter(), bool(records.without_plain), {})


def _read_partition(
    frame: "pd.DataFrame", *, text: str, columns: Mapping[str, str], codes: Mapping[str, Mapping[Any, str]]
) -> Part:
    from candor.frame_records import read_frame  # late for cost

    records, left_out = read_frame(frame, parse_design(text), columns, codes)
    return Part(records.counter(), bool(records.without_plain), left_out)


def _describe(part: Part) -> PartSummary:
    return PartSummary(part.counter.n, part.is_withheld, part.left_out)


def _same(queries: Queries) -> Queries:
    return queries


def _count_part(part: Part, *, queries: Queries) -> Counts:
    return np.asarray(part.counter.count(queries), np.int64)
