"""Forecast: about how many itemsets a run would find at each threshold, computed within about a second.

From the cached histogram, else from a search among the first records; without the evidence, which takes several times
as long as the search. Only for a short list of thresholds, only to one digit, and 0 below ten: exact numbers would
reveal supports before a review. What a run may not tell is not forecast; among the first records that is decided by
these.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from intake.batches import sealing
from intake.disclosure.records import population_of
from intake.disclosure.verdicts import decide_for
from mining.counts import Counter
from mining.disclosure.plain_tables import table_counter
from mining.disclosure.verdict import Verdict
from mining.itemsets.frequent import ROUNDING, search
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from runs.rounding import THRESHOLDS, rounded
from runs.sampling import histogram_or_sample
from surveys.models import Survey

RECORDS = 100_000
MOST = 20_000
"""The most candidates of a level that a forecast counts; if there are more, it says "more than"."""


@dataclass(frozen=True)
class Forecast:
    """About so many itemsets at this threshold, 0 for fewer than ten; `more`: larger ones were too many to count."""

    threshold: float
    itemsets: int
    more: bool


def forecast(survey: Survey, wanted: Parameters) -> list[Forecast]:
    """One forecast for each of `THRESHOLDS`, instead of the thresholds in `wanted`; none if nothing is sealed."""
    through = sealing.last_sealed(survey.pk)
    if not through or survey.design is None:
        return []
    design, population = survey.design.content.mined, population_of(survey)
    counter = histogram_or_sample(survey, design, through, RECORDS)
    tables = table_counter(counter)
    decision = decide_for(survey, design, through, population, tables, wanted.max_size)
    return expected(counter, replace(wanted, exact=False, most=MOST), decision.verdict)


def expected(counter: Counter, wanted: Parameters, verdict: Verdict | None = None) -> list[Forecast]:
    """Of what may be told by the `verdict`, which without one is everything."""
    known = CachedCounter(counter, without_plain=True)
    forecasts: dict[float, tuple[int, bool]] = {}
    for index, threshold in enumerate(THRESHOLDS):
        if threshold in forecasts:
            continue
        searched = search(known, replace(wanted, min_support=threshold), verdict=verdict)
        supports = searched.supports.support
        if searched.stopped:
            forecasts[threshold] = len(supports), True
            continue
        # The itemsets at a higher threshold are a subset of these.
        for higher in THRESHOLDS[index:]:
            forecasts[higher] = int((supports >= higher - ROUNDING).sum()), False
    return made_monotone([(threshold, *forecasts[threshold]) for threshold in THRESHOLDS])


def made_monotone(counts: Sequence[tuple[float, int, bool]]) -> list[Forecast]:
    """Raise a count from a search that stopped early to that of a higher threshold, where that found more."""
    forecasts: list[Forecast] = []
    most = 0
    for threshold, itemsets, more in reversed(counts):
        most = max(most, itemsets)
        forecasts.append(Forecast(threshold, rounded(most), more))
    return forecasts[::-1]
