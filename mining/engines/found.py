"""What every engine gives."""

from dataclasses import dataclass

from mining.itemsets.frequent import Frequent
from mining.rules import Rules


@dataclass(frozen=True)
class Found:
    frequent: Frequent
    rules: Rules
