"""Document 000, on privacy breaches: what records reveal under three laws, and a law for given conditions."""

from papers.privacy_breach.breaches import ages, extremes, reconstruction, table_1, with_background
from papers.privacy_breach.constructed import constructed
from papers.privacy_breach.page import Results, page
from papers.privacy_breach.worst_properties import worst_properties
from papers.reproducing import Reproduced, Run
from papers.tables import csv_of, csv_text


def reproduced(_run: Run) -> Reproduced:
    results = Results(
        table_1(),
        extremes(),
        with_background(),
        list(worst_properties()),
        ages(),
        list(constructed()),
        reconstruction(),
    )
    numbers = results.reconstruction
    shares = zip(
        numbers.true.tolist(), numbers.received.tolist(), numbers.reconstructed.tolist(), strict=True
    )
    tables = {
        "posteriors": csv_of([*results.extremes, *results.background]),
        "breaches": csv_of(results.breaches),
        "ages": csv_of(results.ages),
        "reconstruction": csv_text(
            ["number", "true", "received", "reconstructed"], ([x, *row] for x, row in enumerate(shares))
        ),
    }
    return Reproduced(lambda: page(results), tables)
