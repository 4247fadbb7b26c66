"""Checks the search of a finished run: mlxtend searches the same records, and a list made apart from the search says
what should be listed.

If mlxtend's search of all records costs too much, both engines search a random sample of the sealed batches. The check
is a spare job: it gives way to other jobs, even in the middle of mlxtend's calls. The rows were compared before
(`runs.row_check`); a check that a person asked for compares them again.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from time import monotonic
from typing import Any

import numpy as np
from django.utils.translation import gettext as _, gettext_noop

from intake.disclosure import record_selection
from intake.models import Batch
from jobs.models import State, Write
from jobs.progress_messages import Progress, calling_periodically
from mining.counting import HistogramCounter, MinedRecords, make_counter
from mining.engines import candor_engine, mlxtend_check_duration
from mining.engines.comparison import (
    Comparison,
    compare_lists,
    count_incomparable_items,
    limit_below_stopped_size,
)
from mining.engines.mlxtend_check_duration import CheckCost, measure_speed
from mining.engines.record_means import RecordBits
from mining.engines.reference_list import MissingItemsets, explain_missing, find_reference
from mining.engines.row_comparison import LISTED, Difference, Itemset
from mining.itemsets.answer_names import AnswerNames
from mining.itemsets.frequent import Level, search_itemsets_without_intervals
from mining.json_codec import node_from_json, node_to_json
from mining.parameters import Parameters
from mining.queries_and_counters import Numbering
from mining.reconstruction import CachedCounter
from privacy.records.batch_bit_columns import Columns
from runs import histogram_cache
from runs.models import EngineCheck, Run
from runs.row_check import RowCheck, check_stored_rows, read_row_check, report_difference
from runs.run_job import design_changed_failure
from runs.run_records import RunRecords, take_records_from_first_batches
from surveys.models import DesignChanged

TEXT = gettext_noop("mlxtend mines the same records")


@dataclass(frozen=True)
class CheckResult:
    """Result of a check of the search.

    `records`: number searched by both engines. `sample`: True if these are a sample. `itemsets`: how many the search
    listed. `scored`: number of items estimated from scores (numbers, sets), which are not compared. `mlxtend`: its
    version. `minutes`: how long mlxtend's search would take, if it was too expensive to make. `difference`: the first
    itemset that one list has alone, of mlxtend's and of the list that was made apart. `untold`, `too_few`, `too_large`,
    `pruned`: how many itemsets that reach the threshold are not listed, by cause (`reference_list.MissingItemsets`).
    """

    records: int
    sample: bool
    itemsets: int
    scored: int
    mlxtend: str
    seconds: float
    minutes: int | None = None
    difference: Difference | None = None
    untold: int = 0
    too_few: int = 0
    too_large: int = 0
    pruned: int = 0

    @property
    def is_equal(self) -> bool:
        """True if the check was made and found no difference."""
        return self.minutes is None and self.difference is None


def last_check(run: Run) -> EngineCheck | None:
    return run.checks.order_by("-pk").first()


def last_result(run: Run) -> CheckResult | None:
    """Returns the result of the last check that was finished; None if none was.

    A check that waits, failed or was cancelled says nothing, so the result before it stays.
    """
    job = run.checks.filter(state=State.DONE).order_by("-pk").first()
    return node_from_json(CheckResult, job.result) if job and job.result else None


def known_difference(run: Run) -> Difference | None:
    """Returns the first row that differs, or the first itemset that one list has alone; None if no difference is
    known."""
    return first_difference(read_row_check(run), last_result(run))


def first_difference(rows: RowCheck | None, search: CheckResult | None) -> Difference | None:
    if rows and rows.differences:
        return rows.differences[0]
    return search.difference if search else None


# --- the job ---


def perform(job: EngineCheck, progress: Progress) -> Write:
    """Runs the check; returns the function that stores its result."""
    begin = monotonic()

    def raise_if_cancelled() -> None:
        progress(None, TEXT)

    try:
        # Rows were compared in the run's own job, or never, or a person asks again.
        is_asked = job.always or not job.run.row_check
        rows = compare_stored_rows(job.run, raise_if_cancelled) if is_asked else None
        result = check_run(job.run, always=job.always, seed=job.pk, raise_if_cancelled=raise_if_cancelled)
    except DesignChanged as changed:
        raise design_changed_failure(changed) from None
    return partial(store_result, job, replace(result, seconds=round(monotonic() - begin, 3)), rows)


def store_result(job: EngineCheck, result: CheckResult, rows: RowCheck | None) -> None:
    """Stores the result, in the transaction that ends the job."""
    EngineCheck.objects.filter(pk=job.pk).update(result=node_to_json(result))
    if rows:
        Run.objects.filter(pk=job.run_id).update(row_check=node_to_json(rows))
    report_difference(job.run, first_difference(rows, result))


def compare_stored_rows(run: Run, raise_if_cancelled: Callable[[], object]) -> RowCheck:
    return check_stored_rows(run, RunRecords(run, lambda _share: raise_if_cancelled()))


def check_run(run: Run, *, always: bool, seed: int, raise_if_cancelled: Callable[[], object]) -> CheckResult:
    """Searches the records of a run by mlxtend and by a list made apart, and compares the itemsets; mlxtend searches a
    sample where all records cost too much.

    `always`: all records, whatever it costs. `seed`: draws the sample. `raise_if_cancelled`: called repeatedly; an
    exception of it ends the check.
    """
    raise_if_cancelled()
    wanted = limit_below_stopped_size(run.stopped["size"] if run.stopped else None, run.search_parameters)
    columns = RunRecords(run, lambda _share: raise_if_cancelled()).columns
    listed = stored_itemsets(run)
    result = CheckResult(
        records=0,
        sample=False,
        itemsets=len(listed),
        scored=count_incomparable_items(
            run.mined_design, absences=wanted.absences, verdict=run.stored_verdict
        ),
        mlxtend=version("mlxtend"),
        seconds=0,
    )
    with calling_periodically(raise_if_cancelled):
        missing, untold = find_missing(run, columns, set(listed))
        result = replace(
            result,
            untold=untold,
            too_few=missing.too_few,
            too_large=missing.too_large,
            pruned=missing.pruned,
            difference=next(
                (Difference(tuple(sorted(one)), (), None, at) for one, at in missing.unexplained), None
            ),
        )
    if result.difference:
        return replace(result, records=run.used_records or 0)
    cost = predict_cost(run, columns, wanted, raise_if_cancelled)
    if always or cost.is_low(run.records):
        return compare_search(result, run, columns, wanted, listed, raise_if_cancelled)
    most = cost.affordable_sample_size()
    sample = draw_sample(run, most, np.random.default_rng(seed)) if most else []
    if sum(part.n for part in sample) < mlxtend_check_duration.LEAST_SAMPLE:
        return replace(result, minutes=mlxtend_check_duration.round_to_minutes(cost.seconds(run.records)))
    return compare_search(replace(result, sample=True), run, sample, wanted, None, raise_if_cancelled)


def find_missing(run: Run, columns: list[Columns], listed: set[Itemset]) -> tuple[MissingItemsets, int]:
    """Returns the itemsets that the run should list and does not, by cause, and how many may not be told."""
    parameters = run.search_parameters
    reference = find_reference(
        RecordBits.from_columns(run.mined_design, columns), parameters, run.stored_verdict
    )
    stopped = run.stopped["size"] if run.stopped else None
    return explain_missing(reference, listed, parameters, stopped), reference.untold


def predict_cost(
    run: Run, columns: list[Columns], wanted: Parameters, raise_if_cancelled: Callable[[], object]
) -> CheckCost:
    """Predicts what mlxtend's search of all records costs."""
    histogram = histogram_cache.read_histogram(run.survey_id, run.through, run.population, run.mined_design)
    with calling_periodically(raise_if_cancelled):
        counter = HistogramCounter(histogram) if histogram else make_counter(run.mined_design, columns)
        known, verdict = CachedCounter(counter, without_plain=True), run.stored_verdict
        # mlxtend prunes by proof: its candidates are those of such a search, which takes ours a moment.
        proved = search_itemsets_without_intervals(known, replace(wanted, exact=True), verdict=verdict).levels
        some = take_records_from_first_batches(columns, mlxtend_check_duration.MANY)
        speed = measure_speed(MinedRecords(known.design, some), known, wanted, verdict)
    searched = [node_from_json(Level, level) for level in run.levels]
    return mlxtend_check_duration.predict_cost(speed, known.design, searched, proved)


