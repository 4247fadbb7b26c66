"""The verdict about a survey's records up to a batch, beside all that its ledger says was told before."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from intake.disclosure import ledger, open_choice
from intake.disclosure.canonical import DisguisedRecords, hidden_in, read_disguised, unpacked
from intake.disclosure.models import Disclosure, Door, Population
from intake.disclosure.records import finishing_of
from mining.disclosure.open_tables import told_questions
from mining.disclosure.plain_tables import LEAST, CountTables, PlainTable, Questions, plain_places, states
from mining.disclosure.small_cells import EarlierPublication, SmallCells
from mining.disclosure.verdict import (
    Decision,
    Hidden,
    IsApart,
    cells_in,
    decide,
    nothing_told,
    tables_in,
)
from mining.document.codec import dump
from privacy.anonymity.criteria import has_few
from privacy.designs import Design
from surveys.models import Survey


class UnreadableLedger(Exception):
    """Rows are missing, or are not what the product writes."""


def decide_for(
    survey: Survey,
    design: Design,
    through: int,
    population: str,
    count: CountTables,
    size: int,
    more: Iterable[Questions] = (),
) -> Decision:
    """The verdict about the mined `design`'s records of the batches 1..through, itemsets of up to `size` answers, and
    the question sets `more`; nothing is told where the ledger cannot be read."""
    head = ledger.head(survey)
    try:
        earlier = earlier_publications(survey, through)
        is_apart = apart_from_releases(survey, through)
    except UnreadableLedger:
        return Decision(nothing_told(design), {}, head=head)
    verdict, tables = decide(design, count, size, more, earlier, is_apart)
    opened = open_questions(survey, design, population, verdict.hidden)
    return Decision(replace(verdict, open_questions=opened), tables, earlier, head)


def earlier_publications(survey: Survey, through: int) -> list[EarlierPublication]:
    """Reports and models that were told, also withdrawn ones."""
    rows = readable_rows(survey)
    try:
        return [
            EarlierPublication(
                tables_in(row.tables),
                hidden_in(row),
                row.last_batch == through,
                cells_in(row.tables),
                row.last_batch,
            )
            for row in rows
            if row.door in (Door.REPORT, Door.MODEL)
        ]
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        raise UnreadableLedger from wrong


def readable_rows(survey: Survey) -> list[Disclosure]:
    rows = list(Disclosure.objects.filter(survey=survey).order_by("number"))
    if [row.number for row in rows] != list(range(1, len(rows) + 1)):
        raise UnreadableLedger
    return rows


def apart_from_releases(survey: Survey, through: int) -> IsApart:
    released = ledger.told(survey, Door.RELEASE)

    @cache
    def disguised() -> DisguisedRecords:
        return read_disguised(survey, max(through, *(one.last_batch for one in released)))

    def is_apart(table: Questions, hidden: Hidden) -> bool:
        if not released:
            return True
        records = disguised()
        cells = records.cells_of(table, hidden, through)
        return not any(
            has_few(records.classes(one.last_batch, unpacked(one.classes)), cells, LEAST) for one in released
        )

    return is_apart


def open_questions(survey: Survey, design: Design, population: str, hidden: Hidden) -> frozenset[int]:
    """The plain questions that may be told of people who chose no disguise."""
    if survey.is_rehearsal:
        return frozenset(plain_places(design))
    if population != Population.USED or survey.design is None or not survey.design.content.has_group_open:
        return frozenset()
    return told_questions(design, open_choice.tables_of(finishing_of(survey).kept), hidden)


def with_table(
    survey: Survey, design: Design, through: int, stored: Mapping[str, Any], table: Questions
) -> dict[str, Any] | None:
    """What a model tells that is made of all counts of this table, beside a run's `stored` verdict and all that was
    told before, as the ledger stores it; None where that may not be told."""
    try:
        earlier = earlier_publications(survey, through)
    except UnreadableLedger:
        return None
    if table:
        counted = count_table(survey, table, {through, *(one.through for one in earlier)})
        earlier = [replace(one, tables={**one.tables, table: counted[one.through]}) for one in earlier]
        tables = tables_in(stored) | {table: counted[through]}
    else:
        tables = tables_in(stored)
    small = SmallCells(design, tables, earlier)
    if any(small.hidden.get(index) for index in table) or not small.is_safe(table):
        return None
    hidden = {str(index): sorted(states) for index, states in small.hidden.items()}
    told = [[], list(table)] if table else [[]]
    return {**stored, "hidden": hidden, "tables": [*map(dump, tables.values())], "told": told, "open": []}


def count_table(survey: Survey, table: Questions, last_batches: Collection[int]) -> dict[int, PlainTable]:
    """The table of these questions of the disguised records up to each of these batches."""
    records = read_disguised(survey, max(last_batches))
    shape = states(records.design.mined, table)
    rows = [np.minimum(records.mined[place], most - 1) for place, most in zip(table, shape, strict=True)]
    cell = np.ravel_multi_index(rows, shape)
    return {
        last: PlainTable(
            table, np.bincount(cell[records.batch <= last], minlength=np.prod(shape)).reshape(shape)
        )
        for last in last_batches
    }
