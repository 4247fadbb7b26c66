"""Counts of codes of numbers and places, by group and by class, against looking at each record."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.counting import UnreadableHistogram, number_and_place_counts
from mining.counting.number_and_place_counts import CodeCounts
from privacy.designs import Design
from privacy.kinds.number.number_question import NumberQuestion
from privacy.kinds.place.section import PlaceQuestion
from tests.mining.listed import Records, any_records, pack_records, plain_places
from tests.privacy.questionnaires import IF_EMPLOYED, WORK, classes, design, place_in_row, plain, window
from tests.privacy.strategies import small_designs

pytestmark = pytest.mark.proof
FORM = design(window("pay", 7, 1), plain(WORK), classes("debt", "0.5", 0, 5, 10, **IF_EMPLOYED))
# Pay, work, debt, which has six intervals; a hidden debt is 7.
FIVE: Records = [(0, [6, 0, 3]), (1, [6, 0, 0]), (1, [2, 1, 7]), (0, [2, 1, 7]), (1, [6, 0, 0])]

Counted = tuple[dict[int, list[list[int]]], dict[tuple[int, int], list[list[int]]]]


def as_lists(counts: CodeCounts) -> Counted:
    by_group = {place: table.tolist() for place, table in counts.by_group.items()}
    return by_group, {of: table.tolist() for of, table in counts.by_class.items()}


def test_code_counts_of_classes_and_places_by_hand() -> None:
    by_group, by_class = as_lists(CodeCounts.count_records(FORM, [pack_records(FORM, FIVE)]))
    pay, debt = [[0, 0, 1, 0, 0, 0, 1], [0, 0, 1, 0, 0, 0, 2]], [[0, 0, 0, 1, 0, 0], [2, 0, 0, 0, 0, 0]]
    assert by_group == {0: pay, 2: debt}
    pay_by_work, debt_by_work = [[0, 0, 0, 0, 0, 0, 2], [0, 0, 1, 0, 0, 0, 0]], [[2, 0, 0, 0, 0, 0], [0] * 6]
    assert by_class == {(0, 1): pay_by_work, (2, 1): debt_by_work}
    counts = CodeCounts.count_records(FORM, [pack_records(FORM, FIVE)], classes=False)
    assert counts.by_class == {}
    assert counts.by_group[2].tolist() == debt
    # Cells of a place are counted by no class.
    form = design(plain(WORK), place_in_row("home", {"north": [0, 1]}, 3, 2, "6", **IF_EMPLOYED))
    records: Records = [(0, [0, 2]), (1, [0, 2]), (1, [0, 0]), (1, [1, 4]), (1, [0, 2])]
    counts = CodeCounts.count_records(form, [pack_records(form, records)])
    assert as_lists(counts) == ({1: [[0, 0, 1], [1, 0, 2]]}, {})


def counted_by_hand(form: Design, records: Records) -> Counted:
    def count_codes(place: int, records: list[list[int]]) -> list[int]:
        """How many of these records have each code."""
        said = [codes[place] for codes in records]
        return [said.count(code) for code in range(form.questions[place].codes)]

    groups = [[codes for group, codes in records if group == of] for of in (0, 1)]
    by_group: dict[int, list[list[int]]] = {}
    by_class: dict[tuple[int, int], list[list[int]]] = {}
    for place, question in enumerate(form.questions):
        if isinstance(question, (NumberQuestion, PlaceQuestion)):
            by_group[place] = [count_codes(place, of) for of in groups]
        for by in sorted(plain_places(form)) if isinstance(question, NumberQuestion) else ():
            choices = range(form.questions[by].codes)
            of_choices = [[codes for codes in groups[1] if codes[by] == choice] for choice in choices]
            by_class[place, by] = [count_codes(place, of) for of in of_choices]
    return by_group, by_class


@given(small_designs(numbers=True), st.integers(0, 2**32))
def test_codes_are_counted_alike_whole_in_parts_and_stored(form: Design, seed: int) -> None:
    records = any_records(form, 200, np.random.default_rng(seed))
    whole = CodeCounts.count_records(form, [pack_records(form, records)])
    parts = (pack_records(form, records[at:to]) for at, to in pairwise((0, 20, 100, 200)))
    stored, expected = CodeCounts.from_bytes(form, whole.to_bytes()), counted_by_hand(form, records)
    for counts in (whole, CodeCounts.count_records(form, parts), stored):
        assert as_lists(counts) == expected


def test_more_records_than_a_chunk_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(number_and_place_counts, "CHUNK_WORDS", 1 << 5)
    n = 2 * 64 * number_and_place_counts.CHUNK_WORDS + 70
    records: Records = [(1, [place % 7, place % 2, 7 if place % 2 else 0]) for place in range(n)]
    counts = CodeCounts.count_records(FORM, [pack_records(FORM, records)])
    assert counts.by_group[0].sum(axis=1).tolist() == [0, n]
    of_values = [sum(place % 7 == value for place in range(n)) for value in range(7)]
    assert counts.by_group[0][1].tolist() == of_values
    assert counts.by_class[0, 1].sum() == n
    of_classes = [sum(place % 14 == first for place in range(n)) for first in (0, 7)]
    assert counts.by_class[0, 1][:, 0].tolist() == of_classes


def test_tables_by_class_are_counted_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    # 14 cells for pay by work, 12 for debt by work.
    for most, tables in ((25, {(0, 1)}), (13, {(2, 1)}), (26, {(0, 1), (2, 1)})):
        monkeypatch.setattr(number_and_place_counts, "MOST_CELLS", most)
        assert CodeCounts.zeros(FORM).by_class.keys() == tables


def test_damaged_or_foreign_counts_are_refused() -> None:
    data, other = (
        CodeCounts.count_records(FORM, [pack_records(FORM, FIVE)]).to_bytes(),
        design(window("pay", 7, 1)),
    )
    for of, stored in ((FORM, data[:-1]), (FORM, b"?" + data[1:]), (FORM, b""), (other, data)):
        with pytest.raises(UnreadableHistogram):
            CodeCounts.from_bytes(of, stored)
