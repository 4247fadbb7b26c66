"""The sides of a rule that was found, as items."""

from mining.counts import NONE, Item, Numbering
from mining.rules import Rules
from privacy.designs import Design

Itemset = tuple[Item, ...]


def sides(found: Rules, row: int, design: Design) -> tuple[Itemset, Itemset, Itemset]:
    """A, C and S of a row; S in order."""
    numbering = Numbering(design)
    numbers = [number for number in found.itemsets[found.itemset[row]].tolist() if number != NONE]
    whole = tuple(map(numbering.item, numbers))
    mask = int(found.antecedent[row])
    antecedent = tuple(item for place, item in enumerate(whole) if mask >> place & 1)
    return antecedent, tuple(item for item in whole if item not in antecedent), whole
