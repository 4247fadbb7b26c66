"""Pruning: which itemsets survive, so that larger ones are made of them, and which are reported."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mining.counts import Item, Numbering, Numbers, Queries
from mining.disclosure.verdict import Verdict
from mining.itemsets.candidates import next_candidates
from mining.itemsets.routing import Routing
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter, Supports, least_count
from mining.rows import RowIndex

ROUNDING = 1e-9
"""A support that equals the threshold reaches it, however it was computed."""

STEPS = 10_000
"""Suggested thresholds are in ten-thousandths."""


class Pruning(Protocol):
    """Decides which itemsets survive at a threshold; at a higher one fewer of them do."""

    def possible(self, candidates: Numbers) -> Numbers:
        """The candidates that must be reconstructed."""

    def growing(self, supports: Supports, min_support: float) -> NDArray[np.bool_]:
        """Which itemsets survive, so that larger ones may be made of them."""


def reported(supports: Supports, min_support: float) -> NDArray[np.bool_]:
    return _is_estimable(supports) & (supports.support >= min_support - ROUNDING)


@dataclass(frozen=True)
class PruneByError:
    """An itemset survives if its support plus so many standard errors reaches the threshold."""

    errors: float

    def possible(self, candidates: Numbers) -> Numbers:
        return candidates

    def growing(self, supports: Supports, min_support: float) -> NDArray[np.bool_]:
        return _is_estimable(supports) & (
            supports.support + self.errors * supports.se >= min_support - ROUNDING
        )


@dataclass(frozen=True)
class PruneByProof:
    """An itemset survives if enough records contain it that it, or a larger one, could be frequent.

    Of items of scores nothing can be proved: itemsets with one survive by their error.
    """

    known: CachedCounter
    items: Sequence[Item]
    wanted: Parameters
    verdict: Verdict
    proved: dict[float, int] = field(default_factory=dict)

    def possible(self, candidates: Numbers) -> Numbers:
        nothing = np.empty((len(candidates), 0), np.int32)
        scored = self._scored(candidates)
        counted = candidates[~scored]
        (counts,) = self.known.count([Queries(counted, nothing[~scored], nothing[~scored])])
        possible = scored.copy()
        possible[~scored] = counts.sum(axis=1) >= self.least(self.wanted.min_support)
        rows: Numbers = candidates[possible]
        return rows

    def growing(self, supports: Supports, min_support: float) -> NDArray[np.bool_]:
        by_error = PruneByError(self.wanted.errors).growing(supports, min_support)
        by_proof = _is_estimable(supports) & (record_counts(supports) >= self.least(min_support))
        return np.where(self._scored(supports.itemsets), by_error, by_proof)

    def _scored(self, itemsets: Numbers) -> NDArray[np.bool_]:
        return np.asarray(self.known.numbering.is_scored(itemsets).any(axis=1))

    def least(self, min_support: float) -> int:
        if min_support not in self.proved:
            wanted = self.wanted
            self.proved[min_support] = least_count(
                self.known,
                self.items,
                wanted.max_size,
                wanted.estimator,
                min_support - ROUNDING,
                self.verdict,
            )
        return self.proved[min_support]


def pruning_of(counter: CachedCounter, singles: Numbers, parameters: Parameters, verdict: Verdict) -> Pruning:
    if not parameters.exact:
        return PruneByError(parameters.errors)
    counted = singles[~counter.numbering.is_scored(singles)[:, 0], 0].tolist()
    return PruneByProof(counter, list(map(counter.numbering.item, counted)), parameters, verdict)


def least_fitting_threshold(
    levels: Sequence[Supports], pruning: Pruning, parameters: Parameters, routing: Routing, verdict: Verdict
) -> float | None:
    """The least threshold at which the next level has at most `most` candidates; None where none helps."""
    too_low, fits = int(parameters.min_support * STEPS), STEPS + 1
    while fits - too_low > 1:
        middle = (too_low + fits) // 2
        survivors = _survivors_at(levels, pruning, middle / STEPS, routing.numbering)
        if next_candidates(survivors, routing.numbering, parameters.most, routing, verdict) is None:
            too_low = middle
        else:
            fits = middle
    return fits / STEPS if fits <= STEPS else None


def _survivors_at(
    levels: Sequence[Supports], pruning: Pruning, min_support: float, numbering: Numbering
) -> Numbers:
    """The survivors of the last level at this higher threshold, without counting again."""
    single, *larger = levels
    before: Numbers = single.itemsets[pruning.growing(single, min_support)]
    for supports in larger:
        itemsets = supports.itemsets[pruning.growing(supports, min_support)]
        before = RowIndex(before, len(numbering)).has_subsets(itemsets, range(itemsets.shape[1]))
    return before


def record_counts(supports: Supports) -> NDArray[np.int64]:
    """How many records contain each itemset."""
    return np.rint(supports.observed * supports.base).astype(np.int64)


def _is_estimable(supports: Supports) -> NDArray[np.bool_]:
    # Neither engine reports an itemset that no record contains, whatever its estimate.
    return supports.enough & (supports.observed > 0)
