"""Forecast of a run before it starts: number of itemsets by threshold, and standard errors of the estimators.

It takes about a second: it searches the cached histogram, else the first records, and computes no intervals and tests,
which take several times as long. It covers a short list of thresholds, rounds to one digit, and shows 0 below ten:
exact numbers would reveal supports before a review. Only results that a run may disclose are forecast; where the first
records are searched, they decide which these are. Whoever may not see numbers before a review gets a forecast of
disguised answers alone: which answers without disguise a run may disclose would follow from the number of its itemsets.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from intake.batches import sealing
from intake.disclosure.models import Population
from intake.disclosure.record_selection import current_population
from intake.disclosure.table_disclosure_decision import decide_disclosable_tables
from mining.disclosure.plain_table_counts import table_counter
from mining.disclosure.verdict import Verdict
from mining.itemsets.frequent import ROUNDING, search_itemsets_without_intervals
from mining.parameters import Parameters
from mining.queries_and_counters import Counter
from mining.reconstruction import CachedCounter
from mining.studies.single_answer_score_moments import EstimatorErrors, largest_estimator_errors
from runs.result_reading_permissions import THRESHOLDS, round_to_digit_or_zero
from runs.run_records import histogram_or_sample_counter
from surveys.lifecycle import record_counts
from surveys.models import Survey

RECORDS = 100_000
MOST = 20_000
"""Largest number of candidates of a level that a forecast counts; beyond it the forecast says "more than"."""


@dataclass(frozen=True)
class Forecast:
    """The expected number of itemsets at a threshold, 0 if fewer than ten. `more`: larger itemsets were too many to
    count."""

    threshold: float
    itemsets: int
    more: bool


def forecast(survey: Survey, parameters: Parameters, *, with_plain: bool) -> list[Forecast]:
    """Returns the expected number of itemsets at each of `THRESHOLDS`, not at those in `parameters`; none if nothing is
    sealed.

    `with_plain`: also of itemsets with an answer that was not disguised, for people who may see unpublished numbers.
    """
    through = sealing.last_batch_number(survey.pk)
    if not through or survey.design is None:
        return []
    design = survey.design.content.mined
    counter = histogram_or_sample_counter(survey, design, through, RECORDS)
    verdict = Verdict(design, told=frozenset({()}), open_questions=frozenset())
    if with_plain:
        population, tables = current_population(survey), table_counter(counter)
        decision = decide_disclosable_tables(survey, design, through, population, tables, parameters.max_size)
        verdict = decision.verdict
    return forecast_from_counter(counter, replace(parameters, exact=False, most=MOST), verdict)


def forecast_from_counter(
    counter: Counter, parameters: Parameters, verdict: Verdict | None = None
) -> list[Forecast]:
    """Returns the expected number of itemsets at each threshold, as far as the `verdict` lets them be disclosed; None:
    of all."""
    known = CachedCounter(counter, without_plain=True)
    forecasts: dict[float, tuple[int, bool]] = {}
    for index, threshold in enumerate(THRESHOLDS):
        if threshold in forecasts:
            continue
        searched = search_itemsets_without_intervals(
            known, replace(parameters, min_support=threshold), verdict=verdict
        )
        supports = searched.supports.support
        if searched.stopped:
            forecasts[threshold] = len(supports), True
            continue
        # The itemsets at a higher threshold are a subset of these.
        for higher in THRESHOLDS[index:]:
            forecasts[higher] = int((supports >= higher - ROUNDING).sum()), False
    return make_monotone([(threshold, *forecasts[threshold]) for threshold in THRESHOLDS])


def make_monotone(counts: Sequence[tuple[float, int, bool]]) -> list[Forecast]:
    """Raises the count of a search that stopped early to that of a higher threshold, if that found more."""
    forecasts: list[Forecast] = []
    most = 0
    for threshold, itemsets, more in reversed(counts):
        most = max(most, itemsets)
        forecasts.append(Forecast(threshold, round_to_digit_or_zero(most), more))
    return forecasts[::-1]


CHOICE_RECORDS, STEPS = 20_000, 20
"""Number of records that give the open share if no histogram is cached; number of steps to which the share is rounded.

The share is not exact, since the ledger of disclosures, which limits counts of open records, does not list this page.
"""


@dataclass(frozen=True)
class EstimatorChoice:
    """Facts for choosing an estimator.

    `may_choose`: people could choose no disguise. `open_share`: about the share of open records. `errors`: standard
    errors with `records` records; None without open records, since then all estimators agree.
    """

    may_choose: bool
    open_share: float = 0.0
    records: int = 0
    errors: EstimatorErrors | None = None


def estimator_choice_facts(survey: Survey) -> EstimatorChoice | None:
    """Returns the facts for choosing an estimator in a survey; None if nothing is sealed, or if the survey has arms and
    so no choice."""
    through = sealing.last_batch_number(survey.pk)
    if not through or survey.design is None or survey.design.content.has_arms:
        return None
    design = survey.design.content.mined
    if not design.has_group_open:
        return EstimatorChoice(may_choose=False)
    if current_population(survey) == Population.DISGUISED:
        return EstimatorChoice(may_choose=True)
    opened, disguised = histogram_or_sample_counter(survey, design, through, CHOICE_RECORDS).n
    share = round(STEPS * opened / max(opened + disguised, 1)) / STEPS
    if not share:
        return EstimatorChoice(may_choose=True)
    records = record_counts.shown_counts_of_survey(survey).sealed
    return EstimatorChoice(True, share, records, largest_estimator_errors(design, records, share))
