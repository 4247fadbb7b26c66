"""Attacks on published files, which are read without their source: by hand, and against plain loops."""

import io
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.anonymisation_result import AnonymisedTable, outcome_from_labels
from privacy.anonymity.criteria import joint_class_sizes, joint_labels
from privacy.anonymity.risk.attacked_table import ShownTable, read_shown, shown_from_table
from privacy.anonymity.risk.attacks import (
    Json,
    background_knowledge_attack,
    homogeneity_attack,
    passes_attacks,
    register_attack,
    run_attacks,
    second_file_attack,
)
from privacy.anonymity.risk.cell_parsers import has_overlap
from privacy.anonymity.risk.linkage import file_linkage, register_linkage
from privacy.anonymity.tables.table import read_table
from privacy.grammar.input_error import InputError
from tests.privacy.anonymity import strategies
from tests.privacy.anonymity.sample_tables import csv_of, shown, specified, table_of, written
from tests.privacy.anonymity.strategies import outcomes, specified as specified_widely

LABELS = np.array([0, 0, 1, 1])


def quiet(_share: float) -> None:
    """Nobody listens to the progress."""


def published(outcome: AnonymisedTable, order: Sequence[int] | None = None) -> ShownTable:
    return shown(written(outcome, order), specified())


def of_classes(*illnesses: str) -> ShownTable:
    """Classes of the ages 0, 1, ... whose records have these illnesses, one letter each."""
    rows = [f"{age},poor,Aa,{letter}" for age, letters in enumerate(illnesses) for letter in letters]
    labels = [place for place, letters in enumerate(illnesses) for _letter in letters]
    return published(outcome_from_labels(table_of(rows), np.array(labels)))


def register(*rows: str, header: str = "age,wealth,town") -> ShownTable:
    return read_shown(csv_of(rows, header), "r.csv", specified(), complete=False)


def ruled_out(table: ShownTable, size: int) -> Json:
    return background_knowledge_attack(table, table.sensitive[0], size)


# --- reading ------------------------------------------------------------------------------------------------


def test_rows_that_show_the_same_are_a_class() -> None:
    found = published(outcome_from_labels(table_of(), LABELS), [2, 0, 3, 1])
    assert found.labels.tolist() == [0, 1, 0, 1]
    assert [column.cells for column in found.quasi] == [
        ("45..47", "30..31"),
        ("rich", "poor"),
        ("South", "North"),
    ]


def test_what_cannot_be_read_is_named_with_line_and_column(subtests: pytest.Subtests) -> None:
    cases: list[tuple[str, str, str]] = [
        ("age,", "Age,", "out.csv:1: the column 'age' is missing"),
        ("45..47", "45..x", "out.csv:4: age: '45..x' stands for none"),
        ("North", "West", "out.csv:2: town: 'West' stands for none"),
        ("gout\n", "gout,1\n", "out.csv:5: 5 cells, not 4"),
        ("wealth", "age", "out.csv:1: the column 'age' appears twice"),
    ]
    for old, new, said in cases:
        with subtests.test(f"{old!r:.60} {new!r:.60}"):
            text = written(outcome_from_labels(table_of(), LABELS)).replace(old, new)
            with pytest.raises(InputError) as refused:
                shown(text, specified())
            assert str(refused.value).startswith(said)


def test_a_file_without_records_is_refused() -> None:
    with pytest.raises(InputError, match="there are no records"):
        shown("age,wealth,town,illness\n", specified())


def test_columns_may_be_in_any_order_and_others_are_left_aside() -> None:
    found = shown('number,illness,town,age,wealth\n1,flu,Aa,"[30, 40[",*\n', specified())
    assert [column.name for column in found.quasi] == ["age", "wealth", "town"]
    assert found.sensitive[0].texts == ("flu",)


def test_a_register_needs_one_quasi_identifier() -> None:
    with pytest.raises(InputError, match="none of its columns is a quasi-identifier"):
        register("Ann", header="name")


# --- criteria -----------------------------------------------------------------------------------------------


def test_rows_of_classes_that_break_a_criterion_are_named() -> None:
    table = shown("age,wealth,town,illness\n1,poor,Aa,flu\n2,rich,Aa,flu\n2,rich,Aa,cold\n", specified())
    said = specified(k=2, max_frequency="0.6")
    answer = run_attacks(table, said)
    assert not passes_attacks(answer)
    assert answer["criteria"]["k"] == {"asked": 2, "reached": 1, "classes": 1, "records": 1, "rows": [1]}
    assert answer["criteria"]["max_frequency"] == {
        "asked": 0.6,
        "reached": 1.0,
        "classes": 1,
        "records": 1,
        "rows": [1],
    }


