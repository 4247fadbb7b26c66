"""Mines D, the true data of simulated respondents, and D*, their records as received, many times over.

privacy.simulation draws and disguises; both data sets are packed like sealed batches and counted. D is counted as if
everybody had answered openly, so that its itemsets and rules are exact. It also measures a bias that the document does
not show: the support of one answer where open respondents differ from the others.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mining.counting import make_counter
from mining.counting.mined_records import pack_columns
from mining.engines import candor_engine
from mining.itemsets.frequent import search_itemsets_without_intervals
from mining.parameters import Parameters
from mining.queries_and_counters import Item, Numbers
from mining.reconstruction import CachedCounter, Estimator, estimate_supports_without_intervals
from mining.reconstruction.coherent_supports import coherent_supports
from mining.studies import comparison_with_truth
from papers.grouped_model.simulated_survey import Floats, PaperSetting, SimulatedSurvey, itemsets_up_to_three
from privacy.designs import Design
from privacy.kinds.answer_code_array_type import Codes
from privacy.records.record import OPEN
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population


class SimulatedRecords(NamedTuple):
    """True and received answers of simulated respondents (a row per question), and the group of each respondent."""

    group: NDArray[np.uint8]
    true: Codes
    received: Codes


@dataclass(frozen=True)
class CountedData:
    """Counters of itemsets in the true and in the received data."""

    true: CachedCounter
    received: CachedCounter


def draw_records(
    design: Design, population: Population, respondents: int, rng: np.random.Generator
) -> SimulatedRecords:
    group, true = population.draw(design, respondents, rng)
    return SimulatedRecords(group, true, disguise(design, group, true, rng))


def true_and_received_counters(design: Design, records: SimulatedRecords) -> CountedData:
    """Returns counters of itemsets for simulated records: of the true data D and of the received data D*."""
    everybody_open = np.full_like(records.group, OPEN)
    return CountedData(
        _record_counter(design, everybody_open, records.true),
        _record_counter(design, records.group, records.received),
    )


def repeat_survey(
    design: Design, population: Population, respondents: int, repetitions: int, rng: np.random.Generator
) -> Iterator[CountedData]:
    for _ in range(repetitions):
        yield true_and_received_counters(design, draw_records(design, population, respondents, rng))


def _record_counter(design: Design, group: NDArray[np.uint8], codes: Codes) -> CachedCounter:
    return CachedCounter(make_counter(design, [pack_columns(design, group, codes)]))


MINED: tuple[Estimator, ...] = ("pooled", "stratified", "combined")
COHERENT = "coherent"
ESTIMATORS = (*MINED, COHERENT)
"""Estimators that are compared; the first is the document's."""

COUNTS = ("in_d", "in_d_star", "false_positives", "misses")
"""Numbers of frequent itemsets (or rules): in D, in D* (reconstructed), in D* alone, and in D alone."""
KINDS = ("itemsets", "rules")

ROUNDING = 1e-9
"""Tolerance with which a coherent support still reaches the threshold."""


@dataclass(frozen=True)
class RepetitionResults:
    """Results of mining one simulated survey many times, by estimator: arrays of repetitions x itemsets.

    `w` is |S - S'| of every itemset of up to three items, frequent or not; `stated` is the expected W that the product
    puts next to its supports; `counts` are repetitions x KINDS x COUNTS. Coherent supports have no such error and give
    no rules: NaN.
    """

    w: Mapping[str, Floats]
    stated: Mapping[str, Floats]
    counts: Mapping[Parameters, Mapping[str, Floats]]


def mine_repeatedly(
    survey: SimulatedSurvey, queries: Iterable[Parameters], repetitions: int, seed: int
) -> RepetitionResults:
    """Simulates a survey `repetitions` times and mines it with all `queries`; returns the results."""
    queries = list(queries)
    candidates = itemsets_up_to_three(survey.questions)
    shape = (repetitions, len(candidates))
    w = {name: np.full(shape, np.nan) for name in ESTIMATORS}
    stated = {name: np.full(shape, np.nan) for name in ESTIMATORS}
    counts = {
        parameters: {name: np.full((repetitions, len(KINDS), len(COUNTS)), np.nan) for name in ESTIMATORS}
        for parameters in queries
    }
    every = repeat_survey(survey.design, survey.population, survey.respondents, repetitions, survey.rng(seed))
    for row, data in enumerate(every):
        estimates = reconstruct_itemsets(data.received, candidates)
        shares = comparison_with_truth.FileTruth(data.true.counter).shares(estimates.numbers)
        for name in ESTIMATORS:
            w[name][row] = np.abs(estimates.support[name] - shares)
            stated[name][row] = estimates.stated[name]
        for parameters in queries:
            for name, numbers in compare_mining_results(data, parameters, estimates).items():
                counts[parameters][name][row] = numbers
    return RepetitionResults(w, stated, counts)


