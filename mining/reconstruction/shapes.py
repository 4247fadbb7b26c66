"""Itemsets of one shape: the same number of items in the same pattern of sections, so that one formula does all."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.counts import NONE, Item, Numbering, Numbers, Queries, filled
from mining.reconstruction.counted import Counted, row_keys
from privacy.designs import Design, PlainSection
from privacy.designs.node import PARTS

Floats = NDArray[np.float64]
Places = tuple[int, ...]
"""Places of items in an itemset."""

CHUNK = 4096
"""So many itemsets at a time, to keep what lies between small."""

PLAIN, NEW_SECTION, UNASKED, HIDDEN = 1, 2, 4, 8
TRAIT_BITS = 4


@dataclass(frozen=True)
class Laws:
    """Of each question its section and keep, of each item its probability under noise; plain: 1 and 0.

    Items of one `kind` have the same of both.
    """

    section: NDArray[np.int32]
    sensitive: NDArray[np.bool_]
    keep: Floats
    noise: Floats
    kind: NDArray[np.int32]

    @classmethod
    def of(cls, design: Design) -> "Laws":
        section: list[int] = []
        sensitive: list[bool] = []
        keep: list[float] = []
        noise: list[float] = []
        kinds: dict[tuple[float, float], int] = {}
        kind: list[int] = []
        for place, part in enumerate(design.sections):
            count = len(part.questions)
            section += [place] * count
            sensitive += [part.sensitive] * count
            if isinstance(part, PlainSection):
                keep += [1.0] * count
                noise += [0.0] * sum(len(question.choices) for question in part.questions)
            else:
                keep += [part.keep_parts / PARTS] * count
                noise += [parts / PARTS for question in part.questions for parts in question.parts]
        item = 0
        for question, p in zip(design.questions, keep, strict=True):
            chances = noise[item : item + len(question.choices)]
            kind += [kinds.setdefault((p, chance), len(kinds)) for chance in chances]
            item += len(question.choices)
        return cls(
            np.array(section, np.int32),
            np.array(sensitive),
            np.array(keep),
            np.array(noise),
            np.array(kind, np.int32),
        )


@dataclass(frozen=True)
class Shape:
    """`plain` are the places of plain items, `sections` those of each sensitive section that is touched.

    `unasked` are the places whose question some device does not ask, `hidden` those that a rule may hide.
    """

    plain: Places
    sections: tuple[Places, ...]
    unasked: Places
    hidden: Places

    @property
    def size(self) -> int:
        return len(self.plain) + sum(map(len, self.sections))

    @cached_property
    def everything(self) -> Places:
        return tuple(range(self.size))


@dataclass(frozen=True)
class Group:
    """Itemsets of one shape: `rows` says which of the list they are."""

    shape: Shape
    rows: NDArray[np.intp]
    items: Numbers
    questions: Numbers

    def take(self, rows: NDArray[Any] | slice) -> "Group":
        return Group(self.shape, self.rows[rows], self.items[rows], self.questions[rows])

    def queries(self, items: Places, applies: Places | None = None) -> Queries:
        """Records of base(S) to which the questions at `applies` apply (None: all of S), with these items."""
        shape = self.shape
        applies = shape.everything if applies is None else applies
        asked = [place for place in shape.unasked if place not in items]
        hidden = [place for place in shape.hidden if place in applies and place not in items]
        return Queries(self.items[:, items], self.questions[:, asked], self.questions[:, hidden])


def as_numbers(numbering: Numbering, itemsets: Sequence[Sequence[Item]] | Numbers) -> Numbers:
    """Itemsets as rows of item numbers, ascending, NONE behind."""
    if isinstance(itemsets, np.ndarray):
        return itemsets
    return filled([sorted(map(numbering.number, itemset)) for itemset in itemsets])


def grouped(known: Counted, laws: Laws, itemsets: Numbers) -> Iterator[Group]:
    """The itemsets by shape."""
    sizes = (itemsets != NONE).sum(axis=1)
    for size in np.unique(sizes):
        of_size = np.flatnonzero(sizes == size)
        items = itemsets[of_size, :size]
        questions = known.numbering.question[items]
        patterns = _patterns(known, laws, questions)
        keys = row_keys(list(patterns.T), len(patterns), TRAIT_BITS)
        rows = np.arange(len(patterns))
        while len(rows):
            # There are few patterns, so one at a time is faster than sorting them all.
            same = keys[rows] == keys[rows[0]]
            of = rows[same]
            yield Group(_shape(patterns[of[0]]), of_size[of], items[of], questions[of])
            rows = rows[~same]


def _patterns(known: Counted, laws: Laws, questions: Numbers) -> NDArray[np.int8]:
    section = laws.section[questions]
    traits = np.where(laws.sensitive, 0, PLAIN).astype(np.int8)
    traits[known.may_be_unasked] |= UNASKED
    traits[known.may_be_hidden] |= HIDDEN
    pattern = traits[questions]
    pattern[:, 1:][section[:, 1:] != section[:, :-1]] |= NEW_SECTION
    return pattern


def _shape(pattern: NDArray[np.int8]) -> Shape:
    sections: list[Places] = []
    starts = NEW_SECTION
    for place, traits in enumerate(pattern.tolist()):
        starts |= traits & NEW_SECTION
        if not traits & PLAIN:
            sections = [*sections, (place,)] if starts else [*sections[:-1], (*sections[-1], place)]
            starts = 0
    return Shape(_where(pattern, PLAIN), tuple(sections), _where(pattern, UNASKED), _where(pattern, HIDDEN))


def _where(pattern: NDArray[np.int8], trait: int) -> Places:
    return tuple(np.flatnonzero(pattern & trait).tolist())
