"""Frequent itemsets, level by level, by their reconstructed supports."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from mining.counts import Counter, Numbers, stacked
from mining.itemsets.candidates import joined, single_items
from mining.itemsets.judging import judged
from mining.itemsets.pruning import fitting, pruning_of, reported
from mining.itemsets.routing import Routing
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter, Supports, estimated


@dataclass(frozen=True)
class Level:
    """Itemsets of `size` items: how many are counted, may grow, and are reported."""

    size: int
    candidates: int
    kept: int | None = None
    reported: int | None = None


@dataclass(frozen=True)
class StoppedSearch:
    """The size at which there were more than `most` candidates, and the threshold at which there would not be."""

    size: int
    most: int
    fits: float | None


@dataclass(frozen=True)
class Frequent:
    """The reported itemsets, smaller ones first; `stopped` if larger ones were not looked at."""

    supports: Supports
    levels: tuple[Level, ...]
    stopped: StoppedSearch | None

    @property
    def itemsets(self) -> Numbers:
        return self.supports.itemsets


Watch = Callable[[Level], object]
"""Called before a level is counted and after it; whatever it raises ends the search."""


def unwatched(_level: Level) -> None:
    pass


def frequent(counter: Counter | CachedCounter, wanted: Parameters, watch: Watch = unwatched) -> Frequent:
    """What a search finds, with the evidence: intervals, those after the search, and q'."""
    known = counter if isinstance(counter, CachedCounter) else CachedCounter(counter)
    found = search(known, wanted, watch)
    singles = found.levels[0].candidates if found.levels else 0
    return replace(found, supports=judged(known, found.supports, wanted, singles))


def search(known: CachedCounter, wanted: Parameters, watch: Watch = unwatched) -> Frequent:
    """Itemsets reconstructed at `min_support` or more, of which every subset was kept; their evidence is NaN.

    Asks the counter once a level; with `exact` once before, for the proof, and twice a level.
    """
    candidates = singles = single_items(known.design, known.numbering, absences=wanted.absences)
    routing = Routing(known.design, known.numbering)
    keeps = pruning_of(known, singles, wanted)
    levels: list[Level] = []
    kept: list[Supports] = []
    stopped = None
    while len(candidates):
        size = candidates.shape[1]
        watch(Level(size, len(candidates)))
        supports = estimated(known, keeps.possible(candidates), wanted.estimator)
        kept.append(supports.take(keeps.growing(supports, wanted.min_support)))
        # Whatever is reported was kept.
        many = int(reported(kept[-1], wanted.min_support).sum())
        levels.append(Level(size, len(candidates), len(kept[-1]), many))
        watch(levels[-1])
        if size == wanted.max_size:
            break
        larger = joined(kept[-1].itemsets, known.numbering, wanted.most, routing)
        if larger is None:
            fits = fitting(kept, keeps, wanted, routing)
            stopped = StoppedSearch(size + 1, wanted.most, fits)
            break
        candidates = larger
    whole = together(kept)
    found = whole.take(reported(whole, wanted.min_support))
    return Frequent(found, tuple(levels), stopped)


def together(parts: Sequence[Supports]) -> Supports:
    """The supports of all levels in one table."""
    columns = {
        column.name: np.concatenate([getattr(part, column.name) for part in parts])
        for column in fields(Supports)
        if column.name != "itemsets"
    }
    return Supports(itemsets=stacked([part.itemsets for part in parts]), **columns)
