"""How much does *tree* lose on Adult, in how much time, beside ARX and bottom-up, and what do rounded ends cost?

python -m bench.anonymity [--seconds .15 1 10] [--seeds 1 2 3] [--without-bottom-up]
python -m bench.anonymity --cells    # local suppression, on Adult and where a column stands in the way of others
python -m bench.anonymity --large    # incomes of 40,000 and 200,000 people, and a million records of eight columns
"""

import argparse
import io
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product
from statistics import median

import numpy as np
from numpy.typing import NDArray

from papers.publishing.adult_data import adult_csv_bytes
from privacy.anonymity.anonymisation_result import (
    count_range_ends_of_one_person,
    outcome_from_labels,
    outcome_with_suppressed_cells,
)
from privacy.anonymity.criteria_check import violations
from privacy.anonymity.information_loss import information_losses, partition_from_labels
from privacy.anonymity.published_file import record_order_by_cells, write_published_table
from privacy.anonymity.searches.bottom_up_and_k_member import cluster_bottom_up
from privacy.anonymity.searches.kernel_arrays import new_stop_flag, prepare_kernel_arrays
from privacy.anonymity.searches.local_suppression import suppress_cells
from privacy.anonymity.searches.tree import TreeSearch, load_tree_kernels
from privacy.anonymity.tables.range_rounding import GridEnds
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import Table, read_table
from tests.privacy.anonymity.sample_tables import METHODS, adult_specification, adult_table, csv_of

LEAST = (5, 10, 50)
ARX = {5: ".0343 in 3.2 s", 10: ".0465 in 3.2 s", 50: ".0953 (discernibility 1,958,018) in 7.7 s"}
"""NCP by k of ARX's local recoding of Adult, run once, with l = 3, loss metric, tight classes."""
GRIDS = (None, 1, 5, 10)
"""Of ages; 1 rounds nothing and opens the tails. The years of school have 1 wherever the ages have a grid."""
INCOMES = 20_000
MILLION = 1_000_000


def get_losses(table: Table, specification: Specification, labels: NDArray[np.int64]) -> tuple[float, int]:
    """NCP and discernibility."""
    assert not any(violations(table, specification, labels).values())
    loss = information_losses(table, specification, partition_from_labels(table, labels))
    return loss.ncp, loss.discernibility


def improve(search: TreeSearch, seconds: float) -> None:
    end = time.process_time() + seconds
    search.improve(lambda _tries, _loss: time.process_time() >= end)


def run_search(
    table: Table, specification: Specification, seconds: Sequence[float], seed: int
) -> Iterator[tuple[float, float, int]]:
    """Processor seconds from the codes of a table on, kernels loaded, and NCP and discernibility then."""
    begun = time.process_time()
    search = TreeSearch(prepare_kernel_arrays(table, specification), seed)
    spent = time.process_time() - begun
    yield spent, *get_losses(table, specification, search.labels)
    for mark in seconds:
        begun = time.process_time()
        improve(search, mark - spent)
        spent += time.process_time() - begun
        yield spent, *get_losses(table, specification, search.labels)


def medians(
    table: Table, specification: Specification, seconds: Sequence[float], seeds: Sequence[int]
) -> tuple[float, str]:
    """Over the seeds: seconds until the first partition, and what was lost at each mark, in words."""
    runs = [list(run_search(table, specification, seconds, seed)) for seed in seeds]
    marks = [tuple(map(median, zip(*results, strict=True))) for results in zip(*runs, strict=True)]
    words = (f"{ncp:.4f} (discernibility {pairs:,.0f}) in {spent:.3f} s" for spent, ncp, pairs in marks)
    return marks[0][0], ", ".join(words)


def show_adult(seconds: Sequence[float], seeds: Sequence[int], bottom_up_too: bool) -> None:
    table = adult_table()
    if bottom_up_too:
        cluster_bottom_up(prepare_kernel_arrays(table, adult_specification(k=50)))  # the first run compiles
    for k in LEAST:
        specification = adult_specification(k=k)
        at_once, words = medians(table, specification, seconds, seeds)
        print(f"Adult, k = {k}: tree {words}\nAdult, k = {k}: ARX {ARX[k]}", flush=True)
        if bottom_up_too:
            begun = time.process_time()
            labels = cluster_bottom_up(prepare_kernel_arrays(table, specification))
            spent = time.process_time() - begun
            ncp, _discernibility = get_losses(table, specification, labels)
            times = f"{spent / at_once:.0f} times as long"
            print(f"Adult, k = {k}: bottom-up {ncp:.4f} in {spent:.3f} s, {times}", flush=True)


