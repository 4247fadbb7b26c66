"""The verdict: which numbers about plain answers may be published, decided before a search
(docs/mathematics.md, What leaves).

It depends on the plain tables of all question sets that itemsets, classes, margins and hypotheses can have,
and on earlier publications, but on no support and no threshold. Results that are computed from publishable
question sets and classes alone, the size of a family and the order of a list included, reveal nothing more.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.plain_table_counts import (
    PAIR,
    CountTables,
    PlainTable,
    Questions,
    is_small_enough,
    plain_question_indexes,
    questions_in_rules,
    revealed_questions,
    smallest_tables_to_decide,
    undisguised_question_indexes,
)
from mining.disclosure.small_cells import (
    EarlierPublication,
    OutsideCells,
    SmallCells,
    rules_keep_withheld_together,
)
from mining.disclosure.withheld_cells_outside_regions import decide_withheld_outside_cells
from mining.json_codec import node_from_json, node_to_json
from mining.queries_and_counters import NONE, Item, Numbering, Numbers
from privacy.designs import Design

Json = Mapping[str, Any]
Hidden = Mapping[int, frozenset[int]]
IsApart = Callable[[Questions, Hidden], bool]
"""Function that returns True if the table of these questions, hidden classes merged, reveals nobody beside releases."""


@dataclass(frozen=True)
class Verdict:
    """The decision which answers and question sets of a design may be published ("told"); by default all.

    `hidden`: by counted question the classes whose counts are withheld. `told`: the tables that may be published; None:
    all but those that contain one of `untold`, the smallest that may not. `open_questions`: the questions that may be
    published of people who chose no disguise; None: all. `cells`: by place with cells outside its regions, which of
    these are withheld.
    """

    design: Design
    hidden: Hidden = field(default_factory=dict)
    told: frozenset[Questions] | None = None
    untold: frozenset[Questions] = frozenset()
    open_questions: frozenset[int] | None = None
    cells: Mapping[int, OutsideCells] = field(default_factory=dict)

    @property
    def publishes_everything(self) -> bool:
        return self.told is None and not self.untold and not self.hidden

    def may_publish_count_of(self, item: Item) -> bool:
        """Returns True if the count of this answer is not withheld; always True for disguised answers."""
        question, code = item
        return code not in self.hidden.get(question, frozenset())

    def may_tell(self, questions: Iterable[int]) -> bool:
        """Returns True if numbers about the combination of these questions may be published, for answers that are not
        withheld."""
        chosen = frozenset(questions)
        if chosen not in self._may_publish_cache:
            involved = frozenset[int]().union(*(self._revealed_questions[index] for index in chosen))
            self._may_publish_cache[chosen] = all(
                self._may_publish_shown_count[index] for index in chosen
            ) and (self._is_publishable(tuple(sorted(involved))))
        return self._may_publish_cache[chosen]

    @cached_property
    def _revealed_questions(self) -> list[Questions]:
        """For each question, the counted questions that numbers about it reveal (`revealed_questions`)."""
        return [revealed_questions(self.design, [index]) for index in range(len(self.design.questions))]

    def _is_publishable(self, table: Questions) -> bool:
        if self.told is not None:
            return table in self.told
        sizes = range(1, len(table) + 1)
        return not any(part in self.untold for size in sizes for part in combinations(table, size))

    @cached_property
    def _may_publish_cache(self) -> dict[frozenset[int], bool]:
        return {}

    @cached_property
    def _may_publish_shown_count(self) -> list[bool]:
        """For each question, True if the number of people shown it may be published: none of its rules divides withheld
        classes."""
        keeps_whole = [
            rules_keep_withheld_together(self.design, self.hidden, index)
            for index in range(len(self.design.questions))
        ]
        return [
            keeps_whole[index] and all(keeps_whole[rule] for rule in questions_in_rules(self.design, [index]))
            for index in range(len(keeps_whole))
        ]

    def allows(self, items: Iterable[Item]) -> bool:
        """Returns True if numbers about the combination of these answers may be published."""
        chosen = list(items)
        return all(map(self.may_publish_count_of, chosen)) and self.may_tell(
            question for question, _code in chosen
        )

    def allows_classes(self, by: int, items: Iterable[Item]) -> bool:
        """Returns True if numbers about these answers may be published in each class of the plain question `by`."""
        classes = range(self.design.questions[by].codes)
        return all(self.allows([(by, code), *items]) for code in classes)

    def allows_full_table(self, questions: Iterable[int]) -> bool:
        """Returns True if the full table of these questions may be published, with no class withheld.

        This is needed for numbers that are computed from all counts of the table, since these reveal each of them.
        """
        chosen = list(questions)
        table = revealed_questions(self.design, chosen)
        return not any(self.hidden.get(index) for index in table) and self.may_tell(chosen)

    def allows_comparing_open_and_disguised(self, item: Item) -> bool:
        """Returns True if this answer may be compared between open and disguised people."""
        question = item[0]
        is_told = self.open_questions is None or question in self.open_questions
        return (is_told or not self.design.questions[question].withheld_if_open) and self.allows([item])

    def has_outside_cells(self, question: int) -> bool:
        """Returns True for a place question with cells outside its sensitive regions (people there send their cell
        undisguised); False if everything may be published."""
        return not self.publishes_everything and question in self._places_with_outside_cells

    @cached_property
    def _places_with_outside_cells(self) -> frozenset[int]:
        """Indexes of the place questions with cells outside their sensitive regions."""
        return frozenset(undisguised_question_indexes(self.design)) - frozenset(
            plain_question_indexes(self.design)
        )

    # --- the question of a search --------------------------------------------------------------------------

    def allowed_itemsets(self, itemsets: Numbers, numbering: Numbering) -> NDArray[np.bool_]:
        """Returns True for each itemset that may be published."""
        if self.publishes_everything or not len(itemsets):
            return np.ones(len(itemsets), np.bool_)
        shown = np.array(
            [self.may_publish_count_of(item) for item in map(numbering.item, range(len(numbering)))]
        )
        matters = np.array([*map(bool, self._revealed_questions)])
        questions = numbering.question_indexes(itemsets)
        is_item = questions != NONE
        relevant = np.where(is_item & matters[questions], questions, NONE)
        rows, place = np.unique(relevant, axis=0, return_inverse=True)
        told = np.array([self.may_tell(index for index in row if index != NONE) for row in rows.tolist()])
        return np.asarray((shown[itemsets] | ~is_item).all(axis=1) & told[place.ravel()])


@dataclass(frozen=True)
class Decision:
    """A verdict with the `tables` and the `earlier` publications on which it was decided.

    `head` is the last row of the disclosure ledger at that time.
    """

    verdict: Verdict
    tables: Mapping[Questions, PlainTable]
    earlier: Sequence[EarlierPublication] = ()
    head: int = 0

    def with_place_cell_verdict(self, counts: Mapping[int, NDArray[np.int64]]) -> "Decision":
        """Returns the decision with one more verdict: which cells outside the regions of each place may be published,
        given their record counts (`counts`)."""
        cells = {
            place: decide_withheld_outside_cells(place, outside, self.earlier)
            for place, outside in counts.items()
        }
        return replace(self, verdict=replace(self.verdict, cells=cells))

    def as_json(self) -> dict[str, Any]:
        """Returns the decision as JSON, as a run and the disclosure ledger store it.

        The table without questions is the number of records.
        """
        verdict = self.verdict
        return {
            "hidden": {str(index): sorted(states) for index, states in verdict.hidden.items()},
            "tables": [*map(node_to_json, self.tables.values())],
            "told": sorted(map(list, verdict.told or ())),
            "untold": sorted(map(list, verdict.untold)),
            "open": sorted(verdict.open_questions or ()),
            "cells": {str(index): node_to_json(cells) for index, cells in sorted(verdict.cells.items())},
        }


def read_stored_tables(stored: Json) -> dict[Questions, PlainTable]:
    tables = (node_from_json(PlainTable, table) for table in stored["tables"])
    return {table.questions: table for table in tables}


def read_stored_cells(stored: Json) -> dict[int, OutsideCells]:
    return {
        int(index): node_from_json(OutsideCells, cells) for index, cells in stored.get("cells", {}).items()
    }


def read_verdict(stored: Json, design: Design) -> Verdict:
    """Returns the verdict that a run has stored as JSON."""
    return Verdict(
        design,
        {int(index): frozenset(states) for index, states in stored["hidden"].items()},
        frozenset(map(tuple, stored["told"])),
        frozenset(map(tuple, stored["untold"])),
        frozenset(stored["open"]),
        read_stored_cells(stored),
    )


def withhold_everything(design: Design) -> Verdict:
    """Returns a verdict that publishes nothing, for when earlier publications cannot be read."""
    every = {
        index: frozenset(range(design.questions[index].codes + 1))
        for index in undisguised_question_indexes(design)
    }
    return Verdict(design, every, frozenset(), frozenset((index,) for index in every), frozenset())


def decide_verdict(
    design: Design,
    count: CountTables,
    size: int,
    more_question_sets: Iterable[Questions] = (),
    earlier: Sequence[EarlierPublication] = (),
    is_apart: IsApart = lambda _table, _hidden: True,
) -> tuple[Verdict, dict[Questions, PlainTable]]:
    """Returns the verdict which sets of up to `size` questions, and which sets in `more_question_sets`, may be
    published, and the tables counted for it.

    Goes size by size and counts only sets all of whose subsets may be published, so that a set that may be published
    has no subset that may not. `count` counts tables. `is_apart` says whether a table with these classes withheld is
    safe beside releases.
    """
    tables: dict[Questions, PlainTable] = {}
    singles = [(index,) for index in undisguised_question_indexes(design)]
    tables.update(count([table for table in singles if is_small_enough(design, table)]))
    small = SmallCells(design, tables, earlier)
    hidden = small.withheld_choices
    told: set[Questions] = {()}
    untold: set[Questions] = set()

    def decide_all(question_sets: Iterable[Questions]) -> None:
        new = sorted({*question_sets} - told - untold - {()}, key=lambda table: (len(table), table))
        counted = count([table for table in new if is_small_enough(design, table) and table not in tables])
        tables.update(counted)
        for table in new:
            is_safe = not _contains_table(table, untold) and small.is_safe(table) and is_apart(table, hidden)
            (told if is_safe else untold).add(table)

    for wanted in _tables_by_size(smallest_tables_to_decide(design), max(size, PAIR), told):
        decide_all(wanted)
    for questions in more_question_sets:
        # All parts first, so that what is told is closed downwards.
        for many in range(1, len(questions) + 1):
            parts = {revealed_questions(design, part) for part in combinations(questions, many)}
            decide_all(part for part in parts if not _contains_table(part, untold))
    smallest = frozenset(table for table in untold if not _contains_table(table, untold - {table}))
    return Verdict(design, hidden, frozenset(told), smallest, frozenset()), tables


def _tables_by_size(
    basis: Sequence[Questions], size: int, publishable: set[Questions]
) -> Iterator[list[Questions]]:
    """Yields lists of tables: the tables of `basis`, then unions of two of them, of three and so on up to `size`, if
    all smaller unions may be published.

    Before the next list is taken, the caller adds to `publishable` the tables of the last one that may be published.
    """
    table_of: dict[tuple[int, ...], Questions] = {(index,): table for index, table in enumerate(basis)}
    yield list(table_of.values())
    for many in range(2, size + 1):
        alive = sorted(places for places, table in table_of.items() if table in publishable)
        known, table_of = set(alive), {}
        for places in alive:
            for last in range(places[-1] + 1, len(basis)):
                longer = (*places, last)
                if all(part in known for part in combinations(longer, many - 1)):
                    table_of[longer] = tuple(sorted({q for place in longer for q in basis[place]}))
        if not table_of:
            return
        yield list(table_of.values())


def _contains_table(table: Questions, tables: set[Questions] | frozenset[Questions]) -> bool:
    """Returns True if one of `tables` is a subset of this table's questions."""
    return any(part in tables for many in range(1, len(table) + 1) for part in combinations(table, many))
