"""Caches counts: the itemsets of one search level share many of them, and the next level needs them again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.counting.queries_to_column_paths import ColumnNumbering
from mining.distinct_rows import pack_row_keys
from mining.queries_and_counters import (
    Counter,
    CounterWrapper,
    Numbering,
    Queries,
    Query,
    as_queries,
    limit_to_disguised_arm,
)
from mining.reconstruction.disguise_probabilities import DisguiseProbabilities

Counts = NDArray[Any]
"""Open and disguised counts, a row per query; integers, unless the counter computes them from an exact law."""

PLAIN, NEW_SECTION, UNASKED, HIDDEN, UNPROTECTED, WITHHELD, SCORED = 1, 2, 4, 8, 16, 32, 64
"""Traits of items and of their questions, by which itemsets are grouped."""

Kind = tuple[int, int, int, bool]
EVERYBODY: Kind = (0, 0, 0, False)
"""The kind of queries without any condition."""

MISSING = -1
"""Index of a query whose count is not known yet."""


@dataclass(frozen=True)
class CounterWithoutOpenPlainAnswers(CounterWrapper):
    """A counter that ignores plain answers and places of open records, as published files do.

    No open record counts in a query about a plain question or a place (docs/mathematics.md, What leaves).
    """

    counter: Counter

    @cached_property
    def _column_numbering(self) -> ColumnNumbering:
        return ColumnNumbering(self.design)

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        asked = as_queries(self.design, queries)
        counts = self.counter.count(asked).copy()
        counts[self._column_numbering.touches_withheld(asked), 0] = 0
        return counts


@dataclass
class _StoredCounts:
    """Cached counts with the keys of their queries, sorted by key."""

    keys: NDArray[Any]
    counts: Counts


class CachedCounter:
    """A counter that stores its counts; `n`, `design` and `numbering` are those of the wrapped counter.

    Sums of scores are real numbers here. All rows of a part (see `count`) have items of scores in the same places.

    Callers leave out of `asked` the questions that every device draws, and out of `applies` those that no rule hides,
    so that itemsets share the counts of their subsets. In a design with arms it counts the disguised arm alone, unless
    `arms`; `whole` counts both. `without_plain`: plain answers and places of open records count nowhere but in `whole`.
    `withheld`: by question whether open records lack it.
    """

    def __init__(self, counter: Counter, *, without_plain: bool = False, arms: bool = False) -> None:
        self.whole = counter
        self.counter = counter if arms else limit_to_disguised_arm(counter)
        if without_plain and self.counter.n[0]:
            self.counter = CounterWithoutOpenPlainAnswers(self.counter)
        self.design = counter.design
        self.n = self.counter.n
        self._n = np.array(self.n)
        self.numbering = Numbering(self.design)
        self.laws = DisguiseProbabilities.from_design(self.design)
        self._known: dict[Kind, _StoredCounts] = {}
        self.bound = max(len(self.numbering), len(self.design.questions))
        questions = self.design.questions
        withheld = np.array([question.withheld_if_open for question in questions], np.bool_)
        rotates = np.array([section.rotates for section in self.design.sections for _ in section.questions])
        self.withheld: NDArray[np.bool_] = withheld & self._open_records_lack_plain_answers()
        self.may_be_unasked: NDArray[np.bool_] = rotates | self.withheld
        self.may_be_hidden: NDArray[np.bool_] = np.array([bool(question.show_if) for question in questions])

    @cached_property
    def question_traits(self) -> NDArray[np.int8]:
        """Bits of each question: PLAIN, UNASKED, HIDDEN, WITHHELD, SCORED."""
        traits = np.where(self.laws.sensitive, 0, PLAIN)
        traits |= UNASKED * self.may_be_unasked | HIDDEN * self.may_be_hidden | WITHHELD * self.withheld
        traits |= SCORED * self.numbering.scored
        return np.asarray(traits, np.int8)

    @cached_property
    def item_traits(self) -> NDArray[np.int8]:
        """Bits that each item adds to its question's traits: UNPROTECTED or 0."""
        return np.where(self.laws.unprotected, UNPROTECTED, 0).astype(np.int8)

    def count(self, parts: Sequence[Queries]) -> list[Counts]:
        """Returns the counts of each part of queries, from the cache where known; all new queries go to the counter in
        one call. Rows have no NONE."""
        kinds = [self._cache_kind(part) for part in parts]
        asking = [(kind, part) for kind, part in zip(kinds, parts, strict=True) if kind != EVERYBODY]
        counts = iter(self._count_parts(asking))
        return [
            next(counts) if kind != EVERYBODY else self._counts_of_everybody(len(part))
            for part, kind in zip(parts, kinds, strict=True)
        ]

    def _cache_kind(self, part: Queries) -> Kind:
        scored = self.numbering.has_scores and bool(self.numbering.scored_mask(part.items[:1]).any())
        return part.items.shape[1], part.asked.shape[1], part.applies.shape[1], scored

    def _counts_of_everybody(self, rows: int) -> Counts:
        counts = np.empty((rows, 2), self._n.dtype)
        counts[:] = self._n
        return counts

    def _count_parts(self, parts: Sequence[tuple[Kind, Queries]]) -> list[Counts]:
        keys = [
            pack_row_keys(np.concatenate([part.items, part.asked, part.applies], axis=1), self.bound)
            for _kind, part in parts
        ]
        places = [self._cached_key_indexes(kind, key) for (kind, _part), key in zip(parts, keys, strict=True)]
        missing: dict[Kind, list[tuple[NDArray[Any], Queries]]] = {}
        for (kind, part), key, index in zip(parts, keys, places, strict=True):
            if (index == MISSING).any():
                is_new = index == MISSING
                missing.setdefault(kind, []).append((key[is_new], part.take(is_new)))
        if missing:
            self._count_missing(missing)
            # What came to a kind has moved what was known of it before.
            for at, (kind, _part) in enumerate(parts):
                if kind in missing:
                    places[at] = self._cached_key_indexes(kind, keys[at])
        known = (self._known.get(kind, _NOTHING) for kind, _part in parts)
        return [cache.counts[index] for cache, index in zip(known, places, strict=True)]

    def _open_records_lack_plain_answers(self) -> bool:
        """Returns True if open records lack their plain answers and places, as in record files."""
        shown = [question.withheld_if_open and not question.show_if for question in self.design.questions]
        plain = tuple(index for index, is_shown in enumerate(shown) if is_shown)
        if not plain or not self.n[0]:
            return False
        counts = self.counter.count([Query(asked=plain)])
        return bool(counts[0, 0] < self.n[0])

    def _count_missing(self, missing: Mapping[Kind, Sequence[tuple[NDArray[Any], Queries]]]) -> None:
        """Counts queries, given by kind with their keys, and stores their counts."""
        wanted: list[tuple[Kind, NDArray[Any], Queries]] = []
        for kind, new in missing.items():
            keys, first = _distinct_keys_and_positions(np.concatenate([key for key, _rows in new]))
            wanted.append((kind, keys, Queries.concatenate([rows for _key, rows in new]).take(first)))
        counts = np.asarray(self.counter.count(Queries.concatenate([rows for _, _, rows in wanted])))
        start = 0
        for kind, keys, queries in wanted:
            new_counts = counts[start : start + len(keys)]
            self._store(
                kind, keys, self.numbering.scale_sums(queries.items, new_counts) if kind[3] else new_counts
            )
            start += len(keys)

    def _store(self, kind: Kind, keys: NDArray[Any], counts: Counts) -> None:
        if kind in self._known:
            known = self._known[kind]
            keys = np.concatenate([known.keys, keys])
            order = np.argsort(keys)
            keys, counts = keys[order], np.concatenate([known.counts, counts])[order]
        self._known[kind] = _StoredCounts(keys, counts)

    def _cached_key_indexes(self, kind: Kind, keys: NDArray[Any]) -> NDArray[np.intp]:
        """Returns the indexes of these keys among the cached counts of one kind; MISSING where there is none."""
        known = self._known.get(kind, _NOTHING)
        if not len(known.keys):
            return np.full(len(keys), MISSING)
        places = np.minimum(np.searchsorted(known.keys, keys), len(known.keys) - 1)
        return np.where(known.keys[places] == keys, places, MISSING)


_NOTHING = _StoredCounts(np.empty(0, np.int64), np.empty((0, 2), np.int64))


def as_cached(counter: Counter | CachedCounter) -> CachedCounter:
    return counter if isinstance(counter, CachedCounter) else CachedCounter(counter)


def _distinct_keys_and_positions(keys: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Returns the distinct keys in order, and the first position of each."""
    if (keys[1:] > keys[:-1]).all():
        return keys, np.arange(len(keys))
    return np.unique(keys, return_index=True)
