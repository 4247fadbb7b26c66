"""Mines D and D* in the repetitions of one survey: what is found, and the errors of supports."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from mining import truth
from mining.counts import Item, Numbers
from mining.engines import bitmap
from mining.itemsets.frequent import search
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter, Estimator, estimated
from mining.reconstruction.coherent import coherent_supports
from papers.grouped_model.settings import Floats, SimulatedSurvey, itemsets
from papers.grouped_model.simulation import Data, repeated

MINED: tuple[Estimator, ...] = ("pooled", "stratified", "combined")
COHERENT = "coherent"
ESTIMATORS = (*MINED, COHERENT)
"""The first is the document's."""

COUNTS = ("in_d", "in_d_star", "false_positives", "misses")
"""The numbers in D, in D* (reconstructed), in D* alone, and in D alone."""
KINDS = ("itemsets", "rules")

ROUNDING = 1e-9
"""A coherent support that equals the threshold reaches it, as other supports do."""


@dataclass(frozen=True)
class RepetitionResults:
    """The results of one survey by estimator: repetitions by itemsets; `counts`: repetitions by KINDS by COUNTS.

    `w` is |S - S'| of every itemset of up to three items, frequent or not; `stated` is the expected W that the
    product puts next to its supports. Coherent supports have no such error and give no rules: NaN.
    """

    w: Mapping[str, Floats]
    stated: Mapping[str, Floats]
    counts: Mapping[Parameters, Mapping[str, Floats]]


def mined(
    survey: SimulatedSurvey, queries: Iterable[Parameters], repetitions: int, seed: int, cache: Path
) -> RepetitionResults:
    queries = list(queries)
    candidates = itemsets(survey.questions)
    shape = (repetitions, len(candidates))
    w = {name: np.full(shape, np.nan) for name in ESTIMATORS}
    stated = {name: np.full(shape, np.nan) for name in ESTIMATORS}
    counts = {
        parameters: {name: np.full((repetitions, len(KINDS), len(COUNTS)), np.nan) for name in ESTIMATORS}
        for parameters in queries
    }
    every = repeated(
        survey.design, survey.population, survey.respondents, repetitions, survey.rng(seed), cache
    )
    for row, data in enumerate(every):
        estimates = reconstructed(data.received, candidates)
        shares = truth.FileTruth(data.true.counter).shares(estimates.numbers)
        for name in ESTIMATORS:
            w[name][row] = np.abs(estimates.support[name] - shares)
            stated[name][row] = estimates.stated[name]
        for parameters in queries:
            for name, numbers in compared(data, parameters, estimates).items():
                counts[parameters][name][row] = numbers
    return RepetitionResults(w, stated, counts)


@dataclass(frozen=True)
class Reconstructed:
    """All itemsets, and by estimator their supports and expected W."""

    numbers: Numbers
    support: Mapping[str, Floats]
    stated: Mapping[str, Floats]


def reconstructed(received: CachedCounter, candidates: Sequence[tuple[Item, ...]]) -> Reconstructed:
    of_each = {name: estimated(received, candidates, name) for name in MINED}
    coherent = coherent_supports(received, candidates)
    if coherent is None:
        raise ValueError("more questions than coherent supports can be found of")
    support = {name: reconstruction.support for name, reconstruction in of_each.items()} | {
        COHERENT: coherent
    }
    stated = {name: reconstruction.expected_w for name, reconstruction in of_each.items()} | {
        COHERENT: np.full(len(coherent), np.nan)
    }
    return Reconstructed(of_each["pooled"].itemsets, support, stated)


def compared(data: Data, parameters: Parameters, estimates: Reconstructed) -> dict[str, Floats]:
    """By estimator KINDS by COUNTS."""
    true_shares = truth.FileTruth(data.true.counter)
    frequent = len(truth.frequent(true_shares, parameters))
    true_rules = bitmap.reported(data.true, parameters)
    table: dict[str, Floats] = {}
    for name in MINED:
        # Without the errors of supports and rules, which take most of the time.
        by = replace(parameters, estimator=name)
        supports = search(data.received, by).supports
        itemsets = _itemsets(supports.itemsets, supports.support, true_shares, parameters)
        rules = bitmap.sides_of(data.received, supports.itemsets, by)
        of_rules = [len(true_rules), len(rules), len(rules - true_rules), len(true_rules - rules)]
        table[name] = np.array([[frequent, *itemsets], of_rules], np.float64)
    coherent = estimates.support[COHERENT]
    reached = coherent >= parameters.min_support - ROUNDING
    of_coherent = _itemsets(estimates.numbers[reached], coherent[reached], true_shares, parameters)
    table[COHERENT] = np.array([[frequent, *of_coherent], [len(true_rules), *[np.nan] * 3]])
    return table


def _itemsets(
    numbers: Numbers, support: Floats, true_shares: truth.FileTruth, parameters: Parameters
) -> list[int]:
    comparison = truth.compared(numbers, support, true_shares, parameters)
    return [len(numbers), comparison.false_positives, comparison.false_negatives]
