"""Association rules between answers, reconstructed, with their errors."""

from mining.rules.pairs import lifts
from mining.rules.table import Rules, Sides, counted_for_rules, reported_sides, rules

__all__ = ["Rules", "Sides", "counted_for_rules", "lifts", "reported_sides", "rules"]
