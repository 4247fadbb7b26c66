"""Checks a finished run: mlxtend mines the same records, and what it finds is compared with what the run has stored.

Where that would cost too much, both engines mine a drawn sample of the sealed batches. The check is a spare job: it
gives way to others, also in the middle of mlxtend's calls.
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
from jobs.message import Progress, interrupting
from jobs.models import State, Write
from mining.counting import HistogramCounter, MinedRecords, make_counter
from mining.counts import Numbering
from mining.document.codec import dump, load
from mining.document.names import Names
from mining.engines import candor_engine, check_cost
from mining.engines.check_cost import CheckSpeed
from mining.engines.comparison import (
    Difference,
    EngineResult,
    FoundItemset,
    FoundRule,
    Sides,
    compare_results,
    count_scored_items,
    limit_size,
)
from mining.itemsets.frequent import search_itemsets
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from privacy.records.columns import Columns
from runs import histogram_cache, kernel_cache
from runs.models import EngineCheck, Run
from runs.run_job import design_was_changed
from runs.run_records import RunRecords, first_records
from surveys.models import DesignChanged

logger = logging.getLogger(__name__)

engines_disagreed = Signal()
"""Sent with `run` inside the transaction that stores a check which found a difference."""

TEXT = gettext_noop("mlxtend mines the same records")


@dataclass(frozen=True)
class CheckResult:
    """How many `records` were mined by both engines, and how many of the run's `itemsets` and `rules` were compared.

    A rule and its converse count as one. `scored`: how many items of scores (numbers, sets) were not compared.
    `mlxtend` is its version. `minutes`: it was not done, and would take about so many.
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
        return self.minutes is None and self.difference is None


def last_check(run: Run) -> EngineCheck | None:
    return run.checks.order_by("-pk").first()


def check_result(job: EngineCheck | None) -> CheckResult | None:
    return load(CheckResult, job.result) if job and job.state == State.DONE and job.result else None


def known_difference(run: Run) -> Difference | None:
    """The first row in which mlxtend finds something else; None if no difference is known."""
    result = check_result(last_check(run))
    return result.difference if result else None


# --- the job ---


def perform(job: EngineCheck, progress: Progress) -> Write:
    begin = monotonic()
    try:
        result = check_run(job.run, always=job.always, seed=job.pk, ask=lambda: progress(None, TEXT))
    except DesignChanged as changed:
        raise design_was_changed(changed) from None
    return partial(store_result, job, replace(result, seconds=round(monotonic() - begin, 3)))


def store_result(job: EngineCheck, result: CheckResult) -> None:
    """In the transaction that makes the check done."""
    EngineCheck.objects.filter(pk=job.pk).update(result=dump(result))
    if result.difference:
        # Items by their numbers: a log has no words of a survey.
        logger.error("mlxtend finds something else than run %s: %s", job.run_id, result.difference)
        engines_disagreed.send(Run, run=job.run)


def check_run(run: Run, *, always: bool, seed: int, ask: Callable[[], object]) -> CheckResult:
    """Check a run by mlxtend; `ask` is called now and then and may end it, `seed` draws the sample."""
    ask()
    design, verdict = run.mined, run.stored_verdict
    wanted = limit_size(run.stopped["size"] if run.stopped else None, run.wanted)
    speed = measured_speed(ask)
    in_run = RunRecords(run, lambda _share: ask())
    result = CheckResult(
        records=0,
        sample=False,
        itemsets=0,
        rules=0,
        scored=count_scored_items(design, absences=wanted.absences, verdict=verdict),
        mlxtend=version("mlxtend"),
        seconds=0,
    )
    # mlxtend prunes by proof: its candidates are those of such a search, which takes ours a moment.
    histogram = histogram_cache.read(run.survey_id, run.through, run.population, run.mined)
    counter = HistogramCounter(histogram) if histogram else in_run.counter()
    known = CachedCounter(counter, without_plain=True)
    levels = search_itemsets(known, replace(wanted, exact=True), verdict=verdict).levels
    cost = check_cost.predict_cost(speed, design, run.records, levels)
    if always or cost.is_low:
        return compare_engines(result, run, in_run.columns, wanted, stored_result(run), ask)
    most = check_cost.sample_size(speed, design, levels)
    columns = draw_sample(run, most, np.random.default_rng(seed)) if most else []
    if sum(part.n for part in columns) < check_cost.LEAST_SAMPLE:
        return replace(result, minutes=check_cost.round_to_minutes(cost.seconds))
    return compare_engines(replace(result, sample=True), run, columns, wanted, None, ask)


