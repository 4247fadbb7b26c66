"""The least number of records that must contain an itemset if its estimated support reaches a threshold.

Given how many records were asked all of S and how many contain S, the support is largest if all other records contain
the parts of S with the best score. Scores are affine in each part's c, so among the itemsets of the same questions
those with the least and the most noise decide.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, product
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.verdict import Verdict
from mining.queries_and_counters import Counter, Item, Numbers, pad_rows
from mining.reconstruction.cached_counter import CachedCounter, Counts, as_cached
from mining.reconstruction.disguise_probabilities import DisguiseProbabilities, Floats
from mining.reconstruction.itemsets_grouped_by_shape import (
    ItemsetGroup,
    counts_for_estimate,
    disguised_scores,
    group_by_shape,
    keep_probabilities,
    probabilities_by_noise_alone,
)
from mining.reconstruction.pooled_estimator import pooled_scores_by_cell
from mining.reconstruction.score_moments_by_group import LEAST_BASE
from mining.reconstruction.supports import Estimator

MOST_SETS = 200_000
"""Largest number of question sets for which the bound is computed."""


def least_count(
    counter: Counter | CachedCounter,
    items: Sequence[Item],
    max_size: int,
    estimator: Estimator,
    min_support: float,
    verdict: Verdict | None = None,
) -> int:
    """Returns the least number of records that must contain an itemset of `items` so that its estimated support can
    reach `min_support`.

    1 if noise alone can reach the threshold, or there are too many itemsets to compute it. Itemsets have up to
    `max_size` items; those that the `verdict` keeps from publication do not count.
    """
    cache = as_cached(counter)
    low, high = _items_of_extreme_noise(cache, items, max_size, verdict or Verdict(cache.design))
    if not len(low):
        return 1
    groups = list(group_by_shape(cache, low))
    queries = [(group.queries((), applies=()), group.queries(())) for group in groups]
    counts = iter(cache.count([*chain.from_iterable(queries)]))
    least = np.inf
    for group in groups:
        base, applying = (counts_for_estimate(group.shape, next(counts).T) for _ in range(2))
        needed = _least_counts_of_group(
            group, cache.laws, high[group.rows], base, applying, estimator, min_support
        )
        least = min(least, needed[base.sum(axis=0) >= LEAST_BASE].min(initial=np.inf))
    return sum(map(int, cache.n)) + 1 if least == np.inf else max(1, ceil(least - 1e-6))


def _items_of_extreme_noise(
    counter: CachedCounter, items: Sequence[Item], max_size: int, verdict: Verdict
) -> tuple[Numbers, Numbers]:
    """Returns two tables with a row for every set of questions: for each question its item with the least noise, and
    its item with the most noise. Empty if there are too many sets.

    Questions of one section that all devices draw, with the same extremes of noise, are interchangeable: the first ones
    represent all. Questions whose number of people varies represent themselves alone.
    """
    laws = counter.laws
    numbers: dict[int, list[int]] = {}
    for item in sorted(items):
        numbers.setdefault(item[0], []).append(counter.numbering.number(item))
    least = {question: min(choices, key=lambda at: laws.noise[at]) for question, choices in numbers.items()}
    most = {question: max(choices, key=lambda at: laws.noise[at]) for question, choices in numbers.items()}
    varies = counter.may_be_unasked | counter.may_be_hidden
    interchangeable: dict[tuple[float, ...], list[int]] = {}
    for question in numbers:
        own = question if varies[question] else -1
        section = int(laws.section[question]) if laws.sensitive[question] else -1
        extremes = float(laws.noise[least[question]]), float(laws.noise[most[question]])
        interchangeable.setdefault((own, section, *extremes), []).append(question)
    kinds = list(interchangeable.values())
    sizes = range(1, min(max_size, len(numbers)) + 1)
    if sum(_count_representative_question_sets(kinds, max_size)[1:]) > MOST_SETS:
        sizes = range(0)
    sets = [
        sorted(questions)
        for size in sizes
        for questions in _representative_question_sets(kinds, size)
        if verdict.may_tell(question for question in questions if varies[question])
    ]
    low, high = ([[choice[question] for question in row] for row in sets] for choice in (least, most))
    return pad_rows(low), pad_rows(high)


def _representative_question_sets(kinds: Sequence[list[int]], size: int) -> Iterator[list[int]]:
    """Yields sets of `size` questions that represent all others: from each kind of interchangeable questions only the
    first ones are taken."""
    if not size:
        yield []
    for index, kind in enumerate(kinds):
        for taken in range(1, min(len(kind), size) + 1):
            for rest in _representative_question_sets(kinds[index + 1 :], size - taken):
                yield kind[:taken] + rest


def _count_representative_question_sets(kinds: Sequence[list[int]], max_size: int) -> list[int]:
    """Returns the number of sets that `_representative_question_sets` yields, by size."""
    ways = [1] + [0] * max_size
    for kind in kinds:
        ways = [sum(ways[max(0, size - len(kind)) : size + 1]) for size in range(max_size + 1)]
    return ways


def _least_counts_of_group(
    group: ItemsetGroup,
    laws: DisguiseProbabilities,
    high: Numbers,
    base: Counts,
    applying: Counts,
    estimator: Estimator,
    min_support: float,
) -> Floats:
    parts = group.shape.sections
    keep = keep_probabilities(group, laws, parts)
    most = ItemsetGroup(group.shape, group.rows, high[:, : group.shape.size], group.questions)
    bounds = (
        probabilities_by_noise_alone(group, laws, parts),
        probabilities_by_noise_alone(most, laws, parts),
    )
    needed = np.full(len(group.rows), np.inf)
    for choice in product((0, 1), repeat=len(parts)):
        chance = keep.copy()
        for index, extreme in enumerate(choice):
            chance[index] = bounds[extreme][index]
        if estimator == "pooled":
            scores = pooled_scores_by_cell(applying, keep, chance)
            whole = np.stack([applying.sum(axis=0), np.zeros(len(group.rows))])
            here = _least_records_with_itemset(
                min_support * base.sum(axis=0), scores, whole, bool(group.shape.plain)
            )
        else:
            scores = disguised_scores(keep, chance)
            here = _least_counts_from_scores(
                estimator, min_support * base, scores, applying, bool(group.shape.plain)
            )
        needed = np.minimum(needed, here)
    return needed


def _least_counts_from_scores(
    estimator: Estimator, wanted: Floats, scores: Floats, applying: Counts, has_plain: bool
) -> Floats:
    nobody = np.zeros(applying.shape[1])
    if estimator == "stratified":
        return _least_records_with_itemset(wanted.sum(axis=0), scores, applying[::-1], has_plain)
    # If the weighted mean reaches the threshold, the mean of one of the groups does, whatever the weights.
    by_open = _least_records_with_itemset(wanted[0], scores, np.stack([nobody, applying[0]]), has_plain)
    by_disguised = _least_records_with_itemset(wanted[1], scores, np.stack([applying[1], nobody]), has_plain)
    by_open, by_disguised = (
        np.where(records > 0, needed, np.inf)
        for records, needed in zip(applying, (by_open, by_disguised), strict=True)
    )
    return np.minimum(by_open, by_disguised)


def _least_records_with_itemset(
    wanted: Floats, scores: Floats, records: NDArray[Any], has_plain: bool
) -> Floats:
    """Returns the least number of records with itemset S for which the scores of all records can sum to `wanted`;
    infinite if all `records` are too few.

    `records`: the number of records with the `scores` of a disguised record, and the number with a score of
    1.
    """
    full = scores[-1]
    other = scores[:-1].max(axis=0, initial=-np.inf)
    if has_plain or len(scores) == 1:
        other = np.maximum(other, 0.0)
    missing = np.maximum(wanted - records[0] * other, 0.0)
    gain = np.maximum(full - other, 0.0)
    first = np.maximum(gain, 1.0)
    better = gain >= 1.0
    most_first = np.where(better, records[0], records[1])
    most_second = np.where(better, records[1], records[0])
    second = np.where(better, 1.0, gain)
    used = np.minimum(missing / first, most_first)
    left = np.maximum(missing - used * first, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        more = np.where(left > 1e-9 * np.maximum(missing, 1e-300), left / second, 0.0)
    return np.asarray(np.where(more <= most_second * (1 + 1e-9), used + more, np.inf))
