"""Simulates an attacker who combines all disclosures of a survey to find the smallest identifiable group of
people."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np

from intake.batches.sealing import last_batch_number
from intake.disclosure import ledger, record_selection
from intake.disclosure.canonical_order import read_disguised, unpack_classes, withheld_classes
from intake.disclosure.ledger import ProposedDisclosure
from intake.disclosure.models import Disclosure, DisclosureKind, Population
from mining.disclosure import open_record_tables
from mining.disclosure.attacker import (
    DISGUISED,
    KEPT,
    UNUSED,
    AttackedRecords,
    AttackResult,
    PublishedCount,
    PublishedRelease,
    PublishedTotal,
    attack_published_counts,
    bound_open_people,
)
from mining.disclosure.plain_table_counts import Questions, plain_question_indexes, revealed_questions
from privacy.designs import Design
from privacy.records.batch_bit_columns import choice_or_not_applicable
from surveys.models import Survey


def attack_all_disclosures(survey: Survey, proposed: ProposedDisclosure | None = None) -> AttackResult:
    """Attacks all disclosures of the survey together, and a proposed one if given: computes the smallest group of
    people that can be derived from them.

    In a rehearsal, open answers are not attacked: they are all simulated and used at any time.
    """
    told = ledger.list_disclosures(
        survey, DisclosureKind.REPORT, DisclosureKind.MODEL, DisclosureKind.RELEASE
    )
    if proposed:
        told = [disclosure for disclosure in told if disclosure.key != proposed.key]
        told.append(
            Disclosure(
                last_batch=proposed.last_batch,
                population=proposed.population,
                tables=proposed.tables,
                classes=proposed.classes,
            )
        )
    if not told or survey.design is None or not last_batch_number(survey.pk):
        return AttackResult(None)
    design = survey.design.content.mined
    with_open = [
        disclosure
        for disclosure in told
        if disclosure.population == Population.USED and not survey.is_rehearsal
    ]
    cells = [cell for disclosure in told for cell in disclosed_plain_cells(design, disclosure)]
    if with_open:
        last = with_open[0].last_batch
        cells.append(PublishedCount((KEPT,), last))
        if record_selection.count_unused_open_unless_few(survey):
            cells.append(PublishedCount((KEPT, UNUSED), last))
    else:
        cells = [cell for cell in cells if cell.populations == (DISGUISED,)]
    truth = read_attacked_records(survey, design, bool(with_open))
    result = attack_published_counts(truth, cells, release_classes(survey, told, truth))
    if not design.has_group_open:
        return result
    spans = bound_open_people(*record_counts_known_to_readers(survey, told, truth))
    # After the end no report follows that a span could be joined with, and the cap tells how many there are in all.
    is_over = survey.state == Survey.State.FINISHED
    is_told = is_over and ledger.is_closed_at_cap(survey, len(truth.batch))
    few = next((span for span in spans if not is_told and span.is_few(only_exact=is_over)), None)
    return replace(result, open_people=tuple(spans), few_open=few)


def record_counts_known_to_readers(
    survey: Survey, disclosures: Sequence[Disclosure], truth: AttackedRecords
) -> tuple[dict[int, int], list[PublishedTotal]]:
    """Returns the record numbers that readers know: disguised records by last batch, and bounds on the number of all
    records.

    The survey's page gives bounds for each disclosure; the records between two disclosures are bounded by the smallest
    and largest batch size times the number of batches.
    """
    in_all = {
        disclosure.last_batch: disclosure.tables.get("records")
        or ledger.record_count_bounds(survey, disclosure.last_batch)
        for disclosure in disclosures
    }
    totals = [PublishedTotal(0, last, low, high) for last, (low, high) in in_all.items()]
    least = survey.least
    for after, last in combinations([0, *sorted(in_all)], 2):
        n = int(((truth.batch > after) & (truth.batch <= last)).sum())
        smallest, largest = (last - after) * least, (last - after) * (least + least // 2)
        # Batches that were sealed under load or at a closing are larger.
        if smallest <= n:
            totals.append(PublishedTotal(after, last, smallest, largest if n <= largest else None))
    disguised = truth.batch[truth.population == DISGUISED]
    return {last: int((disguised <= last).sum()) for last in in_all}, totals


def disclosed_plain_cells(design: Design, disclosure: Disclosure) -> Iterator[PublishedCount]:
    """Yields each combination of plain answers whose count a disclosure tells its readers.

    Answers to place questions are left out: their regions are disguised, and checked elsewhere.
    """
    hidden, plain, last = (
        withheld_classes(disclosure),
        set(plain_question_indexes(design)),
        disclosure.last_batch,
    )
    for questions in map(tuple, disclosure.tables.get("told", [])):
        if plain.issuperset(questions):
            yield from disclosed_table_cells(design, questions, hidden, DISGUISED, last)
    for question in disclosure.tables.get("open", []):
        yield from disclosed_table_cells(design, revealed_questions(design, [question]), hidden, KEPT, last)
    if disclosure.population == Population.USED:
        # What is told of sensitive answers behind a rule tells how many were shown the question.
        for rule in open_record_tables.sensitive_question_conditions(design):
            yield PublishedCount((KEPT,), last, {rule.place: rule.codes})


def disclosed_table_cells(
    design: Design, questions: Questions, hidden: dict[int, frozenset[int]], population: int, last_batch: int
) -> Iterator[PublishedCount]:
    """Yields the cells of one disclosed table; the withheld classes of a question together form one class."""
    classes: list[list[frozenset[int]]] = []
    for index in questions:
        states = range(design.questions[index].codes + bool(design.questions[index].show_if))
        withheld = hidden.get(index, frozenset())
        apart = [frozenset({state}) for state in states if state not in withheld]
        classes.append([*apart, *([withheld] if withheld else [])])
    for cell in product(*classes):
        yield PublishedCount((population,), last_batch, dict(zip(questions, cell, strict=True)))


def read_attacked_records(survey: Survey, design: Design, with_open: bool) -> AttackedRecords:
    """Reads the plain answers of all sealed records: the disguised records first, in stored order."""
    used = record_selection.UsedRecords.for_population(survey, Population.USED) if with_open else None
    states: dict[int, list[np.ndarray]] = {index: [] for index in plain_question_indexes(design)}
    population, batch = [], []
    for sealed in record_selection.read_sealed_batches(survey, last_batch_number(survey.pk)):
        part = sealed.columns
        is_disguised = record_selection.disguised_mask(part)
        labels = np.where(is_disguised, DISGUISED, UNUSED)
        if used:
            labels[used.mask(part) & ~is_disguised] = KEPT
        population.append(labels)
        batch.append(np.full(part.n, sealed.last))
        for index, parts in states.items():
            parts.append(choice_or_not_applicable(part, index))
    group = np.concatenate(population)
    order = np.argsort(group, kind="stable")
    by_question = {index: np.concatenate(parts)[order] for index, parts in states.items()}
    return AttackedRecords(design, by_question, group[order], np.concatenate(batch)[order])


def release_classes(
    survey: Survey, disclosures: Sequence[Disclosure], truth: AttackedRecords
) -> list[PublishedRelease]:
    """Returns, for each published release, the class of each record; -1 for a record that the release
    does not contain: an open one, or one of a later batch."""
    releases = [disclosure for disclosure in disclosures if disclosure.classes]
    if not releases:
        return []
    disguised = read_disguised(survey, last_batch_number(survey.pk))
    nobody = np.full(len(truth.population) - disguised.n, -1, np.int64)
    by_release = (
        (
            release.last_batch,
            disguised.classes_in_stored_order(release.last_batch, unpack_classes(release.classes)),
        )
        for release in releases
    )
    return [PublishedRelease(last, np.concatenate([classes, nobody])) for last, classes in by_release]