def compare_search(
    result: CheckResult,
    run: Run,
    columns: list[Columns],
    parameters: Parameters,
    listed: dict[Itemset, float] | None,
    raise_if_cancelled: Callable[[], object],
) -> CheckResult:
    """Searches the given records by mlxtend, and returns `result` with the comparison to Candor's list.

    `listed`: None if Candor's engine has to search the records too; then its rows are compared, too.
    """
    from mining.engines import mlxtend_engine  # late for cost

    design, verdict = run.mined_design, run.stored_verdict
    with calling_periodically(raise_if_cancelled):
        known = CachedCounter(make_counter(design, columns), without_plain=True)
        mined = MinedRecords(design, columns)
        if listed is None:
            found = candor_engine.mine_rules(known, parameters, verdict=verdict)
            comparison: Comparison = mlxtend_engine.check_by_mlxtend(
                found, mined, known, parameters, verdict=verdict
            )
            itemsets, difference = comparison.rows.itemsets, comparison.difference
        else:
            theirs = mlxtend_engine.find_itemsets_by_mlxtend(mined, known, parameters, verdict=verdict)
            itemsets, difference = len(listed), next(iter(compare_lists(listed, theirs)), None)
    return replace(result, records=sum(part.n for part in columns), itemsets=itemsets, difference=difference)


