"""The attacker beside the ledger: the smallest count that follows from all that readers were told, and a proposal."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np

from intake.batches.sealing import last_sealed
from intake.disclosure import ledger, records
from intake.disclosure.canonical import hidden_in, read_disguised, unpacked
from intake.disclosure.ledger import Telling
from intake.disclosure.models import Disclosure, Door, Population
from mining.disclosure import open_tables
from mining.disclosure.attacker import (
    DISGUISED,
    KEPT,
    UNUSED,
    AttackResult,
    Records,
    RecordsInAll,
    ToldCell,
    ToldClasses,
    attack,
    open_people,
)
from mining.disclosure.plain_tables import Questions, involved, plain_places
from privacy.designs import Design
from privacy.records.columns import mined_states
from surveys.models import Survey


def attack_on(survey: Survey, proposed: Telling | None = None) -> AttackResult:
    """What follows from all that was told, and from the proposal beside it; of the answers of a rehearsal's open
    people nothing is asked, since all of them are simulated and used at any time."""
    told = ledger.told(survey, Door.REPORT, Door.MODEL, Door.RELEASE)
    if proposed:
        told = [one for one in told if one.key != proposed.key]
        told.append(
            Disclosure(
                last_batch=proposed.last_batch,
                population=proposed.population,
                tables=proposed.tables,
                classes=proposed.classes,
            )
        )
    if not told or survey.design is None or not last_sealed(survey.pk):
        return AttackResult(None)
    design = survey.design.content.mined
    of_all = [one for one in told if one.population == Population.USED and not survey.is_rehearsal]
    cells = [
        cell for one in told for cell in cells_of(design, one) if of_all or cell.populations == (DISGUISED,)
    ]
    if of_all:
        last = of_all[0].last_batch
        cells.append(ToldCell((KEPT,), last))
        if records.left_out_of(survey):
            cells.append(ToldCell((KEPT, UNUSED), last))
    truth = true_records(survey, design, bool(of_all))
    result = attack(truth, cells, classes_of(survey, told, truth))
    if not design.has_group_open:
        return result
    spans = open_people(*known_of_open(survey, told, truth))
    # After the end no report follows that a span could be joined with, and the cap tells how many there are in all.
    is_over = survey.state == Survey.State.FINISHED
    is_told = is_over and ledger.is_full(survey, len(truth.batch))
    few = next((span for span in spans if not is_told and span.is_few(only_exact=is_over)), None)
    return replace(result, open_people=tuple(spans), few_open=few)


def known_of_open(
    survey: Survey, told: Sequence[Disclosure], truth: Records
) -> tuple[dict[int, int], list[RecordsInAll]]:
    """By last batch the disguised records, and what is known of the records in all: of each disclosure what the
    survey's page told, and of what lies between two the smallest and the largest size of that many batches."""
    in_all = {
        one.last_batch: one.tables.get("records") or ledger.records_in_all(survey, one.last_batch)
        for one in told
    }
    disguised = truth.batch[truth.population == DISGUISED]
    totals = [RecordsInAll(0, last, *records_low_high) for last, records_low_high in in_all.items()]
    least = survey.least
    for after, last in combinations([0, *sorted(in_all)], 2):
        n = int(((truth.batch > after) & (truth.batch <= last)).sum())
        smallest, largest = (last - after) * least, (last - after) * (least + least // 2)
        # Batches that were sealed under load or at a closing are larger.
        if smallest <= n:
            totals.append(RecordsInAll(after, last, smallest, largest if n <= largest else None))
    return {last: int((disguised <= last).sum()) for last in in_all}, totals


def cells_of(design: Design, one: Disclosure) -> Iterator[ToldCell]:
    """Each count of the plain tables that were told; regions of places are disguised, and left to the tables' check."""
    hidden, plain = hidden_in(one), set(plain_places(design))
    for questions in map(tuple, one.tables.get("told", [])):
        if plain.issuperset(questions):
            yield from table_of(design, questions, hidden, DISGUISED, one.last_batch)
    for question in one.tables.get("open", []):
        yield from table_of(design, involved(design, [question]), hidden, KEPT, one.last_batch)
    if one.population == Population.USED:
        # What is told of sensitive answers behind a rule tells how many were shown the question.
        for rule in open_tables.conditions(design):
            yield ToldCell((KEPT,), one.last_batch, {rule.place: rule.codes})


def table_of(
    design: Design, questions: Questions, hidden: dict[int, frozenset[int]], population: int, last_batch: int
) -> Iterator[ToldCell]:
    """Withheld classes of a question are one; which all of them are cannot be told from the others."""
    classes: list[list[frozenset[int]]] = []
    for index in questions:
        states = range(design.questions[index].codes + bool(design.questions[index].show_if))
        withheld = hidden.get(index, frozenset())
        apart = [frozenset({state}) for state in states if state not in withheld]
        classes.append([*apart, *([withheld] if withheld else [])])
    for cell in product(*classes):
        yield ToldCell((population,), last_batch, dict(zip(questions, cell, strict=True)))


def true_records(survey: Survey, design: Design, with_open: bool) -> Records:
    """The plain answers of all sealed records, first the disguised ones as `read_disguised` has them."""
    last = last_sealed(survey.pk)
    used = records.UsedRecords.of(survey, Population.USED) if with_open else None
    states: dict[int, list[np.ndarray]] = {index: [] for index in plain_places(design)}
    population, batch = [], []
    for sealed in records.sealed(survey, last):
        part = sealed.columns
        is_disguised = records.UsedRecords(Population.DISGUISED, None).mask(part)
        labels = np.where(is_disguised, DISGUISED, UNUSED)
        if used:
            labels[used.mask(part) & ~is_disguised] = KEPT
        population.append(labels)
        batch.append(np.full(part.n, sealed.last))
        for index, parts in states.items():
            parts.append(mined_states(part, index))
    group = np.concatenate(population)
    order = np.argsort(group, kind="stable")
    of_states = {index: np.concatenate(parts)[order] for index, parts in states.items()}
    return Records(design, of_states, group[order], np.concatenate(batch)[order])


def classes_of(survey: Survey, told: Sequence[Disclosure], truth: Records) -> list[ToldClasses]:
    released = [one for one in told if one.classes]
    if not released:
        return []
    disguised = read_disguised(survey, last_sealed(survey.pk))
    nobody = np.full(len(truth.population) - disguised.n, -1, np.int64)
    return [
        ToldClasses(
            one.last_batch,
            np.concatenate([disguised.classes(one.last_batch, unpacked(one.classes)), nobody]),
        )
        for one in released
    ]
