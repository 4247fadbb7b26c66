"""What records on the workers of a cluster cost (docs/scale.md).

./run bench cluster [--millions 10] [--workers 2] [--records 1000000]

Writes so many million records of Adult as 40 yes/no items into Parquet files of `--records` each, reads them on workers
of this machine and searches the itemsets of up to three items at .2 and .1. Printed are the seconds, what a worker
needed at most, the rounds of queries and the bytes that they carried; then the same in one process of one thread. Exit
status 1 if the digits differ.
"""

import argparse
import logging
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import TypeVar

import numpy as np
import pandas as pd
import pyarrow as pa
from distributed import Client, LocalCluster
from pyarrow import parquet

import candor
import candor.dask
from bench.mining import ADULT_ITEMS, adult
from candor.dask import ClusterRecords
from mining.counting import MinedRecords, read_record_file
from mining.queries_and_counters import Counter, CounterWrapper, Counts, Queries, Query, as_queries
from privacy.designs import Design

MB = 1_000_000
SUPPORTS = (0.2, 0.1)
SIZE = 3
T = TypeVar("T")


@dataclass(frozen=True)
class MeasuredCounter(CounterWrapper):
    """Writes the number of queries and the bytes that each way takes of every round into `rounds`."""

    rounds: list[tuple[int, int, int]]

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        arrays = as_queries(self.design, queries)
        counts = self.counter.count(arrays)
        self.rounds.append((len(arrays), len(pickle.dumps(arrays)), counts.nbytes))
        return counts


@dataclass(frozen=True)
class MeasuredRecords(ClusterRecords):
    measured: Counter | None = None

    def counter(self) -> Counter:
        assert self.measured
        return self.measured


def write_records(folder: Path, parts: int, n: int) -> Design:
    """Writes so many files of `n` records; returns their design."""
    for number in range(parts):
        survey = adult(n, seed=number)
        groups = pa.DictionaryArray.from_arrays(pa.array(survey.group, pa.int8()), ["open", "disguised"])
        names = [question.name for question in survey.columns.design.questions]
        answers = [
            pa.DictionaryArray.from_arrays(pa.array(row, pa.int8()), ["no", "yes"]) for row in survey.codes
        ]
        parquet.write_table(pa.table([groups, *answers], ["group", *names]), folder / f"{number}.parquet")
    return survey.columns.design


def read_here(folder: Path, design: Design) -> candor.Records:
    files = [read_record_file(design, path) for path in sorted(folder.iterdir())]
    return candor.Records(design, MinedRecords(design, [part for file in files for part in file.complete]))


def peak_megabytes() -> float:
    """Of the kernel's own account: `ru_maxrss` of a worker would begin with the peak of the process that started it."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["VmHWM"].split()[0]) * 1024 / MB


@contextmanager
def workers_of(scheduler: str, count: int) -> Iterator[None]:
    """Starts workers as an operator does: those that LocalCluster starts would import what this module imports."""
    words = ["-m", "distributed.cli.dask_worker", scheduler, "--nworkers", str(count), "--nthreads", "1"]
    with subprocess.Popen([sys.executable, *words, "--no-dashboard"], stderr=subprocess.DEVNULL) as running:
        try:
            yield
        finally:
            running.terminate()


def timed(work: Callable[[], T]) -> tuple[float, T]:
    started = perf_counter()
    found = work()
    return perf_counter() - started, found


def search(records: candor.Records, support: float) -> pd.DataFrame:
    return candor.itemsets(records, support, max_size=SIZE)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--millions", type=float, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--records", type=int, default=1_000_000)
    asked = parser.parse_args()
    n = int(asked.millions * 1e6)
    found: dict[float, pd.DataFrame] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        design = write_records(folder, max(n // asked.records, 1), min(n, asked.records))
        with (
            LocalCluster(n_workers=0, dashboard_address=None, silence_logs=logging.ERROR) as cluster,
            Client(cluster) as client,
            workers_of(cluster.scheduler_address, asked.workers),
        ):
            client.wait_for_workers(asked.workers)
            seconds, records = timed(lambda: candor.dask.counter(f"{folder}/*.parquet", design, client))
            rounds: list[tuple[int, int, int]] = []
            mined = records.mined
            assert isinstance(mined, ClusterRecords)
            measured = MeasuredRecords(
                design,
                mined.complete,
                mined.without_plain,
                mined.counted,
                MeasuredCounter(mined.counter(), rounds),
            )
            print(f"{n:,} records of {ADULT_ITEMS} items on {asked.workers} workers: read in {seconds:.1f} s")
            packed = n * ADULT_ITEMS / 8 / asked.workers / MB
            print(f"    packed columns of a worker {packed:.0f} MB, its peak after reading {peak(client)}")
            seconds, _sets = timed(lambda: search(records, 0.9))
            print(f"    a first search, which compiles: {seconds:.2f} s")
            for support in SUPPORTS:
                rounds.clear()
                seconds, found[support] = timed(lambda: search(replace(records, mined=measured), support))  # noqa: B023
                queries, out, back = np.array(rounds).sum(axis=0)
                print(
                    f"    itemsets at {support}: {len(found[support])} in {seconds:.2f} s, {len(rounds)} rounds, "
                    f"{queries:,} queries, {out / 1e3:.1f} kB to a worker and {back / 1e3:.1f} kB back"
                )
            print(f"    peak of a worker {peak(client)}")
        seconds, here = timed(lambda: read_here(folder, design))
        print(f"one process: read in {seconds:.1f} s")
        for support in SUPPORTS:
            seconds, alone = timed(lambda: search(here, support))  # noqa: B023
            print(f"    itemsets at {support}: {len(alone)} in {seconds:.2f} s")
            if not alone.equals(found[support]):
                print("    other digits")
                return 1
        print(f"    peak {peak_megabytes():.0f} MB, in which the files were written too")
    return 0


def peak(client: Client) -> str:
    return " and ".join(f"{megabytes:.0f} MB" for megabytes in client.run(peak_megabytes).values())


if __name__ == "__main__":
    sys.exit(main())
