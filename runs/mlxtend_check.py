"""Checks a finished run: mlxtend mines the same records, and its results are compared with the stored ones.

If that costs too much, both engines mine a random sample of the sealed batches. The check is a spare job: it gives way
to other jobs, even in the middle of mlxtend's calls.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from math import sqrt
from time import monotonic

import numpy as np
from django.dispatch import Signal
from django.utils.translation import gettext as _, gettext_noop

from intake.disclosure import record_selection
from intake.models import Batch
from jobs.models import State, Write
from jobs.progress_messages import Progress, calling_periodically
from mining.counting import HistogramCounter, MinedRecords, make_counter
from mining.engines import candor_engine, mlxtend_check_duration
from mining.engines.comparison import (
    Difference,
    EngineResult,
    FoundItemset,
    FoundRule,
    Sides,
    compare_results,
    count_incomparable_items,
    limit_below_stopped_size,
)
from mining.engines.mlxtend_check_duration import CheckSpeed
from mining.itemsets.answer_names import AnswerNames
from mining.itemsets.frequent import search_itemsets_without_intervals
from mining.json_codec import node_from_json, node_to_json
from mining.parameters import Parameters
from mining.queries_and_counters import Numbering
from mining.reconstruction import CachedCounter
from privacy.records.batch_bit_columns import Columns
from runs import histogram_cache
from runs.models import EngineCheck, Run
from runs.run_job import design_changed_failure
from runs.run_records import RunRecords, take_records_from_first_batches
from surveys.models import DesignChanged

logger = logging.getLogger(__name__)

engines_disagreed = Signal()
"""Signal sent with `run` inside the transaction that stores a check which found a difference."""

TEXT = gettext_noop("mlxtend mines the same records")


@dataclass(frozen=True)
class CheckResult:
    """Result of a check by mlxtend.

    `records`: number mined by both engines. `sample`: True if these are a sample. `itemsets`, `rules`: how many of the
    run's were compared; a rule and its converse count as one. `scored`: number of items estimated from scores (numbers,
    sets), which are not compared. `mlxtend`: its version. `minutes`: how long the check would take, if it was too
    expensive to make.
    """

    records: int
    sample: bool
    itemsets: int
    rules: int
    scored: int
    mlxtend: str
    seconds: float
    minutes: int | None = None
    difference: Difference | None = None

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
    """Returns the first row where mlxtend's result differs; None if no difference is known."""
    result = last_result(run)
    return result.difference if result else None


# --- the job ---


def perform(job: EngineCheck, progress: Progress) -> Write:
    """Runs the check; returns the function that stores its result."""
    begin = monotonic()
    try:
        result = check_run(
            job.run, always=job.always, seed=job.pk, raise_if_cancelled=lambda: progress(None, TEXT)
        )
    except DesignChanged as changed:
        raise design_changed_failure(changed) from None
    return partial(store_result, job, replace(result, seconds=round(monotonic() - begin, 3)))


def store_result(job: EngineCheck, result: CheckResult) -> None:
    """Stores the result, in the transaction that ends the job."""
    EngineCheck.objects.filter(pk=job.pk).update(result=node_to_json(result))
    if result.difference:
        # Items by their numbers: a log has no words of a survey.
        logger.error("mlxtend finds something else than run %s: %s", job.run_id, result.difference)
        engines_disagreed.send(Run, run=job.run)