def compare_engines(
    result: CheckResult,
    run: Run,
    columns: list[Columns],
    wanted: Parameters,
    candor: EngineResult | None,
    ask: Callable[[], object],
) -> CheckResult:
    """Mine these records by both engines and compare; `candor`: the result of ours, if it has mined them already."""
    from mining.engines import mlxtend_engine  # late for cost

    design, verdict = run.mined, run.stored_verdict
    with interrupting(ask):
        known = CachedCounter(make_counter(design, columns, kernel_cache.folder()), without_plain=True)
        mined = MinedRecords(design, columns)
        if candor is None:
            found = candor_engine.mine_rules(known, wanted, verdict=verdict)
            comparison = mlxtend_engine.check_by_mlxtend(found, mined, known, wanted, verdict=verdict)
        else:
            comparison = compare_results(
                candor, mlxtend_engine.mine_without_errors(mined, known, wanted, verdict=verdict)
            )
    return replace(
        result,
        records=sum(part.n for part in columns),
        itemsets=comparison.itemsets,
        rules=comparison.rules,
        difference=comparison.difference,
    )


def stored_result(run: Run) -> EngineResult:
    """The itemsets and rules that the run has stored, without items of scores."""
    numbering = Numbering(run.mined)
    numbers = np.arange(len(numbering), dtype=np.int32)
    scored = set(numbers[numbering.is_scored(numbers[:, None])[:, 0]].tolist())
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


def draw_sample(run: Run, most: int, random: np.random.Generator) -> list[Columns]:
    """The used records of batches that are drawn one after the other, until there are `most` of them.

    Of the last batch its first records: their order within a batch is random.
    """
    batches = Batch.objects.filter(survey=run.survey_id, last__lte=run.through).order_by("first")
    ends = list(batches.values_list("first", "last"))
    drawn = (ends[index] for index in random.permutation(len(ends)).tolist())
    return first_records(
        (
            batch.columns
            for first, last in drawn
            for batch in record_selection.read_batches(run.survey, last, run.population, after=first - 1)
        ),
        most,
    )


# --- how fast this process is ---


def measured_speed(ask: Callable[[], object]) -> CheckSpeed:
    with interrupting(ask):
        return _speed()


@cache
def _speed() -> CheckSpeed:
    """Measured at the first check of a process."""
    return check_cost.measure_speed()


# --- what operators see ---


def count_disagreements() -> int:
    """How many runs there are of which mlxtend finds something else."""
    checks = EngineCheck.objects.filter(state=State.DONE).order_by("run", "pk").values_list("run", "result")
    last = dict(checks)
    return sum(bool(result and result.get("difference")) for result in last.values())


def operators_fact() -> tuple[str, int]:
    return _("Runs of which mlxtend finds something else"), count_disagreements()


def difference_sentence(run: Run) -> str:
    """Empty where no difference is known."""
    difference = known_difference(run)
    if difference is None:
        return ""
    named = Names(run.mined).name_of_number
    sides = (difference.items, difference.consequent)
    row = {"row": " → ".join(", ".join(map(named, side)) for side in sides if side)}
    if difference.mlxtend is None:
        return _("The first row that differs: only Candor finds %(row)s, %(number)s.") % {
            **row,
            "number": digits(difference.candor),
        }
    if difference.candor is None:
        return _("The first row that differs: only mlxtend finds %(row)s, %(number)s.") % {
            **row,
            "number": digits(difference.mlxtend),
        }
    return _("The first row that differs: %(row)s, %(candor)s by Candor and %(mlxtend)s by mlxtend.") % {
        **row,
        "candor": digits(difference.candor),
        "mlxtend": digits(difference.mlxtend),
    }


def digits(number: float | None) -> str:
    """All of them: the engines may differ in the last ones."""
    return "–" if number is None else f"{number:.15g}"
