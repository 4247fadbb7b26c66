"""Sums of scores, for queries with items of scores (of numbers and sets of choices): over the records that have the
other items of the query.

Records are counted by their code once; the sums for every item of the question, its square and its law follow from
these counts.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from mining.counting.queries_to_column_paths import ColumnNumbering, sort_distinct_within_rows
from mining.distinct_rows import distinct_rows
from mining.queries_and_counters import NONE, Counts, Numbers, Queries, scores_by_group_and_code
from privacy.designs import Design
from privacy.kinds.score_table import Floats
from privacy.kinds.score_table_by_law import find_score_table
from privacy.records.batch_bit_columns import Columns, Words, unpack_bits

Codes = NDArray[np.integer]
Rows = NDArray[np.intp]
CodeTable = NDArray[np.int64]
"""Number of records by path, group and code; after the codes with scores, the number of all other records."""


def rows_by_score_questions(
    kinds: ColumnNumbering, queries: Queries
) -> Iterator[tuple[Rows, tuple[int, ...]]]:
    """Yields, for each set of score questions, the rows of the queries that have items of exactly these, and the
    questions' indexes."""
    numbering = kinds.numbering
    is_scored = numbering.scored_mask(queries.items)
    if not is_scored.any():
        return
    questions = sort_distinct_within_rows(
        np.where(is_scored, numbering.question_indexes(queries.items), NONE)
    )
    question_sets, places = distinct_rows(questions, kinds.question_count)
    for number, row in enumerate(question_sets.tolist()):
        named = tuple(question for question in row if question != NONE)
        if named:
            yield np.flatnonzero(places == number), named


def paths_without_scores(kinds: ColumnNumbering, queries: Queries) -> Numbers:
    """Returns the paths (required columns) of the queries without their items of scores; the questions of these items
    must have been asked."""
    numbering = kinds.numbering
    is_scored = numbering.scored_mask(queries.items)
    rest = Queries(
        sort_distinct_within_rows(np.where(is_scored, NONE, queries.items)), queries.asked, queries.applies
    )
    paths = kinds.column_paths(rest)
    asked = np.where(is_scored, kinds.asked_column(numbering.question_indexes(queries.items)), NONE)
    is_implied = (paths[:, :, None] == asked[:, None, :]).any(axis=2)
    return sort_distinct_within_rows(np.where(is_implied, NONE, paths))


def count_scored_codes(design: Design, question: int) -> int:
    """Returns the number of codes of a score question that have scores; the further codes mean *not asked*."""
    return len(find_score_table(design.questions[question]).scores)


def sum_scores_of_one_question(
    kinds: ColumnNumbering,
    queries: Queries,
    question: int,
    tables: CodeTable,
    table_rows: Rows,
    *,
    exact: bool,
) -> Counts:
    """Returns the sums of scores for queries whose only score items are of one `question`, from its counts by code.

    `table_rows` is, for each query, the row of `tables` that counts its other items. `exact`: both groups hold true
    answers.
    """
    codes = count_scored_codes(kinds.design, question)
    columns = _scores_of_open_and_disguised(kinds.design, question, exact=exact)
    items, units = _item_codes(kinds, queries, question), kinds.numbering.unit_exponent_by_row(queries.items)
    sums = np.empty((len(queries), 2), np.int64)
    for item in np.unique(items).tolist():
        rows = np.flatnonzero(items == item)
        worth = _to_whole_units(columns[:, :, item], units[rows[0]])
        sums[rows] = (tables[table_rows[rows], :, :codes] * worth).sum(axis=2)
    return sums


def sum_score_products_over_records(
    kinds: ColumnNumbering,
    queries: Queries,
    questions: Sequence[int],
    parts: Sequence[Columns],
    column_of: Callable[[int, int], Words],
    *,
    exact: bool,
    watch: Callable[[float], object] = lambda _share: None,
) -> Counts:
    """Returns, for each query, the sum over records of the product of its scores, for queries with items of several
    score questions.

    Goes path by path over the records. `column_of(part, column)` returns the bits of a column. `exact`: both groups
    hold true answers. `watch` is called with the finished share.
    """
    paths, indexes = distinct_rows(paths_without_scores(kinds, queries), kinds.column_count)
    sums = np.zeros((len(queries), 2), np.int64)
    for number, path in enumerate(paths.tolist()):
        watch(number / len(paths))
        rows = np.flatnonzero(indexes == number)
        for index, part in enumerate(parts):
            columns = [column_of(index, column) for column in path if column != NONE]
            chosen = unpack_bits(np.bitwise_and.reduce([part.everyone_bits, *columns]), part.n)
            codes = {question: part.integer_codes(question)[chosen] for question in questions}
            disguised = unpack_bits(part.disguised, part.n)[chosen]
            sums[rows] += sum_score_products(
                kinds, queries.take(rows), questions, codes, disguised, exact=exact
            )
    return sums


def sum_score_products(
    kinds: ColumnNumbering,
    queries: Queries,
    questions: Sequence[int],
    codes: Mapping[int, Codes],
    group: NDArray[np.bool_],
    *,
    exact: bool,
) -> Counts:
    """Returns, for each query, the sums over records of the product of its scores of several `questions`, from the
    records' codes.

    A table of all pairs of codes would be too large. `group` is true for disguised records. `exact`: both groups hold
    true answers.
    """
    sizes = [count_scored_codes(kinds.design, question) for question in questions]
    asked = np.logical_and.reduce(
        [codes[asked_question] < size for asked_question, size in zip(questions, sizes, strict=True)]
    )
    items = [_item_codes(kinds, queries, question) for question in questions]
    columns = [_scores_of_open_and_disguised(kinds.design, question, exact=exact) for question in questions]
    units = kinds.numbering.unit_exponent_by_row(queries.items)
    sums = np.zeros((len(queries), 2), np.int64)
    for disguised in (0, 1):
        records = asked & (group == disguised)
        together = np.stack([codes[asked_question][records] for asked_question in questions])
        patterns, counts = np.unique(together, axis=1, return_counts=True)
        worth = np.ones((len(queries), len(counts)))
        for column, item, pattern in zip(columns, items, patterns, strict=True):
            worth *= column[disguised][pattern][:, item].T
        sums[:, disguised] = _to_whole_units(worth, units[:, None]) @ counts
    return sums


def _scores_of_open_and_disguised(design: Design, question: int, *, exact: bool) -> Floats:
    """Returns the score of each code, for the open and for the disguised group; with `exact` the open scores for
    both."""
    columns = scores_by_group_and_code(find_score_table(design.questions[question]))
    return columns[[0, 0]] if exact else columns


def _item_codes(kinds: ColumnNumbering, queries: Queries, question: int) -> Numbers:
    """Returns, for each query, the code of its one item that belongs to this question."""
    mine = (queries.items != NONE) & (kinds.numbering.question_indexes(queries.items) == question)
    return np.asarray(kinds.numbering.code[queries.items[mine]], np.int32)


def _to_whole_units(scores: Floats, units: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.rint(np.ldexp(scores, units)).astype(np.int64)