def test_fewer_than_k_rows_that_show_nothing_are_left_aside() -> None:
    lines = ["1..2,poor,Aa,flu", "1..2,poor,Aa,cold", "*,*,*,gout"]
    text = "\n".join(["age,wealth,town,illness", *lines])
    answer = run_attacks(shown(text, specified()), specified(k=2))
    assert passes_attacks(answer)
    assert (answer["rows"], answer["hidden"], answer["classes"]) == (3, 1, 1)
    both = run_attacks(shown(text + "\n*,*,*,flu", specified()), specified(k=2))
    assert (both["hidden"], both["classes"]) == (0, 2)


def test_a_file_with_an_identifier_does_not_keep_the_specification() -> None:
    said = specified(k=1, identifiers=["name"])
    answer = run_attacks(shown("name,age,wealth,town,illness\nAnn,1,poor,Aa,flu\n", said), said)
    assert answer["identifiers"] == ["name"]
    assert not passes_attacks(answer)


# --- a register ---------------------------------------------------------------------------------------------


ROWS = ["30,poor,Aa,flu", "31,poor,Bee,cold", "31,poor,Cee,flu", "47,rich,Dee,gout"]
"""In the classes 30..31, poor, North; 31, poor, Cee alone; 47, rich, Dee alone."""
THREE = np.array([0, 0, 1, 2])


def test_a_register_is_linked_with_what_the_file_shows() -> None:
    file = published(outcome_from_labels(table_of(ROWS), THREE))
    people = register("31,poor,Aa", "31,poor,Cee", "47,rich,Dee", "47,poor,Dee", "30.5,poor,Bee")
    found = register_linkage(file, people, quiet)
    assert found.records.tolist() == [2, 1, 1, 0, 2]
    assert found.rows.tolist() == [-1, 2, 3, -1, -1]
    # Two fit the first class, which has two records; one each of the others fits.
    assert found.candidates.tolist() == [2, 2, 1, 1]
    answer = register_attack(file, people, quiet)
    assert (answer["people"], answer["fitting"], answer["expected"]) == (5, 4, 3)
    assert answer["found"] == {"count": 2, "people": [{"person": 2, "row": 3}, {"person": 3, "row": 4}]}
    assert answer["journalist"] == {"worst": 1.0, "mean": 0.75}


def test_nobody_is_found_where_two_people_fit_the_only_record() -> None:
    file = published(outcome_from_labels(table_of(ROWS), THREE))
    found = register_linkage(file, register("47,rich,Dee", "47,rich,Dee"), quiet)
    assert found.records.tolist() == [1, 1]
    assert found.rows.tolist() == [-1, -1]


def test_a_register_that_knows_less_fits_more() -> None:
    file = published(outcome_from_labels(table_of(ROWS), THREE))
    found = register_linkage(file, register("31", "47", "90", header="age"), quiet)
    assert found.records.tolist() == [3, 1, 0]
    assert found.rows.tolist() == [-1, 3, -1]
    unknown = register_linkage(file, register(",Dee", "31,", header="age,town"), quiet)
    assert unknown.records.tolist() == [1, 3]


def test_a_value_is_known_where_all_fitting_rows_have_it() -> None:
    file = of_classes("aa", "aab", "b")
    answer = register_attack(file, register("0", "1", "2", header="age"), quiet, named=True)
    assert answer["learned"]["illness"] == {
        "count": 1,
        "people": [{"person": 1, "name": "", "values": {"illness": "a"}}],
    }
    assert answer["found"]["people"] == [{"person": 3, "row": 6, "name": "", "values": {"illness": "b"}}]


def test_without_names_an_answer_holds_neither_names_nor_values() -> None:
    people = register("Ann,0", "Bea,2", header="name,age")
    assert "Ann" in str(register_attack(of_classes("aa", "b", "c"), people, quiet, named=True))
    answer = register_attack(of_classes("aa", "b", "c"), people, quiet)
    assert answer["found"]["people"] == [{"person": 2, "row": 4}]
    assert answer["learned"]["illness"]["people"] == [{"person": 1}]


