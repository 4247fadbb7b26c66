"""Tables of plain answers of open records, and the decision which tables may be published
(docs/mathematics.md, What leaves).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.disclosure.plain_table_counts import (
    LEAST,
    MOST_CELLS,
    Questions,
    plain_question_indexes,
    revealed_questions,
)
from privacy.designs import Design
from privacy.grammar.question import ShowIfRule
from privacy.records.batch_bit_columns import Columns, choice_or_not_applicable, unpack_bits

# --- open patterns
# Open records by pattern, and which of them may be used (docs/mathematics.md, What leaves).
# A pattern tells which conditions of the rules of sensitive questions a record meets. It is a function of the
# plain answers alone, and all that people who know these can match with a row of open answers: the drawn
# questions are chance that nobody else saw. So a true answer is tied to at least ten people if each pattern
# that is used has ten.

Patterns = NDArray[np.bytes_]
"""For each record a bit for each show-if condition, set if the record meets it; the name of a pattern is
hexadecimal."""


def sensitive_question_conditions(design: Design) -> list[ShowIfRule]:
    """Returns the distinct show-if conditions of sensitive questions; `design` is the mined one."""
    sensitive = (
        question for section in design.sections if section.sensitive for question in section.questions
    )
    return sorted(
        {rule for question in sensitive for rule in question.show_if},
        key=lambda rule: (rule.place, sorted(rule.codes)),
    )


def condition_pattern_by_record(part: Columns) -> Patterns:
    """Returns, for each record, which show-if conditions it fulfils, a bit each.

    Takes .11 s for 12 rules and a million records.
    """
    design = part.design.mined
    rules = sensitive_question_conditions(design)
    bits = np.zeros((part.n, max(len(rules), 1)), np.bool_)
    for column, rule in enumerate(rules):
        words = np.bitwise_or.reduce([part.choice(rule.place, code) for code in sorted(rule.codes)])
        bits[:, column] = unpack_bits(words, part.n)
    packed = np.packbits(bits, axis=1, bitorder="little")
    return packed.view(f"S{packed.shape[1]}").ravel()


def count_condition_patterns(group: Patterns) -> Counter[str]:
    """Returns the number of records with each pattern of conditions, by the pattern's hexadecimal name."""
    names, counts = np.unique(group, return_counts=True)
    return Counter(dict(zip((name.hex() for name in names.tolist()), counts.tolist(), strict=True)))


def patterns_safe_to_count(sizes: Mapping[str, int]) -> frozenset[str]:
    """Returns the patterns with at least ten records each, such that all other patterns together have either no record
    or at least ten.

    To reach ten, the smallest of the large patterns are left out too.
    """
    by_size = sorted(sizes, key=lambda pattern: (sizes[pattern], pattern))
    out = sum(size < LEAST for size in sizes.values())
    while 0 < sum(sizes[pattern] for pattern in by_size[:out]) < LEAST and out < len(by_size):
        out += 1
    return frozenset(by_size[out:])


def has_named_pattern(group: Patterns, names: frozenset[str]) -> NDArray[np.bool_]:
    """Returns True for records whose pattern of show-if conditions is one of `names`."""
    return np.isin(group, np.array([bytes.fromhex(name) for name in sorted(names)], group.dtype))


# --- open tables

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class OpenTable:
    """Counts of open records by pattern of show-if conditions (first axis) and by the answer to each question, as in
    `PlainTable`."""

    questions: Questions
    counts: Counts

    def may_be_published(self, design: Design, hidden: Mapping[int, frozenset[int]]) -> bool:
        """Returns True if this table of open records may be published.

        `hidden` are the classes of each question that the disguised records withhold; open records withhold
        the same. No rule of a sensitive question may divide a merged class. Each cell, alone and with each
        pattern, must hold nobody or at least ten people.
        """
        for rule in sensitive_question_conditions(design):
            merged = hidden.get(rule.place, frozenset())
            if rule.place in self.questions and merged & rule.codes and not merged <= rule.codes:
                return False
        counts = self.counts
        for axis, question in enumerate(self.questions, start=1):
            merged = hidden.get(question, frozenset())
            states = range(counts.shape[axis])
            if set(states) <= merged:
                return False
            shown = [state for state in states if state not in merged]
            together = np.take(counts, sorted(merged), axis).sum(axis=axis, keepdims=True)
            counts = np.concatenate([np.take(counts, shown, axis), together], axis=axis)
        cells = np.concatenate([counts, counts.sum(axis=0, keepdims=True)])
        return not bool(((cells > 0) & (cells < LEAST)).any())


def count_open_tables(
    design: Design, parts: Sequence[Columns], patterns: Sequence[NDArray[Any]]
) -> list[OpenTable]:
    """Returns, for each plain question, the counts of open records by its answer and by the answers to the questions
    that its show-if rules look at.

    `design` is the mined one; `parts` hold used open records alone, and `patterns` their condition patterns.
    """
    names, pattern = (
        np.unique(np.concatenate(patterns), return_inverse=True) if patterns else (np.empty(0), [])
    )
    tables = []
    for index in plain_question_indexes(design):
        questions = revealed_questions(design, [index])
        shape = [
            len(names),
            *(
                design.questions[question].codes + bool(design.questions[question].show_if)
                for question in questions
            ),
        ]
        if np.prod(shape) > MOST_CELLS or not len(names):
            continue
        states = [
            np.concatenate([choice_or_not_applicable(part, question) for part in parts])
            for question in questions
        ]
        flat = np.ravel_multi_index((np.asarray(pattern), *states), shape)
        tables.append(OpenTable(questions, np.bincount(flat, minlength=int(np.prod(shape))).reshape(shape)))
    return tables


def publishable_open_questions(
    design: Design, tables: Sequence[OpenTable], hidden: Mapping[int, frozenset[int]]
) -> frozenset[int]:
    """Returns the plain questions whose answers may be published for the open records."""
    allowed = {table.questions for table in tables if table.may_be_published(design, hidden)}
    return frozenset(
        index for index in plain_question_indexes(design) if revealed_questions(design, [index]) in allowed
    )
