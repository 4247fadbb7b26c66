"""Searches frequent itemsets level by level, by their reconstructed supports."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.verdict import Verdict
from mining.distinct_rows import RowIndex
from mining.itemsets.candidates import ShowIfRouting, next_candidates, single_items
from mining.itemsets.itemset_intervals import add_intervals
from mining.parameters import Parameters
from mining.queries_and_counters import Counter, Item, Numbering, Numbers, Queries, stack_tables
from mining.reconstruction import CachedCounter, Supports, estimate_supports_without_intervals, least_count

# --- pruning
# Pruning: which itemsets survive, so that larger ones are made of them, and which are reported.

ROUNDING = 1e-9
"""Tolerance of thresholds: a support that equals the threshold reaches it, however it was computed."""

STEPS = 10_000
"""Steps of suggested thresholds: they are multiples of 1/STEPS."""


class Pruning(Protocol):
    """Interface: decides which itemsets survive at a support threshold; a higher threshold leaves fewer."""

    def candidates_to_estimate(self, candidates: Numbers) -> Numbers:
        """Returns the candidates whose support must be estimated; the others occur in too few records to be
        frequent."""

    def survivor_mask(self, supports: Supports, min_support: float) -> NDArray[np.bool_]:
        """Returns True for each itemset that survives the pruning, so that larger candidates may be made of it."""


def reaches_support(supports: Supports, min_support: float) -> NDArray[np.bool_]:
    return _is_estimable(supports) & (supports.support >= min_support - ROUNDING)


@dataclass(frozen=True)
class PruneByError:
    """Pruning rule: an itemset survives if its support plus some standard errors reaches the threshold."""

    errors: float

    def candidates_to_estimate(self, candidates: Numbers) -> Numbers:
        return candidates

    def survivor_mask(self, supports: Supports, min_support: float) -> NDArray[np.bool_]:
        return _is_estimable(supports) & (
            supports.support + self.errors * supports.se >= min_support - ROUNDING
        )


@dataclass(frozen=True)
class PruneByProof:
    """Pruning rule: an itemset survives if so many records contain it that it, or a larger itemset, may be frequent.

    Nothing can be proved about items of scores, so itemsets with one survive by their error.
    """

    known: CachedCounter
    items: Sequence[Item]
    wanted: Parameters
    verdict: Verdict
    proved: dict[float, int] = field(default_factory=dict)

    def candidates_to_estimate(self, candidates: Numbers) -> Numbers:
        nothing = np.empty((len(candidates), 0), np.int32)
        scored = self._has_scores(candidates)
        counted = candidates[~scored]
        (counts,) = self.known.count([Queries(counted, nothing[~scored], nothing[~scored])])
        possible = scored.copy()
        possible[~scored] = counts.sum(axis=1) >= self.least_count(self.wanted.min_support)
        rows: Numbers = candidates[possible]
        return rows

    def survivor_mask(self, supports: Supports, min_support: float) -> NDArray[np.bool_]:
        by_error = PruneByError(self.wanted.errors).survivor_mask(supports, min_support)
        by_proof = _is_estimable(supports) & (record_counts(supports) >= self.least_count(min_support))
        return np.where(self._has_scores(supports.itemsets), by_error, by_proof)

    def _has_scores(self, itemsets: Numbers) -> NDArray[np.bool_]:
        return np.asarray(self.known.numbering.scored_mask(itemsets).any(axis=1))

    def least_count(self, min_support: float) -> int:
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


def choose_pruning(
    counter: CachedCounter, singles: Numbers, parameters: Parameters, verdict: Verdict
) -> Pruning:
    if not parameters.exact:
        return PruneByError(parameters.errors)
    counted = singles[~counter.numbering.scored_mask(singles)[:, 0], 0].tolist()
    return PruneByProof(counter, list(map(counter.numbering.item, counted)), parameters, verdict)


def least_fitting_threshold(
    levels: Sequence[Supports],
    pruning: Pruning,
    parameters: Parameters,
    routing: ShowIfRouting,
    verdict: Verdict,
) -> float | None:
    """Returns the least support threshold at which the next level has at most `most` candidates; None if there is
    none."""
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
    """Returns the itemsets of the last level that would survive the pruning at a higher threshold, from supports
    already counted."""
    single, *larger = levels
    before: Numbers = single.itemsets[pruning.survivor_mask(single, min_support)]
    for supports in larger:
        itemsets = supports.itemsets[pruning.survivor_mask(supports, min_support)]
        before = RowIndex(before, len(numbering)).rows_with_indexed_subsets(
            itemsets, range(itemsets.shape[1])
        )
    return before


def record_counts(supports: Supports) -> NDArray[np.int64]:
    """Returns the number of records that contain each itemset."""
    return np.rint(supports.observed * supports.base).astype(np.int64)


def _is_estimable(supports: Supports) -> NDArray[np.bool_]:
    # Neither engine reports an itemset that no record contains, whatever its estimate.
    return supports.enough & (supports.observed > 0)


# --- frequent


@dataclass(frozen=True)
class Level:
    """Progress of a search at itemsets of `size` items.

    `candidates` are counted, `survivors` survive the pruning, and `reported` reach the threshold; None: not known yet.
    """

    size: int
    candidates: int
    survivors: int | None = None
    reported: int | None = None


@dataclass(frozen=True)
class StoppedSearch:
    """A search that stopped at this size with more than `most` candidates.

    `fits` is a support threshold at which it would not have stopped; None: there is none.
    """

    size: int
    most: int
    fits: float | None


@dataclass(frozen=True)
class Frequent:
    """The reported itemsets with their supports, smaller ones first.

    `levels` is the progress at each size; `stopped` says where larger itemsets were not counted.
    """

    supports: Supports
    levels: tuple[Level, ...]
    stopped: StoppedSearch | None

    @property
    def itemsets(self) -> Numbers:
        return self.supports.itemsets


Watch = Callable[[Level], object]
"""Callback before and after each level of itemsets is counted; an exception from it ends the search."""


def ignore_progress(_level: Level) -> None:
    pass


def find_frequent_itemsets(
    counter: Counter | CachedCounter,
    parameters: Parameters,
    watch: Watch = ignore_progress,
    *,
    heads: bool = False,
    verdict: Verdict | None = None,
) -> Frequent:
    """Finds the itemsets whose estimated support is `min_support` or more, with intervals, also corrected for their
    ranks in the list.

    `watch` is called before and after each level. `heads`: also the intervals of all shorter lists. Without a `verdict`
    everything may be published.
    """
    cache = counter if isinstance(counter, CachedCounter) else CachedCounter(counter)
    verdict = verdict or Verdict(cache.design)
    result = search_itemsets_without_intervals(cache, parameters, watch, verdict)
    singles = result.levels[0].candidates if result.levels else 0
    return replace(
        result, supports=add_intervals(cache, result.supports, parameters, singles, verdict, heads=heads)
    )


def search_itemsets_without_intervals(
    counter: CachedCounter,
    parameters: Parameters,
    watch: Watch = ignore_progress,
    verdict: Verdict | None = None,
) -> Frequent:
    """Searches level by level for itemsets of support `min_support` or more; their intervals are still NaN.

    Makes a candidate only if all its subsets survived and its numbers may be published. Queries the counter once a
    level. If `parameters.exact`, no frequent itemset is lost: then it queries once before, for the least number of
    records of a frequent itemset, and twice a level.
    """
    verdict = verdict or Verdict(counter.design)
    candidates = singles = single_items(
        counter.design, counter.numbering, absences=parameters.absences, verdict=verdict
    )
    routing = ShowIfRouting(counter.design, counter.numbering)
    pruning = choose_pruning(counter, singles, parameters, verdict)
    levels: list[Level] = []
    survivors: list[Supports] = []
    stopped = None
    while len(candidates):
        size = candidates.shape[1]
        watch(Level(size, len(candidates)))
        supports = estimate_supports_without_intervals(
            counter, pruning.candidates_to_estimate(candidates), parameters.estimator
        )
        survivors.append(supports.take(pruning.survivor_mask(supports, parameters.min_support)))
        # Every reported itemset is a survivor.
        many = int(reaches_support(survivors[-1], parameters.min_support).sum())
        levels.append(Level(size, len(candidates), len(survivors[-1]), many))
        watch(levels[-1])
        if size == parameters.max_size:
            break
        larger = next_candidates(survivors[-1].itemsets, counter.numbering, parameters.most, routing, verdict)
        if larger is None:
            fits = least_fitting_threshold(survivors, pruning, parameters, routing, verdict)
            stopped = StoppedSearch(size + 1, parameters.most, fits)
            break
        candidates = larger
    whole = (
        concatenate_supports(survivors)
        if survivors
        else estimate_supports_without_intervals(counter, singles, parameters.estimator)
    )
    reported_supports = whole.take(reaches_support(whole, parameters.min_support))
    return Frequent(reported_supports, tuple(levels), stopped)


def concatenate_supports(parts: Sequence[Supports]) -> Supports:
    """Joins the supports of all levels into one table."""
    columns = {
        column.name: np.concatenate([getattr(part, column.name) for part in parts])
        for column in fields(Supports)
        if column.name != "itemsets"
    }
    return Supports(itemsets=stack_tables([part.itemsets for part in parts]), **columns)
