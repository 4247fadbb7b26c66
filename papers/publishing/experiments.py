"""The four experiments on Adult: time, penalty beside discernibility, homogeneous classes, changed values.

Each row also has the errors of count queries. Seconds are those of one processor; all else is the same everywhere.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from papers.publishing.adult import adult_specification
from papers.publishing.algorithms import ALGORITHMS, Algorithm
from papers.publishing.settings import DIVERSITY, SEED
from privacy.anonymity.anonymised import AnonymisedTable
from privacy.anonymity.count_queries import AskedQueries, asked, errors_of
from privacy.anonymity.criteria import violations
from privacy.anonymity.specification import Specification
from privacy.anonymity.table import Table

WARMING = 200
"""Records on which every algorithm runs once before it is timed, so that its kernels are loaded."""


@dataclass(frozen=True)
class AnonymisedAdult:
    """One algorithm at one k.

    `homogeneous`: HASR, the share of classes with one sensitive value; `lacking`: of classes with fewer than l. `ncp`
    has unit weights, `ilp` those from the data. `falsified`: the share of records with a changed sensitive value.
    `query_error` and `query_error_mean`: median and mean relative error of count queries.
    """

    method: str
    form: str
    k: int
    seconds: float
    classes: int
    ncp: float
    ilp: float
    discernibility: int
    homogeneous: float
    lacking: float
    falsified: float
    query_error: float
    query_error_mean: float

    @property
    def refused(self) -> bool:
        """Whether `anonymize` refuses it: some class lacks values."""
        return self.lacking > 0


def experiments(
    table: Table,
    ks: Sequence[int],
    cache: Path,
    say: Callable[[str], object],
    algorithms: Sequence[Algorithm] = ALGORITHMS,
) -> list[AnonymisedAdult]:
    few = table.at(np.arange(min(WARMING, table.records)))
    for algorithm in algorithms:
        algorithm.anonymised(few, specified_for(ks[-1]), cache)
    queries = asked(table, np.random.default_rng(SEED).random)
    rows = []
    for k in ks:
        for algorithm in algorithms:
            rows.append(_row(algorithm, table, k, queries, cache))
            say(f"k = {k}, {algorithm.method}, {algorithm.form}: {rows[-1].seconds:.1f} s")
    return rows


def specified_for(k: int) -> Specification:
    diversity = {"kind": "distinct", "value": DIVERSITY}
    return adult_specification(k=k, l=diversity, weights="unit", seed=SEED)


def _row(algorithm: Algorithm, table: Table, k: int, queries: AskedQueries, cache: Path) -> AnonymisedAdult:
    said = specified_for(k)
    begun = time.process_time()
    outcome = algorithm.anonymised(table, said, cache)
    seconds = time.process_time() - begun
    lost = outcome.losses(said)
    errors = errors_of(outcome, queries)
    return AnonymisedAdult(
        algorithm.method,
        algorithm.form.value,
        k,
        seconds,
        outcome.partition.number,
        lost.ncp,
        outcome.losses(replace(said, weights="data")).ilp,
        lost.discernibility,
        lost.hasr,
        _lacking(outcome, said),
        lost.falsified,
        errors.median,
        errors.mean,
    )


def _lacking(outcome: AnonymisedTable, said: Specification) -> float:
    found = violations(outcome.table, said, outcome.partition.labels)
    return len(found["l"]) / outcome.partition.number
