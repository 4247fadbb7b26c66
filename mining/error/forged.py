"""How far forged records could move supports, in the worst case: each as harmful as a possible record can be.

A forged record that a device could have sent cannot be told from an honest one, and one that claims to be disguised
counts for more than one answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mining.counts import Counter, Item, Numbers
from mining.reconstruction.contingency import disguised_scores, keep_probabilities, noise_chances
from mining.reconstruction.counter_cache import CachedCounter, cached
from mining.reconstruction.itemset_groups import as_numbers, grouped
from mining.reconstruction.laws import Floats
from mining.reconstruction.supports import estimated

SHARE = 0.01


@dataclass(frozen=True)
class Forged:
    """The lowest and the highest support that forged records could give each itemset."""

    low: Floats
    high: Floats


def forged(
    counter: Counter | CachedCounter,
    itemsets: Sequence[tuple[Item, ...]] | Numbers,
    share: float = SHARE,
) -> Forged:
    """Bounds of the `stratified` supports with `share` forged records for each honest one, all of them asked all of S.

    Whichever estimator the run uses: only in the stratified one does a record move a support by its score alone.
    """
    cache = cached(counter)
    laws = cache.laws
    numbers = as_numbers(cache.numbering, itemsets)
    honest = estimated(cache, numbers, "stratified")
    least, most = np.empty(len(numbers)), np.empty(len(numbers))
    for group in grouped(cache, numbers):
        parts = group.shape.sections
        scores = disguised_scores(keep_probabilities(group, laws, parts), noise_chances(group, laws, parts))
        # A record without the plain items of S scores 0.
        least[group.rows] = np.minimum(scores.min(axis=0), 0.0)
        most[group.rows] = scores.max(axis=0)
    made_up = share * sum(cache.n)
    total = np.maximum(honest.base + made_up, 1)
    low, high = ((honest.base * honest.support + made_up * score) / total for score in (least, most))
    return Forged(low, high)
