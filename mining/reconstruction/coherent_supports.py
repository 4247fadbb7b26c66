"""Computes coherent supports: the supports of the one distribution that is nearest to all raw (estimated) supports;
reports show both.

Raw supports need not fit together: a part may have a smaller estimate than the whole, or a negative one. Coherent
supports fit, but have no stated error.

The distribution is of everybody. If a rule may hide a number or place of an itemset, the raw support is among people to
whom it applies: it is multiplied by their share for the fit, and the coherent support divided by it again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.verdict import Verdict
from mining.queries_and_counters import NONE, Counter, Item, Numbers, Query
from mining.reconstruction.cached_counter import CachedCounter, as_cached
from mining.reconstruction.disguise_probabilities import Floats
from mining.reconstruction.itemsets_grouped_by_shape import as_item_numbers
from mining.reconstruction.supports import Estimator, estimate_supports_without_intervals
from privacy.designs import Design

MOST_ITEMS = 12
LARGEST = 3
SMALLEST_SHARE = 1e-12
"""Smallest divisor: a share by which others are divided counts as at least this."""


@dataclass(frozen=True)
class CoherentShares:
    """The estimated share of each combination (pattern) of the items; `patterns[i, j]`: combination i has item j."""

    items: tuple[Item, ...]
    patterns: NDArray[np.bool_]
    shares: Floats

    def support(self, itemset: Sequence[Item]) -> float:
        places = [self.items.index(item) for item in itemset]
        return float(self.shares[self.patterns[:, places].all(axis=1)].sum())


@dataclass(frozen=True)
class CoherentFit:
    """The input of a fit of coherent shares of the `items`; `solve` takes up to half a second for 12 items.

    `itemsets`: tuples of indexes into `items`, with their raw `supports` among everybody and `weights`, 1 /
    standard error.
    """

    items: tuple[Item, ...]
    itemsets: tuple[tuple[int, ...], ...]
    supports: tuple[float, ...]
    weights: tuple[float, ...]

    def solve(self, design: Design) -> CoherentShares:
        """Returns the shares of all combinations of items, fitted by weighted least squares; `design`: the mined
        one."""
        patterns = _possible_patterns(design, self.items)
        contained = np.array(
            [patterns[:, list(itemset)].all(axis=1) for itemset in self.itemsets], np.bool_
        ).reshape(-1, len(patterns))
        shares = nearest_distribution(contained, np.array(self.supports), np.array(self.weights))
        return CoherentShares(self.items, patterns, shares)


def prepare_coherent_fit(
    counter: Counter | CachedCounter,
    items: Sequence[Item],
    estimator: Estimator = "stratified",
    verdict: Verdict | None = None,
) -> CoherentFit:
    """Returns the input of a fit: the estimated supports of all itemsets of up to 3 of the items (at most 12 items).

    Only itemsets that the `verdict` lets be published are used.
    """
    cache = as_cached(counter)
    chosen = tuple(sorted(items))
    if len(chosen) > MOST_ITEMS:
        raise ValueError(f"{len(chosen)} items, more than {MOST_ITEMS}")
    itemsets = [one for one in itemsets_up_to_three(chosen) if verdict is None or verdict.allows(one)]
    raw = estimate_supports_without_intervals(cache, itemsets, estimator)
    shown = share_shown_numbers_and_places(cache, raw.itemsets)
    usable = np.flatnonzero(raw.enough)
    # An error of 0 would give the others no weight; half a record is the smallest error here.
    weights = 1 / np.maximum(raw.se[usable], 0.5 / np.maximum(raw.base[usable], 1))
    return CoherentFit(
        chosen,
        tuple(tuple(map(chosen.index, itemsets[row])) for row in usable.tolist()),
        tuple((raw.support * shown)[usable].tolist()),
        tuple((weights / np.maximum(shown[usable], SMALLEST_SHARE)).tolist()),
    )


def fit_coherent_shares(
    counter: Counter | CachedCounter,
    items: Sequence[Item],
    estimator: Estimator = "stratified",
    verdict: Verdict | None = None,
) -> CoherentShares:
    """Returns the fitted shares of all combinations of at most 12 items, from the supports of small itemsets that the
    `verdict` lets be published."""
    cache = as_cached(counter)
    return prepare_coherent_fit(cache, items, estimator, verdict).solve(cache.design)


def itemsets_up_to_three(items: Sequence[Item]) -> list[tuple[Item, ...]]:
    """Returns the itemsets of up to 3 of these items, no two of one question."""
    return [
        itemset
        for size in range(1, LARGEST + 1)
        for itemset in combinations(sorted(items), size)
        if len({question for question, _ in itemset}) == size
    ]


def coherent_supports(
    known: Counter | CachedCounter,
    itemsets: Sequence[tuple[Item, ...]] | Numbers,
    estimator: Estimator = "stratified",
    verdict: Verdict | None = None,
) -> Floats | None:
    """Returns the coherent support of each itemset, in order: at least 0, and at most that of each subset of the
    itemset.

    None: the itemsets have more than 12 different items. NaN: too few people were asked. Coherent supports have no
    standard error. Itemsets with items of scores keep their raw support.
    """
    known = as_cached(known)
    numbers = as_item_numbers(known.numbering, itemsets)
    is_scored = np.asarray(known.numbering.scored_mask(numbers).any(axis=1))
    followed = numbers[(numbers != NONE) & ~is_scored[:, None]]
    items = [known.numbering.item(number) for number in np.unique(followed).tolist()]
    if len(items) > MOST_ITEMS:
        return None
    raw = estimate_supports_without_intervals(known, numbers, estimator)
    distribution = fit_coherent_shares(known, items, estimator, verdict)
    rows = [[known.numbering.item(number) for number in row if number != NONE] for row in numbers.tolist()]
    shown = np.maximum(share_shown_numbers_and_places(known, numbers), SMALLEST_SHARE)
    supports = [
        support if left_out else distribution.support(row)
        for row, left_out, support in zip(
            rows, is_scored.tolist(), (raw.support * shown).tolist(), strict=True
        )
    ]
    return np.where(raw.enough, np.array(supports) / shown, np.nan)


def share_shown_numbers_and_places(counter: CachedCounter, itemsets: Numbers) -> Floats:
    """Returns, for each itemset, the share of all records to which its number and place questions apply."""
    numbering = counter.numbering
    questions = numbering.question_indexes(itemsets)
    shown_if_asked = np.array([question.asked_if_shown for question in counter.design.questions], np.bool_)
    hideable = counter.may_be_hidden & shown_if_asked
    numbers = [tuple(np.unique(row[hideable[row] & (row != NONE)]).tolist()) for row in questions]
    distinct = sorted(set(numbers))
    counts = counter.counter.count([Query(asked=asked) for asked in distinct]).sum(axis=1)
    share = dict(zip(distinct, counts / max(sum(counter.n), 1), strict=True))
    return np.array([share[asked] for asked in numbers])


def nearest_distribution(contained: NDArray[np.bool_], supports: Floats, weight: Floats) -> Floats:
    """Returns the distribution x (x >= 0, sum 1) that minimises the sum of squares of weight (contained x -
    supports). With sum 1 that is |M x|^2 for M = weight (contained - supports); the x that minimises |M x|^2
    + (sum x - 1)^2 has the same direction."""
    from scipy.optimize import nnls  # type: ignore[attr-defined]  # late for cost

    rows = weight[:, None] * (contained - supports[:, None])
    scale = max(float(np.abs(rows).max(initial=0.0)), 1e-300)
    matrix = np.vstack([rows / scale, np.ones(contained.shape[1])])
    target = np.zeros(len(matrix))
    target[-1] = 1.0
    distribution, _residual = nnls(matrix, target)
    return np.asarray(distribution / distribution.sum())


def _possible_patterns(design: Design, items: Sequence[Item]) -> NDArray[np.bool_]:
    """Returns a mask of combination by item: every combination of the items that a person can have.

    A combination has one item of each question, or none if the question has other choices.
    """
    by_question: dict[int, list[int]] = {}
    for index, (question, _code) in enumerate(items):
        by_question.setdefault(question, []).append(index)
    options: list[list[int | None]] = []
    for question, places in by_question.items():
        asked = design.questions[question]
        others = len(places) < asked.codes or bool(asked.show_if)
        options.append([*([None] if others else []), *places])
    rows = list(product(*options))
    patterns = np.zeros((len(rows), len(items)), np.bool_)
    for at, row in enumerate(rows):
        patterns[at, [item for item in row if item is not None]] = True
    return patterns