def show_grids(seconds: Sequence[float], seeds: Sequence[int]) -> None:
    """What rounding the ends costs, and how many ends are then the value of one person."""
    for k, ages in product(LEAST, GRIDS):
        specification = adult_specification(k=k)
        if ages:
            grids = {"age": GridEnds(Decimal(ages)), "education-num": GridEnds(Decimal(1))}
            columns = tuple(
                replace(column, ends=grids.get(column.name)) for column in specification.quasi_identifiers
            )
            specification = replace(specification, quasi_identifiers=columns)
        table = read_table(io.BytesIO(adult_csv_bytes()), "adult.csv", specification)
        _at_once, words = medians(table, specification, seconds, seeds)
        lonely = sum(
            count_range_ends_of_one_person(
                outcome_from_labels(table, TreeSearch(prepare_kernel_arrays(table, specification), 1).labels)
            ).values()
        )
        print(f"Adult, k = {k}, grid {ages or 'none'}: {words}; {lonely} ends of one person", flush=True)


def release(quasi: Sequence[Mapping[str, object]], *sensitive: str) -> Specification:
    members = {"quasi_identifiers": quasi, **({"sensitive": sensitive} if sensitive else {}), "k": 10}
    return read_specification(json.dumps({"format": "candor-release/1", **members}), "bench", METHODS)


def income_columns(people: int, seed: int) -> tuple[NDArray[np.int64], ...]:
    """Age, income, region and illness of invented people."""
    random = np.random.default_rng(seed)
    return (
        random.integers(18, 90, people),
        np.round(np.exp(random.normal(10.3, 0.7, people))).astype(np.int64),
        random.integers(0, 16, people),
        random.integers(0, 4, people),
    )


def table_of(
    columns: Sequence[NDArray[np.int64]], names: str, specification: Specification
) -> tuple[Table, float]:
    """The table, and the processor seconds of reading it."""
    rows = [",".join(map(str, cells)) for cells in zip(*(column.tolist() for column in columns), strict=True)]
    file, begun = csv_of(rows, names), time.process_time()
    return read_table(file, "invented.csv", specification), time.process_time() - begun


def income_release(ends: Mapping[str, Mapping[str, object]]) -> Specification:
    quasi = [{"name": name, "kind": "number", **ends.get(name, {})} for name in ("age", "income")]
    return release([*quasi, {"name": "region", "kind": "category"}], "ill")


def show_incomes(seed: int) -> None:
    """How many ends are the value of one person where nearly everybody has a number of their own."""
    columns = income_columns(INCOMES, seed)
    unique = int((np.unique(columns[1], return_counts=True)[1] == 1).sum())
    print(f"{INCOMES} invented incomes, {unique} of them one person's, k = 10", flush=True)
    for grid in (None, "1000", "10000"):
        specification = income_release(
            {"age": {"ends": {"grid": "5"}}, "income": {"ends": {"grid": grid}}} if grid else {}
        )
        table, _reading = table_of(columns, "age,income,region,ill", specification)
        outcome = outcome_from_labels(
            table, TreeSearch(prepare_kernel_arrays(table, specification), seed).labels
        )
        ncp, _discernibility = get_losses(table, specification, outcome.partition.labels)
        lonely = count_range_ends_of_one_person(outcome)["income"]
        print(f"incomes on a grid of {grid}: NCP {ncp:.4f}, {lonely} ends of one person", flush=True)


# --- large tables ---------------------------------------------------------------------------------------


