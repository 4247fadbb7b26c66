"""Tests whether open and disguised respondents answer alike, as the estimators `pooled` and `combined` assume."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mining.inference.selection_correction import LEVEL, holm
from mining.inference.share_differences import compare_side_shares, detectable_differences
from mining.inference.share_sum_score_test import ReceivedSide
from mining.queries_and_counters import Counter, Item
from mining.reconstruction.cached_counter import CachedCounter, as_cached
from mining.reconstruction.disguise_probabilities import Floats
from mining.reconstruction.itemsets_grouped_by_shape import as_item_numbers, group_by_shape
from mining.reconstruction.score_moments_by_group import (
    LEAST_GROUP,
    SupportCounts,
    count_for_supports,
    restrict_to_shown,
)


@dataclass(frozen=True)
class GroupTestResult:
    """Result of the group test (open against disguised people), by item, for items that enough people of both groups
    were shown.

    `open` and `disguised` are the groups' estimated shares. `p` is corrected by Holm over all items, `raw` is not.
    `more` and `fewer` are the smallest differences from the open group that a test of this item alone would find with
    80 % power; NaN where it would find none.
    """

    items: tuple[Item, ...]
    open: Floats
    disguised: Floats
    p: Floats
    more: Floats
    fewer: Floats
    raw: Floats | None = None

    @property
    def differs(self) -> NDArray[np.bool_]:
        return self.p < LEVEL

    @property
    def any_differs(self) -> bool:
        return bool(self.differs.any())


def run_group_test(counter: Counter | CachedCounter) -> GroupTestResult:
    """Returns the group test: for each item, the score test whether open and disguised people have it equally often."""
    cache = as_cached(counter)
    items = _items_to_compare(cache)
    columns = np.full((5, len(items)), np.nan)
    groups = list(group_by_shape(cache, as_item_numbers(cache.numbering, [(item,) for item in items])))
    for group, tally in zip(groups, count_for_supports(cache, groups), strict=True):
        columns[:, group.rows] = _shares_p_and_detectable_differences(restrict_to_shown(tally))
    compared = np.isfinite(columns[2])
    open_, disguised, p, more, fewer = columns[:, compared]
    compared_items = tuple(item for item, is_compared in zip(items, compared, strict=True) if is_compared)
    return GroupTestResult(compared_items, open_, disguised, holm(p), more, fewer, raw=p)


def _items_to_compare(counter: CachedCounter) -> list[Item]:
    """Returns the items to test: every choice that is no item of scores.

    Of a question with two choices only the second is tested, since the first is its complement.
    """
    questions = counter.design.questions
    return [
        (index, code)
        for index, question in enumerate(questions)
        if not question.scored
        for code in range(question.codes == 2, question.codes)
    ]


def _shares_p_and_detectable_differences(tally: SupportCounts) -> NDArray[np.float64]:
    """Returns, by item, five rows: both groups' shares, p of no difference, and the smallest differences, upwards and
    downwards, that would be found."""
    keep, chance = tally.keep.prod(axis=0), tally.chance.sum(axis=0)
    having = tally.supersets[-1]
    opened, disguised = (
        ReceivedSide(tally.base[group : group + 1], having[group : group + 1], *law)
        for group, law in enumerate(
            [(np.ones((1, len(tally))), np.zeros((1, len(tally)))), (keep[None], chance[None])]
        )
    )
    differences = compare_side_shares(
        opened, disguised, tally.has_enough_records & (tally.base >= LEAST_GROUP).all(axis=0)
    )
    return np.stack(
        [
            differences.first,
            differences.second,
            differences.p,
            *detectable_differences(opened, disguised, differences.first),
        ]
    )
