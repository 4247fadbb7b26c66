"""How much does *tree* lose on Adult, in how much time, and what do 300,000 records, and reading a million rows, take?

Beside it stand ARX's figures of a run of its own, and what rounded ends and open tails cost.

python -m bench.anonymity [--seconds .15 1 10] [--seeds 1 2 3] [--without-bottom-up] [--without-large]
python -m bench.anonymity --real-table    # a million records with incomes, postcodes, dates and missing cells: every
                                          # step but the search, in processor seconds and MB
python -m bench.anonymity --cells         # local suppression, on Adult and where a column stands in the way of others
"""

import argparse
import io
import json
import multiprocessing
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from decimal import Decimal
from io import BytesIO
from pathlib import Path
from statistics import median
from tempfile import gettempdir

import django
import numpy as np

from papers.publishing.adult import adult_bytes
from privacy.anonymity.anonymised import ends_of_one, of_labels, of_suppressed
from privacy.anonymity.criteria import violations
from privacy.anonymity.losses import classes_of, losses
from privacy.anonymity.searches.clustering import bottom_up
from privacy.anonymity.searches.prepared import not_stopped, prepare
from privacy.anonymity.searches.suppression import suppress_cells
from privacy.anonymity.searches.tree import Tree, warm
from privacy.anonymity.tables.grid import GridEnds
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Table, read_table
from privacy.records.layouts import layout_of
from tests.privacy.anonymity.sample_tables import METHODS, adult, adult_specification, csv_of

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
CACHE = Path(gettempdir()) / "candor-bench-numba"
LEAST = (5, 10, 50)
ARX = {
    5: ("3.2", "0.0343", ""),
    10: ("3.2", "0.0465", ""),
    50: ("7.7", "0.0953", ", discernibility 1,958,018"),
}
"""Local recoding of ARX on Adult with l = 3, loss metric, tight classes: seconds, NCP and, of one k, discernibility."""
GRIDS: tuple[dict[str, str] | None, ...] = (None, {"grid": "1"}, {"grid": "5"}, {"grid": "10"})
"""Of ages; 1 rounds nothing and opens the tails. The years of school have 1 wherever the ages have a grid."""
INCOMES = 20_000
ROWS = 1_000_000
TIMES = 10
JITTER = 3
"""Of the ages of a table made of several Adults, so that equal records become rarer."""


