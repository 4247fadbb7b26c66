"""Association rules between answers, reconstructed, and how sure each is."""

from mining.rules.pairs import lifts
from mining.rules.table import Rules, counted_for_rules, rules

__all__ = ["Rules", "counted_for_rules", "lifts", "rules"]
