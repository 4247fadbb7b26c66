"""The counts of itemsets of one shape, and the moments of their scores in each group.

See docs/mathematics.md, Estimators.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ScoredParts, exact_counts_from_at_least
from mining.queries_and_counters import Queries
from mining.reconstruction.cached_counter import CachedCounter, Counts
from mining.reconstruction.disguise_probabilities import Floats
from mining.reconstruction.itemsets_grouped_by_shape import (
    ItemsetGroup,
    counts_for_estimate,
    disguised_scores,
    divide_or_zero,
    keep_probabilities,
    open_scores,
    part_subsets,
    probabilities_by_noise_alone,
    sum_of_groups,
)
from mining.reconstruction.score_queries import ScoreQueries

LEAST_BASE = 50
"""Fewest records asked all of an itemset for an estimate."""
LEAST_GROUP = 10
"""Fewest records with the plain and unprotected items of an itemset, in each group with a record asked all of it."""


@dataclass(frozen=True)
class SupportCounts:
    """The counts from which the supports of itemsets S are computed; the last two axes of arrays are group (open,
    disguised) and itemset.

    `base`: records asked all of S. `applying`: those of them to which all of S applies. `with_plain`: those of `base`
    with the plain items of S; `carrying`: those of `with_plain` that have its unprotected items too; `carrying_shown`:
    the same of `applying`. `supersets`: those of `applying` with the plain items and at least these parts of S. For
    itemsets of plain and sensitive items the open counts are 0 (`counts_for_estimate`). `scores`: the parts of S that
    are items of scores, if any.
    """

    base: Counts
    applying: Counts
    with_plain: Counts
    carrying: Counts
    carrying_shown: Counts
    supersets: Counts
    keep: Floats
    chance: Floats
    scores: ScoredParts | None = None

    def __len__(self) -> int:
        return len(self.base.T)

    def take(self, rows: slice | NDArray[Any]) -> "SupportCounts":
        columns = {column.name: getattr(self, column.name)[..., rows] for column in fields(self)[:-1]}
        return SupportCounts(**columns, scores=self.scores.take(rows) if self.scores else None)

    @cached_property
    def has_enough_records(self) -> NDArray[np.bool_]:
        carried = (self.base == 0) | (self.carrying >= LEAST_GROUP)
        return np.asarray((sum_of_groups(self.base) >= LEAST_BASE) & carried[0] & carried[1])


def restrict_to_shown(tally: SupportCounts) -> SupportCounts:
    """Returns the tally limited to E(S), the records to which all of the itemset S applies, instead of base(S), the
    records asked all of S."""
    return replace(tally, base=tally.applying, carrying=tally.carrying_shown)


@dataclass(frozen=True)
class ScoreMoments:
    """Moments of the scores z among the records asked the itemset, group by itemset: mean, mean square, and the slope B
    in E z^2 = A + B P, where P is the support."""

    mean: Floats
    second: Floats
    slope: Floats
    records: NDArray[Any]

    @property
    def constant(self) -> Floats:
        """The constant A in E z^2 = A + B P, by group and itemset."""
        return self.second - self.slope * self.mean

    @cached_property
    def total_record_count(self) -> NDArray[Any]:
        return sum_of_groups(self.records)

    @cached_property
    def weight(self) -> Floats:
        return divide_or_zero(self.records, self.total_record_count)


def count_for_supports(
    counter: CachedCounter, groups: Sequence[ItemsetGroup], *, within_plain: bool = False
) -> list[SupportCounts]:
    """Returns a tally for each group of itemsets: all counts on which their supports depend, in one call of the
    counter.

    `within_plain`: the classes of scores are counted among the records with the plain items of S, not among base(S).
    """
    queries = [_tally_queries(group) for group in groups]
    of_scores = [
        ScoreQueries.for_group(
            counter, group, _superset_queries, (), group.shape.plain if within_plain else ()
        )
        for group in groups
    ]
    asked = zip(queries, of_scores, strict=True)
    counts = iter(counter.count([query for wanted, more in asked for query in (*wanted, *more.all_queries)]))
    result = []
    for group, wanted, scores in zip(groups, queries, of_scores, strict=True):
        base, applying, with_plain, *more = (counts_for_estimate(group.shape, next(counts).T) for _ in wanted)
        parts, cells = group.shape.sections, 1 << len(group.shape.sections)
        supersets, carrying = np.array(more[:cells]), [with_plain, *more[cells:]][-1]
        result.append(
            SupportCounts(
                base,
                applying,
                with_plain,
                carrying,
                supersets[group.shape.unprotected_cell],
                supersets,
                keep_probabilities(group, counter.laws, parts),
                probabilities_by_noise_alone(group, counter.laws, parts),
                scores.read_scored_parts(group.shape, group.shape.scored_sections, counts),
            )
        )
    return result


def _tally_queries(group: ItemsetGroup) -> list[Queries]:
    """Returns the queries whose counts make a tally, in this order: base, applying, with plain items, supersets and, if
    any, with unprotected items."""
    plain, undisguised = group.shape.plain, group.shape.undisguised_positions
    return [
        group.queries((), applies=()),
        group.queries(()),
        group.queries(plain, applies=plain),
        *_superset_queries(group),
        *([group.queries(undisguised, applies=undisguised)] if group.shape.unprotected else []),
    ]


def _superset_queries(group: ItemsetGroup) -> list[Queries]:
    sections = part_subsets(group.shape.sections)
    return [group.queries(tuple(sorted((*group.shape.plain, *parts)))) for parts in sections]


def score_moments(tally: SupportCounts) -> ScoreMoments:
    cells = exact_counts_from_at_least(tally.supersets)
    disguised = disguised_scores(tally.keep, tally.chance)
    scores = np.empty((len(cells), 2, len(tally)))
    scores[:, 0], scores[:, 1] = open_scores(len(cells)), disguised
    slopes = (1 - 2 * tally.chance) / tally.keep
    squares = cells
    if tally.scores:
        squares = exact_counts_from_at_least(tally.scores.squares)
        for bit, (absent, there) in zip(tally.scores.bits, tally.scores.moments, strict=True):
            slopes[bit] = there[2] - absent[2]
    slope = slopes.prod(axis=0)
    return ScoreMoments(
        divide_or_zero((cells * scores).sum(axis=0), tally.base),
        divide_or_zero((squares * scores**2).sum(axis=0), tally.base),
        np.stack([np.ones(len(slope)), slope]),
        tally.base,
    )