def lost(
    table: Table, said: Specification, labels: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> tuple[float, int]:
    """NCP and discernibility."""
    assert not any(violations(table, said, labels).values())
    loss = losses(table, said, classes_of(table, labels))
    return loss.ncp, loss.discernibility


def searched(
    table: Table, said: Specification, seconds: Sequence[float], seed: int
) -> Iterator[tuple[float, float, int]]:
    """Processor seconds from the codes of a table on, kernels loaded, and NCP and discernibility then."""
    start = time.process_time()
    search = Tree(prepare(table, said), CACHE, seed)
    first = time.process_time() - start
    yield first, *lost(table, said, search.labels)
    checked = 0.0
    for mark in seconds:
        search.improve(_until(start + mark + checked))
        spent = time.process_time() - start - checked
        yield spent, *lost(table, said, search.labels)
        checked = time.process_time() - start - spent


def _until(moment: float) -> Callable[[int, float], bool]:
    return lambda _tries, _loss: time.process_time() >= moment


def merged(table: Table, k: int) -> tuple[float, float]:
    said = adult_specification(k=k)
    start = time.process_time()
    labels = bottom_up(prepare(table, said), CACHE)
    return time.process_time() - start, lost(table, said, labels)[0]


def many(table: Table, seed: int) -> Table:
    """Adult ten times over, with ages that differ."""
    random = np.random.default_rng(seed)
    age = table.quasi[0]
    ages = np.tile(age.codes, TIMES) + random.integers(-JITTER, JITTER + 1, TIMES * table.records)
    jittered = replace(age, codes=np.clip(ages, 0, len(age.texts) - 1).astype(np.int32))
    quasi = (replace(column, codes=np.tile(column.codes, TIMES)) for column in table.quasi[1:])
    sensitive = (replace(column, codes=np.tile(column.codes, TIMES)) for column in table.sensitive)
    return Table((jittered, *quasi), tuple(sensitive))


def large(k: int, seed: int) -> tuple[int, float, float, float, float]:
    """What the first partition of many records takes, in a process of its own, because memory that was once used is
    counted until a process ends: records, seconds, NCP, and MB before it and at most."""
    warm(CACHE)
    table = many(adult(), seed)
    before = _most_memory()
    seconds, ncp, _discernibility = next(searched(table, adult_specification(k=k), [], seed))
    return table.records, seconds, ncp, before, _most_memory()


def _most_memory() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1e3


def reading(kind: str, most: Sequence[int], seed: int) -> float:
    """Processor seconds in which a million rows of columns of this kind are read, with so many values."""
    random = np.random.default_rng(seed)
    names = [f"q{index}" for index in range(len(most))]
    quasi = [{"name": name, "kind": kind} for name in names[:-1]]
    said = release(quasi, names[-1:])
    columns = [random.integers(0, values, ROWS).tolist() for values in most]
    file = csv_of([",".join(map(str, cells)) for cells in zip(*columns, strict=True)], ",".join(names))
    start = time.process_time()
    read_table(file, "rows.csv", said)
    return time.process_time() - start


def release(quasi: Sequence[Mapping[str, object]], sensitive: Sequence[str], **more: object) -> Specification:
    members = {"quasi_identifiers": quasi, **({"sensitive": sensitive} if sensitive else {}), "k": 10}
    return read_specification(json.dumps({"format": "candor-release/1", **members, **more}), "bench", METHODS)


def real_table(seed: int) -> bytes:
    """Eight columns, with semicolons and a decimal comma; one age, income and date in twenty is missing."""
    random = np.random.default_rng(seed)

    def some_missing(cells: list[str]) -> list[str]:
        return [str(cell) for cell in np.where(random.random(ROWS) < 0.05, "", cells)]

    days = (np.datetime64("1930-01-01") + random.integers(0, 28_000, ROWS)).astype(str).tolist()
    columns = {
        "age": some_missing(random.integers(18, 95, ROWS).astype(str).tolist()),
        "zip": random.integers(10_000, 99_999, ROWS).astype(str).tolist(),
        "income": some_missing(
            [f"{income:.2f}".replace(".", ",") for income in random.lognormal(8, 1, ROWS)]
        ),
        "born": some_missing(days),
        **{name: random.integers(0, most, ROWS).astype(str).tolist() for name, most in CODES.items()},
    }
    return "\n".join([";".join(columns), *map(";".join, zip(*columns.values(), strict=True))]).encode()


CODES = {"sex": 2, "school": 16, "work": 15, "illness": 14}
REAL: tuple[dict[str, object], ...] = (
    {"name": "age", "kind": "number", "missing": [""]},
    {"name": "zip", "kind": "category", "hierarchy": "prefixes"},
    {"name": "income", "kind": "number", "missing": [""]},
    {"name": "born", "kind": "date", "missing": [""], "level": "month"},
    *[dict[str, object](name=name, kind="category") for name in ("sex", "school", "work")],
)


def real_steps(seed: int) -> list[tuple[str, float, float]]:
    """Each step with its processor seconds and the most memory until then, in a process of its own.

    Classes are neighbours by age and postcode: what is measured does not hang on which they are.
    """
    data, steps = real_table(seed), list[tuple[str, float, float]]()
    said = release(REAL, ["illness"], table={"separator": ";", "decimal": ","})
    from releases.making.anonymizing import report_of  # Django must be ready
    from releases.making.creation import write_file
    from releases.making.upload_digests import TableDigest
    from releases.specification.profiling import profile_csv

    Path("/proc/self/clear_refs").write_text("5")  # the most memory is counted from here
    begun = time.process_time()

    def lap(step: str) -> None:
        nonlocal begun
        steps.append((step, time.process_time() - begun, _most_memory()))
        begun = time.process_time()

    profile_csv(data, "real.csv", layout_of(data))
    lap("profiled")
    table = read_table(io.BytesIO(data), "real.csv", said)
    lap("read")
    TableDigest.read(data, layout_of(data))
    lap("digested")
    order = np.lexsort([table.quasi[1].codes, table.quasi[0].codes])
    labels = np.empty(ROWS, np.int64)
    labels[order] = np.arange(ROWS) // 20
    outcome = of_labels(table, labels)
    lap("(classes)")
    file = write_file(outcome, said, lambda *_told, **_values: None)
    lap(f"written, read back and checked ({len(file) / 1e6:.0f} MB)")
    report_of(outcome, said, 0.0)
    lap("measured")
    return steps


def show_real_table(seed: int) -> None:
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=django.setup) as beside:
        steps = beside.submit(real_steps, seed).result()
    for step, seconds, memory in steps:
        print(f"{step}: {seconds:.1f} s, {memory:.0f} MB", flush=True)
    print(f"in all {sum(seconds for _step, seconds, _memory in steps):.1f} s", flush=True)


