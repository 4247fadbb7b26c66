"""The levels of what stands on the front of a report (docs/mathematics.md, The front of a report).

The plan errs in at most 5 % of surveys: each of its h hypotheses is tested at .05/h. What is found beyond it errs in
at most 5 %: the F families of statements share this, and so do the m statements of each family.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.intervals import NORMAL_95
from mining.inference.selection import LEVEL

PAIRS, GROUPS, ARMS, UNDERSTANDING = "pairs", "groups", "arms", "understanding"

Sides = frozenset[frozenset[int]]
"""The numbers of the items of both sides of a split, either way round."""


def normal_level(part: float) -> float:
    """z0 of an interval that misses in a `part` of all surveys; that of 95 % is the one of all other intervals."""
    from scipy.special import ndtri  # late for cost

    return max(NORMAL_95, float(-ndtri(part / 2)))


def front_part(statements: Mapping[str, int], family: str) -> float:
    """.05/F/m: the p up to which a statement of this family stands on the front. `statements` gives m by family; a
    family without any is none."""
    families = sum(many > 0 for many in statements.values())
    return LEVEL / families / statements[family] if statements.get(family) else 0.0


@dataclass(frozen=True)
class ChosenLevels:
    """z0 of the rows of one family: of the `planned` ones `plan`, of those beyond `front` this, of all others 95 %.

    So the front, its list and its files give one interval of a row.
    """

    planned: NDArray[np.bool_]
    plan: float = NORMAL_95
    front: float = np.inf

    def of(self, z: NDArray[Any]) -> NDArray[np.float64]:
        """By row, from the z of no effect."""
        beyond = np.where(np.abs(z) > self.front, self.front, NORMAL_95)
        return np.where(self.planned, self.plan, beyond)


@dataclass(frozen=True)
class PairFront:
    """What levels of pairs depend on: the `others` among the families, and the splits that are `planned` among all
    `hypotheses` of a plan."""

    others: int = 0
    planned: frozenset[Sides] = frozenset()
    hypotheses: int = 0

    @property
    def plan_level(self) -> float:
        return normal_level(LEVEL / self.hypotheses) if self.hypotheses else NORMAL_95

    def level(self, family: int) -> float:
        """Of a family of so many splits."""
        return normal_level(LEVEL / (1 + self.others) / family) if family else np.inf

    def planned_within(self, items: set[int], max_size: int) -> int:
        """How many of the planned splits a search of these items could find."""
        itemsets = [frozenset[int]().union(*sides) for sides in self.planned]
        return sum(itemset <= items and len(itemset) <= max_size for itemset in itemsets)


NO_FRONT = PairFront()
"""Of a search without a plan and without other families."""