def test_a_file_in_the_order_of_the_register_is_noticed(subtests: pytest.Subtests) -> None:
    """Of two in each class the register has one after the other; rows that come class by class tell nothing."""
    cases: list[tuple[Sequence[int], bool]] = [
        ([3, 0, 6, 5, 1, 7, 2, 4], True),
        ([3, 0, 6, 5, 1, 7, 4, 2], False),
        (range(8), False),
    ]
    for order, is_noticed in cases:
        with subtests.test(f"{order!r:.60} {is_noticed!r:.60}"):
            rows = [f"{place // 2},poor,Aa,{'ab'[place % 2]}" for place in range(8)]
            file = published(outcome_from_labels(table_of(rows), np.repeat(np.arange(4), 2)), order)
            ages = [
                str(place // 2) for place in (range(8) if order == range(8) else [3, 0, 6, 5, 1, 7, 2, 4])
            ]
            assert register_linkage(file, register(*ages, header="age"), quiet).same_order is is_noticed


def test_a_file_with_semicolons_and_decimal_commas_is_read() -> None:
    text = "age;wealth;town;illness\n20,5..30,5;poor;Aa;flu\n"
    file = shown(text, specified())
    assert register_linkage(file, register("30.5", "31", header="age"), quiet).records.tolist() == [1, 0]


def test_a_file_that_everybody_fits_has_no_order() -> None:
    file = shown("age,wealth,town,illness\n" + "*,*,*,a\n" * 30, specified())
    assert not register_linkage(file, register(*"1" * 30, header="age"), quiet).same_order


@pytest.mark.proof
@given(outcomes(), strategies.rows())
def test_linkage_agrees_with_plain_loops(outcome: AnonymisedTable, people: list[str]) -> None:
    said = specified_widely()
    file = shown(written(outcome), said)
    known = read_shown(csv_of(people, strategies.HEADER), "r.csv", said, complete=False)
    matching = [
        [
            row
            for row in range(len(file.rows))
            if all(
                has_overlap(of.meanings[of.codes[row]], own.meanings[own.codes[person]])
                for of, own in zip(file.quasi, known.quasi, strict=True)
            )
        ]
        for person in range(len(people))
    ]
    found = register_linkage(file, known, quiet)
    assert found.records.tolist() == list(map(len, matching))
    rivals = Counter(row for rows in matching for row in rows)
    assert found.rows.tolist() == [
        rows[0] if len(rows) == 1 and rivals[rows[0]] == 1 else -1 for rows in matching
    ]
    for column in file.sensitive:
        for rows, value in zip(matching, found.values[column.name].tolist(), strict=True):
            values = {int(column.codes[row]) for row in rows}
            assert value == (values.pop() if len(values) == 1 else value)
            assert (value >= 0) == (len(rows) > 0 and len(values) <= 1)


# --- homogeneity and background knowledge ---------------------------------------------------------------------


def test_classes_with_a_single_value_are_homogeneous() -> None:
    assert homogeneity_attack(of_classes("aa", "abc", "b")) == {
        "illness": {"classes": 2, "share": 2 / 3, "records": 3, "rows": [1, 2, 6]}
    }


def test_ruled_out_values_leave_one_worked_out_by_hand() -> None:
    found = of_classes("aab", "abc", "cc", "bc")
    # Of cc it is known already, which leaves 8 records.
    # Without a: b of the first; without b: aa, c of the last; without c: b of the last.
    one = ruled_out(found, 1)
    assert (one["sets"], one["records"], one["worst"], one["values"]) == (3, 8, 3 / 8, ["b"])
    assert one["mean"] == pytest.approx((1 + 3 + 1) / 3 / 8)
    # Without a and b: c of the second, c of the last; without a and c: b, b, b; without b and c: aa, a.
    two = ruled_out(found, 2)
    assert (two["sets"], two["worst"], two["values"]) == (3, 3 / 8, ["a", "c"])
    assert two["mean"] == pytest.approx((2 + 3 + 3) / 3 / 8)


def test_ruling_out_a_value_tells_nothing_where_all_are_known_already() -> None:
    assert ruled_out(of_classes("aa", "bb"), 1) == {
        "sets": 2,
        "records": 0,
        "mean": 0,
        "worst": 0,
        "values": ["a"],
    }


def test_too_many_sets_are_refused() -> None:
    letters = "abcdefghijklmnopqrst"
    with pytest.raises(
        InputError, match="there are 184756 sets of 10 values; choose a size with 1 to 20000 sets"
    ):
        ruled_out(of_classes(letters), 10)
    with pytest.raises(InputError, match="there are 0 sets"):
        ruled_out(of_classes("ab"), 3)


def classes_by_text(outcome: AnonymisedTable) -> dict[tuple[str, ...], list[str]]:
    """The illnesses of each class of the file, found in its text."""
    found = defaultdict(list)
    for line in written(outcome).splitlines()[1:]:
        *quasi, illness, _mood = line.split(",")
        found[tuple(quasi)].append(illness)
    return found


@pytest.mark.proof
@given(outcomes(), st.integers(0, 3))
def test_homogeneity_and_background_knowledge_agree_with_plain_loops(
    outcome: AnonymisedTable, size: int
) -> None:
    file, classes = shown(written(outcome), specified_widely()), classes_by_text(outcome)
    single = [values for values in classes.values() if len(set(values)) == 1]
    several = [values for values in classes.values() if len(set(values)) > 1]
    records = max(sum(map(len, several)), 1)
    found = homogeneity_attack(file)["illness"]
    assert found["share"] == len(single) / len(classes)
    assert found["records"] == sum(map(len, single))
    known = sorted({illness for values in classes.values() for illness in values})
    if size > len(known):
        return
    shares = []
    for chosen in combinations(known, size):
        left = [[value for value in values if value not in chosen] for values in several]
        shares.append(sum(len(values) for values in left if len(set(values)) == 1) / records)
    told = ruled_out(file, size)
    assert told["sets"] == len(shares)
    assert told["worst"] == pytest.approx(max(shares))
    assert told["mean"] == pytest.approx(sum(shares) / len(shares))


# --- another file of the same people --------------------------------------------------------------------------


def test_two_files_in_one_order_are_joined_row_by_row() -> None:
    """Eight people by pairs of neighbours and by pairs of every other one: each alone, and no illness tells it."""
    rows = [f"{age},poor,Aa,{'ab'[age % 2]}" for age in range(8)]
    first = outcome_from_labels(table_of(rows), np.repeat(np.arange(4), 2))
    second = outcome_from_labels(table_of(rows), np.array([0, 1, 1, 2, 2, 3, 3, 0]))
    order = [3, 1, 7, 0, 2, 6, 5, 4]
    found = file_linkage(published(first, order), published(second, order), quiet)
    assert found.same_order
    assert found.sizes.tolist() == [1] * 8
    assert not file_linkage(published(first, order), published(second), quiet).same_order


def test_a_later_file_with_more_records_tells_which_are_new() -> None:
    table = table_of([*("30,poor,Aa,flu", "31,poor,Bee,cold") * 2, "31,poor,Aa,gout"])
    earlier = published(outcome_from_labels(table.take_records(np.arange(4)), np.zeros(4, int)))
    later = published(outcome_from_labels(table, np.zeros(5, int)))
    answer = second_file_attack(later, earlier, 2, quiet)
    assert (answer["below"], answer["alone"]) == ({"records": 1, "rows": [5]}, 1)
    assert second_file_attack(earlier, later, 2, quiet)["below"]["records"] == 0


def test_files_of_other_people_are_told_apart() -> None:
    answer = second_file_attack(of_classes("aa", "ab"), of_classes("bb", "ab"), 2, quiet)
    # Both records with a of age 0 fit no record of the other file.
    assert answer["unlinked"] == 2


@pytest.mark.proof
@given(strategies.rows(4, 16), st.data())
def test_no_record_is_in_a_larger_joint_class_than_it_is_said(rows: list[str], data: st.DataObject) -> None:
    said = specified_widely()
    table = read_table(csv_of(rows, strategies.HEADER), "t.csv", said)
    labels = st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))
    first, second = (outcome_from_labels(table, np.array(data.draw(labels))) for _file in range(2))
    order = data.draw(st.permutations(range(len(rows))))
    file, other = shown(written(first), said), shown(written(second, order), said)
    found = file_linkage(file, other, quiet)
    placed = np.empty(len(rows), np.int64)
    placed[order] = other.labels
    truth = joint_class_sizes(joint_labels(file.labels, placed))
    assert (found.sizes >= truth).all()


# --- a table that nobody has anonymised ------------------------------------------------------------------------


def test_a_table_as_it_was_read_is_attacked_like_a_file_of_single_values() -> None:
    said = specified(k=2)
    text = "\n".join(["age,wealth,town,illness", *ROWS, ""])
    table = read_table(io.BytesIO(text.encode()), "t.csv", said)
    people = register("47,rich,Dee", "30,poor,Aa")
    answers = [
        run_attacks(one, said, register=people) for one in (shown_from_table(table, said), shown(text, said))
    ]
    assert answers[0] == answers[1]
    assert answers[0]["register"]["found"]["count"] == 2


def test_single_values_are_ruled_out_however_many_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("privacy.anonymity.risk.attacks.MOST_SETS", 3)
    assert ruled_out(of_classes("abcd"), 1)["sets"] == 4