def show_large(seed: int) -> None:
    for k in LEAST:
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as beside:
            records, seconds, ncp, before, most = beside.submit(large, k, seed).result()
        memory = f"{most:.0f} MB ({before:.0f} MB before)"
        print(f"{records} records, k = {k}: NCP {ncp:.4f} in {seconds:.2f} s, {memory}", flush=True)


def show_adult(seconds: Sequence[float], seeds: Sequence[int], bottom_up_too: bool) -> None:
    """Medians over the seeds."""
    table = adult()
    for k in LEAST:
        result = medians(table, adult_specification(k=k), seconds, seeds)
        print(f"Adult, k = {k}: tree {in_words(result)}", flush=True)
        spent, ncp, discernibility = ARX[k]
        print(f"Adult, k = {k}: ARX {ncp} in {spent} s{discernibility}", flush=True)
        if bottom_up_too:
            seconds_merged, ncp_merged = merged(table, k)
            ratio = seconds_merged / result[0][0]
            print(
                f"Adult, k = {k}: bottom-up {ncp_merged:.4f} in {seconds_merged:.3f} s, {ratio:.0f} times as long",
                flush=True,
            )


def show_grids(seconds: Sequence[float], seeds: Sequence[int]) -> None:
    """What rounding the ends costs, and how many ends are then the value of one person."""
    for k in LEAST:
        for ends in GRIDS:
            said = on_grid(adult_specification(k=k), ends)
            table = read_table(BytesIO(adult_bytes()), "adult.csv", said)
            result = medians(table, said, seconds, seeds)
            of_one = sum(ends_of_one(of_labels(table, Tree(prepare(table, said), CACHE, 1).labels)).values())
            grid = ends["grid"] if ends else "none"
            print(f"Adult, k = {k}, grid {grid}: {in_words(result)}; {of_one} ends of one person", flush=True)


def show_incomes(seed: int) -> None:
    """How many ends are the value of one person where nearly everybody has a number of their own."""
    random = np.random.default_rng(seed)
    columns = (
        random.integers(18, 90, INCOMES),
        np.round(np.exp(random.normal(10.3, 0.7, INCOMES))).astype(np.int64),
        random.integers(0, 16, INCOMES),
        random.integers(0, 4, INCOMES),
    )
    rows = [",".join(map(str, cells)) for cells in zip(*(column.tolist() for column in columns), strict=True)]
    alone = int((np.unique(columns[1], return_counts=True)[1] == 1).sum())
    print(f"{INCOMES} invented incomes, {alone} of them one person's, k = 10", flush=True)
    for grid in (None, "1000", "10000"):
        ends = {"age": "5", "income": grid}
        quasi = [
            {"name": name, "kind": "number"} | ({"ends": {"grid": ends[name]}} if grid else {})
            for name in ends
        ]
        said = release([*quasi, {"name": "region", "kind": "category"}], ["ill"])
        table = read_table(csv_of(rows, "age,income,region,ill"), "incomes.csv", said)
        outcome = of_labels(table, Tree(prepare(table, said), CACHE, seed).labels)
        ncp, _discernibility = lost(table, said, outcome.partition.labels)
        print(
            f"incomes on a grid of {grid}: NCP {ncp:.4f}, {ends_of_one(outcome)['income']} ends of one person"
        )


