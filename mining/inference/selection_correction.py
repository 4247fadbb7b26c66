"""Corrections for selection among many results: false discovery rates, and intervals of the heads of lists."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import Floats
from mining.inference.intervals import NORMAL_95
from mining.nodes.rule_lists import LARGER, PAIRS
from mining.special_functions import ndtri

LEVEL = 0.05
MOST = 512
ALONE, LISTED, HEADS = 0, 1, 2
"""Columns of `critical_z_by_rank`: an interval chosen before the survey, at its own rank in the list, in shorter
lists."""


def q_values(p: Floats, family: int) -> Floats:
    """Returns Benjamini and Hochberg's q of each p; the other tests of the `family` (its size) count as p =
    1.

    A family smaller than the number of p counts as that number, so that q is never below p.
    """
    return _benjamini_hochberg(p, max(family, len(p)))


def displayed_head_length(ranks: NDArray[Any]) -> NDArray[np.int64]:
    """Returns, for each rank, the length k of the head (first k rows) of the list to which the interval in that row
    belongs.

    k is the largest power of two up to the rank, at most MOST.
    """
    return np.asarray(2 ** np.floor(np.log2(np.clip(ranks, 1, MOST))), np.int64)


def list_critical_z(ranks: NDArray[Any], family_size: int) -> Floats:
    """Returns the critical z of the intervals at these `ranks` of a list that is chosen from `family_size` many
    results.

    For any k fixed in advance, at most 5 % of the intervals of one kind in the first k rows are expected to miss,
    however the rows were chosen: each interval of the family misses with probability .05 k / family.
    """
    lengths, length_of = np.unique(displayed_head_length(ranks), return_inverse=True)
    part = np.minimum(lengths / max(family_size, 1), 1.0)
    return np.asarray(np.maximum(NORMAL_95, -ndtri(0.025 * part))[length_of])


def critical_z_by_rank(ranks: NDArray[Any], family: int, *, heads: bool) -> Floats:
    """Returns the critical z by rank in the list and by kind of interval: ALONE, LISTED and, with `heads`, each
    shorter head.

    Heads are the first k = 1, 2, 4 and so on rows. NaN where the list's own interval is that of the head.
    """
    columns = [np.full(len(ranks), NORMAL_95), list_critical_z(ranks, family)]
    if heads:
        shorter = [2**power for power in range(int(np.log2(MOST)))]
        k = displayed_head_length(ranks)
        of_heads = list_critical_z(np.array(shorter), family)
        columns += [np.where(head < k, of, np.nan) for head, of in zip(shorter, of_heads, strict=True)]
    return np.stack(columns, axis=1)


def holm(p: Floats) -> Floats:
    """Returns Holm's adjusted p-values."""
    order = np.argsort(p)
    adjusted = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    result = np.empty(len(p))
    result[order] = np.minimum(adjusted, 1.0)
    return result


def _benjamini_hochberg(p: Floats, tests: int) -> Floats:
    order = np.argsort(p)
    raw = p[order] * (tests / np.arange(1, len(p) + 1))
    q = np.empty(len(p))
    q[order] = np.minimum.accumulate(raw[::-1])[::-1]
    return np.minimum(q, 1.0)


# --- front
# The error rates of what stands on the front of a report (docs/mathematics.md, The front of a report).
# The plan errs in at most 5 % of surveys: each of its h hypotheses is tested at .05/h. What is found beyond it
# errs in at most 5 %: the F families of statements share this, and so do the m statements of each family.

GROUPS, ARMS, UNDERSTANDING, CHANGES = "groups", "arms", "understanding", "changes"
"""The families besides that of the pairs."""

Sides = frozenset[frozenset[int]]
"""The item numbers of both sides of a split, in either order."""


def critical_z(error_rate: float) -> float:
    """Returns the critical z of intervals that miss in a share `error_rate` of all surveys; at least that of 95 %
    intervals."""
    return max(NORMAL_95, float(-ndtri(error_rate / 2)))


def plan_critical_z(hypotheses: int) -> float:
    """Returns the critical z of the intervals of a plan with so many hypotheses; that of 95 % intervals without
    hypotheses."""
    return critical_z(LEVEL / hypotheses) if hypotheses else NORMAL_95


def front_page_p_limit(statements: Mapping[str, int], family: str) -> float:
    """Returns .05/F/m, the largest p-value with which a statement of this family stands on the front page of a report.

    `statements` has m, the number of statements, by family; F counts the families that have any, but not LARGER.
    """
    families = sum(many > 0 for name, many in statements.items() if name != LARGER)
    return LEVEL / families / statements[family] if statements.get(family) else 0.0


@dataclass(frozen=True)
class FamilyCriticalZ:
    """The critical z values for the intervals of one family's rows.

    `plan` for rows that are `planned`; `front` for others whose z exceeds it, which stand on the front page; else that
    of 95 %. So the front page, its list and its files show the same interval of a row.
    """

    planned: NDArray[np.bool_]
    plan: float = NORMAL_95
    front: float = np.inf

    def critical_z_by_row(self, z: NDArray[Any]) -> NDArray[np.float64]:
        """Returns the critical z of each row's interval.

        `z` has each row's z-value of the test of no effect, which decides whether the row stands on the front page.
        """
        beyond = np.where(np.abs(z) > self.front, self.front, NORMAL_95)
        return np.where(self.planned, self.plan, beyond)


@dataclass(frozen=True)
class RulePairCorrection:
    """What the critical z of the intervals of rule pairs (A -> C and C -> A) depends on.

    `others`: the number of other families on the front page. `planned`: the splits that a plan names. `hypotheses`: the
    number of all hypotheses of the plan. `is_one_list`: pairs and larger itemsets are one family, as in reports of an
    earlier version.
    """

    others: int = 0
    planned: frozenset[Sides] = frozenset()
    hypotheses: int = 0
    is_one_list: bool = False

    @property
    def plan_critical_z(self) -> float:
        return plan_critical_z(self.hypotheses)

    def front_page_critical_z(self, family: int) -> float:
        """Returns the critical z for rule pairs on the front page, if `family` many are possible."""
        return critical_z(LEVEL / (1 + self.others) / family) if family else np.inf

    def families(self, pairs: int, larger: int, items: set[int], max_size: int) -> dict[str, int]:
        """Returns the number of splits by family: of so many possible `pairs` and splits of `larger` itemsets, all but
        those that the plan names and that a search of these items, up to itemsets of `max_size`, could find."""
        planned = [frozenset[int]().union(*sides) for sides in self.planned]
        sizes = [len(itemset) for itemset in planned if itemset <= items and len(itemset) <= max_size]
        pairs, larger = pairs - sizes.count(2), larger - len(sizes) + sizes.count(2)
        return {PAIRS: pairs + larger} if self.is_one_list else {PAIRS: pairs, LARGER: larger}


NO_FRONT = RulePairCorrection()
"""The inputs of a search without a plan and without other families on the front page."""
