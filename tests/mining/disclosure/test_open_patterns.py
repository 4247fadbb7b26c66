"""Which open records are used: by what rules show them, ten or none, and never a few left out."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from mining.disclosure.open_record_tables import (
    OpenTable,
    count_patterns,
    has_large_pattern,
    large_patterns,
    publishable_open_questions,
    record_patterns,
    rule_conditions,
)
from mining.disclosure.plain_table_counts import LEAST
from privacy.designs import Design
from privacy.records.packed_bit_columns import Columns, columns_from_bytes, pack_batch
from tests.runs.sealed import plain, section, written

A, B, C = range(3)


def design(*, asked: int | None = None) -> Design:
    """theft is shown to a and b, lie to a alone, and drugs to everybody."""
    sensitive = section("theft", "lie", "drugs", asked=asked)
    sensitive["questions"][0]["show_if"] = {"where": ["a", "b"]}
    sensitive["questions"][1]["show_if"] = {"where": ["a"]}
    return written(plain("where", "a", "b", "c"), plain("age", "young", "old"), sensitive)


def columns(of: Design, where: list[int], **answers: int) -> Columns:
    """Of these classes; a question that a rule hides has no answer."""
    n = len(where)
    codes = np.zeros((len(of.questions), n), np.uint16)
    codes[0] = where
    codes[1] = answers.get("age", 0)
    for place, question in enumerate(of.questions[2:], 2):
        codes[place] = answers.get(question.name, 0)
        for rule in question.show_if:
            codes[place, ~np.isin(codes[rule.place], sorted(rule.codes))] = question.not_applicable
    return columns_from_bytes(of, pack_batch(of, np.zeros(n, np.uint8), codes))


def test_groups_are_by_what_rules_show() -> None:
    """a and b differ in a condition, young and old in none."""
    of = design()
    assert [sorted(rule.codes) for rule in rule_conditions(of.mined)] == [[A], [A, B]]
    found = count_patterns(record_patterns(columns(of, [A] * 12 + [B] * 13 + [C] * 4)))
    assert sorted(found.values()) == [4, 12, 13]
    assert found == count_patterns(record_patterns(columns(of, [A] * 12 + [B] * 13 + [C] * 4, age=1)))


def test_a_survey_without_rules_has_one_group() -> None:
    of = written(plain("where", "a", "b"), section("theft"))
    found = count_patterns(
        record_patterns(
            columns_from_bytes(of, pack_batch(of, np.zeros(30, np.uint8), np.zeros((2, 30), np.uint16)))
        )
    )
    assert list(found.values()) == [30]
    assert large_patterns(found) == frozenset(found)


@given(st.dictionaries(st.sampled_from([f"{n:02x}" for n in range(12)]), st.integers(1, 30)))
def test_one_to_nine_are_never_left_out(of: dict[str, int]) -> None:
    used = large_patterns(of)
    out = sum(size for pattern, size in of.items() if pattern not in used)
    assert all(of[pattern] >= LEAST for pattern in used)
    assert out == 0 or out >= LEAST or not used
    # No more than must be: without the largest of those left out they would be a few, or it is one of a few.
    if out and used:
        largest = max(size for pattern, size in of.items() if pattern not in used)
        assert largest < LEAST or out - largest < LEAST


def test_the_choice_depends_on_no_sensitive_answer_and_no_draw() -> None:
    of = design(asked=2)
    where = [A] * 12 + [B] * 9 + [C] * 20
    first = columns(of, where)
    other = columns(of, where, theft=1, drugs=1)
    drawn = columns(of, where, lie=of.questions[3].not_asked)
    found = [count_patterns(record_patterns(part)) for part in (first, other, drawn)]
    assert found[0] == found[1] == found[2]
    used = large_patterns(found[0])
    # Nine are too few; with the next smallest group they are at least ten.
    assert has_large_pattern(record_patterns(first), used).tolist() == [False] * 21 + [True] * 20


def test_a_class_beside_a_pattern_has_none_or_ten() -> None:
    """Of 13 with the pattern ten are in one class: three follow by subtraction."""
    of = design()
    counts = np.array([[10, 0, 0], [3, 0, 0], [0, 20, 20]])
    table = OpenTable((0,), counts)
    assert not table.may_be_published(of.mined, {})
    assert OpenTable((0,), np.array([[10, 0, 0], [0, 20, 0], [0, 0, 20]])).may_be_published(of.mined, {})
    assert not OpenTable((0,), np.array([[9, 0, 0], [0, 20, 0], [0, 0, 20]])).may_be_published(of.mined, {})


def test_a_merged_class_that_a_rule_divides_is_not_told() -> None:
    of = design().mined
    table = OpenTable((0,), np.array([[20, 0, 0], [0, 20, 0], [0, 0, 20]]))
    assert not table.may_be_published(of, {0: frozenset({A, C})})
    assert publishable_open_questions(of, [table], {}) == {0}


def test_two_conditions_of_one_question_are_two_bits() -> None:
    """Where s needs a in {1, 2} and r in {1, 2}, the cell of both threes follows from a bit a question."""
    both = section("s")
    both["questions"][0]["show_if"] = {"first": ["1", "2"], "second": ["1", "2"]}
    of = written(plain("first", "1", "2", "3"), plain("second", "1", "2", "3"), both)
    codes = np.array([[0, 0, 2, 2], [0, 2, 0, 2], [0, 2, 2, 2]], np.uint16)
    codes[2, 1:] = of.questions[2].not_applicable
    assert len(rule_conditions(of.mined)) == 2
    found = count_patterns(
        record_patterns(columns_from_bytes(of, pack_batch(of, np.zeros(4, np.uint8), codes)))
    )
    assert sorted(found.values()) == [1, 1, 1, 1]


def test_a_pattern_is_read_back_from_its_name(subtests: pytest.Subtests) -> None:
    for n in [1, 9, 63, 64, 65]:
        with subtests.test(f"{n}"):
            of = design()
            group = record_patterns(columns(of, [A] * n + [C]))
            (name,) = count_patterns(group[:1])
            assert has_large_pattern(group, frozenset({name})).tolist() == [True] * n + [False]
