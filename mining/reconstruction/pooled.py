"""The paper's inversion: as if those who answer openly were like those who do not.

With k the share of open records, f_T = prod_{b in T} p_b prod_{b not in T} c_b over the parts b of S,

    P(S) = ( P*(S) - (1-k) SUM_T f_T P(S_T) ) / ( k + (1-k) prod_b p_b )        T over the proper subsets

and psi is the influence of one record on it, that of its group on k included.
"""

import numpy as np

from mining.reconstruction.cells import quotient
from mining.reconstruction.counted import Counts
from mining.reconstruction.shapes import Floats


def pooled(supersets: Counts, applying: Counts, keep: Floats, chance: Floats) -> Floats:
    """P(S_T) for every choice T of parts, among the records to which S applies; the last is P(S)."""
    k = _open_share(applying)
    observed = quotient(supersets.sum(axis=2), applying.sum(axis=1)[:, None])
    supports = np.zeros(observed.shape)
    for whole in range(observed.shape[1]):
        known = sum(
            (factor * supports[:, part] for part, factor in _factors(whole, keep, chance)),
            start=np.zeros(len(k)),
        )
        supports[:, whole] = (observed[:, whole] - (1 - k) * known) / _kept(whole, k, keep)
    return supports


def record_scores(applying: Counts, keep: Floats, chance: Floats) -> Floats:
    """What a record of each cell, open or disguised, adds to n P(S) while k stands still."""
    k = _open_share(applying)
    cells = 1 << keep.shape[1]
    scores: list[Floats] = []
    for whole in range(cells):
        score = np.broadcast_to(_contains(whole, cells), (len(k), cells)).astype(np.float64)
        for part, factor in _factors(whole, keep, chance):
            score -= ((1 - k) * factor)[:, None] * scores[part]
        scores.append(score / _kept(whole, k, keep)[:, None])
    return scores[-1]


def influences(supports: Floats, applying: Counts, keep: Floats, chance: Floats) -> Floats:
    """psi(S): itemsets by cells by group; behind the cells, the records without S's plain items."""
    k = _open_share(applying)
    cells = supports.shape[1]
    group_open, group_disguised = np.array([1.0, 0.0]), np.array([0.0, 1.0])
    found: list[Floats] = []
    for whole in range(cells):
        contains = np.append(_contains(whole, cells), 0.0)
        psi = np.broadcast_to(contains[:, None], (len(k), cells + 1, 2)).copy()
        kept = np.ones(len(k))
        for bit in _bits(whole):
            kept = kept * keep[:, bit]
        psi -= (supports[:, whole, None] * (group_open + np.outer(kept, group_disguised)))[:, None]
        for part, factor in _factors(whole, keep, chance):
            psi -= np.outer(factor * supports[:, part], group_disguised)[:, None]
            psi -= ((1 - k) * factor)[:, None, None] * found[part]
        found.append(psi / _kept(whole, k, keep)[:, None, None])
    return found[-1]


def _open_share(applying: Counts) -> Floats:
    return quotient(applying[:, 0].astype(np.float64), applying.sum(axis=1))


def _kept(whole: int, k: Floats, keep: Floats) -> Floats:
    product = np.ones(len(k))
    for bit in _bits(whole):
        product = product * keep[:, bit]
    return np.asarray(k + (1 - k) * product)


def _factors(whole: int, keep: Floats, chance: Floats) -> list[tuple[int, Floats]]:
    """Every proper subset T of these parts with its f_T."""
    factors = []
    for part in range(whole):
        if part & whole == part:
            factor = np.ones(len(keep))
            for bit in _bits(whole):
                factor = factor * (keep[:, bit] if part >> bit & 1 else chance[:, bit])
            factors.append((part, factor))
    return factors


def _contains(whole: int, cells: int) -> Floats:
    return np.array([float(cell & whole == whole) for cell in range(cells)])


def _bits(whole: int) -> list[int]:
    return [bit for bit in range(whole.bit_length()) if whole >> bit & 1]
