"""Groups itemsets by shape (the number of items and which of them share a section), so that one formula fits a
group."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.distinct_rows import pack_row_keys
from mining.queries_and_counters import NONE, Item, Numbering, Numbers, Queries, pad_rows
from mining.reconstruction.cached_counter import (
    HIDDEN,
    NEW_SECTION,
    PLAIN,
    SCORED,
    UNASKED,
    UNPROTECTED,
    WITHHELD,
    CachedCounter,
    Counts,
)
from mining.reconstruction.disguise_probabilities import DisguiseProbabilities, Floats

Places = tuple[int, ...]
"""Positions of items in an itemset."""

CHUNK = 4096
"""Number of itemsets handled at a time, to bound the memory of intermediate arrays."""

ALL_TRAITS = 128


@dataclass(frozen=True)
class ItemsetShape:
    """The shape of an itemset: the positions (0, 1, ... in the itemset) of its plain items, and of its items in each
    sensitive section.

    `unasked` are the positions whose question some devices do not draw, `hidden` those that a rule may hide,
    `unprotected` those of sensitive items without noise, `scored` those of items of scores. `withheld`: it has a
    question that open records lack.
    """

    plain: Places
    sections: tuple[Places, ...]
    unasked: Places
    hidden: Places
    withheld: bool = False
    unprotected: Places = ()
    scored: Places = ()

    @property
    def size(self) -> int:
        return len(self.plain) + sum(map(len, self.sections))

    @property
    def uses_disguised_only(self) -> bool:
        """True if estimates of itemsets of this shape use disguised records alone: if it has both plain and sensitive
        items."""
        return bool(self.sections and self.plain)

    @cached_property
    def undisguised_positions(self) -> Places:
        """Positions of items that are true in every record that has them: plain items, and sensitive items without
        noise."""
        return tuple(sorted((*self.plain, *self.unprotected)))

    @cached_property
    def unprotected_cell(self) -> int:
        """Number (bit mask) of the contingency-table cell with exactly the sections that have unprotected items."""
        return sum(
            1 << bit for bit, section in enumerate(self.sections) if set(section) & set(self.unprotected)
        )

    @cached_property
    def scored_sections(self) -> Places:
        """Indexes of the sections whose items are estimated from scores of codes (privacy.kinds.scored_items)."""
        return tuple(number for number, places in enumerate(self.sections) if places[0] in self.scored)

    @cached_property
    def all_positions(self) -> Places:
        return tuple(range(self.size))


@dataclass(frozen=True)
class ItemsetGroup:
    """Itemsets of one shape; `rows` are their indexes in the list of all itemsets."""

    shape: ItemsetShape
    rows: NDArray[np.intp]
    items: Numbers
    questions: Numbers

    def take(self, rows: NDArray[Any] | slice) -> "ItemsetGroup":
        return ItemsetGroup(self.shape, self.rows[rows], self.items[rows], self.questions[rows])

    def reduce_to_one_if_alike(self, laws: DisguiseProbabilities) -> "ItemsetGroup":
        """Returns the group reduced to one itemset if all have the same probabilities of disguise, so that what depends
        on these alone is computed once."""
        kinds = laws.kind[self.items]
        return self.take(slice(1)) if bool((kinds == kinds[:1]).all()) else self

    def with_score_variant(self, numbering: Numbering, variant: int) -> "ItemsetGroup":
        """Returns the group with each item of scores replaced by a variant: SCORE, SQUARE or TOUCH
        (`mining.queries_and_counters`)."""
        return replace(self, items=numbering.with_score_variant(self.items, variant))

    def queries(self, items: Places, applies: Places | None = None) -> Queries:
        """Returns, for each itemset S, a query for the records asked all of S that have the items at positions `items`
        and to which the questions at positions `applies` apply.

        `applies` None: all questions of S apply.
        """
        shape = self.shape
        applies = shape.all_positions if applies is None else applies
        asked = [index for index in shape.unasked if index not in items]
        hidden = [index for index in shape.hidden if index in applies and index not in items]
        return Queries(
            _pick_columns(self.items, items),
            _pick_columns(self.questions, asked),
            _pick_columns(self.questions, hidden),
        )


def counts_for_estimate(shape: ItemsetShape, counts: Counts) -> Counts:
    """Returns the counts by group, limited to the records that estimates of this shape use.

    Itemsets of plain and sensitive items use the disguised records alone: otherwise the difference of two published
    estimates could reveal the open answers of one class.
    """
    if not shape.uses_disguised_only:
        return counts
    counts = counts.copy()
    counts[..., 0, :] = 0
    return counts


def _pick_columns(rows: Numbers, positions: Sequence[int]) -> Numbers:
    if len(positions) == rows.shape[1]:
        return rows
    return rows[:, positions] if positions else rows[:, :0]


def as_item_numbers(numbering: Numbering, itemsets: Sequence[Sequence[Item]] | Numbers) -> Numbers:
    """Returns itemsets as rows of ascending item numbers, NONE at the end."""
    if isinstance(itemsets, np.ndarray):
        return itemsets
    return pad_rows([sorted(map(numbering.number, itemset)) for itemset in itemsets])


def group_by_shape(counter: CachedCounter, itemsets: Numbers) -> Iterator[ItemsetGroup]:
    """Yields the itemsets in groups that have one shape each."""
    sizes = (itemsets != NONE).sum(axis=1)
    for size in np.flatnonzero(np.bincount(sizes)).tolist():
        of_size = np.flatnonzero(sizes == size)
        items = itemsets[of_size, :size]
        questions = counter.numbering.question[items]
        patterns = _trait_patterns(counter, items, questions)
        if (patterns == patterns[0]).all():
            yield ItemsetGroup(_shape_from_traits(tuple(patterns[0].tolist())), of_size, items, questions)
            continue
        keys = pack_row_keys(patterns, ALL_TRAITS)
        rows = np.arange(len(patterns))
        while len(rows):
            # There are few patterns: taking one at a time is faster than sorting.
            same = keys[rows] == keys[rows[0]]
            same_rows = rows[same]
            yield ItemsetGroup(
                _shape_from_traits(tuple(patterns[same_rows[0]].tolist())),
                of_size[same_rows],
                items[same_rows],
                questions[same_rows],
            )
            rows = rows[~same]


def _trait_patterns(counter: CachedCounter, items: Numbers, questions: Numbers) -> NDArray[np.int8]:
    section = counter.laws.section[questions]
    pattern = counter.question_traits[questions] | counter.item_traits[items]
    pattern[:, 1:][section[:, 1:] != section[:, :-1]] |= NEW_SECTION
    return pattern


@cache
def _shape_from_traits(pattern: tuple[int, ...]) -> ItemsetShape:
    sections: list[Places] = []
    starts = NEW_SECTION
    for index, traits in enumerate(pattern):
        starts |= traits & NEW_SECTION
        if not traits & PLAIN:
            sections = [*sections, (index,)] if starts else [*sections[:-1], (*sections[-1], index)]
            starts = 0
    unasked, hidden = _positions_with_trait(pattern, UNASKED), _positions_with_trait(pattern, HIDDEN)
    unprotected, withheld = (
        _positions_with_trait(pattern, UNPROTECTED),
        bool(_positions_with_trait(pattern, WITHHELD)),
    )
    return ItemsetShape(
        _positions_with_trait(pattern, PLAIN),
        tuple(sections),
        unasked,
        hidden,
        withheld,
        unprotected,
        _positions_with_trait(pattern, SCORED),
    )


def _positions_with_trait(pattern: tuple[int, ...], trait: int) -> Places:
    return tuple(index for index, traits in enumerate(pattern) if traits & trait)


# --- contingency
# Cells: records by the parts of an itemset that they contain, and the score of the records of each cell.
# The parts of an itemset are what it has in each sensitive section. Cell i holds the records that contain
# exactly the parts whose bits are set in i; they are counted from supersets by inclusion and exclusion. A score
# is the same for all records of a cell and a group, so means, variances and covariances are sums over cells.
# Arrays are cells (or parts) by group by itemset. See docs/mathematics.md, Estimators.


def part_subsets(parts: Sequence[Places]) -> Iterator[Places]:
    """Yields, for every subset of the parts, the positions of its items, in the order of the cells of a contingency
    table."""
    for bits in range(1 << len(parts)):
        chosen = [part for bit, part in enumerate(parts) if bits >> bit & 1]
        yield tuple(sorted(index for part in chosen for index in part))


def keep_probabilities(group: ItemsetGroup, laws: DisguiseProbabilities, parts: Sequence[Places]) -> Floats:
    """Returns the keep probability p (that true answers are sent) of each part's section, by part and itemset."""
    keep = np.empty((len(parts), len(group.rows)))
    for row, part in zip(keep, parts, strict=True):
        row[:] = laws.keep[group.questions[:, part[0]]]
    return keep


