"""How much do the methods beside *tree* and bottom-up lose on Adult, and in how much time?

Those of the utility paper, ILP with the weights of the data, and those that generalise whole columns.

The first run of a method compiles its kernels, so run it twice.

python -m bench.other_methods [--suppression 0.02]
"""

import argparse
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product

from bench.anonymity import CACHE, LEAST
from privacy.anonymity.anonymised import AnonymisedTable, of_labels
from privacy.anonymity.criteria import violations
from privacy.anonymity.searches.clustering import clusters_of_k, k_member
from privacy.anonymity.searches.full_domain import datafly, samarati
from privacy.anonymity.searches.ilp import clustered_by_values, ilp
from privacy.anonymity.searches.prepared import prepare
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table
from privacy.grammar.node import PARTS
from tests.privacy.anonymity.sample_tables import adult, adult_specification

Method = Callable[[Table, Specification], AnonymisedTable]
FULL_DOMAIN: dict[str, Method] = {"samarati": samarati, "datafly": datafly}


def utility(table: Table, k: int) -> Iterator[str]:
    """*k-member* and *ilp*, with and without changed values; what the search ends with, and what is published."""
    said = adult_specification(k=k)
    changing = replace(said, falsification=PARTS)
    runs: dict[str, Callable[[], AnonymisedTable]] = {
        "k-member, k alone": lambda: of_labels(table, clusters_of_k(prepare(table, said), CACHE)),
        "k-member": lambda: of_labels(table, k_member(prepare(table, said), CACHE)),
        "ilp, the paper's": lambda: clustered_by_values(table, said, CACHE),
        "ilp": lambda: ilp(table, said, CACHE),
        "ilp, values changed": lambda: ilp(table, changing, CACHE),
    }
    for name, run in runs.items():
        start = time.process_time()
        result = run()
        spent = time.process_time() - start
        lost = result.losses(replace(said, weights="data"))
        yield (
            f"{name} NCP {lost.ncp:.4f}, ILP {lost.ilp:.4f}, HASR {lost.hasr:.4f}, "
            f"falsified {lost.falsified:.4f} in {spent:.1f} s"
        )


def full_domain(table: Table, k: int, suppression: str) -> Iterator[str]:
    for (name, method), share in product(FULL_DOMAIN.items(), (0, suppression)):
        said = adult_specification(k=k, suppression=share)
        start = time.process_time()
        outcome = method(table, said)
        spent = time.process_time() - start
        assert not any(violations(outcome.table, said, outcome.partition.labels).values())
        lost = outcome.losses(said)
        yield f"{name} {lost.ncp:.4f} in {spent:.3f} s, {lost.suppressed:.2%} left out of at most {share}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suppression", default="0.02")
    asked = parser.parse_args()
    table = adult()
    for k in LEAST:
        for line in (*utility(table, k), *full_domain(table, k, asked.suppression)):
            print(f"Adult, k = {k}: {line}", flush=True)


if __name__ == "__main__":
    main()
