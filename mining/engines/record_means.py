"""Supports of itemsets as means over bits of records, apart from Candor's counters and estimators.

What checks a run (`row_comparison`, `reference_list`) shares only the reading of records, the design and the stored
verdict with what it checks. Each record is a bit in a column per item and per question; a mean is a sum of popcounts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from mining.queries_and_counters import Numbering, Numbers
from mining.reconstruction.supports import Estimator
from privacy.designs import Design
from privacy.records.batch_bit_columns import Columns, Words

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Sections = tuple[tuple[int, ...], ...]

FEWEST, FEWEST_IN_GROUP = 50, 10
"""Fewest records asked all of an itemset, and fewest with its items without noise in each group (docs/mathematics.md,
Floors)."""
STEP = 1e-6
"""Share of the records by which a cell grows, for the influence of a record on the pooled estimate."""


@dataclass(frozen=True)
class RecordBits:
    """The records as bits: `has` by item, `asked` and `applies` by question, each a row of words.

    Leaves out records of the direct arm, and with `without_plain` the plain answers and places of open records.
    """

    laws: "ItemLaws"
    everyone: Words
    disguised: Words
    has: Words
    asked: Words
    applies: Words
    withheld: NDArray[np.bool_]
    """By question: open records lack its answers."""

    @classmethod
    def from_columns(
        cls, design: Design, parts: Sequence[Columns], *, without_plain: bool = True
    ) -> "RecordBits":
        """Reads the records; `design` is the mined one."""
        pieces = [_read_bits(design, part, without_plain=without_plain) for part in parts]
        rows = (len(design.questions), len(Numbering(design)), len(design.questions))
        empty = [np.zeros(0, np.uint64)] * 2 + [np.zeros((many, 0), np.uint64) for many in rows]
        everyone, disguised, asked, has, applies = (
            np.concatenate(columns, axis=-1) for columns in zip(empty, *pieces, strict=True)
        )
        withheld = [without_plain and question.withheld_if_open for question in design.questions]
        return cls(ItemLaws(design), everyone, disguised, has, asked, applies, np.array(withheld, np.bool_))

    @cached_property
    def n(self) -> tuple[int, int]:
        """Number of open and of disguised records."""
        disguised = int(_popcounts(self.disguised))
        return int(_popcounts(self.everyone)) - disguised, disguised

    def count(self, itemsets: Numbers, mask: int, rest: Words) -> Counts:
        """Returns how many open and disguised records have the items in `mask`, bit i for item i, and of the other
        items have the question in `rest`; group by itemset. Neighbours with the same first items are quickest."""
        questions = self.laws.numbering.question[itemsets]
        counts = np.zeros((2, len(itemsets)), np.int64)
        last = itemsets.shape[1] - 1
        is_new = np.ones(len(itemsets) + 1, np.bool_)
        is_new[1:-1] = (itemsets[1:, :-1] != itemsets[:-1, :-1]).any(axis=1)
        starts = np.flatnonzero(is_new).tolist()
        for start, stop in pairwise(starts):
            first = self.everyone
            for place in range(last):
                in_mask = mask >> place & 1
                column = self.has[itemsets[start, place]] if in_mask else rest[questions[start, place]]
                first = first & column
            rows = slice(start, stop)
            columns = self.has[itemsets[rows, last]] if mask >> last else rest[questions[rows, last]]
            columns &= first
            counts[1, rows] = _popcounts(columns & self.disguised)
            counts[0, rows] = _popcounts(columns) - counts[1, rows] if self.n[0] else 0
        return counts


def _popcounts(columns: Words) -> Counts:
    return np.asarray(np.bitwise_count(columns).sum(axis=-1, dtype=np.int64))


def _read_bits(
    design: Design, part: Columns, *, without_plain: bool
) -> tuple[Words, Words, Words, Words, Words]:
    disguised = part.disguised
    everyone = disguised if design.has_arms else part.everyone_bits
    asked, applies, has = list[Words](), list[Words](), list[Words]()
    for index, question in enumerate(design.questions):
        known = disguised if without_plain and question.withheld_if_open else everyone
        asked.append(part.asked(index) & known)
        applies.append(part.answered(index) & known)
        codes = 0 if question.scored else len(question.choices)
        has += [part.choice(index, code) & applies[-1] for code in range(codes)]
        # Nobody has an item of scores: records add a score to it.
        has += [np.zeros_like(everyone)] * (Numbering(design).sizes[index] - codes)
    asked_bits, has_bits, applies_bits = (
        np.array(rows, np.uint64).reshape(-1, len(everyone)) for rows in (asked, has, applies)
    )
    return everyone, disguised & everyone, asked_bits, has_bits, applies_bits


class ItemLaws:
    """By item number: its section, whether it is sensitive, the chance p that an answer is kept, and q, the chance of
    noise to be the item."""

    def __init__(self, design: Design) -> None:
        self.numbering = Numbering(design)
        size, place = len(self.numbering), 0
        self.section = np.zeros(size, np.int32)
        self.sensitive = np.zeros(size, np.bool_)
        self.keep, self.noise = np.ones(size), np.zeros(size)
        for index, section in enumerate(design.sections):
            law = section.itemset_law
            for question in range(len(section.questions)):
                items = slice(*self.numbering.first[place : place + 2].tolist())
                self.section[items], self.sensitive[items] = index, section.sensitive
                if law is not None:
                    codes = range(items.stop - items.start)
                    self.keep[items] = float(law.keep)
                    self.noise[items] = [float(law.noise_probability([(question, code)])) for code in codes]
                place += 1

    def of_parts(self, parts: Numbers) -> tuple[Floats, Floats]:
        """Returns p and c = (1 - p) q of rows of items of one section, where q is the chance of noise to be all of
        them."""
        keep = self.keep[parts[:, 0]]
        return keep, (1 - keep) * self.noise[parts].prod(axis=1)

    @property
    def is_noiseless(self) -> NDArray[np.bool_]:
        """True for sensitive items that no noise makes."""
        return np.asarray(self.sensitive & ((1 - self.keep) * self.noise == 0))

    def of_sections(self, sections: Sections, itemsets: Numbers) -> tuple[Floats, Floats]:
        """Returns p and c by section and itemset; `sections`: the places of the items of each."""
        laws = np.array([self.of_parts(itemsets[:, list(section)]) for section in sections])
        keep, chance = np.moveaxis(laws.reshape(len(sections), 2, len(itemsets)), 1, 0)
        return keep, chance


@dataclass(frozen=True)
class Shape:
    """How the items of an itemset lie in sections: the places of its `plain` items, and those of each other section.

    `noiseless`: places of items that no noise makes; they and the plain ones count for the floors.
    """

    plain: tuple[int, ...]
    sections: Sections
    noiseless: tuple[int, ...]

    @property
    def is_mixed(self) -> bool:
        """True if the itemset has plain and sensitive items: then open records are left out."""
        return bool(self.plain and self.sections)

    def among(self, places: tuple[int, ...]) -> "Shape":
        """Returns the shape of the items at these places alone, by the places in the whole itemset."""
        sections = (tuple(place for place in section if place in places) for section in self.sections)
        return Shape(
            tuple(place for place in self.plain if place in places), tuple(filter(None, sections)), ()
        )

    @property
    def masks(self) -> list[int]:
        """The sets of items whose counts give the support: the plain ones with each set of sections."""
        plain = _mask(self.plain)
        return [
            plain + sum(_mask(self.sections[index]) for index in chosen)
            for chosen in map(_bits, range(1 << len(self.sections)))
        ]


def _mask(places: Sequence[int]) -> int:
    return sum(1 << place for place in places)


def _bits(mask: int) -> list[int]:
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def rows_by_shape(laws: ItemLaws, itemsets: Numbers) -> Iterator[tuple[Shape, NDArray[np.intp]]]:
    """Yields the shapes of itemsets of one size, with the rows of each, ordered by their items."""
    section = np.where(laws.sensitive, laws.section, -1)[itemsets]
    noiseless = laws.is_noiseless[itemsets]
    keys = np.concatenate([section, noiseless], axis=1)
    # Which section it is matters not, only which items share one.
    size = itemsets.shape[1]
    for place in range(size - 1, -1, -1):
        same = (section == section[:, place, None]).argmax(axis=1)
        keys[:, place] = np.where(section[:, place] < 0, -1, same)
    for key in np.unique(keys, axis=0):
        rows = np.flatnonzero((keys == key).all(axis=1))
        where, free = key[:size].tolist(), key[size:].tolist()
        sections = tuple(
            tuple(place for place in range(size) if where[place] == first)
            for first in sorted({at for at in where if at >= 0})
        )
        shape = Shape(
            tuple(place for place in range(size) if where[place] < 0),
            sections,
            tuple(place for place in range(size) if free[place]),
        )
        yield shape, rows[np.lexsort(itemsets[rows].T[::-1])]


@dataclass(frozen=True)
class Means:
    """Counts of itemsets of one shape, and their supports; the last axis of counts is by itemset, the one before by
    group (open, disguised).

    `base`: asked all items. `applying`: to these all apply. `carrying`: of `base` those with the items that no noise
    makes. `at_least`: of `applying`, by mask of items. `keep`, `chance`: p and c by section.
    """

    shape: Shape
    base: Counts
    applying: Counts
    carrying: Counts
    at_least: dict[int, Counts]
    keep: Floats
    chance: Floats

    @property
    def undisguised(self) -> int:
        """The mask of the items that no noise makes."""
        return _mask((*self.shape.plain, *self.shape.noiseless))

    @property
    def enough(self) -> NDArray[np.bool_]:
        carried = (self.base == 0) | (self.carrying >= FEWEST_IN_GROUP)
        return np.asarray((self.base.sum(axis=0) >= FEWEST) & carried.all(axis=0))

    @property
    def has_some(self) -> NDArray[np.bool_]:
        """True for each itemset that some record contains as it was received."""
        return np.asarray(self.at_least[self.shape.masks[-1]].sum(axis=0) > 0)

    def plus(self, other: "Means") -> "Means":
        """Returns the counts of both sets of records together."""
        counts = {mask: own + other.at_least[mask] for mask, own in self.at_least.items()}
        return replace(
            self,
            base=self.base + other.base,
            applying=self.applying + other.applying,
            carrying=self.carrying + other.carrying,
            at_least=counts,
        )

    @cached_property
    def cells(self) -> Counts:
        """Records with the plain items, by set of sections, group and itemset: with the items of exactly these."""
        cells = np.stack([self.at_least[mask] for mask in self.shape.masks])
        for section in range(len(self.shape.sections)):
            for cell in range(len(cells)):
                if not cell >> section & 1:
                    cells[cell] -= cells[cell | 1 << section]
        return cells

    @cached_property
    def _scores(self) -> Floats:
        """The score of a record by cell, group and itemset (docs/mathematics.md, Estimators)."""
        scores = np.ones(self.cells.shape)
        scores[:-1, 0] = 0.0
        for cell in range(len(scores)):
            for section in range(len(self.keep)):
                has = cell >> section & 1
                scores[cell, 1] *= (has - self.chance[section]) / self.keep[section]
        return scores

    def support_and_error(self, estimator: Estimator) -> tuple[Floats, Floats]:
        """Returns the supports and their standard errors; NaN without records."""
        n = self.base.sum(axis=0)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = (self.cells * self._scores).sum(axis=(0, 1)) / n
            square = (self.cells * self._scores**2).sum(axis=(0, 1)) / n
            if estimator == "stratified":
                return mean, np.sqrt(np.maximum(square - mean**2, 0) / n)
            if estimator == "pooled":
                return self.pooled, self._pooled_error()
            return self._combined(mean, n)

    def _combined(self, mean: Floats, n: Counts) -> tuple[Floats, Floats]:
        means = (self.cells * self._scores).sum(axis=0) / self.base
        squares = (self.cells * self._scores**2).sum(axis=0) / self.base
        slope = np.stack([np.ones(len(n)), ((1 - 2 * self.chance) / self.keep).prod(axis=0)])

        def weights(common: Floats) -> Floats:
            at = np.clip(common, 0.5 / n, 1 - 0.5 / n)
            variances = (np.maximum(squares - slope * means + slope * at, at) - at**2) / self.base
            return np.where(self.base > 0, 1 / variances, 0.0)

        common = mean
        for _round in range(3):
            certainty = weights(common)
            common = np.where(self.base > 0, certainty * means, 0.0).sum(axis=0) / certainty.sum(axis=0)
        return common, 1 / np.sqrt(weights(common).sum(axis=0))

    @property
    def pooled(self) -> Floats:
        """The supports by the inversion of both groups together (docs/mathematics.md, Inversion)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            found = self._invert(self.cells.astype(np.float64), self.applying.astype(np.float64))
            applying = self.applying.sum(axis=0)
            return np.asarray(np.where(applying > 0, found * applying, 0.0) / self.base.sum(axis=0))

    def _invert(self, cells: Floats, applying: Floats) -> Floats:
        """Returns the supports among those to whom all items apply, by one set of sections after the other."""
        both, everybody = cells.sum(axis=1), applying.sum(axis=0)
        k = applying[0] / everybody
        supports: list[Floats] = []
        for wanted in range(len(cells)):
            observed = sum(both[cell] for cell in range(len(cells)) if cell & wanted == wanted) / everybody
            noise = np.zeros_like(k)
            for true in range(wanted):
                if true & wanted == true:
                    chosen = [
                        self.keep[section] if true >> section & 1 else self.chance[section]
                        for section in _bits(wanted)
                    ]
                    noise = noise + np.prod(chosen, axis=0) * supports[true]
            whole = np.prod([self.keep[section] for section in _bits(wanted)], axis=0)
            supports.append(np.asarray((observed - (1 - k) * noise) / (k + (1 - k) * whole)))
        return supports[-1]

    def _pooled_error(self) -> Floats:
        """The standard error of `pooled`: each cell of records has an influence, the change of the estimate where it
        grows."""
        base, applying = self.base.sum(axis=0), self.applying.astype(np.float64)
        cells, hidden = self.cells.astype(np.float64), base - applying.sum(axis=0)
        without = applying - cells.sum(axis=0)
        step = STEP * applying.sum(axis=0)
        shown, share = self._invert(cells, applying), self.pooled
        squares = hidden * share**2
        for group in (0, 1):
            for cell in range(-1, len(cells)):
                grown, more = cells.copy(), applying.copy()
                more[group] += step
                if cell >= 0:
                    grown[cell, group] += step
                influence = (self._invert(grown, more) - shown) / STEP * (1 + STEP)
                records = without[group] if cell < 0 else cells[cell, group]
                squares = squares + records * (influence + shown - share) ** 2
        return np.asarray(np.sqrt(squares) / base)


