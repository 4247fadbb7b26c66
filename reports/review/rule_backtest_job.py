"""Runs a backtest as a job: mines many simulated surveys and counts how often the first rules are found again."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from django.db import transaction
from django.utils.translation import gettext as _, gettext_noop
from numpy.typing import NDArray

from intake.disclosure import record_selection
from jobs import job_queue
from jobs.models import Write
from jobs.progress_messages import Cancelled, JobFailed, Progress
from mining.counting import make_counter
from mining.engines import candor_engine
from mining.error.simulated_rule_backtest import POPULATIONS, backtest
from mining.reconstruction import CachedCounter
from mining.reconstruction.coherent_supports import MOST_ITEMS
from mining.rules import Rules
from reports.models import Backtest, Review
from runs import result_row_conversion
from runs.models import Rule, Run
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

Numbers = tuple[int, ...]


def start_backtest(review: Review, person: "Person") -> Backtest:
    """Starts the report's backtest, or starts it again if it failed or was cancelled."""
    review.require_reviewer(person)
    if not review.run.rule_count:
        raise NotAllowed(_("There is no rule to test."))
    with transaction.atomic():
        if not Review.objects.get_locked(review.pk).is_open:
            # A published report no longer changes.
            raise NotAllowed(_("This report is published or was: a backtest belongs before that."))
        before = Backtest.objects.filter(run=review.run_id).first()
        if before and (before.live or before.again):
            raise NotAllowed(_("A backtest of this run is under way or done already."))
        if before:
            before.delete()
        backtest = Backtest(run=review.run)
        job_queue.enqueue(backtest)
    return backtest


def perform(job: Backtest, progress: Progress) -> Write:
    """Simulates and mines many surveys; returns the function that stores how often each rule was found again."""
    run = job.run
    progress(0.0, gettext_noop("The rules are found again, to be tested"))
    columns = [
        batch.columns
        for batch in record_selection.read_used_batches_until_most(run.survey, run.through, run.population)
    ]
    counter = make_counter(run.content.mined, columns)
    wanted = run.search_parameters
    known = CachedCounter(counter, without_plain=True)
    verdict = run.stored_verdict
    rules = candor_engine.mine_rules(known, wanted, verdict=verdict).rules
    chosen = select_rules_to_backtest(rules)
    places = find_stored_rule_ranks(run, [rules.sides(row) for row in chosen.tolist()])

    def report_simulated(done: int) -> None:
        text = gettext_noop("Survey %(done)s of %(populations)s is simulated and mined")
        progress(done / POPULATIONS, text, done=done, populations=POPULATIONS)

    # The run's key is the seed, so that its backtest can be reproduced.
    random = np.random.default_rng(run.pk)
    result = backtest(known, rules.take(chosen), wanted, random, POPULATIONS, report_simulated, verdict)
    again = dict(zip(map(str, places), result.again.tolist(), strict=True))
    return partial(store_result, job, result.populations, again)


def find_stored_rule_ranks(run: Run, sides: Sequence[tuple[Numbers, Numbers]]) -> list[int]:
    """Returns the ranks of the run's stored rules with the antecedents and consequents of `sides`; fails the job if one
    is not stored."""
    rows = Rule.objects.filter(run=run).values_list("antecedent", "consequent", "place")
    place = {(antecedent, consequent): place for antecedent, consequent, place in rows}
    keys = [
        (result_row_conversion.items_as_text(antecedent), result_row_conversion.items_as_text(consequent))
        for antecedent, consequent in sides
    ]
    if not place.keys() >= set(keys):
        raise JobFailed(
            gettext_noop(
                "The rules of this run are not the ones that are found now: Candor was changed since. "
                "Repeat the run, and test that one."
            )
        )
    return [place[key] for key in keys]


def select_rules_to_backtest(rules: Rules) -> NDArray[np.intp]:
    """Returns the indexes of the first rules, without converses; leaves out rules that would bring all answers above
    `MOST_ITEMS`."""
    chosen, items = list[int](), set[int]()
    for row in np.unique(rules.split, return_index=True)[1].tolist():
        wider = items.union(*rules.sides(row))
        if len(wider) <= MOST_ITEMS:
            chosen.append(row)
            items = wider
    return np.array(chosen, np.intp)


def store_result(job: Backtest, populations: int, again: dict[str, float]) -> None:
    """Stores how often each rule was found again; raises Cancelled if the report is no longer open. Needs the job's
    last transaction."""
    if not Review.objects.get_locked(job.run_id).is_open:
        raise Cancelled
    Backtest.objects.filter(pk=job.pk).update(populations=populations, again=again)
