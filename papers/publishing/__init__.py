"""Document 003, on publishing tables: its methods on Adult, and its medical table with a register."""

from collections.abc import Sequence

import numpy as np

from papers.publishing.adult import KS, adult_specification, adult_table
from papers.publishing.experiments import experiments
from papers.publishing.kacluk import CLUSTERS, column_weights, plain_clusters
from papers.publishing.medical import releases
from papers.publishing.page import Results, page
from papers.reproducing import Reproduced, Run
from papers.tables import csv_of
from privacy.anonymity.losses import utility_matrix
from privacy.anonymity.tables.table import Table


def reproduced(run: Run) -> Reproduced:
    results = computed(adult_table(), run, KS)
    return Reproduced(lambda: page(results), {"adult": csv_of(results.rows)})


def computed(table: Table, run: Run, ks: Sequence[int]) -> Results:
    occurring = np.unique(table.sensitive[0].codes)
    matrix = utility_matrix(table, adult_specification(weights="data"))[occurring]
    rows, seconds = experiments(table, ks, run.cache, run.say)
    return Results(
        table.records,
        releases(run.cache),
        dict(zip((column.name for column in table.quasi), column_weights(matrix).tolist(), strict=True)),
        [table.sensitive[0].texts[code] for code in occurring],
        plain_clusters(matrix, CLUSTERS),
        rows,
        seconds,
    )
