"""How much does each method lose on Adult, in how much time, and what do 300,000 records take?

Beside it the methods of the utility paper, ILP with the weights of the data, and those that generalise whole columns.

python -m bench.anonymity [--seconds .15 1 10] [--seed 1] [--without-bottom-up] [--without-utility] [--suppression 0.02]
"""

import argparse
import resource
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import gettempdir

import numpy as np

from privacy.anonymity.anonymised import AnonymisedTable, of_labels
from privacy.anonymity.bottom_up import bottom_up
from privacy.anonymity.criteria import violations
from privacy.anonymity.datafly import datafly
from privacy.anonymity.ilp import clustered_by_values, ilp
from privacy.anonymity.kacluk import clusters_of_k, kacluk
from privacy.anonymity.losses import classes_of, losses
from privacy.anonymity.prepared import prepare
from privacy.anonymity.samarati import samarati
from privacy.anonymity.specification import Specification
from privacy.anonymity.table import Column, QuasiColumn, Table
from privacy.anonymity.tree import Tree, warm
from privacy.grammar.node import PARTS
from tests.privacy.anonymity.tables import adult, adult_specification

CACHE = Path(gettempdir()) / "candor-bench-numba"
TIMES = 10
JITTER = 3
"""Of the ages of a table made of several Adults, so that equal records become rarer."""
Method = Callable[[Table, Specification], AnonymisedTable]
FULL_DOMAIN: dict[str, Method] = {"samarati": samarati, "datafly": datafly}


def ncp(table: Table, said: Specification, labels: np.ndarray[tuple[int], np.dtype[np.int64]]) -> float:
    assert not any(violations(table, said, labels).values())
    return losses(table, said, classes_of(table, labels)).ncp


def searched(table: Table, k: int, seconds: Sequence[float], seed: int) -> Iterator[tuple[float, float]]:
    """Processor seconds from the codes of a table on, kernels loaded, and the NCP then."""
    said = adult_specification(k=k)
    start = time.process_time()
    search = Tree(prepare(table, said), CACHE, seed)
    first = time.process_time() - start
    yield first, ncp(table, said, search.labels)
    checked = 0.0
    for mark in seconds:
        search.improve(_until(start + mark + checked))
        spent = time.process_time() - start - checked
        yield spent, ncp(table, said, search.labels)
        checked = time.process_time() - start - spent


def _until(moment: float) -> Callable[[int, float], bool]:
    return lambda _tries, _loss: time.process_time() >= moment


def merged(table: Table, k: int) -> tuple[float, float]:
    said = adult_specification(k=k)
    start = time.process_time()
    labels = bottom_up(prepare(table, said), CACHE)
    return time.process_time() - start, ncp(table, said, labels)


def generalised(table: Table, k: int, method: Method, suppression: object) -> tuple[float, float, float]:
    """Processor seconds, NCP and the share left out of a method that generalises whole columns."""
    said = adult_specification(k=k, suppression=suppression)
    start = time.process_time()
    outcome = method(table, said)
    spent = time.process_time() - start
    assert not any(violations(outcome.table, said, outcome.partition.labels).values())
    found = outcome.losses(said)
    return spent, found.ncp, found.suppressed


def utility(table: Table, k: int) -> Iterator[str]:
    """*kacluk* and *ilp*, with and without changed values; what the paper itself ends with, and what is published."""
    said = adult_specification(k=k)
    changing = replace(said, falsification=PARTS)
    runs: dict[str, Callable[[], AnonymisedTable]] = {
        "kacluk, the paper's": lambda: of_labels(table, clusters_of_k(prepare(table, said), CACHE)),
        "kacluk": lambda: of_labels(table, kacluk(prepare(table, said), CACHE)),
        "ilp, the paper's": lambda: clustered_by_values(table, said, CACHE),
        "ilp": lambda: ilp(table, said, CACHE),
        "ilp, values changed": lambda: ilp(table, changing, CACHE),
    }
    for name, run in runs.items():
        start = time.process_time()
        found = run()
        spent = time.process_time() - start
        lost = found.losses(replace(said, weights="data"))
        yield (
            f"{name} NCP {lost.ncp:.4f}, ILP {lost.ilp:.4f}, HASR {lost.hasr:.4f}, "
            f"falsified {lost.falsified:.4f} in {spent:.1f} s"
        )


def many(table: Table, seed: int) -> Table:
    """Adult ten times over, with ages that differ."""
    random = np.random.default_rng(seed)
    age, *others = table.quasi
    ages = np.tile(age.codes, TIMES) + random.integers(-JITTER, JITTER + 1, TIMES * table.records)
    ages = np.clip(ages, 0, len(age.texts) - 1).astype(np.int32)
    return Table(
        (
            QuasiColumn(age.name, age.texts, ages, age.positions, is_number=True),
            *(
                QuasiColumn(one.name, one.texts, np.tile(one.codes, TIMES), one.positions, one.hierarchy)
                for one in others
            ),
        ),
        tuple(Column(one.name, one.texts, np.tile(one.codes, TIMES)) for one in table.sensitive),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, nargs="+", default=[0.15, 1.0, 10.0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without-bottom-up", action="store_true")
    parser.add_argument("--suppression", default="0.02")
    parser.add_argument("--without-utility", action="store_true")
    asked = parser.parse_args()
    table = adult()
    warm(CACHE)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    large = many(table, asked.seed)
    for k in (5, 10, 50):
        *_all, (seconds, lost) = searched(large, k, [], asked.seed)
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(f"{large.records} records, k = {k}: NCP {lost:.4f} in {seconds:.2f} s, {most / 1e3:.0f} MB")
    print(f"({before / 1e3:.0f} MB before)")
    if not asked.without_bottom_up:
        merged(table, 50)
    for k in (5, 10, 50):
        found = [
            f"{lost:.4f} in {spent:.3f} s" for spent, lost in searched(table, k, asked.seconds, asked.seed)
        ]
        print(f"Adult, k = {k}: tree", ", ".join(found), flush=True)
        if not asked.without_bottom_up:
            spent, lost = merged(table, k)
            print(f"Adult, k = {k}: bottom-up {lost:.4f} in {spent:.3f} s", flush=True)
        for line in () if asked.without_utility else utility(table, k):
            print(f"Adult, k = {k}: {line}", flush=True)
        print_generalised(table, k, asked.suppression)


def print_generalised(table: Table, k: int, suppression: str) -> None:
    for name, method in FULL_DOMAIN.items():
        for share in (0, suppression):
            spent, lost, left_out = generalised(table, k, method, share)
            print(
                f"Adult, k = {k}: {name} {lost:.4f} in {spent:.3f} s, {left_out:.2%} left out of at most {share}",
                flush=True,
            )


if __name__ == "__main__":
    main()