def check_run(run: Run, *, always: bool, seed: int, raise_if_cancelled: Callable[[], object]) -> CheckResult:
    """Mines the records of a run again by mlxtend, and compares the results; uses a sample where all records cost too
    much.

    `always`: on all records, whatever it costs. `seed`: draws the sample. `raise_if_cancelled`: called repeatedly; an
    exception of it ends the check.
    """
    raise_if_cancelled()
    design, verdict = run.mined_design, run.stored_verdict
    wanted = limit_below_stopped_size(run.stopped["size"] if run.stopped else None, run.search_parameters)
    speed = measure_speed_once(raise_if_cancelled)
    in_run = RunRecords(run, lambda _share: raise_if_cancelled())
    result = CheckResult(
        records=0,
        sample=False,
        itemsets=0,
        rules=0,
        scored=count_incomparable_items(design, absences=wanted.absences, verdict=verdict),
        mlxtend=version("mlxtend"),
        seconds=0,
    )
    # mlxtend prunes by proof: its candidates are those of such a search, which takes ours a moment.
    histogram = histogram_cache.read_histogram(run.survey_id, run.through, run.population, run.mined_design)
    counter = HistogramCounter(histogram) if histogram else in_run.counter()
    known = CachedCounter(counter, without_plain=True)
    levels = search_itemsets_without_intervals(known, replace(wanted, exact=True), verdict=verdict).levels
    cost = mlxtend_check_duration.predict_cost(speed, design, run.records, levels)
    if always or cost.is_low:
        return compare_engines(result, run, in_run.columns, wanted, stored_result(run), raise_if_cancelled)
    most = mlxtend_check_duration.affordable_sample_size(speed, design, levels)
    columns = draw_sample(run, most, np.random.default_rng(seed)) if most else []
    if sum(part.n for part in columns) < mlxtend_check_duration.LEAST_SAMPLE:
        return replace(result, minutes=mlxtend_check_duration.round_to_minutes(cost.seconds))
    return compare_engines(replace(result, sample=True), run, columns, wanted, None, raise_if_cancelled)


def compare_engines(
    result: CheckResult,
    run: Run,
    columns: list[Columns],
    parameters: Parameters,
    candor_result: EngineResult | None,
    raise_if_cancelled: Callable[[], object],
) -> CheckResult:
    """Mines the given records by mlxtend, and returns `result` with the comparison to Candor's result.

    `candor_result`: None if Candor's engine has to mine the records too.
    """
    from mining.engines import mlxtend_engine  # late for cost

    design, verdict = run.mined_design, run.stored_verdict
    with calling_periodically(raise_if_cancelled):
        known = CachedCounter(make_counter(design, columns), without_plain=True)
        mined = MinedRecords(design, columns)
        if candor_result is None:
            found = candor_engine.mine_rules(known, parameters, verdict=verdict)
            comparison = mlxtend_engine.check_by_mlxtend(found, mined, known, parameters, verdict=verdict)
        else:
            comparison = compare_results(
                candor_result,
                mlxtend_engine.mine_without_standard_errors(mined, known, parameters, verdict=verdict),
            )
    return replace(
        result,
        records=sum(part.n for part in columns),
        itemsets=comparison.itemsets,
        rules=comparison.rules,
        difference=comparison.difference,
    )


def stored_result(run: Run) -> EngineResult:
    """Returns the stored itemsets and rules of a run, without items estimated from scores."""
    numbering = Numbering(run.mined_design)
    numbers = np.arange(len(numbering), dtype=np.int32)
    scored = set(numbers[numbering.scored_mask(numbers[:, None])[:, 0]].tolist())
    itemsets = {
        frozenset(row.item_numbers): FoundItemset(row.support, (row.se or 0) * sqrt(row.base))
        for row in run.itemsets.defer("heads").iterator(chunk_size=2000)
        if row.support is not None and scored.isdisjoint(row.item_numbers)
    }
    rules: dict[Sides, FoundRule] = {}
    for row in run.rules.defer("heads").iterator(chunk_size=2000):
        first, second = map(frozenset, row.sides)
        if scored.isdisjoint(first | second):
            rules[first, second] = FoundRule(row.confidence, row.antecedent_support)
            if row.both:
                rules[second, first] = FoundRule(row.converse, row.consequent_support)
    return EngineResult(itemsets, rules)


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


# --- how fast this process is ---


def measure_speed_once(raise_if_cancelled: Callable[[], object]) -> CheckSpeed:
    """Returns the speed of both engines on this machine, measured at the first check of a process."""
    with calling_periodically(raise_if_cancelled):
        return _cached_speed()


@cache
def _cached_speed() -> CheckSpeed:
    """Measures the speed of both engines; cached, so only at the first call."""
    return mlxtend_check_duration.measure_speed()


# --- what operators see ---


def count_disagreements() -> int:
    """Returns the number of runs whose last check by mlxtend found another result."""
    checks = EngineCheck.objects.filter(state=State.DONE).order_by("run", "pk").values_list("run", "result")
    last = dict(checks)
    return sum(bool(result and result.get("difference")) for result in last.values())


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
    row = {"row": " → ".join(", ".join(map(named, side)) for side in sides if side)}
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
