"""Decides which plain answers and tables may be published, so that nobody can compute a cell below ten.

A published number about plain answers is a sum over cells of the table of its questions. Withheld classes of
a question count as one class. If each cell of that table has at least ten people, and each cell of its
difference to every earlier publication none or at least ten, no linear combination of published numbers gives
a smaller cell: numbers about several questions together come only from the table of all of them.

The regions of a place are disguised answers among plain ones: they need no ten people, but the smallest is
withheld beside a small *elsewhere*.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.plain_table_counts import (
    LEAST,
    PlainTable,
    Questions,
    is_one_to_nine,
    is_possible,
    region_codes_by_question,
)
from privacy.designs import Design

Tables = Mapping[Questions, PlainTable]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class EarlierPublication:
    """The counts and the withheld classes of an earlier publication.

    `tables`: counts by questions. `hidden`: the withheld classes by question. `cells`: for each place, the counts
    outside its regions. `same`: True if it used the same records. `through`: the last batch of its records.
    """

    tables: Tables
    hidden: Mapping[int, frozenset[int]]
    same: bool = False
    cells: Mapping[int, "OutsideCells"] = field(default_factory=dict)
    through: int = 0


@dataclass(frozen=True)
class OutsideCells:
    """For each cell outside the regions of a place: the number of records received, and whether the count is
    withheld."""

    counts: Counts
    hidden: tuple[bool, ...]


@dataclass(frozen=True)
class SmallCells:
    """The decision which classes (answers) and tables of plain questions are withheld, because small cells could be
    computed.

    `tables` counts the disguised records of this publication, `earlier` are the publications before.
    """

    design: Design
    tables: Tables
    earlier: Sequence[EarlierPublication]

    @cached_property
    def withheld_choices(self) -> dict[int, frozenset[int]]:
        """The choices whose counts are withheld, by question; *not applicable* counts as a further choice, the last."""
        withheld: dict[int, frozenset[int]] = {}
        # A rule looks at earlier questions only, so these are decided first.
        for questions in sorted(questions for questions in self.tables if len(questions) == 1):
            counts, index = self._table_counts(questions, self.tables), questions[0]
            others = [before for before in self.earlier if not before.same]
            every = frozenset(range(len(counts)))
            if any(questions not in before.tables for before in others):
                withheld[index] = every
                continue
            must = {
                state for before in self.earlier if before.same for state in before.hidden.get(index, every)
            }
            question = self.design.questions[index]
            told = self._not_applicable_if_published_elsewhere(withheld, index)
            if question.show_if and not told:
                must.add(question.codes)
            changes = [
                (
                    counts - self._table_counts(questions, before.tables),
                    self._choices_withheld_before(before, index),
                )
                for before in others
            ]
            free, sides = self._region_codes.get(index, frozenset()), self._choices_that_show_others(index)
            withheld[index] = choose_withheld_classes(counts, changes, must, told, free, sides)
        return withheld

    @cached_property
    def _region_codes(self) -> dict[int, frozenset[int]]:
        return region_codes_by_question(self.design)

    def _choices_that_show_others(self, index: int) -> list[frozenset[int]]:
        """Returns, for each show-if rule that looks at this question, the choices with which it shows the rule's
        question."""
        rules = (rule for question in self.design.questions for rule in question.show_if)
        return [rule.codes for rule in rules if rule.place == index]

    def _not_applicable_if_published_elsewhere(
        self, hidden: Mapping[int, frozenset[int]], index: int
    ) -> frozenset[int]:
        """Returns the choice *not applicable* if other published numbers reveal its count, else nothing.

        Withholding it would then hide nothing: together with one other class it would reveal that class by subtraction.
        """
        question = self.design.questions[index]
        tells = bool(question.show_if) and rules_keep_withheld_together(self.design, hidden, index)
        return frozenset({question.codes} if tells else ())

    def _choices_withheld_before(self, before: EarlierPublication, index: int) -> frozenset[int]:
        return before.hidden.get(index, frozenset()) - self._not_applicable_if_published_elsewhere(
            before.hidden, index
        )

    def is_safe(self, questions: Questions) -> bool:
        """Returns True if numbers about these plain questions together may be published."""
        if not questions:
            return True
        others = [before for before in self.earlier if not before.same]
        if questions not in self.tables or any(questions not in before.tables for before in others):
            return False
        counts = self._table_counts(questions, self.tables)
        if counts.min() < LEAST:
            if not any(self._may_have_unpublished_cell(index) for index in questions):
                return False
            merged = self._merge_cells(questions, counts, self.withheld_choices)
            if (
                merged[
                    self._is_possible_cell(questions)
                    & self._has_plain_cells(questions, self.withheld_choices)
                ]
                < LEAST
            ).any():
                return False
        return all(self._is_safe_beside_earlier(questions, before) for before in others)

    def _may_have_unpublished_cell(self, index: int) -> bool:
        """Returns True if the question may have small cells that are never published alone: withheld classes merged,
        impossible answers, or regions of a place."""
        return bool(
            self.withheld_choices.get(index)
            or self.design.questions[index].show_if
            or index in self._region_codes
        )

    def _is_safe_beside_earlier(self, questions: Questions, before: EarlierPublication) -> bool:
        joined = {index: self._classes_merged_in_difference(index, before) for index in questions}
        new = self._table_counts(questions, self.tables) - self._table_counts(questions, before.tables)
        return not (
            is_one_to_nine(self._merge_cells(questions, new, joined))
            & self._has_plain_cells(questions, joined)
        ).any()

    def _has_plain_cells(
        self, questions: Questions, together: Mapping[int, frozenset[int]]
    ) -> NDArray[np.bool_]:
        """Returns True for each merged cell that counts plain answers, whether or not it also counts answers
        in regions.

        `together` are the merged classes of each question.
        """
        states = self._table_counts(questions, self.tables).shape
        plain = np.ones(states, np.int64)
        for axis, question in enumerate(questions):
            free = sorted(self._region_codes.get(question, frozenset()))
            plain[(slice(None),) * axis + (free,)] = 0
        return self._merge_cells(questions, plain, together) > 0

    def _classes_merged_in_difference(self, index: int, before: EarlierPublication) -> frozenset[int]:
        """Returns the classes of a question that must count as one class in the difference between this publication and
        an earlier one."""
        now, then = (
            self.withheld_choices.get(index, frozenset()),
            self._choices_withheld_before(before, index),
        )
        return now | then if now & then else now

    def _table_counts(self, questions: Questions, tables: Tables) -> Counts:
        return tables[questions].counts

    def _merge_cells(
        self, questions: Questions, counts: Counts, together: Mapping[int, frozenset[int]]
    ) -> Counts:
        """Returns the counts with the classes `together` of each question summed into one class."""
        for axis, question in enumerate(questions):
            hide = sorted(together.get(question, frozenset()))
            if hide:
                shown = [state for state in range(counts.shape[axis]) if state not in hide]
                one = np.take(counts, hide, axis).sum(axis=axis, keepdims=True)
                counts = np.concatenate([np.take(counts, shown, axis), one], axis=axis)
        return counts

    def _is_possible_cell(self, questions: Questions) -> NDArray[np.bool_]:
        """Returns True for each merged cell that the show-if rules leave possible."""
        states = self._table_counts(questions, self.tables).shape
        possible = np.array(
            [
                is_possible(self.design, dict(zip(questions, cell, strict=True)))
                for cell in product(*map(range, states))
            ]
        )
        return (
            self._merge_cells(questions, possible.reshape(states).astype(np.int64), self.withheld_choices) > 0
        )


def rules_keep_withheld_together(design: Design, hidden: Mapping[int, frozenset[int]], index: int) -> bool:
    """Returns True if no show-if rule of this question divides withheld classes: it shows the question for all withheld
    classes of an earlier question, or for none."""
    for rule in design.questions[index].show_if:
        withheld = hidden.get(rule.place, frozenset())
        if withheld & rule.codes and not withheld <= rule.codes:
            return False
    return True


def choose_withheld_classes(
    counts: Counts,
    changes: Sequence[tuple[Counts, frozenset[int]]],
    always_withheld: Iterable[int] = (),
    published_elsewhere: frozenset[int] = frozenset(),
    may_be_small: frozenset[int] = frozenset(),
    rule_classes: Sequence[frozenset[int]] = (),
) -> frozenset[int]:
    """Returns the classes (answers) of one question to withhold: those below ten, then the next smallest, until they
    hold ten people together.

    `changes` are the differences of the counts to earlier publications, each with the classes withheld there; no class
    or sum of classes that both reveal may have changed by one to nine. `always_withheld` are withheld in any case.
    Classes that are `published_elsewhere` elsewhere cannot be withheld, and `may_be_small` ones may be small.
    `rule_classes` are the classes with which rules show other questions. A class on the same side of all rules as a
    withheld one is preferred to a smaller class, since a rule that divides withheld classes withholds its question.
    """
    small_ones = {state for state, count in enumerate(counts.tolist()) if count < LEAST} - may_be_small
    withheld = {*always_withheld, *small_ones} - published_elsewhere
    by_size = np.argsort(counts, kind="stable").tolist()
    while visible := [state for state in by_size if state not in withheld | published_elsewhere]:
        if withheld and (len(withheld) < 2 or counts[sorted(withheld)].sum() < LEAST):
            withheld.add(_next_class_to_withhold(visible, withheld, rule_classes))
            continue
        blocks = [
            block for change, before in changes for block in _revealed_small_changes(change, withheld, before)
        ]
        small = [block for block in blocks if block - may_be_small]
        if not small:
            break
        withheld.add(next((state for state in visible if any(state in block for block in small)), visible[0]))
    return frozenset(withheld)


def _next_class_to_withhold(
    visible: Sequence[int], withheld: Iterable[int], sides: Sequence[frozenset[int]]
) -> int:
    """Returns the class to withhold next: the smallest that all show-if rules treat like a withheld class, else the
    smallest of all.

    `visible`: the classes to choose from, sorted by size. `sides`: for each rule, the classes with which it shows its
    question.
    """

    def rule_side(state: int) -> tuple[bool, ...]:
        return tuple(state in allowed for allowed in sides)

    there = set(map(rule_side, withheld))
    return next((state for state in visible if rule_side(state) in there), visible[0])


def _revealed_small_changes(change: Counts, now: set[int], then: frozenset[int]) -> list[set[int]]:
    """Returns the classes, or sums of classes, that both publications reveal and that changed by one to nine."""
    blocks = [now | then] if now & then else [block for block in (now, set(then)) if block]
    taken = set().union(*blocks)
    blocks += [{state} for state in range(len(change)) if state not in taken]
    return [block for block in blocks if is_one_to_nine(change[sorted(block)].sum())]
