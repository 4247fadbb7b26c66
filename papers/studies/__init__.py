"""Published studies of sensitive questions, estimated again from their counts: shares, errors, differences, lifts."""

from papers.reproducing import Reproduced, Run
from papers.studies.page import page
from papers.studies.replayed import replayed
from papers.tables import csv_of


def reproduced(_run: Run) -> Reproduced:
    results = replayed()
    tables = {name: csv_of(getattr(results, name)) for name in ("shares", "differences", "pairs")}
    return Reproduced(lambda: page(results), tables)
