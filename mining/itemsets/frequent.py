"""Frequent itemsets, level by level, by their reconstructed supports."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from mining.counts import Counter, Numbers, stacked
from mining.disclosure.verdict import Verdict
from mining.itemsets.candidates import next_candidates, single_items
from mining.itemsets.pruning import least_fitting_threshold, pruning_of, reported
from mining.itemsets.routing import Routing
from mining.itemsets.search_evidence import with_evidence
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter, Supports, estimated


@dataclass(frozen=True)
class Level:
    """Itemsets of `size` items: how many are counted, survive the pruning, and are reported."""

    size: int
    candidates: int
    survivors: int | None = None
    reported: int | None = None


@dataclass(frozen=True)
class StoppedSearch:
    """The search stopped at this size, with more than `most` candidates; at the threshold `fits` it would not.

    `fits` None: at no threshold.
    """

    size: int
    most: int
    fits: float | None


@dataclass(frozen=True)
class Frequent:
    """The reported itemsets, smaller ones first; `stopped` if larger ones were not counted."""

    supports: Supports
    levels: tuple[Level, ...]
    stopped: StoppedSearch | None

    @property
    def itemsets(self) -> Numbers:
        return self.supports.itemsets


Watch = Callable[[Level], object]
"""Called before a level is counted and after it; an exception from it ends the search."""


def unwatched(_level: Level) -> None:
    pass


def frequent(
    counter: Counter | CachedCounter,
    parameters: Parameters,
    watch: Watch = unwatched,
    *,
    heads: bool = False,
    verdict: Verdict | None = None,
) -> Frequent:
    """The itemsets whose estimated support is `min_support` or more, with intervals, also for their places in a list.

    `watch` is called before and after each level. `heads`: also the intervals of all shorter lists. Without a `verdict`
    everything may be told.
    """
    cache = counter if isinstance(counter, CachedCounter) else CachedCounter(counter)
    verdict = verdict or Verdict(cache.design)
    result = search(cache, parameters, watch, verdict)
    singles = result.levels[0].candidates if result.levels else 0
    return replace(
        result, supports=with_evidence(cache, result.supports, parameters, singles, verdict, heads=heads)
    )


def search(
    counter: CachedCounter,
    parameters: Parameters,
    watch: Watch = unwatched,
    verdict: Verdict | None = None,
) -> Frequent:
    """Itemsets that may be told, reconstructed at `min_support` or more, whose subsets all survived the pruning; their
    evidence is NaN.

    Queries the counter once a level; with `exact` twice a level, and once before, for the proof.
    """
    verdict = verdict or Verdict(counter.design)
    candidates = singles = single_items(
        counter.design, counter.numbering, absences=parameters.absences, verdict=verdict
    )
    routing = Routing(counter.design, counter.numbering)
    pruning = pruning_of(counter, singles, parameters, verdict)
    levels: list[Level] = []
    survivors: list[Supports] = []
    stopped = None
    while len(candidates):
        size = candidates.shape[1]
        watch(Level(size, len(candidates)))
        supports = estimated(counter, pruning.possible(candidates), parameters.estimator)
        survivors.append(supports.take(pruning.growing(supports, parameters.min_support)))
        # Every reported itemset is a survivor.
        many = int(reported(survivors[-1], parameters.min_support).sum())
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
    whole = concatenated(survivors) if survivors else estimated(counter, singles, parameters.estimator)
    reported_supports = whole.take(reported(whole, parameters.min_support))
    return Frequent(reported_supports, tuple(levels), stopped)


def concatenated(parts: Sequence[Supports]) -> Supports:
    """The supports of all levels as one."""
    columns = {
        column.name: np.concatenate([getattr(part, column.name) for part in parts])
        for column in fields(Supports)
        if column.name != "itemsets"
    }
    return Supports(itemsets=stacked([part.itemsets for part in parts]), **columns)
