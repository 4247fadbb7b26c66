"""Association rules between answers, reconstructed, with their errors."""

from mining.rules.pair_lifts import pair_lifts
from mining.rules.table import Rules, Sides, reported_sides, rules

__all__ = ["Rules", "Sides", "pair_lifts", "reported_sides", "rules"]
