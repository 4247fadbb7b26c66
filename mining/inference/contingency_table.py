"""Contingency tables of an itemset's parts, as received and before the disguise (docs/mathematics.md, Counts and
cells).

The parts of S = A + C are its plain items in A, its plain items in C, and what A and C have in each sensitive section.
A cell says which parts a record has: bit i of its number stands for part i. Arrays are cells by group (open, disguised)
by row; where all rows have the same law, the last axis of a law has length 1.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# --- scored parts
# Parts of an itemset that are items of scores (docs/mathematics.md, Scores of codes): what tests need of them.
# Such a part is there or not; given that, its score has the moments mu_k. The cells of a contingency table hold
# sums of scores in its place, so their means need nothing else: keep is 1, noise 0.

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class ScoredParts:
    """The parts of a contingency table whose items are counted by scores, not by presence, with the moments of their
    scores.

    `bits` are these parts. `squares` and `touched` have the shape of the table's `at_least`: `squares` sums squared
    scores; `touched` counts the records that may have the items, since what was received contains the class of each.
    `moments` are mu_k by part, absent or there, power and row.
    """

    bits: tuple[int, ...]
    squares: Floats
    touched: Floats
    moments: Floats

    def take(self, rows: Any) -> "ScoredParts":
        return ScoredParts(
            self.bits, self.squares[..., rows], self.touched[..., rows], self.moments[..., rows]
        )

    def reduce_to_bits(self, bits: Sequence[int], cells: Sequence[int]) -> "ScoredParts | None":
        """Returns the scored parts of a table reduced to the parts `bits`; None if none of these is scored. `cells`:
        the cells that are kept."""
        kept = [number for number, bit in enumerate(self.bits) if bit in bits]
        if not kept:
            return None
        return ScoredParts(
            tuple(bits.index(self.bits[number]) for number in kept),
            self.squares[list(cells)],
            self.touched[list(cells)],
            self.moments[kept],
        )


# --- contingency table

ANTECEDENT, CONSEQUENT = 0, 1
PLAIN = -1


def exact_counts_from_at_least(at_least: NDArray[Any]) -> NDArray[Any]:
    """Converts counts of records with at least the parts of a cell to counts of records with exactly these parts, for
    all cells.

    By inclusion and exclusion; cells are the first axis.
    """
    cells = at_least.copy()
    for bit in range(len(cells).bit_length() - 1):
        halves = cells.reshape(len(cells) >> bit + 1, 2, 1 << bit, *cells.shape[1:])
        halves[:, 0] -= halves[:, 1]
    return cells


@dataclass(frozen=True)
class ItemsetPart:
    """The items of an itemset that are on one side of the rule (A or C) and in one section.

    `section`: its index, or PLAIN for the plain items of all sections. A section with items on both sides has
    two parts, one after the other.
    """

    side: int
    section: int


class TableArrays(NamedTuple):
    """A contingency table as arrays for compiled loops. `sections` has the index, the first bit and the number of bits
    of each sensitive section. The last three are empty without scored parts."""

    at_least: Floats
    sides: NDArray[np.int64]
    sections: NDArray[np.int64]
    keep: Floats
    noise: Floats
    scored: NDArray[np.int64]
    squares: Floats
    moments: Floats


NO_SQUARES, NO_MOMENTS = np.empty((0, 2, 0)), np.empty((0, 2, 0, 0))


@cache
def _side_and_section_arrays(parts: tuple[ItemsetPart, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Returns two arrays: the side (A or C) of each part; and the index, first bit and number of bits of each sensitive
    section."""
    of_parts = [part.section for part in parts]
    sections = [
        (section, of_parts.index(section), of_parts.count(section))
        for section in dict.fromkeys(of_parts)
        if section != PLAIN
    ]
    return np.array([part.side for part in parts], np.int64), np.array(sections, np.int64).reshape(-1, 3)