def show_large(seed: int) -> None:
    """Tables beyond Adult, of which no run of ARX is recorded: seconds and loss at once and after more search."""
    _at_once, words = medians(adult_table(), adult_specification(k=10), (), (1, 2, 3))
    print(f"Adult, k = 10, to compare machines: tree {words}", flush=True)
    specification = income_release({})
    for people in (40_000, 200_000):
        table, reading = table_of(income_columns(people, seed), "age,income,region,ill", specification)
        _at_once, words = medians(table, specification, (0.5, 2.0), (seed,))
        print(f"{people:,} incomes, k = 10: read in {reading:.1f} s, tree {words}", flush=True)
    random = np.random.default_rng(seed)
    values = (72, 2, 16, 7, 5, 40, 15, 99)
    columns = [random.integers(0, most, MILLION) for most in (*values, 4)]
    kinds = ("number", "category", "number", "category", "category", "category", "category", "number")
    quasi = [{"name": f"q{at}", "kind": kind} for at, kind in enumerate(kinds)]
    specification = release(quasi, "ill")
    names = ",".join([*(f"q{at}" for at in range(len(kinds))), "ill"])
    table, reading = table_of(columns, names, specification)
    begun = time.process_time()
    search = TreeSearch(prepare_kernel_arrays(table, specification), seed)
    searching = time.process_time() - begun
    improve(search, 1)
    begun = time.process_time()
    outcome = outcome_from_labels(table, search.labels)
    text = io.StringIO()
    write_published_table(text, outcome, record_order_by_cells(outcome))
    writing = time.process_time() - begun
    ncp, _discernibility = get_losses(table, specification, search.labels)
    total = reading + searching + 1 + writing
    print(
        f"{MILLION:,} records of 8 columns, k = 10: read in {reading:.1f} s, classes in {searching:.1f} s,",
        end=" ",
    )
    print(f"1 s of search, written in {writing:.1f} s, together {total:.0f} s; NCP {ncp:.4f}", flush=True)


# --- local suppression --------------------------------------------------------------------------


def show_cells(seed: int) -> None:
    """What a budget of suppressed cells saves, after a second of search."""
    tables = [(f"Adult, k = {k}", adult_table(), adult_specification(k=k)) for k in LEAST]
    for name, table, specification in (*tables, ("towns, k = 10", *towns(seed))):
        search = TreeSearch(prepare_kernel_arrays(table, specification), seed)
        improve(search, 1)
        before = outcome_from_labels(table, search.labels).information_losses(specification).ncp
        for share in (100, 500, 2500):
            allowed, begun = replace(specification, cell_suppression=share), time.process_time()
            suppression = suppress_cells(table, allowed, search.labels, new_stop_flag())
            spent = time.process_time() - begun
            outcome = outcome_with_suppressed_cells(table, suppression.labels, suppression.column, None)
            after, suppressed = outcome.information_losses(specification).ncp, outcome.suppressed_cell_count
            print(f"{name}, {share / 100:.0f} % of the cells: NCP {before:.4f} -> {after:.4f},", end=" ")
            print(f"{suppressed} cells in {spent:.2f} s", flush=True)


def towns(seed: int, number: int = 50, inhabitants: int = 40) -> tuple[Table, Specification]:
    """Each town has a doctor and a school, and everybody an income of their own."""
    random = np.random.default_rng(seed)
    size = number * inhabitants
    places, incomes = (random.integers(0, most, size).tolist() for most in (number, 100_000))
    rows = [f"t{at},d{at},s{at},{income}" for at, income in zip(places, incomes, strict=True)]
    quasi = [{"name": name, "kind": "category"} for name in ("town", "doctor", "school")]
    specification = release([*quasi, {"name": "income", "kind": "number"}])
    return read_table(csv_of(rows, "town,doctor,school,income"), "towns.csv", specification), specification


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, nargs="+", default=[0.15, 1.0, 10.0])
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--without-bottom-up", action="store_true")
    parser.add_argument("--cells", action="store_true")
    parser.add_argument("--large", action="store_true")
    asked = parser.parse_args()
    load_tree_kernels()
    if asked.cells:
        show_cells(asked.seeds[0])
    elif asked.large:
        show_large(asked.seeds[0])
    else:
        show_adult(asked.seconds, asked.seeds, not asked.without_bottom_up)
        show_grids(asked.seconds[:1], asked.seeds)
        show_incomes(asked.seeds[0])


if __name__ == "__main__":
    main()
