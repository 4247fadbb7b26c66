"""Candor's own engine: counts, reconstructs and prunes level by level, then makes all rules."""

from mining.counts import Counter, Numbers
from mining.engines.found import Found
from mining.itemsets.frequent import Frequent, Watch, frequent, search, unwatched
from mining.itemsets.pruning import ROUNDING
from mining.parameters import Parameters
from mining.reconstruction import CachedCounter
from mining.reconstruction.counter_cache import cached
from mining.rules import Rules, Sides, reported_sides, rules


def find(counter: Counter | CachedCounter, wanted: Parameters, watch: Watch = unwatched) -> Found:
    """Queries the counter once a level and once for the rules; each of these may be split among many workers."""
    known = cached(counter)
    itemsets = frequent(known, wanted, watch)
    return Found(itemsets, rules_of(known, itemsets, wanted))


def reported(known: CachedCounter, wanted: Parameters) -> set[Sides]:
    """The sides of the rules that `find` would report, without any errors: many times as fast."""
    return sides_of(known, search(known, wanted).itemsets, wanted)


def sides_of(known: CachedCounter, itemsets: Numbers, wanted: Parameters) -> set[Sides]:
    """The sides of the rules of these itemsets."""
    return set(reported_sides(known, itemsets, wanted.min_confidence - ROUNDING, wanted.estimator))


def rules_of(known: CachedCounter, itemsets: Frequent, wanted: Parameters, *, heads: bool = False) -> Rules:
    """The rules of these itemsets with their errors; q is over all rules that their items could make."""
    return rules(
        known,
        itemsets.supports,
        wanted.min_confidence - ROUNDING,
        wanted.estimator,
        max_size=wanted.max_size,
        heads=heads,
    )