@dataclass(frozen=True)
class ContingencyTable:
    """Counts of an itemset's parts in records, by cell, group and row, with the law of the disguise.

    `at_least` counts the records with at least the parts of a cell, with no part all records of the group. `keep` is p
    of each section, `noise` the probability of each part under the noise law (1 for plain parts). `scores`: the parts
    that are items of scores, None without any; each of these is a section of its own, with keep 1 and noise 0.
    """

    parts: tuple[ItemsetPart, ...]
    at_least: Floats
    keep: Floats
    noise: Floats
    scores: ScoredParts | None = None

    def __len__(self) -> int:
        return int(self.at_least.shape[-1])

    def take(self, rows: Any) -> "ContingencyTable":
        """Returns the table of these `rows` (indexes, a mask or a slice)."""
        keep, noise = (law if law.shape[-1] == 1 else law[:, rows] for law in (self.keep, self.noise))
        scores = self.scores.take(rows) if self.scores else None
        return ContingencyTable(self.parts, self.at_least[..., rows], keep, noise, scores)

    @property
    def n(self) -> Floats:
        return np.asarray(self.at_least[0])

    @cached_property
    def records(self) -> Floats:
        return np.asarray(self.n[0] + self.n[1])

    @cached_property
    def record_share_by_group(self) -> Floats:
        return np.asarray(self.n / np.maximum(self.records, 1.0))

    @cached_property
    def counts(self) -> Floats:
        """Number of records with exactly the parts (items by section) of each cell."""
        return exact_counts_from_at_least(self.at_least)

    @cached_property
    def received_shares(self) -> Floats:
        """The share y of each cell among the records received in a group; 0 in a group without records."""
        return self.counts / np.maximum(self.n, 1.0)

    @cached_property
    def arrays(self) -> TableArrays:
        sides, sections = _side_and_section_arrays(self.parts)
        scores = self.scores
        return TableArrays(
            np.ascontiguousarray(self.at_least, np.float64),
            sides,
            sections,
            np.ascontiguousarray(self.keep, np.float64),
            np.ascontiguousarray(self.noise, np.float64),
            np.array(scores.bits if scores else (), np.int64),
            np.ascontiguousarray(scores.squares) if scores else NO_SQUARES,
            np.ascontiguousarray(scores.moments) if scores else NO_MOMENTS,
        )

    def reduce_to_side(self, side: int) -> "ContingencyTable":
        """Returns the contingency table reduced to the parts of one side of the rule."""
        bits = [bit for bit, part in enumerate(self.parts) if part.side == side]
        sections = sorted({self.parts[bit].section for bit in bits} - {PLAIN})
        cells = [
            sum(1 << bit for index, bit in enumerate(bits) if cell >> index & 1)
            for cell in range(1 << len(bits))
        ]
        parts = (self.parts[bit] for bit in bits)
        renumbered = (
            ItemsetPart(side, PLAIN if part.section == PLAIN else sections.index(part.section))
            for part in parts
        )
        scores = self.scores.reduce_to_bits(bits, cells) if self.scores else None
        return ContingencyTable(
            tuple(renumbered), self.at_least[cells], self.keep[sections], self.noise[bits], scores
        )

    def cell_of_side(self, side: int) -> int:
        """Returns the number of the cell that has all parts of this side of the rule and no others."""
        return sum(1 << bit for bit, part in enumerate(self.parts) if part.side == side)

    def score(self, sides: Sequence[int]) -> Floats:
        """Returns the score z of each cell for the items of these sides: cells by group by row.

        A part of scores counts as 1 or 0.
        """
        shape = len(self.at_least), 2, self.noise.shape[-1]
        scores = np.ones(shape)
        for section, bits in self.bits_by_section(sides):
            has = np.array([all(cell >> bit & 1 for bit in bits) for cell in range(shape[0])], np.float64)
            scores[:, 0] *= has[:, None]
            if section == PLAIN:
                scores[:, 1] *= has[:, None]
                continue
            p = self.keep[section]
            chance = (1 - p) * self.noise[bits].prod(axis=0)
            scores[:, 1] *= (has[:, None] - chance) / p
        return scores

    def bits_by_section(self, sides: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
        """Yields each section with its bits (parts) on these sides of the rule."""
        mine = [bit for bit, part in enumerate(self.parts) if part.side in sides]
        for section in dict.fromkeys(self.parts[bit].section for bit in mine):
            yield section, [bit for bit in mine if self.parts[bit].section == section]
