"""Bounds how far forged records could move supports in the worst case.

A forged record that a device could have sent cannot be told from an honest one, and one that claims to be
disguised counts for more than one answer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mining.queries_and_counters import Counter, Item, Numbers
from mining.reconstruction.cached_counter import CachedCounter, as_cached
from mining.reconstruction.disguise_probabilities import Floats
from mining.reconstruction.itemsets_grouped_by_shape import (
    ItemsetGroup,
    as_item_numbers,
    group_by_shape,
    keep_probabilities,
    probabilities_by_noise_alone,
)
from mining.reconstruction.supports import estimate_supports_without_intervals
from privacy.kinds.score_table_by_law import find_score_table

SHARE = 0.01


@dataclass(frozen=True)
class ForgedBounds:
    """Lowest and highest support of each itemset that forged records could cause."""

    low: Floats
    high: Floats


def bound_forged_supports(
    counter: Counter | CachedCounter,
    itemsets: Sequence[tuple[Item, ...]] | Numbers,
    share: float = SHARE,
) -> ForgedBounds:
    """Returns the bounds of the `stratified` supports if there were `share` forged records for each honest one, all
    with all questions of the itemset.

    The stratified estimator is used whatever the run's: only there does a record move a support by its score alone.
    """
    cache = as_cached(counter)
    numbers = as_item_numbers(cache.numbering, itemsets)
    honest = estimate_supports_without_intervals(cache, numbers, "stratified")
    least, most = np.empty(len(numbers)), np.empty(len(numbers))
    for group in group_by_shape(cache, numbers):
        scores = np.ones((1, len(group.rows)))
        for low, high in _part_score_ends(cache, group):
            scores = np.concatenate([scores * low, scores * high])
        # A record without the plain items of S scores 0.
        least[group.rows] = np.minimum(scores.min(axis=0), 0.0)
        most[group.rows] = scores.max(axis=0)
    made_up = share * sum(cache.n)
    total = np.maximum(honest.base + made_up, 1)
    low, high = ((honest.base * honest.support + made_up * score) / total for score in (least, most))
    return ForgedBounds(low, high)


def _part_score_ends(cache: CachedCounter, group: ItemsetGroup) -> Iterator[tuple[Floats, Floats]]:
    """Yields, for each part of an itemset, the smallest and the largest score of a disguised record.

    They are the scores without and with the part; for an item with scores, its smallest and largest score. The scores
    of parts are multiplied.
    """
    laws, parts = cache.laws, group.shape.sections
    keep, chance = keep_probabilities(group, laws, parts), probabilities_by_noise_alone(group, laws, parts)
    for number, places in enumerate(parts):
        if number in group.shape.scored_sections:
            yield _item_score_ends(cache, group.items[:, places[0]])
        else:
            yield -chance[number] / keep[number], (1 - chance[number]) / keep[number]


def _item_score_ends(cache: CachedCounter, items: Numbers) -> tuple[Floats, Floats]:
    numbering, ends = cache.numbering, np.empty((2, len(items)))
    questions = numbering.question_indexes(items)
    for question in np.unique(questions).tolist():
        rows = questions == question
        ends[:, rows] = find_score_table(cache.design.questions[question]).least_and_greatest_scores[
            :, numbering.code[items[rows]]
        ]
    return ends[0], ends[1]
