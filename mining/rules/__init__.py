"""Association rules between answers, reconstructed, with their errors."""

from mining.rules.pair_lifts import pair_lifts
from mining.rules.rules_from_frequent_itemsets import Rules, Sides, reconstruct_rules, reported_sides

__all__ = ["Rules", "Sides", "pair_lifts", "reconstruct_rules", "reported_sides"]
