"""Compares Candor's result with mlxtend's: the lists of itemsets, and each row with means over the records."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from mining.disclosure.verdict import Verdict
from mining.engines.row_comparison import Difference, Itemset, RowComparison
from mining.itemsets.candidates import single_items
from mining.parameters import Parameters
from mining.queries_and_counters import NONE, Numbering, Numbers
from privacy.designs import Design


@dataclass(frozen=True)
class Comparison:
    """The comparison of the rows, and the itemsets that one list alone has, the smaller ones first."""

    rows: RowComparison
    lists: tuple[Difference, ...]

    @property
    def difference(self) -> Difference | None:
        """The first difference; None if all is equal."""
        return next(iter((*self.lists, *self.rows.differences)), None)


def count_incomparable_items(design: Design, *, absences: bool, verdict: Verdict) -> int:
    """Returns how many items of the search are counted by scores (of numbers and sets of choices), which mlxtend cannot
    mine."""
    numbering = Numbering(design)
    singles = single_items(design, numbering, absences=absences, verdict=verdict)
    return int(numbering.scored_mask(singles).sum())


def limit_below_stopped_size(stopped_size: int | None, parameters: Parameters) -> Parameters:
    """Returns the run's parameters for mlxtend, with the itemset size below the size `stopped_size` at which Candor's
    search stopped; None: it did not stop.

    `parameters` are the parameters of the run.
    """
    return parameters if stopped_size is None else replace(parameters, max_size=stopped_size - 1)


def without_scores(
    itemsets: Numbers, supports: "np.ndarray[tuple[int], np.dtype[np.float64]]", numbering: Numbering
) -> dict[Itemset, float]:
    """Returns the supports by itemset, without itemsets with items of scores, which mlxtend cannot mine."""
    scored = np.any(numbering.scored_mask(itemsets), axis=1).tolist()
    rows = zip(itemsets.tolist(), supports.tolist(), scored, strict=True)
    return {
        frozenset(number for number in row if number != NONE): support
        for row, support, is_scored in rows
        if not is_scored
    }


def compare_lists(
    candor: Mapping[Itemset, float], mlxtend: Mapping[Itemset, float]
) -> tuple[Difference, ...]:
    """Returns the itemsets that one of two lists has alone, with their supports, the smaller ones first."""
    alone = sorted(candor.keys() ^ mlxtend.keys(), key=lambda one: (len(one), sorted(one)))
    return tuple(Difference(tuple(sorted(one)), (), candor.get(one), mlxtend.get(one)) for one in alone)
