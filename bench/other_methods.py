"""How much do the methods beside *tree* and bottom-up lose on Adult, and in how much time? Run it twice: the first
run of a method compiles its kernels. ILP has the weights of the data.

python -m bench.other_methods [--suppression 0.02]
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import replace

from bench.anonymity import LEAST
from privacy.anonymity.anonymisation_result import AnonymisedTable, outcome_from_labels
from privacy.anonymity.criteria_check import violations
from privacy.anonymity.searches.bottom_up_and_k_member import cluster_by_size_alone, cluster_k_member
from privacy.anonymity.searches.full_domain import anonymize_by_datafly, anonymize_by_samarati
from privacy.anonymity.searches.kernel_arrays import prepare_kernel_arrays
from privacy.anonymity.searches.sensitive_value_clustering import (
    anonymize_by_published_ilp,
    anonymize_by_value_clusters,
)
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import Table
from privacy.grammar.json_node import PARTS
from tests.privacy.anonymity.sample_tables import adult, adult_specification

Method = Callable[[Table, Specification], AnonymisedTable]
UTILITY: dict[str, Method] = {
    "k-member, k alone": lambda table, of: outcome_from_labels(
        table, cluster_by_size_alone(prepare_kernel_arrays(table, of))
    ),
    "k-member": lambda table, of: outcome_from_labels(
        table, cluster_k_member(prepare_kernel_arrays(table, of))
    ),
    "ilp, the paper's": anonymize_by_published_ilp,
    "ilp": anonymize_by_value_clusters,
    "ilp, values changed": lambda table, of: anonymize_by_value_clusters(
        table, replace(of, falsification=PARTS)
    ),
}
FULL_DOMAIN: dict[str, Method] = {"samarati": anonymize_by_samarati, "datafly": anonymize_by_datafly}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suppression", default="0.02")
    suppression = parser.parse_args().suppression
    table = adult()
    for k in LEAST:
        methods = [(name, method, 0) for name, method in UTILITY.items()]
        methods += [
            (name, method, share) for name, method in FULL_DOMAIN.items() for share in (0, suppression)
        ]
        for name, method, share in methods:
            specification = adult_specification(k=k, suppression=share)
            start = time.process_time()
            result = method(table, specification)
            spent = time.process_time() - start
            if name in FULL_DOMAIN:
                assert not any(violations(result.table, specification, result.partition.labels).values())
            loss = result.information_losses(replace(specification, weights="data"))
            print(
                f"Adult, k = {k}: {name} NCP {loss.ncp:.4f}, ILP {loss.ilp:.4f}, HASR {loss.hasr:.4f},",
                f"falsified {loss.falsified:.4f}, {loss.suppressed:.2%} left out of at most {share} in {spent:.2f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
