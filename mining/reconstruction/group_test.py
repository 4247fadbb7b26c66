"""The group test: do open and disguised respondents answer alike? `pooled` and `combined` assume that they do."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.counts import Counter, Item
from mining.inference.intervals import two_sided
from mining.reconstruction.combined import common_error
from mining.reconstruction.counter_cache import CachedCounter, cached
from mining.reconstruction.itemset_groups import as_numbers, grouped
from mining.reconstruction.laws import Floats
from mining.reconstruction.moments import LEAST_GROUP, Tally, moments, tallies
from privacy.guarantee.arm_planner import POWER_80

LEVEL = 0.05


@dataclass(frozen=True)
class Alike:
    """One row per single item of which enough of both groups were asked.

    `open` and `disguised` are the groups' estimates, `p` is Holm's over all items, `smallest` the smallest
    difference that would have been found with 80 % power, were the item tested alone; among others it takes more.
    """

    items: tuple[Item, ...]
    open: Floats
    disguised: Floats
    p: Floats
    smallest: Floats

    @property
    def differs(self) -> NDArray[np.bool_]:
        return self.p < LEVEL

    @property
    def differ(self) -> bool:
        return bool(self.differs.any())


def alike(counter: Counter | CachedCounter) -> Alike:
    """Test each item: the difference of the groups' means over its standard error if they are alike."""
    known = cached(counter)
    items = _items(known)
    found = np.full((4, len(items)), np.nan)
    groups = list(grouped(known, as_numbers(known.numbering, [(item,) for item in items])))
    for group, tally in zip(groups, tallies(known, groups), strict=True):
        found[:, group.rows] = _compare(tally)
    compared = np.isfinite(found[2])
    open_, disguised, p, smallest = found[:, compared]
    of = tuple(item for item, is_compared in zip(items, compared, strict=True) if is_compared)
    return Alike(of, open_, disguised, holm(p), smallest)


def _items(known: CachedCounter) -> list[Item]:
    """Every choice; of two choices the second alone, since the first is its complement."""
    questions = known.design.questions
    return [
        (place, code)
        for place, question in enumerate(questions)
        for code in range(question.codes == 2, question.codes)
    ]


def _compare(tally: Tally) -> NDArray[Any]:
    of = moments(tally)
    spread = common_error(of)
    enough = tally.enough & (tally.base >= LEAST_GROUP).all(axis=0)
    p = two_sided((of.mean[0] - of.mean[1]) / spread)
    return np.where(enough, np.stack([of.mean[0], of.mean[1], p, POWER_80 * spread]), np.nan)


def holm(p: Floats) -> Floats:
    """Holm's adjusted p."""
    order = np.argsort(p)
    adjusted = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    result = np.empty(len(p))
    result[order] = np.minimum(adjusted, 1.0)
    return result
