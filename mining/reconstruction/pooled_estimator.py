"""The pooled estimator: the paper's inversion, which assumes that both groups answer alike.

With k the share of open records, f_T = prod_{b in T} p_b prod_{b not in T} c_b over the parts b of S,

    P(S) = ( P*(S) - (1-k) SUM_T f_T P(S_T) ) / ( k + (1-k) prod_b p_b )        T over the proper subsets

and psi is the influence of one record on it, its influence on k included.
See docs/mathematics.md, Inversion.
"""

from collections.abc import Iterator

import numpy as np

from mining.reconstruction.cached_counter import Counts
from mining.reconstruction.disguise_probabilities import Floats
from mining.reconstruction.itemsets_grouped_by_shape import divide_or_zero, sum_of_groups


def pooled_supports_of_subsets(supersets: Counts, applying: Counts, keep: Floats, chance: Floats) -> Floats:
    """Returns the support P(S_T) of every set T of the itemset's parts, among the records to which the itemset S
    applies; the last is P(S)."""
    k = _share_of_open_records(applying)
    supports = divide_or_zero(supersets.sum(axis=1), sum_of_groups(applying))
    for whole in range(1, len(supports)):
        for part, factor in _subset_factors(whole, keep, chance):
            supports[whole] -= (1 - k) * factor * supports[part]
        supports[whole] /= k + (1 - k) * _part_product(whole, keep)
    return supports


def pooled_scores_by_cell(applying: Counts, keep: Floats, chance: Floats) -> Floats:
    """Returns, for each cell, how much a record in it, open or disguised, adds to n P(S), with the share k of open
    records held fixed."""
    k = _share_of_open_records(applying)
    cells = 1 << len(keep)
    scores: list[Floats] = []
    for whole in range(cells):
        score = np.repeat(_contains_parts(whole, cells)[:, None], len(k), axis=1)
        for part, factor in _subset_factors(whole, keep, chance):
            score = score - (1 - k) * factor * scores[part]
        scores.append(score / (k + (1 - k) * _part_product(whole, keep)))
    return scores[-1]


def pooled_influences_by_cell(supports: Floats, applying: Counts, keep: Floats, chance: Floats) -> Floats:
    """Returns psi(S), the influence of one record on the support P(S) of an itemset: cells by group by itemset.

    The last row is for records without the plain items of S.
    """
    k = _share_of_open_records(applying)
    cells = len(supports)
    values: list[Floats] = []
    for whole in range(cells):
        contains = np.append(_contains_parts(whole, cells), 0.0)
        all_true = _part_product(whole, keep)
        psi = np.repeat(contains[:, None], 2, axis=1)[:, :, None] - np.stack([supports[whole]] * 2)
        psi[:, 1] += (1 - all_true) * supports[whole]
        for part, factor in _subset_factors(whole, keep, chance):
            psi[:, 1] -= factor * supports[part]
            psi -= (1 - k) * factor * values[part]
        values.append(psi / (k + (1 - k) * all_true))
    return values[-1]


def _share_of_open_records(applying: Counts) -> Floats:
    """Returns, for each itemset, the share of open records among those to which it applies; 0 without records."""
    return divide_or_zero(applying[0], sum_of_groups(applying))


def _subset_factors(whole: int, keep: Floats, chance: Floats) -> Iterator[tuple[int, Floats]]:
    """Yields every proper subset T of the parts in the mask `whole`, with its factor f_T: the probability that exactly
    T is true and the rest noise."""
    for part in range(whole):
        if part & whole == part:
            yield part, _part_product(part, keep) * _part_product(whole & ~part, chance)


def _part_product(bits: int, values: Floats) -> Floats:
    product = np.ones(1)
    for index, value in enumerate(values):
        if bits >> index & 1:
            product = product * value
    return product


def _contains_parts(whole: int, cells: int) -> Floats:
    return np.array([float(cell & whole == whole) for cell in range(cells)])
