"""Whatever leaves a survey is a function of what may be told: twins with the same told cells leave the same bytes.

Twins are two sources of one design. Their told cells and their verdicts are equal by construction, and a withheld
cell, a withheld class or an open person differs.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, islice, product
from math import gcd, lcm
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mining.disclosure.open_record_tables import OpenTable
from mining.disclosure.plain_table_counts import (
    MOST_CELLS,
    PlainTable,
    Questions,
    plain_question_indexes,
    questions_in_rules,
    revealed_questions,
    undisguised_question_indexes,
)
from mining.disclosure.small_cells import EarlierPublication, SmallCells
from mining.disclosure.withheld_cells_outside_regions import EarlierCells, choose_hidden_cells
from privacy.designs import Design
from privacy.kinds.place.law import PlaceItemsSection
from privacy.records import OPEN
from surveys.phrases.languages import SHIPPED
from tests.jobs.conftest import broker
from tests.mining.disclosure.documents import PARTS, Integers, Records, differences, documents, random_study

pytestmark = [pytest.mark.proof, pytest.mark.django_db]
__all__ = ["broker"]

APART = 300
NIGHT = {*range(0, APART // 2, 13), 29, 148}
"""One of each part; of the last two the first publication is refused."""
DRAWN_ANEW, SHOWN = 20, 20


def assert_alike(seed: int, **wanted: Any) -> None:
    """Of the first study drawn that has a twin."""
    for anew in range(DRAWN_ANEW):
        study = random_study(seed + anew * APART)
        first = documents(study, study.records, **wanted)
        # A publication that was refused has told nothing.
        numbered = enumerate(study.publications, 1)
        told = [one for number, one in numbered if f"Run {number}, refused.txt" not in first]
        most = max(parameters.max_size for parameters in study.parameters)
        other = twin_records(study.records, told, most, np.random.default_rng(seed))
        if other is not None:
            found = [*islice(differences(first, documents(study, other, **wanted)), SHOWN)]
            assert not found, f"{study.part}, drawn anew {anew} times, differs in\n" + "\n".join(found)
            return
    raise AssertionError(f"no twin in {DRAWN_ANEW} studies of {PARTS[seed % len(PARTS)]}")


SMALL = (14, 7)
"""A small study of classes, at night also one of arms; the night draws all parts."""
PAGES_OF_THEIR_OWN = {"window": ["numbers"], "model": ["models"], "wave": ["study/waves.csv"]}


@pytest.mark.at_push(1)
@pytest.mark.parametrize("seed", SMALL, ids=lambda seed: PARTS[seed % len(PARTS)])
def test_twin_surveys_leave_the_same_bytes(seed: int) -> None:
    """Each in one of the languages; those of a place through every door."""
    part, languages = PARTS[seed % len(PARTS)], [SHIPPED[seed % len(SHIPPED)]]
    own = PAGES_OF_THEIR_OWN.get(part, ())
    assert_alike(seed, languages=languages, every_door=part == "place", own=own, most_rules=2)


def test_nightly_draws_cover_each_part() -> None:
    assert {seed % len(PARTS) for seed in NIGHT} == {*range(len(PARTS))}


@pytest.mark.night
@pytest.mark.parametrize("seed", sorted(NIGHT - {*SMALL}))
def test_twins_of_many_surveys_leave_the_same_bytes_in_every_disclosure(seed: int) -> None:
    assert_alike(seed)


Codes = tuple[int, ...]


@dataclass(frozen=True)
class Told:
    """What one publication of the records up to `stage` may tell. `tables`: the largest sets of plain questions that
    may be told together. `kept`: the open patterns that it uses; `of_open`: the tables of plain answers of these.
    `cells`: by place the cells that are withheld."""

    stage: int
    hidden: Mapping[int, frozenset[int]]
    tables: tuple[Questions, ...]
    kept: frozenset[tuple[bool, ...]] = frozenset()
    of_open: frozenset[Questions] = frozenset()
    cells: Mapping[int, frozenset[int]] = field(default_factory=dict)


def all_told(records: Records, publications: Sequence[tuple[int, bool]]) -> list[Told]:
    """Of each publication, in their order: its last stage, and whether it uses open records."""
    design, all_verdicts = records.design.mined, list[Told]()
    counted = undisguised_question_indexes(design)
    some = (chosen for size in range(1, len(counted) + 1) for chosen in combinations(counted, size))
    sets = {revealed_questions(design, chosen) for chosen in some} | {(index,) for index in counted}
    disguised = records.group != OPEN
    tables_before: list[dict[Questions, PlainTable]] = []
    outside_before: list[dict[int, Integers]] = []
    for stage, uses_open in publications:
        chosen = disguised & (records.stage <= stage)
        counted_tables = [PlainTable(questions, records.table(questions, chosen)) for questions in sets]
        tables = {one.questions: one for one in counted_tables if one.counts.size <= MOST_CELLS}
        before = [
            EarlierPublication(counts, told.hidden, same=told.stage == stage)
            for counts, told in zip(tables_before, all_verdicts, strict=True)
        ]
        small = SmallCells(design, tables, before)
        safe = [questions for questions in sorted(tables) if small.is_safe(questions)]
        largest = [one for one in safe if not any(set(one) < set(other) for other in safe)]
        outside, earlier = outside_counts(records, chosen), [*zip(outside_before, all_verdicts, strict=True)]
        cells = {
            place: hidden_outside(place, counts, small, earlier, stage, records.design)
            for place, counts in outside.items()
        }
        kept = records.kept_patterns if uses_open else frozenset()
        of_open = frozenset(tables_of_open(records, small) if uses_open else ())
        all_verdicts.append(Told(stage, small.withheld_choices, tuple(largest), kept, of_open, cells))
        tables_before.append(tables)
        outside_before.append(outside)
    return all_verdicts


def tables_of_open(records: Records, small: SmallCells) -> Iterator[Questions]:
    design = records.design.mined
    names = sorted(records.kept_patterns)
    by_name = {name: np.array([pattern == name for pattern in records.patterns]) for name in names}
    for index in plain_question_indexes(design):
        questions = revealed_questions(design, [index])
        counts = [records.table(questions, chosen & (records.group == OPEN)) for chosen in by_name.values()]
        if counts and OpenTable(questions, np.stack(counts)).may_be_published(design, small.withheld_choices):
            yield questions


def place_sections(design: Design) -> dict[int, PlaceItemsSection]:
    index, places = 0, {}
    for section in design.mined.sections:
        if isinstance(section, PlaceItemsSection):
            places[index] = section
        index += len(section.questions)
    return places


def outside_counts(records: Records, chosen: NDArray[np.bool_]) -> dict[int, Integers]:
    """By place how many are in each cell outside its regions."""
    found = {}
    for place, section in place_sections(records.design).items():
        cells = np.array(section.law.cells_outside_regions)
        found[place] = (records.codes[place, chosen] == cells[:, None]).sum(axis=1)
    return found


def hidden_outside(
    place: int,
    counts: Integers,
    small: SmallCells,
    before: Sequence[tuple[Mapping[int, Integers], Told]],
    stage: int,
    design: Design,
) -> frozenset[int]:
    law = place_sections(design)[place].law
    cells = law.cells_outside_regions
    if len(law.regions) in small.withheld_choices.get(place, frozenset()):
        return frozenset(cells)
    earlier = [
        EarlierCells(outside[place], np.isin(cells, sorted(told.cells[place])), told.stage == stage)
        for outside, told in before
    ]
    return frozenset(np.array(cells)[choose_hidden_cells(counts, earlier)].tolist())


@dataclass(frozen=True)
class ToldCells:
    """Which told cells a record is in."""

    records: Records
    told: Sequence[Told]
    max_size: int

    @cached_property
    def sensitive(self) -> list[int]:
        plain = set(plain_question_indexes(self.records.design.mined))
        return [index for index in range(len(self.records.codes)) if index not in plain]

    @cached_property
    def _sets(self) -> list[tuple[tuple[int, ...], frozenset[int]]]:
        """Sensitive questions that one rule may be about, and the questions that decide whether they are shown."""
        size = min(self.max_size, len(self.sensitive))
        sets = [*combinations(self.sensitive, size), *((index,) for index in self.sensitive)]
        design = self.records.design.mined
        return [(chosen, frozenset(questions_in_rules(design, chosen))) for chosen in sets]

    def cells_of_record(self, group: int, stage: int, codes: Codes) -> frozenset[object]:
        as_one = np.array([group], np.uint8), np.array([codes], np.uint16).T, np.array([stage], np.intp)
        one = Records(self.records.design, *as_one)
        states, pattern = one.states[:, 0].tolist(), one.patterns[0]
        cells = {
            (number, *cell)
            for number, told in enumerate(self.told)
            if stage <= told.stage
            for cell in (
                self._of_open(told, codes, states, pattern)
                if group == OPEN
                else self._of_disguised(told, codes, states)
            )
        }
        return frozenset(cells)

    def _of_disguised(self, told: Told, codes: Codes, states: Sequence[int]) -> Iterator[tuple[object, ...]]:
        for table in ((), *told.tables):
            answers = merge_states(told, table, states)
            yield table, answers
            for chosen, rules in self._sets:
                if rules <= set(table):
                    yield table, answers, chosen, self._sent(told, chosen, codes, states)

    def _of_open(
        self, told: Told, codes: Codes, states: Sequence[int], pattern: tuple[bool, ...]
    ) -> Iterator[tuple[object, ...]]:
        if pattern not in told.kept:
            return
        yield "open", pattern
        for chosen, _rules in self._sets:
            yield "open", pattern, chosen, self._sent(told, chosen, codes, states)
        for table in told.of_open:
            yield "open", pattern, table, merge_states(told, table, states)

    def _sent(
        self, told: Told, chosen: Sequence[int], codes: Codes, states: Sequence[int]
    ) -> tuple[object, ...]:
        """With what the device drew; a withheld cell outside the regions of a place is told by its state alone."""
        drawn = [codes[index] for index in self.records.design.drawn]
        sent = [
            (states[index], -1 if codes[index] in told.cells.get(index, ()) else codes[index])
            for index in chosen
        ]
        return (*drawn, *sent)


def merge_states(told: Told, table: Questions, states: Sequence[int]) -> tuple[int, ...]:
    return tuple(-1 if states[index] in told.hidden.get(index, ()) else states[index] for index in table)


# --- moves ---------------------------------------------------------------------------------------------------


def kernel_basis(rows: Sequence[Sequence[int]], columns: int) -> list[list[int]]:
    """A basis, in integers, of what these rows send to zero."""
    left = [[Fraction(value) for value in row] for row in rows]
    pivots: list[int] = []
    for column in range(columns):
        done = len(pivots)
        row = next((at for at in range(done, len(left)) if left[at][column]), None)
        if row is None:
            continue
        left[done], left[row] = left[row], left[done]
        left[done] = [value / left[done][column] for value in left[done]]
        for at, other in enumerate(left):
            if at != done and other[column]:
                of = zip(other, left[done], strict=True)
                left[at] = [value - other[column] * lead for value, lead in of]
        pivots.append(column)
    basis = []
    for free in set(range(columns)) - set(pivots):
        vector = [Fraction(int(column == free)) for column in range(columns)]
        for row, pivot in enumerate(pivots):
            vector[pivot] = -left[row][free]
        whole = [int(value * lcm(*(one.denominator for one in vector))) for value in vector]
        basis.append([value // gcd(*whole) for value in whole])
    return basis


def units(design: Design) -> list[list[int]]:
    """Questions that move together: each plain one, and those of a sensitive section."""
    index, parts = 0, []
    for section in design.sections:
        questions = [*range(index, index + len(section.questions))]
        parts += [questions] if section.sensitive else [[question] for question in questions]
        index += len(section.questions)
    return parts


def is_possible(design: Design, codes: Codes) -> bool:
    for question, code in zip(design.questions, codes, strict=True):
        if not question.show_if:
            continue
        shown = question.applies(codes)
        if shown == (code == question.not_applicable):
            return False
        if not shown and code not in (question.not_applicable, question.not_asked):
            return False
    return True


MOST_UNITS, TRIES, MOVES = 4, 400, 8


def twin_records(
    records: Records, publications: Sequence[tuple[int, bool]], max_size: int, rng: np.random.Generator
) -> Records | None:
    """Other records with the same told cells and the same verdict, of which a withheld cell, a withheld class or an
    open person differs; None where no move is found."""
    told = all_told(records, publications)
    cells = ToldCells(records, told, max_size)
    moved, moves = records, 0
    for _try in range(TRIES):
        candidate = moved_once(moved, cells, rng)
        if candidate is None or all_told(candidate, publications) != told:
            continue
        moved, moves = candidate, moves + 1
        if moves == MOVES:
            break
    return moved if count_records_by_answers(moved) != count_records_by_answers(records) else None


def count_records_by_answers(records: Records) -> tuple[Counter[Codes], Counter[Codes]]:
    """The disguised records by all plain answers, and the open ones by all answers."""
    plain = plain_question_indexes(records.design.mined)
    disguised = records.group != OPEN
    return (
        Counter(map(tuple, records.states[plain][:, disguised].T.tolist())),
        Counter(map(tuple, records.codes[:, ~disguised].T.tolist())),
    )


def moved_once(records: Records, cells: ToldCells, rng: np.random.Generator) -> Records | None:
    """A random integer move in the kernel of the told cells, over the box that two records span."""
    first = int(rng.integers(len(records.group)))
    there = np.flatnonzero((records.group == records.group[first]) & (records.stage == records.stage[first]))
    parts = units(records.design)
    codes = records.codes
    apart = np.stack([(codes[part][:, there] != codes[part][:, [first]]).any(axis=0) for part in parts])
    near = there[(apart.sum(axis=0) > 0) & (apart.sum(axis=0) <= MOST_UNITS)]
    base = codes[:, first]
    if len(near) and rng.random() < 0.7:
        partner = codes[:, int(rng.choice(near))]
    else:
        partner, part = base.copy(), parts[int(rng.integers(len(parts)))]
        partner[part] = codes[part, int(rng.choice(there))]
    differing = [part for part in parts if (base[part] != partner[part]).any()]
    if not differing:
        return None
    box: list[Codes] = []
    for chosen in product((base, partner), repeat=len(differing)):
        kind = base.copy()
        for part, source in zip(differing, chosen, strict=True):
            kind[part] = source[part]
        box.append(tuple(kind.tolist()))
    box = [kind for kind in box if is_possible(records.design, kind)]
    group, stage = int(records.group[first]), int(records.stage[first])
    of_kind = [cells.cells_of_record(group, stage, kind) for kind in box]
    rows = {tuple(int(cell in told) for told in of_kind) for cell in frozenset(chain(*of_kind))}
    # What nobody is told has no row; but the number of all records stays.
    basis = kernel_basis([*rows, (1,) * len(box)], len(box))
    if not basis:
        return None
    chosen_signs = rng.choice([-1, 0, 1], len(basis))
    step = (np.array(basis) * chosen_signs[:, None]).sum(axis=0)
    return apply_step(records, there, box, step) if step.any() else None


def apply_step(records: Records, there: Integers, box: Sequence[Codes], step: Integers) -> Records | None:
    """Where there are enough records to take away; the others take their places."""
    by_kind: dict[Codes, list[int]] = {kind: [] for kind in box}
    for row in there.tolist():
        kind = tuple(records.codes[:, row].tolist())
        if kind in by_kind:
            by_kind[kind].append(row)
    free: list[int] = []
    for kind, change in zip(box, step.tolist(), strict=True):
        if change < 0:
            if len(by_kind[kind]) < -change:
                return None
            free += by_kind[kind][:-change]
    codes = records.codes.copy()
    for kind, change in zip(box, step.tolist(), strict=True):
        for _time in range(max(change, 0)):
            codes[:, free.pop()] = kind
    return Records(records.design, records.group, codes, records.stage)
