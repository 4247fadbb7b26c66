"""Document 001, notes on k-anonymity and what came after it: eleven rows, and the lattice of generalisations."""

from papers.k_anonymity.eleven_rows import joined
from papers.k_anonymity.lattice import distances, nodes
from papers.k_anonymity.page import Results, page
from papers.reproducing import Reproduced, Run
from papers.tables import csv_of


def reproduced(run: Run) -> Reproduced:
    results = Results(joined(run.cache), nodes())
    return Reproduced(
        lambda: page(results), {"lattice": csv_of(results.nodes), "distances": csv_of(distances())}
    )
