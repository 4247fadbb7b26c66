"""Decides what may be disclosed about a survey's records up to a batch, given all earlier disclosures in its ledger."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from intake.disclosure import ledger
from intake.disclosure.canonical_order import (
    DisguisedRecords,
    read_disguised,
    unpack_classes,
    withheld_classes,
)
from intake.disclosure.models import Disclosure, DisclosureKind, Population
from intake.disclosure.record_selection import get_finishing_row
from mining.disclosure.open_record_tables import OpenTable, publishable_open_questions
from mining.disclosure.plain_table_counts import (
    LEAST,
    CountTables,
    PlainTable,
    Questions,
    plain_question_indexes,
    state_counts,
)
from mining.disclosure.small_cells import EarlierPublication, SmallCells
from mining.disclosure.verdict import (
    Decision,
    Hidden,
    IsApart,
    decide_verdict,
    read_stored_cells,
    read_stored_tables,
    withhold_everything,
)
from mining.json_codec import node_from_json, node_to_json
from privacy.anonymity.criteria_check import has_small_joint_class
from privacy.designs import Design
from surveys.models import Survey


class UnreadableLedger(Exception):
    """Raised if ledger rows are missing or have a format that this product does not write."""


def decide_disclosable_tables(
    survey: Survey,
    design: Design,
    through: int,
    population: str,
    count: CountTables,
    largest_itemset: int,
    further_tables: Iterable[Questions] = (),
) -> Decision:
    """Decides which tables of plain answers of the batches 1..through may be disclosed.

    Candidates are the tables of all itemsets of up to `largest_itemset` answers, and those in `further_tables`. If the
    ledger cannot be read, all tables are withheld.
    """
    head = ledger.last_row_id(survey)
    try:
        earlier = earlier_publications(survey, through)
        is_apart = make_table_check(survey, through)
    except UnreadableLedger:
        return Decision(withhold_everything(design), {}, head=head)
    verdict, tables = decide_verdict(design, count, largest_itemset, further_tables, earlier, is_apart)
    opened = disclosable_questions_of_open_records(survey, design, population, verdict.hidden)
    return Decision(replace(verdict, open_questions=opened), tables, earlier, head)


def earlier_publications(survey: Survey, through: int) -> list[EarlierPublication]:
    """Returns the published reports and models of the survey, withdrawn ones included; may raise `UnreadableLedger`."""
    rows = list(Disclosure.objects.filter(survey=survey).order_by("number"))
    if ledger.is_missing_rows(survey) or [row.number for row in rows] != list(range(1, len(rows) + 1)):
        raise UnreadableLedger
    try:
        return [
            EarlierPublication(
                read_stored_tables(row.tables),
                withheld_classes(row),
                row.last_batch == through,
                read_stored_cells(row.tables),
                row.last_batch,
            )
            for row in rows
            if row.door in (DisclosureKind.REPORT, DisclosureKind.MODEL)
        ]
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        raise UnreadableLedger from wrong


def make_table_check(survey: Survey, through: int) -> IsApart:
    """Returns a function that checks a table of plain answers: False if the table, joined with the classes of a
    release, isolates a small group."""
    releases = ledger.list_disclosures(survey, DisclosureKind.RELEASE)

    @cache
    def load_disguised() -> DisguisedRecords:
        return read_disguised(survey, max(through, *(release.last_batch for release in releases)))

    def isolates_nobody(table: Questions, hidden: Hidden) -> bool:
        if not releases:
            return True
        records = load_disguised()
        cells = records.cells_in_table(table, hidden, through)
        classes = (
            records.classes_in_stored_order(release.last_batch, unpack_classes(release.classes))
            for release in releases
        )
        return not any(has_small_joint_class(own, cells, LEAST) for own in classes)

    return isolates_nobody


def disclosable_questions_of_open_records(
    survey: Survey, design: Design, population: str, hidden: Hidden
) -> frozenset[int]:
    """Returns the indexes of the plain questions whose answers may be disclosed for people who chose no disguise.

    `hidden`: the withheld classes by question.
    """
    if survey.is_rehearsal:
        return frozenset(plain_question_indexes(design))
    if population != Population.USED or survey.design is None or not survey.design.content.has_group_open:
        return frozenset()
    tables = [node_from_json(OpenTable, table) for table in get_finishing_row(survey).kept["tables"]]
    return publishable_open_questions(design, tables, hidden)


def ledger_entry_for_model_table(
    survey: Survey, design: Design, through: int, stored: Mapping[str, Any], table: Questions
) -> dict[str, Any] | None:
    """Returns the ledger entry for a model that uses all counts of this table; None if disclosing them is not allowed.

    `stored`: the decision made for the run; disclosures since then are checked too.
    """
    try:
        earlier = earlier_publications(survey, through)
    except UnreadableLedger:
        return None
    tables = read_stored_tables(stored)
    if table:
        counts = count_table(survey, table, {through, *(publication.through for publication in earlier)})
        earlier = [
            replace(publication, tables={**publication.tables, table: counts[publication.through]})
            for publication in earlier
        ]
        tables[table] = counts[through]
    small = SmallCells(design, tables, earlier)
    if any(small.withheld_choices.get(index) for index in table) or not small.is_safe(table):
        return None
    hidden = {str(index): sorted(states) for index, states in small.withheld_choices.items()}
    told = [[], list(table)] if table else [[]]
    return {
        **stored,
        "hidden": hidden,
        "tables": [*map(node_to_json, tables.values())],
        "told": told,
        "open": [],
    }


def count_table(survey: Survey, table: Questions, last_batches: Collection[int]) -> dict[int, PlainTable]:
    """Counts the table of these questions over the disguised records of the batches 1..t, for each t in
    `last_batches`."""
    records = read_disguised(survey, max(last_batches))
    shape = state_counts(records.design.mined, table)
    rows = [
        np.minimum(records.mined_codes_by_question[place], most - 1)
        for place, most in zip(table, shape, strict=True)
    ]
    cell = np.ravel_multi_index(rows, shape)
    return {
        last: PlainTable(
            table, np.bincount(cell[records.batch <= last], minlength=np.prod(shape)).reshape(shape)
        )
        for last in last_batches
    }