def noise_probabilities(group: ItemsetGroup, laws: DisguiseProbabilities, parts: Sequence[Places]) -> Floats:
    """Returns q of each part of an itemset: the probability that the noise (the answer sent instead) contains all its
    items."""
    noise = np.ones((len(parts), len(group.rows)))
    for index, part in enumerate(parts):
        for item in part:
            noise[index] *= laws.noise[group.items[:, item]]
    return noise


def probabilities_by_noise_alone(
    group: ItemsetGroup, laws: DisguiseProbabilities, parts: Sequence[Places]
) -> Floats:
    """Returns c = (1-p) q of each part of an itemset: the probability that a disguised record has the part by noise
    alone."""
    return (1 - keep_probabilities(group, laws, parts)) * noise_probabilities(group, laws, parts)


def disguised_scores(keep: Floats, chance: Floats) -> Floats:
    """Returns, for each cell, the score z of a disguised record in it: the product over parts of (1[cell contains the
    part] - c) / p."""
    scores = np.ones((1, keep.shape[1]))
    for p, c in zip(keep, chance, strict=True):
        scores = np.concatenate([scores * (-c / p), scores * ((1 - c) / p)])
    return scores


def open_scores(cells: int) -> Floats:
    """Returns, for each cell, the score z of an open record in it: 1 if the cell contains all parts, else
    0."""
    scores = np.zeros((cells, 1))
    scores[-1] = 1.0
    return scores


def sum_of_groups(groups: NDArray[Any]) -> NDArray[Any]:
    """Returns the sum of the open and the disguised group (first axis); for few itemsets several times faster than
    numpy's sum."""
    together: NDArray[Any] = groups[0] + groups[1]
    return together


def divide_or_zero(above: NDArray[Any], below: NDArray[Any]) -> Floats:
    """Returns above / below, and 0 where `below` is 0."""
    if below.all():
        return np.asarray(above / below)
    result = np.zeros(np.broadcast(above, below).shape)
    np.divide(above, below, out=result, where=below != 0)
    return result
