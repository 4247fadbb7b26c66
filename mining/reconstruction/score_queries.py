"""Makes the additional queries that itemsets with scored items need, and computes moments of scores from their
counts."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mining.inference.contingency_table import ANTECEDENT, PLAIN, ContingencyTable, ItemsetPart, ScoredParts
from mining.queries_and_counters import SQUARE, TOUCH, Queries
from mining.reconstruction.cached_counter import CachedCounter, Counts
from mining.reconstruction.disguise_probabilities import Floats
from mining.reconstruction.itemsets_grouped_by_shape import (
    ItemsetGroup,
    ItemsetShape,
    Places,
    counts_for_estimate,
    keep_probabilities,
    noise_probabilities,
    part_subsets,
)
from privacy.kinds.score_table import HIGHEST_POWER, ScoreTable
from privacy.kinds.score_table_by_law import find_score_table


@dataclass(frozen=True)
class ClassShareQueries:
    """The queries for the class shares of one score question, for the itemsets `rows` that have an item of it.

    `queries` has one entry for each class, with a row for each different set of records base(S), or E(S), of these
    itemsets; `base_of` has the row of each itemset.
    """

    part: int
    rows: NDArray[np.intp]
    items: NDArray[np.integer]
    table: ScoreTable
    base_of: NDArray[np.intp]
    queries: list[Queries]

    def moments(self, counts: Sequence[Counts]) -> Floats:
        """Returns the moments mu_k of the items' scores, from shares of classes among the disguised records: negative
        shares are set to 0, and all are scaled to sum 1."""
        shares = np.maximum(np.stack([table[:, 1] for table in counts]), 0.0)
        total = shares.sum(axis=0)
        shares = shares / np.where(total > 0, total, 1.0)
        return self.table.moments(self.items, shares[:, self.base_of])


@dataclass(frozen=True)
class ScoreQueries:
    """The additional queries for a group of itemsets with scored items: sums of squared scores, records that touch the
    item, and shares of classes."""

    squares: list[Queries]
    touched: list[Queries]
    shares: list[ClassShareQueries]
    size: int

    @classmethod
    def for_group(
        cls,
        counter: CachedCounter,
        group: ItemsetGroup,
        make_table_queries: Callable[[ItemsetGroup], list[Queries]],
        applies: Places | None,
        within: Places = (),
    ) -> "ScoreQueries":
        """Makes the additional queries for a group of itemsets; none if it has no scored items.

        `make_table_queries` makes the queries of the table. Classes are counted among the people to whom the questions
        at `applies` apply, and who have the items at `within`.
        """
        if not group.shape.scored:
            return cls([], [], [], 0)
        squares, touched = (
            make_table_queries(group.with_score_variant(counter.numbering, variant))
            for variant in (SQUARE, TOUCH)
        )
        shares = list(_class_share_queries(counter, group, applies, within))
        return cls(squares, touched, shares, len(group.rows))

    @property
    def all_queries(self) -> list[Queries]:
        """Returns all queries in one list, in the order in which `read_scored_parts` reads their counts."""
        return [*self.squares, *self.touched, *(query for share in self.shares for query in share.queries)]

    def read_scored_parts(
        self, shape: ItemsetShape, bits: Sequence[int], counts: Iterator[Counts]
    ) -> ScoredParts | None:
        """Returns the scored parts of a contingency table (its parts `bits`), read from the counts of these queries;
        None if nothing is scored."""
        if not shape.scored:
            return None
        squares, touched = (
            np.stack([counts_for_estimate(shape, next(counts).T) for _ in part]).astype(np.float64)
            for part in (self.squares, self.touched)
        )
        moments = np.empty((len(bits), 2, HIGHEST_POWER + 1, self.size))
        for part in self.shares:
            moments[part.part][:, :, part.rows] = part.moments([next(counts) for _ in part.queries])
        return ScoredParts(tuple(bits), squares, touched, moments)


def _class_share_queries(
    counter: CachedCounter, group: ItemsetGroup, applies: Places | None, within: Places
) -> Iterator[ClassShareQueries]:
    numbering, shape = counter.numbering, group.shape
    for part, index in enumerate(shape.scored):
        deciding = sorted({*shape.unasked, *(shape.hidden if applies is None else ())} - {index})
        for question in np.unique(group.questions[:, index]).tolist():
            asked = counter.design.questions[question]
            rows = np.flatnonzero(group.questions[:, index] == question)
            some = group.take(rows)
            _bases, first, base_of = np.unique(
                np.concatenate([some.questions[:, deciding], some.items[:, list(within)]], axis=1)
                if deciding or within
                else np.zeros((len(rows), 1)),
                axis=0,
                return_index=True,
                return_inverse=True,
            )
            bases, queries = some.take(first), []
            for item in asked.class_items:
                items = bases.items.copy()
                items[:, index] = numbering.number((question, item))
                queries.append(
                    replace(bases, items=items).queries(tuple(sorted((index, *within))), applies=applies)
                )
            codes = numbering.code[some.items[:, index]]
            yield ClassShareQueries(part, rows, codes, find_score_table(asked), base_of.ravel(), queries)


# --- support tables
# The contingency tables for tests of supports: the parts of S, among base(S) or among E(S).


def count_support_tables(
    counter: CachedCounter, groups: Sequence[ItemsetGroup], *, shown: bool = False
) -> list[ContingencyTable]:
    """Counts one contingency table per group of itemsets with sensitive items, among the records asked all of S.

    `shown`: only among those to which all of S applies.
    """
    sets = partial(_part_queries, shown=shown)
    wanted = [sets(group) for group in groups]
    of_scores = [ScoreQueries.for_group(counter, group, sets, None if shown else ()) for group in groups]
    asked = zip(wanted, of_scores, strict=True)
    counts = iter(
        counter.count([query for queries, more in asked for query in (*queries, *more.all_queries)])
    )
    tables = []
    for group, queries, scores in zip(groups, wanted, of_scores, strict=True):
        at_least = np.array([counts_for_estimate(group.shape, next(counts).T) for _ in queries], np.float64)
        sections = group.shape.sections
        plain = [ItemsetPart(ANTECEDENT, PLAIN)] * _has_undisguised_part(group, shown=shown)
        parts = (*plain, *(ItemsetPart(ANTECEDENT, section) for section in range(len(sections))))
        with_laws = group.reduce_to_one_if_alike(counter.laws)
        noise = noise_probabilities(with_laws, counter.laws, sections)
        if plain:
            noise = np.concatenate([np.ones((1, noise.shape[1])), noise])
        tables.append(
            ContingencyTable(
                parts,
                at_least,
                keep_probabilities(with_laws, counter.laws, sections),
                noise,
                scores.read_scored_parts(
                    group.shape, [len(plain) + scored for scored in group.shape.scored_sections], counts
                ),
            )
        )
    return tables


def _has_undisguised_part(group: ItemsetGroup, *, shown: bool) -> bool:
    """Returns True if the contingency table has a part for what is not disguised: plain items, or whether S applies.

    Among base(S) the part includes that S applies, if a rule may hide S; for a scored item this is certain.
    """
    return bool(group.shape.plain or (set(group.shape.hidden) - set(group.shape.scored) and not shown))


def _part_queries(group: ItemsetGroup, *, shown: bool) -> list[Queries]:
    """Returns, for each cell of a contingency table, the queries for the records that have at least the parts of the
    cell."""
    plain = group.shape.plain
    queries = []
    for parts in part_subsets(group.shape.sections):
        without = group.queries(parts) if shown else group.queries(parts, applies=())
        carrying: Places = tuple(sorted((*plain, *parts)))
        queries += (
            [without, group.queries(carrying)] if _has_undisguised_part(group, shown=shown) else [without]
        )
    return queries
