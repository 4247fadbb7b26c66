"""A run whose records one worker counts, in one attempt."""

from mining.counting import HistogramCounter, MinedRecords, PatternHistogram, counter_of
from mining.counts import Counter
from mining.itemsets.frequent import Watch
from mining.models import Run
from mining.runs import keeping, searching
from mining.runs.clocking import Clock, Timed
from mining.runs.searching import SearchOutcome
from surveys.intake import batches


def find(run: Run, kept: PatternHistogram | None, watch: Watch, clock: Clock) -> SearchOutcome:
    """`kept` is the histogram of all records, where there is one; the literal engine reads the records all the same."""
    counter: Counter
    records = new = None
    if kept and run.engine != "mlxtend":
        counter = HistogramCounter(kept)
    else:
        columns = [opened.columns for opened in batches.read_all(run.survey, run.through)]
        records = MinedRecords(run.content, columns)
        counter = HistogramCounter(kept) if kept else counter_of(run.content, columns, keeping.kernels())
        new = counter.histogram if isinstance(counter, HistogramCounter) else None
    clock.lap("reading")
    return SearchOutcome(searching.of_run(run, Timed(counter, clock), watch, records), new)
