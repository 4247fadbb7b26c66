"""One attempt at a run: from sealed batches to what is stored, or to shards where the records are too many."""

import logging
from dataclasses import dataclass
from functools import partial

from django.conf import settings
from django.utils.translation import gettext_noop

from jobs.models import Write
from jobs.progress import Cancelled, JobFailed, Progress
from mining.counting import Histogram, HistogramCounter, Records, counter_of, fits
from mining.counts import Counter
from mining.engines import bitmap
from mining.engines.found import Disagreement, Found
from mining.itemsets.frequent import Level, Watch, frequent, unwatched
from mining.models import Run
from mining.parameters import Parameters
from mining.reconstruction import Counted
from mining.runs import findings, keeping, sharding, storing
from mining.runs.clocking import Clock, Timed
from mining.runs.replaying import Changed, NotCountedYet
from mining.runs.storing import Result
from surveys.intake import batches
from surveys.models import DesignChanged

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Source:
    """What a run counts with. `records` is what the literal engine needs; `histogram` is new, to be kept."""

    counter: Counter
    records: Records | None = None
    histogram: Histogram | None = None


def perform(run: Run, progress: Progress) -> Write:
    if run.cancel_asked:
        raise Cancelled
    clock = Clock()
    if run.level:
        progress(None, gettext_noop("The parts are put together"))
    else:
        progress(0.0, gettext_noop("%(records)s records are read"), records=f"{run.records:,}")
    try:
        source = source_of(run)
        clock.lap("reading")
        known = Counted(Timed(source.counter, clock))
        # What shards have counted is only gone through again, in no time worth telling.
        watch = unwatched if run.level else telling(progress, run.wanted.max_size)
        result = search(run.wanted, known, watch, source.records)
    except NotCountedYet as more:
        sharding.ask(run, more.asked)
    except Changed:
        raise JobFailed(
            gettext_noop("Candor was changed while this run was counted. Start it again.")
        ) from None
    except Disagreement as differing:
        raise JobFailed(differing.template) from None
    except DesignChanged as changed:
        raise JobFailed(
            gettext_noop(
                "The stored design %(fingerprint)s is not the one that was opened: somebody changed it in the "
                "database. Ask the operator to restore it from a backup."
            ),
            fingerprint=changed.fingerprint[:12],
        ) from None
    clock.lap("estimating")
    progress(1.0, gettext_noop("The results are stored"))
    return partial(finish, run, result, source, clock)


def source_of(run: Run) -> Source:
    design = run.content
    if run.level:
        return _counted_by_shards(run)
    literal = run.engine == "mlxtend"
    kept = keeping.histogram(run.survey_id, run.through, design)
    if kept and not literal:
        return Source(HistogramCounter(kept))
    if run.records > settings.SHARD_RECORDS and not literal:
        sharding.begin(run, patterns=fits(design, run.records))
    columns = [opened.columns for opened in batches.read(run.survey, run.through)]
    records = Records(design, columns)
    counter = HistogramCounter(kept) if kept else counter_of(design, columns, keeping.kernels())
    if isinstance(counter, HistogramCounter):
        return Source(counter, records, counter.histogram)
    return Source(counter, records)


def _counted_by_shards(run: Run) -> Source:
    histogram = sharding.patterns(run)
    if histogram:
        return Source(HistogramCounter(histogram), histogram=histogram)
    return Source(sharding.answered(run))


def search(
    wanted: Parameters, known: Counted, watch: Watch = unwatched, records: Records | None = None
) -> Result:
    """Everything that is stored; `records` are needed by the literal engine alone."""
    findings.singles(known, wanted)
    if records and wanted.engine == "mlxtend":
        from mining.engines import literal

        found = literal.find(records, known.counter, wanted, watch)
    else:
        itemsets = frequent(known, wanted, watch)
        found = Found(itemsets, bitmap.rules_of(known, itemsets, wanted))
    return Result.of(wanted, known.n, found, findings.of(known, wanted, found))


def telling(progress: Progress, max_size: int) -> Watch:
    """Which size it is at, for a reviewer; `mining.runs.neutral` is for others."""
    steps = max_size + 1

    def tell(level: Level) -> None:
        if level.kept is None:
            text = gettext_noop("Itemsets of %(size)s are counted")
            progress((level.size - 1) / steps, text, size=level.size)
        else:
            progress(level.size / steps, gettext_noop("Itemsets of %(size)s: counted"), size=level.size)

    return tell


def finish(run: Run, result: Result, source: Source, clock: Clock) -> None:
    """In the transaction that makes the run done."""
    if source.histogram:
        keeping.keep(run.survey_id, run.through, source.histogram)
    storing.store(run, result)
    run.shards.all().delete()
    clock.lap("storing")
    logger.info("run %s of %s records is done: %s", run.pk, run.records, clock)