def show_cells(seed: int) -> None:
    """What a budget of suppressed cells saves, after a second of search."""
    tables = [(f"Adult, k = {k}", adult(), adult_specification(k=k)) for k in LEAST]
    for name, table, said in (*tables, ("towns, k = 10", *towns(seed))):
        search = Tree(prepare(table, said), CACHE, seed)
        search.improve(_until(time.process_time() + 1))
        before = of_labels(table, search.labels).losses(said).ncp
        for share in (100, 500, 2500):
            allowed, start = replace(said, cell_suppression=share), time.process_time()
            suppression = suppress_cells(table, allowed, search.labels, CACHE, not_stopped())
            spent = time.process_time() - start
            outcome = of_suppressed(table, suppression.labels, suppression.column, None)
            print(
                f"{name}, {share / 100:.0f} % of the cells: NCP {before:.4f} -> {outcome.losses(said).ncp:.4f},",
                f"{outcome.suppressed_cells} cells in {spent:.2f} s",
                flush=True,
            )


def towns(seed: int, number: int = 50, inhabitants: int = 40) -> tuple[Table, Specification]:
    """Each town has a doctor and a school, and everybody an income of their own."""
    random = np.random.default_rng(seed)
    size = number * inhabitants
    pairs = zip(
        random.integers(0, number, size).tolist(), random.integers(0, 100_000, size).tolist(), strict=True
    )
    rows = [f"t{town},d{town},s{town},{income}" for town, income in pairs]
    quasi = [{"name": name, "kind": "category"} for name in ("town", "doctor", "school")]
    said = release([*quasi, {"name": "income", "kind": "number"}], ())
    return read_table(csv_of(rows, "town,doctor,school,income"), "towns.csv", said), said


def on_grid(said: Specification, ends: dict[str, str] | None) -> Specification:
    if ends is None:
        return said
    grids = {"age": GridEnds(Decimal(ends["grid"])), "education-num": GridEnds(Decimal(1))}
    columns = tuple(replace(column, ends=grids.get(column.name)) for column in said.quasi_identifiers)
    return replace(said, quasi_identifiers=columns)


def medians(
    table: Table, said: Specification, seconds: Sequence[float], seeds: Sequence[int]
) -> list[tuple[float, ...]]:
    runs = [list(searched(table, said, seconds, seed)) for seed in seeds]
    return [tuple(map(median, zip(*marks, strict=True))) for marks in zip(*runs, strict=True)]


def in_words(result: Sequence[tuple[float, ...]]) -> str:
    return ", ".join(
        f"{ncp:.4f} (discernibility {discernibility:,.0f}) in {spent:.3f} s"
        for spent, ncp, discernibility in result
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, nargs="+", default=[0.15, 1.0, 10.0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--without-bottom-up", action="store_true")
    parser.add_argument("--without-large", action="store_true")
    parser.add_argument("--real-table", action="store_true")
    parser.add_argument("--cells", action="store_true")
    asked = parser.parse_args()
    if asked.real_table:
        show_real_table(asked.seeds[0])
        return
    warm(CACHE)
    if asked.cells:
        show_cells(asked.seeds[0])
        return
    if not asked.without_large:
        categories = reading("category", (90, 16, 7, 41, 5, 2, 2, 14), asked.seeds[0])
        numbers = reading("number", (90, 1000, 10_000, 100_000, 16, 100, 24, 14), asked.seeds[0])
        print(f"a million rows read in {categories:.1f} s, of numbers in {numbers:.1f} s", flush=True)
        show_large(asked.seeds[0])
    if not asked.without_bottom_up:
        merged(adult(), 50)
    show_adult(asked.seconds, asked.seeds, not asked.without_bottom_up)
    show_grids(asked.seconds[:1], asked.seeds)
    show_incomes(asked.seeds[0])


if __name__ == "__main__":
    main()
