"""Splits an itemset S into antecedent A and consequent C, and counts the contingency table of their parts.

The table is among E(S), the records to which all of S applies.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import (
    ANTECEDENT,
    CONSEQUENT,
    PLAIN,
    ContingencyTable,
    ItemsetPart,
    ScoredParts,
)
from mining.queries_and_counters import Queries
from mining.reconstruction.cached_counter import Counts
from mining.reconstruction.disguise_probabilities import DisguiseProbabilities, Floats
from mining.reconstruction.itemsets_grouped_by_shape import (
    ItemsetGroup,
    ItemsetShape,
    Places,
    counts_for_estimate,
    keep_probabilities,
    noise_probabilities,
    part_subsets,
    sum_of_groups,
)
from mining.reconstruction.score_moments_by_group import LEAST_BASE, LEAST_GROUP
from mining.reconstruction.score_queries import ScoreQueries

Split = tuple[Places, Places]
"""The positions of A and of C in an itemset; A has the first item."""


@cache
def list_splits(shape: ItemsetShape) -> list[Split]:
    """Returns every way to split an itemset of this shape into two sides, whatever their order."""
    all_splits = []
    for mask in range(1, (1 << shape.size) - 1, 2):
        inside = [bool(mask >> index & 1) for index in shape.all_positions]
        all_splits.append(
            (
                tuple(index for index in shape.all_positions if inside[index]),
                tuple(index for index in shape.all_positions if not inside[index]),
            )
        )
    return all_splits


@cache
def split_parts(shape: ItemsetShape, split: Split) -> list[tuple[ItemsetPart, Places]]:
    """Returns the parts of a split (the items on one side and in one section), each with the positions of its items;
    parts of a section are neighbours."""
    parts = []
    for section, bits in enumerate((shape.plain, *shape.sections), start=PLAIN):
        for side, places in zip((ANTECEDENT, CONSEQUENT), split, strict=True):
            part = tuple(index for index in bits if index in places)
            if part:
                parts.append((ItemsetPart(side, section), part))
    return parts


@cache
def split_subsets(shape: ItemsetShape, split: Split) -> list[Places]:
    """Returns the item positions of every subset of the split's parts, in the order of the cells of its contingency
    table."""
    return list(part_subsets([places for _part, places in split_parts(shape, split)]))


@cache
def all_split_subsets(shape: ItemsetShape) -> dict[Places, int]:
    """Returns all sets of positions that must be counted for the rules of itemsets of this shape, each with its
    number."""
    parts = [
        (),
        shape.plain,
        shape.undisguised_positions,
        *(items for split in list_splits(shape) for items in split_subsets(shape, split)),
    ]
    return {items: row for row, items in enumerate(dict.fromkeys(parts))}


def table_queries(group: ItemsetGroup) -> list[Queries]:
    return [group.queries(items) for items in all_split_subsets(group.shape)]


@dataclass(frozen=True)
class EligibleCounts:
    """The counts that rules of itemsets of one shape need, among E(S), the records to which all of S applies: by set of
    positions, group and itemset.

    `scores`: the same with squares and touches, for the parts `shape.scored` that are items of scores.
    """

    group: ItemsetGroup
    laws: DisguiseProbabilities
    counts: Floats
    scores: ScoredParts | None = None

    @classmethod
    def read_counts(
        cls, group: ItemsetGroup, laws: DisguiseProbabilities, queries: ScoreQueries, counts: Iterator[Counts]
    ) -> "EligibleCounts":
        """Makes the counts from an iterator: it has those of all sets of positions (`all_split_subsets`), then those of
        the `queries` of scores."""
        shape = group.shape
        of_group = np.stack([next(counts).T for _ in all_split_subsets(shape)], dtype=np.float64)
        scores = queries.read_scored_parts(shape, shape.scored, counts)
        return cls(group, laws, counts_for_estimate(shape, of_group), scores)

    def take(self, rows: NDArray[Any] | slice) -> "EligibleCounts":
        scores = self.scores.take(rows) if self.scores else None
        return EligibleCounts(self.group.take(rows), self.laws, self.counts[..., rows], scores)

    @property
    def records(self) -> Counts:
        """Number of records to which the whole itemset applies, by itemset."""
        return sum_of_groups(self.counts[self._subset_number(())]).astype(np.int64)

    @cached_property
    def has_enough_records(self) -> NDArray[np.bool_]:
        """True for each itemset S that has enough records, to which all of S applies, for a support."""
        everybody, carrying = (
            self.counts[self._subset_number(())],
            self.counts[self._subset_number(self.group.shape.undisguised_positions)],
        )
        carried = ((everybody == 0) | (carrying >= LEAST_GROUP)).all(axis=0)
        return np.asarray((sum_of_groups(everybody) >= LEAST_BASE) & carried)

    def contingency_table(self, split: Split) -> ContingencyTable:
        shape, group = self.group.shape, self.group
        sets = [self._subset_number(items) for items in split_subsets(shape, split)]
        parts = split_parts(shape, split)
        with_laws = group.reduce_to_one_if_alike(self.laws)
        noise = noise_probabilities(with_laws, self.laws, [places for _part, places in parts])
        noise[[part.section == PLAIN for part, _places in parts]] = 1.0
        return ContingencyTable(
            tuple(part for part, _places in parts),
            self.counts[sets],
            keep_probabilities(with_laws, self.laws, shape.sections),
            noise,
            self._scored_parts([places for _part, places in parts], sets),
        )

    def _scored_parts(self, parts: Sequence[Places], sets: Sequence[int]) -> ScoredParts | None:
        if self.scores is None:
            return None
        bits = tuple(parts.index((index,)) for index in self.scores.bits)
        scores = self.scores
        return ScoredParts(bits, scores.squares[sets], scores.touched[sets], scores.moments)

    def _subset_number(self, items: Places) -> int:
        return all_split_subsets(self.group.shape)[items]