def count_means(bits: RecordBits, itemsets: Numbers, shape: Shape, *, with_parts: bool = False) -> Means:
    """Counts itemsets of one shape; `with_parts`: also each set of their items, for rules."""
    size = itemsets.shape[1]
    masks = range(1 << size) if with_parts else {0, *shape.masks}
    known = replace(bits, everyone=bits.disguised) if shape.is_mixed else bits
    at_least = {mask: known.count(itemsets, mask, bits.applies) for mask in masks}
    base = known.count(itemsets, 0, bits.asked)
    undisguised = _mask((*shape.plain, *shape.noiseless))
    carrying = known.count(itemsets, undisguised, bits.asked) if undisguised else base
    return Means(
        shape, base, at_least[0], carrying, at_least, *bits.laws.of_sections(shape.sections, itemsets)
    )


def means_of_part(whole: Means, places: tuple[int, ...], laws: ItemLaws, itemsets: Numbers) -> Means:
    """Returns the means of the items at these places, among the records to which all of the itemset applies."""
    shape = whole.shape.among(places)
    at_least = {mask: whole.at_least[mask] for mask in (0, *shape.masks)}
    return Means(
        shape,
        whole.applying,
        whole.applying,
        whole.applying,
        at_least,
        *laws.of_sections(shape.sections, itemsets),
    )


def all_parts(size: int) -> list[tuple[int, ...]]:
    """Returns the places of each set of one or more of so many items."""
    return [part for many in range(1, size + 1) for part in combinations(range(size), many)]