@dataclass(frozen=True)
class ReconstructedItemsets:
    """All itemsets, with their supports and expected W by estimator."""

    numbers: Numbers
    support: Mapping[str, Floats]
    stated: Mapping[str, Floats]


def reconstruct_itemsets(
    received: CachedCounter, candidates: Sequence[tuple[Item, ...]]
) -> ReconstructedItemsets:
    of_each = {name: estimate_supports_without_intervals(received, candidates, name) for name in MINED}
    coherent = coherent_supports(received, candidates)
    if coherent is None:
        raise ValueError("more questions than coherent supports can be found of")
    support = {name: reconstruction.support for name, reconstruction in of_each.items()} | {
        COHERENT: coherent
    }
    stated = {name: reconstruction.expected_w for name, reconstruction in of_each.items()} | {
        COHERENT: np.full(len(coherent), np.nan)
    }
    return ReconstructedItemsets(of_each["pooled"].itemsets, support, stated)


def compare_mining_results(
    data: CountedData, parameters: Parameters, estimates: ReconstructedItemsets
) -> dict[str, Floats]:
    """Compares itemsets and rules mined in D* (received data) with those in D (true data).

    Returns KINDS x COUNTS by estimator.
    """
    file_truth = comparison_with_truth.FileTruth(data.true.counter)
    frequent = len(comparison_with_truth.truly_frequent_itemsets(file_truth, parameters))
    true_rules = candor_engine.find_reported_rule_sides(data.true, parameters)
    table: dict[str, Floats] = {}
    for name in MINED:
        # Without the errors of supports and rules, which take most of the time.
        by = replace(parameters, estimator=name)
        supports = search_itemsets_without_intervals(data.received, by).supports
        itemsets = _found_false_missed_counts(supports.itemsets, supports.support, file_truth, parameters)
        rules = candor_engine.confident_rule_sides(data.received, supports.itemsets, by)
        of_rules = [len(true_rules), len(rules), len(rules - true_rules), len(true_rules - rules)]
        table[name] = np.array([[frequent, *itemsets], of_rules], np.float64)
    coherent = estimates.support[COHERENT]
    reached = coherent >= parameters.min_support - ROUNDING
    of_coherent = _found_false_missed_counts(
        estimates.numbers[reached], coherent[reached], file_truth, parameters
    )
    table[COHERENT] = np.array([[frequent, *of_coherent], [len(true_rules), *[np.nan] * 3]])
    return table


def _found_false_missed_counts(
    itemset_codes: Numbers,
    support: Floats,
    file_truth: comparison_with_truth.FileTruth,
    parameters: Parameters,
) -> list[int]:
    comparison = comparison_with_truth.compare_with_truth(itemset_codes, support, file_truth, parameters)
    return [len(itemset_codes), comparison.false_positives, comparison.false_negatives]


TRUTH, OPEN_SHARE = 0.25, 0.5
DIFFERENCES = tuple(round(step / 20, 2) for step in range(-10, 11))
"""Differences between the shares among disguised and open respondents, while all together stay at 25 %."""
BIASED = replace(PaperSetting("open"), k=OPEN_SHARE)


@dataclass(frozen=True)
class MeanAndBand:
    """Mean over the repetitions, and the band that contains nine tenths of them."""

    mean: float
    low: float
    high: float

    @classmethod
    def from_values(cls, values: Floats) -> "MeanAndBand":
        low, high = np.quantile(values, [0.05, 0.95])
        return cls(float(values.mean()), float(low), float(high))


def estimates_where_groups_differ(
    repetitions: int, seed: int, differences: Sequence[float] = DIFFERENCES
) -> dict[str, list[MeanAndBand]]:
    """Returns the estimates of one answer's share: mean and band over repetitions, by estimator.

    Each list has an entry for every difference between the shares among disguised and open people.
    """
    estimates = np.empty((len(MINED), len(differences), repetitions))
    survey = BIASED.survey
    for step, difference in enumerate(differences):
        disguised, answering_openly = (
            _population_with_share(TRUTH + sign * difference / 2) for sign in (1, -1)
        )
        population = Population(disguised, answering_openly, OPEN_SHARE)
        rng = np.random.default_rng([seed, step])
        every = repeat_survey(survey.design, population, survey.respondents, repetitions, rng)
        for row, data in enumerate(every):
            for at, name in enumerate(MINED):
                estimates[at, step, row] = estimate_supports_without_intervals(
                    data.received, [((0, 1),)], name
                ).support[0]
    return {
        name: [MeanAndBand.from_values(values) for values in estimates[at]] for at, name in enumerate(MINED)
    }


def _population_with_share(share: float) -> Independent:
    """Returns a population in which the first answer has this share, all other answers one half."""
    return Independent(((1 - share, share), (0.5, 0.5), (0.5, 0.5)))
