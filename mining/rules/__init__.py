"""Association rules between answers, reconstructed, and how sure each is."""

from mining.rules.family import family_size
from mining.rules.table import Rules, rules

__all__ = ["Rules", "family_size", "rules"]