def stored_itemsets(run: Run) -> dict[Itemset, float]:
    """Returns the supports of a run's stored itemsets, without items estimated from scores."""
    numbering = Numbering(run.mined_design)
    scored = set(np.flatnonzero(numbering.scored[numbering.question]).tolist())
    rows: Any = run.itemsets.values_list("items", "support")
    supports = {frozenset(map(int, items.split())): support for items, support in rows}
    return {items: support for items, support in supports.items() if scored.isdisjoint(items)}


def draw_sample(run: Run, limit: int, random: "np.random.Generator") -> list[Columns]:
    """Returns up to `limit` used records: whole batches in random order, and a part of the last of them."""
    batches = Batch.objects.filter(survey=run.survey_id, last__lte=run.through).order_by("first")
    ends = list(batches.values_list("first", "last"))
    drawn = (ends[index] for index in random.permutation(len(ends)).tolist())
    return take_records_from_first_batches(
        (
            batch.columns
            for first, last in drawn
            for batch in record_selection.read_used_batches(run.survey, last, run.population, after=first - 1)
        ),
        limit,
    )


# --- what operators see ---


def count_disagreements() -> int:
    """Returns the number of runs whose last check found a difference, of a row or of the search."""
    checks = EngineCheck.objects.filter(state=State.DONE).order_by("run", "pk").values_list("run", "result")
    by_search = {run for run, result in dict(checks).items() if result and result.get("difference")}
    return len(by_search.union(Run.objects.filter(row_check__found__gt=0).values_list("pk", flat=True)))


def disagreements_fact() -> tuple[str, int]:
    """Returns a label and the number of runs whose check by mlxtend found another result, for the operators' page."""
    return _("Runs in which mlxtend finds something else"), count_disagreements()


def difference_sentence(run: Run) -> str:
    """Returns a sentence on the first row where Candor and mlxtend differ; empty if none is known."""
    difference = known_difference(run)
    if difference is None:
        return ""
    named = AnswerNames(run.mined_design).name_of_number
    sides = (difference.items, difference.consequent)
    column = "" if difference.column == LISTED else f" ({difference.column})"
    row = {"row": " → ".join(", ".join(map(named, side)) for side in sides if side) + column}
    if difference.mlxtend is None:
        return _("The first row that differs: only Candor finds %(row)s, %(number)s.") % {
            **row,
            "number": format_all_digits(difference.candor),
        }
    if difference.candor is None:
        return _("The first row that differs: only mlxtend finds %(row)s, %(number)s.") % {
            **row,
            "number": format_all_digits(difference.mlxtend),
        }
    return _("The first row that differs: %(row)s, %(candor)s by Candor and %(mlxtend)s by mlxtend.") % {
        **row,
        "candor": format_all_digits(difference.candor),
        "mlxtend": format_all_digits(difference.mlxtend),
    }


def format_all_digits(number: float | None) -> str:
    """Formats a number with all digits, since the engines may differ in the last ones."""
    return "–" if number is None else f"{number:.15g}"
