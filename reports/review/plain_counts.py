"""The plain tables of a run: those that it has stored, and others that are counted when they are asked for."""

from collections.abc import Collection

import numpy as np

from intake.disclosure.canonical import read_disguised
from mining.disclosure.plain_tables import PlainTable, Questions
from mining.disclosure.small_cells import Tables
from mining.document.codec import load
from runs.models import Run
from surveys.models import Survey


def tables_of(run: Run) -> Tables:
    """The plain tables of a run, by their questions."""
    tables = (load(PlainTable, table) for table in run.findings["plain_tables"])
    return {table.questions: table for table in tables}


def count_table(
    survey: Survey, table_questions: Questions, last_batches: Collection[int]
) -> dict[int, PlainTable]:
    """The table of these questions of the disguised records up to each of these batches."""
    records = read_disguised(survey, max(last_batches))
    questions = [records.design.mined.questions[place] for place in table_questions]
    states = [question.codes + bool(question.show_if) for question in questions]
    rows = [
        np.minimum(records.mined[place], most - 1)
        for place, most in zip(table_questions, states, strict=True)
    ]
    cell = np.ravel_multi_index(rows, states)
    return {
        last: PlainTable(
            table_questions,
            np.bincount(cell[records.batch <= last], minlength=np.prod(states)).reshape(states),
        )
        for last in last_batches
    }
