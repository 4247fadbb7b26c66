"""The verdict about a survey's records up to a batch, beside all that its ledger says was told before."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from intake.disclosure import ledger
from intake.disclosure.canonical import DisguisedRecords, hidden_in, read_disguised, unpacked
from intake.disclosure.models import Disclosure, Door, Population
from intake.disclosure.records import finishing_row
from mining.disclosure.open_tables import OpenTable, told_questions
from mining.disclosure.plain_tables import (
    LEAST,
    CountTables,
    PlainTable,
    Questions,
    plain_question_indexes,
    state_numbers,
)
from mining.disclosure.small_cells import EarlierPublication, SmallCells
from mining.disclosure.verdict import (
    Decision,
    Hidden,
    IsApart,
    decide_verdict,
    read_cells,
    read_tables,
    withhold_everything,
)
from mining.document.codec import dump, load
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
        return Decision(withhold_everything(design), {}, head=head)
    verdict, tables = decide_verdict(design, count, size, more, earlier, is_apart)
    opened = open_questions(survey, design, population, verdict.hidden)
    return Decision(replace(verdict, open_questions=opened), tables, earlier, head)


def earlier_publications(survey: Survey, through: int) -> list[EarlierPublication]:
    """Reports and models that were told, also withdrawn ones; `UnreadableLedger`."""
    rows = list(Disclosure.objects.filter(survey=survey).order_by("number"))
    if [row.number for row in rows] != list(range(1, len(rows) + 1)):
        raise UnreadableLedger
    try:
        return [
            EarlierPublication(
                read_tables(row.tables),
                hidden_in(row),
                row.last_batch == through,
                read_cells(row.tables),
                row.last_batch,
            )
            for row in rows
            if row.door in (Door.REPORT, Door.MODEL)
        ]
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        raise UnreadableLedger from wrong


def apart_from_releases(survey: Survey, through: int) -> IsApart:
    """The check of a table that no small group of people follows from it beside the classes of a release."""
    releases = ledger.told(survey, Door.RELEASE)

    @cache
    def disguised() -> DisguisedRecords:
        return read_disguised(survey, max(through, *(release.last_batch for release in releases)))

    def is_apart(table: Questions, hidden: Hidden) -> bool:
        if not releases:
            return True
        records = disguised()
        cells = records.cells_of(table, hidden, through)
        classes = (records.classes(release.last_batch, unpacked(release.classes)) for release in releases)
        return not any(has_few(own, cells, LEAST) for own in classes)

    return is_apart


def open_questions(survey: Survey, design: Design, population: str, hidden: Hidden) -> frozenset[int]:
    """The plain questions that may be told of people who chose no disguise; `hidden` are the classes withheld."""
    if survey.is_rehearsal:
        return frozenset(plain_question_indexes(design))
    if population != Population.USED or survey.design is None or not survey.design.content.has_group_open:
        return frozenset()
    tables = [load(OpenTable, table) for table in finishing_row(survey).kept["tables"]]
    return told_questions(design, tables, hidden)


def with_table(
    survey: Survey, design: Design, through: int, stored: Mapping[str, Any], table: Questions
) -> dict[str, Any] | None:
    """What a model tells that is made of all counts of this table, beside a run's `stored` verdict and all that was
    told before, as the ledger stores it; None where that may not be told."""
    try:
        earlier = earlier_publications(survey, through)
    except UnreadableLedger:
        return None
    tables = read_tables(stored)
    if table:
        counts = count_table(survey, table, {through, *(publication.through for publication in earlier)})
        earlier = [
            replace(publication, tables={**publication.tables, table: counts[publication.through]})
            for publication in earlier
        ]
        tables[table] = counts[through]
    small = SmallCells(design, tables, earlier)
    if any(small.hidden.get(index) for index in table) or not small.is_safe(table):
        return None
    hidden = {str(index): sorted(states) for index, states in small.hidden.items()}
    told = [[], list(table)] if table else [[]]
    return {**stored, "hidden": hidden, "tables": [*map(dump, tables.values())], "told": told, "open": []}


def count_table(survey: Survey, table: Questions, last_batches: Collection[int]) -> dict[int, PlainTable]:
    """The table of these questions of the disguised records up to each of these batches."""
    records = read_disguised(survey, max(last_batches))
    shape = state_numbers(records.design.mined, table)
    rows = [np.minimum(records.mined[place], most - 1) for place, most in zip(table, shape, strict=True)]
    cell = np.ravel_multi_index(rows, shape)
    return {
        last: PlainTable(
            table, np.bincount(cell[records.batch <= last], minlength=np.prod(shape)).reshape(shape)
        )
        for last in last_batches
    }
