"""Attacks on published files, which are read without their source: by hand, and against plain loops."""

import io
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.anonymisation_result import AnonymisedTable, outcome_from_labels
from privacy.anonymity.criteria_check import joint_class_size_by_record, joint_labels
from privacy.anonymity.risk import attacks
from privacy.anonymity.risk.cell_parsers import has_overlap
from privacy.anonymity.risk.linkage import file_linkage, register_linkage
from privacy.anonymity.risk.table_seen_by_attacker import ShownTable, read_shown_table, shown_from_table
from privacy.anonymity.tables.table import read_table
from tests.privacy.anonymity import sample_tables as samples
from tests.privacy.questionnaires import refusal

HEADER = "age,wealth,town,illness"
LABELS = np.array([0, 0, 1, 1])


def ignore(_share: float) -> None:
    """Nobody listens to the progress."""


def shown_table_of(outcome: AnonymisedTable, order: Sequence[int] | None = None) -> ShownTable:
    return samples.read_published(samples.published_text(outcome, order), samples.make_specification())


def table_of_classes(*illnesses: str) -> ShownTable:
    """Classes of the ages 0, 1, ... whose records have these illnesses, one letter each."""
    rows = [f"{age},poor,Aa,{letter}" for age, letters in enumerate(illnesses) for letter in letters]
    labels = [place for place, letters in enumerate(illnesses) for _letter in letters]
    return shown_table_of(outcome_from_labels(samples.table_of(rows), np.array(labels)))


def register(*rows: str, header: str = "age,wealth,town") -> ShownTable:
    return read_shown_table(
        samples.csv_of(rows, header), "r.csv", samples.make_specification(), complete=False
    )


def ruled_out(table: ShownTable, size: int) -> attacks.Json:
    return attacks.background_knowledge_attack(table, table.sensitive[0], size)


# --- reading and criteria


def test_rows_that_show_the_same_are_a_class_and_columns_may_be_in_any_order() -> None:
    found = shown_table_of(outcome_from_labels(samples.table_of(), LABELS), [2, 0, 3, 1])
    assert found.labels.tolist() == [0, 1, 0, 1]
    cells = [("45..47", "30..31"), ("rich", "poor"), ("South", "North")]
    assert [column.cells for column in found.quasi] == cells
    found = samples.read_published(
        'number,illness,town,age,wealth\n1,flu,Aa,"[30, 40[",*\n', samples.make_specification()
    )
    assert [column.name for column in found.quasi] == ["age", "wealth", "town"]
    assert found.sensitive[0].texts == ("flu",)


def test_what_cannot_be_read_is_named_with_line_and_column() -> None:
    text = samples.published_text(outcome_from_labels(samples.table_of(), LABELS))
    for old, new, said in (
        ("age,", "Age,", "out.csv:1: the column 'age' is missing"),
        ("45..47", "45..x", "out.csv:4: age: '45..x' stands for none"),
        ("North", "West", "out.csv:2: town: 'West' stands for none"),
        ("gout\n", "gout,1\n", "out.csv:5: 5 cells, not 4"),
        ("wealth", "age", "out.csv:1: the column 'age' appears twice"),
        (text, f"{HEADER}\n", "out.csv: there are no records"),
    ):
        assert refusal(
            samples.read_published, text.replace(old, new), samples.make_specification()
        ).startswith(said), said
    assert "none of its columns is a quasi-identifier" in refusal(register, "Ann", header="name")


def test_rows_of_classes_that_break_a_criterion_are_named() -> None:
    table = samples.read_published(
        f"{HEADER}\n1,poor,Aa,flu\n2,rich,Aa,flu\n2,rich,Aa,cold\n", samples.make_specification()
    )
    answer = attacks.run_attacks(table, samples.make_specification(k=2, max_frequency="0.6"))
    assert not attacks.keeps_criteria_without_identifiers(answer)
    broken = {"classes": 1, "records": 1, "rows": [1]}
    assert answer["criteria"]["k"] == {"asked": 2, "reached": 1, **broken}
    assert answer["criteria"]["max_frequency"] == {"asked": 0.6, "reached": 1.0, **broken}
    # A file with an identifier does not keep the specification.
    said = samples.make_specification(k=1, identifiers=["name"])
    answer = attacks.run_attacks(samples.read_published(f"name,{HEADER}\nAnn,1,poor,Aa,flu\n", said), said)
    assert (answer["identifiers"], attacks.keeps_criteria_without_identifiers(answer)) == (["name"], False)


def test_fewer_than_k_rows_that_show_nothing_are_left_aside() -> None:
    text = "\n".join([HEADER, "1..2,poor,Aa,flu", "1..2,poor,Aa,cold", "*,*,*,gout"])
    answer = attacks.run_attacks(
        samples.read_published(text, samples.make_specification()), samples.make_specification(k=2)
    )
    assert attacks.keeps_criteria_without_identifiers(answer)
    assert (answer["rows"], answer["hidden"], answer["classes"]) == (3, 1, 1)
    more = samples.read_published(text + "\n*,*,*,flu", samples.make_specification())
    both = attacks.run_attacks(more, samples.make_specification(k=2))
    assert (both["hidden"], both["classes"]) == (0, 2)


# --- a register


ROWS = ["30,poor,Aa,flu", "31,poor,Bee,cold", "31,poor,Cee,flu", "47,rich,Dee,gout"]
"""In the classes 30..31, poor, North; 31, poor, Cee alone; 47, rich, Dee alone."""
THREE = np.array([0, 0, 1, 2])


def test_a_register_is_linked_with_what_the_file_shows() -> None:
    file = shown_table_of(outcome_from_labels(samples.table_of(ROWS), THREE))
    people = register("31,poor,Aa", "31,poor,Cee", "47,rich,Dee", "47,poor,Dee", "30.5,poor,Bee")
    found = register_linkage(file, people, ignore)
    assert found.records.tolist() == [2, 1, 1, 0, 2]
    assert found.rows.tolist() == [-1, 2, 3, -1, -1]
    # Two fit the first class, which has two records; one each of the others fits.
    assert found.candidates.tolist() == [2, 2, 1, 1]
    answer = attacks.register_attack(file, people, ignore)
    assert (answer["people"], answer["fitting"], answer["expected"]) == (5, 4, 3)
    assert answer["found"] == {"count": 2, "people": [{"person": 2, "row": 3}, {"person": 3, "row": 4}]}
    assert answer["journalist"] == {"worst": 1.0, "mean": 0.75}


def test_nobody_is_found_where_two_people_fit_and_a_register_that_knows_less_fits_more() -> None:
    file = shown_table_of(outcome_from_labels(samples.table_of(ROWS), THREE))
    for people, records, rows in (
        (register("47,rich,Dee", "47,rich,Dee"), [1, 1], [-1, -1]),
        (register("31", "47", "90", header="age"), [3, 1, 0], [-1, 3, -1]),
        (register(",Dee", "31,", header="age,town"), [1, 3], None),
    ):
        found = register_linkage(file, people, ignore)
        assert found.records.tolist() == records
        assert rows in (None, found.rows.tolist())


def test_a_value_is_known_where_all_fitting_rows_have_it() -> None:
    file = table_of_classes("aa", "aab", "b")
    answer = attacks.register_attack(file, register("0", "1", "2", header="age"), ignore, named=True)
    learned = {"person": 1, "name": "", "values": {"illness": "a"}}
    assert answer["learned"]["illness"] == {"count": 1, "people": [learned]}
    assert answer["found"]["people"] == [{"person": 3, "row": 6, "name": "", "values": {"illness": "b"}}]


def test_without_names_an_answer_holds_neither_names_nor_values() -> None:
    people = register("Ann,0", "Bea,2", header="name,age")
    assert "Ann" in str(attacks.register_attack(table_of_classes("aa", "b", "c"), people, ignore, named=True))
    answer = attacks.register_attack(table_of_classes("aa", "b", "c"), people, ignore)
    assert answer["found"]["people"] == [{"person": 2, "row": 4}]
    assert answer["learned"]["illness"]["people"] == [{"person": 1}]


def test_a_file_in_the_order_of_the_register_is_noticed() -> None:
    """Of two in each class the register has one after the other; rows that come class by class tell nothing."""
    rows, order = [f"{place // 2},poor,Aa,{'ab'[place % 2]}" for place in range(8)], [3, 0, 6, 5, 1, 7, 2, 4]
    for of_file, of_register, is_noticed in (
        (order, order, True),
        ([*order[:6], 4, 2], order, False),
        (range(8), range(8), False),
    ):
        file = shown_table_of(
            outcome_from_labels(samples.table_of(rows), np.repeat(np.arange(4), 2)), of_file
        )
        people = register(*(str(place // 2) for place in of_register), header="age")
        assert register_linkage(file, people, ignore).same_order is is_noticed, of_file
    # A file that everybody fits has no order.
    file = samples.read_published(f"{HEADER}\n" + "*,*,*,a\n" * 30, samples.make_specification())
    assert not register_linkage(file, register(*"1" * 30, header="age"), ignore).same_order


def test_a_file_with_semicolons_and_decimal_commas_is_read() -> None:
    file = samples.read_published(
        "age;wealth;town;illness\n20,5..30,5;poor;Aa;flu\n", samples.make_specification()
    )
    assert register_linkage(file, register("30.5", "31", header="age"), ignore).records.tolist() == [1, 0]


@pytest.mark.proof
@given(samples.outcomes(), samples.any_rows())
def test_linkage_agrees_with_plain_loops(outcome: AnonymisedTable, people: list[str]) -> None:
    said = samples.specified_widely()
    file = samples.read_published(samples.published_text(outcome), said)
    known = read_shown_table(samples.csv_of(people, samples.HEADER), "r.csv", said, complete=False)
    columns = list(zip(file.quasi, known.quasi, strict=True))

    def row_fits_person(row: int, person: int) -> bool:
        return all(has_overlap(a.meanings[a.codes[row]], b.meanings[b.codes[person]]) for a, b in columns)

    matching = [
        [row for row in range(len(file.rows)) if row_fits_person(row, person)]
        for person in range(len(people))
    ]
    found = register_linkage(file, known, ignore)
    assert found.records.tolist() == list(map(len, matching))
    rivals = Counter(row for rows in matching for row in rows)
    alone = [rows[0] if len(rows) == 1 and rivals[rows[0]] == 1 else -1 for rows in matching]
    assert found.rows.tolist() == alone
    for column in file.sensitive:
        for rows, value in zip(matching, found.values[column.name].tolist(), strict=True):
            values = {int(column.codes[row]) for row in rows}
            assert value == (values.pop() if len(values) == 1 else value)
            assert (value >= 0) == (len(rows) > 0 and len(values) <= 1)


# --- homogeneity and background knowledge


def test_homogeneous_classes_and_ruled_out_values_worked_out_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {"classes": 2, "share": 2 / 3, "records": 3, "rows": [1, 2, 6]}
    assert attacks.homogeneity_attack(table_of_classes("aa", "abc", "b")) == {"illness": expected}
    found = table_of_classes("aab", "abc", "cc", "bc")
    # Of cc it is known already, which leaves 8 records.
    # Without a: b of the first; without b: aa, c of the last; without c: b of the last.
    one = ruled_out(found, 1)
    assert (one["sets"], one["records"], one["worst"], one["values"]) == (3, 8, 3 / 8, ["b"])
    assert one["mean"] == pytest.approx((1 + 3 + 1) / 3 / 8)
    # Without a and b: c of the second, c of the last; without a and c: b, b, b; without b and c: aa, a.
    two = ruled_out(found, 2)
    assert (two["sets"], two["worst"], two["values"]) == (3, 3 / 8, ["a", "c"])
    assert two["mean"] == pytest.approx((2 + 3 + 3) / 3 / 8)
    # It tells nothing where all are known already.
    nothing = {"sets": 2, "records": 0, "mean": 0, "worst": 0, "values": ["a"]}
    assert ruled_out(table_of_classes("aa", "bb"), 1) == nothing
    # Too many sets are refused, single values ruled out however many there are.
    said = refusal(ruled_out, table_of_classes("abcdefghijklmnopqrst"), 10)
    assert "there are 184756 sets of 10 values; choose a size with 1 to 20000 sets" in said
    assert "there are 0 sets" in refusal(ruled_out, table_of_classes("ab"), 3)
    monkeypatch.setattr("privacy.anonymity.risk.attacks.MOST_SETS", 3)
    assert ruled_out(table_of_classes("abcd"), 1)["sets"] == 4


def classes_by_text(outcome: AnonymisedTable) -> dict[tuple[str, ...], list[str]]:
    """The illnesses of each class of the file, found in its text."""
    found = defaultdict(list)
    for line in samples.published_text(outcome).splitlines()[1:]:
        *quasi, illness, _mood = line.split(",")
        found[tuple(quasi)].append(illness)
    return found


@pytest.mark.proof
@given(samples.outcomes(), st.integers(0, 3))
def test_homogeneity_and_background_knowledge_agree_with_plain_loops(
    outcome: AnonymisedTable, size: int
) -> None:
    file = samples.read_published(samples.published_text(outcome), samples.specified_widely())
    classes = classes_by_text(outcome)
    single = [values for values in classes.values() if len(set(values)) == 1]
    several = [values for values in classes.values() if len(set(values)) > 1]
    records = max(sum(map(len, several)), 1)
    found = attacks.homogeneity_attack(file)["illness"]
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


# --- another file of the same people


def test_two_files_in_one_order_are_joined_row_by_row() -> None:
    """Eight people by pairs of neighbours and by pairs of every other one: each alone, and no illness tells it."""
    rows = [f"{age},poor,Aa,{'ab'[age % 2]}" for age in range(8)]
    first = outcome_from_labels(samples.table_of(rows), np.repeat(np.arange(4), 2))
    second = outcome_from_labels(samples.table_of(rows), np.array([0, 1, 1, 2, 2, 3, 3, 0]))
    order = [3, 1, 7, 0, 2, 6, 5, 4]
    found = file_linkage(shown_table_of(first, order), shown_table_of(second, order), ignore)
    assert found.same_order
    assert found.sizes.tolist() == [1] * 8
    assert not file_linkage(shown_table_of(first, order), shown_table_of(second), ignore).same_order


def test_a_later_file_with_more_records_tells_which_are_new() -> None:
    table = samples.table_of([*("30,poor,Aa,flu", "31,poor,Bee,cold") * 2, "31,poor,Aa,gout"])
    earlier = shown_table_of(outcome_from_labels(table.take_records(np.arange(4)), np.zeros(4, int)))
    later = shown_table_of(outcome_from_labels(table, np.zeros(5, int)))
    answer = attacks.second_file_attack(later, earlier, 2, ignore)
    assert (answer["below"], answer["alone"]) == ({"records": 1, "rows": [5]}, 1)
    assert attacks.second_file_attack(earlier, later, 2, ignore)["below"]["records"] == 0


def test_files_of_other_people_are_told_apart() -> None:
    answer = attacks.second_file_attack(table_of_classes("aa", "ab"), table_of_classes("bb", "ab"), 2, ignore)
    # Both records with a of age 0 fit no record of the other file.
    assert answer["unlinked"] == 2


@pytest.mark.proof
@given(samples.any_rows(4, 16), st.data())
def test_no_record_is_in_a_larger_joint_class_than_it_is_said(rows: list[str], data: st.DataObject) -> None:
    said = samples.specified_widely()
    table = read_table(samples.csv_of(rows, samples.HEADER), "t.csv", said)
    labels = st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)).map(np.array)
    first, second = (outcome_from_labels(table, data.draw(labels)) for _file in range(2))
    order = data.draw(st.permutations(range(len(rows))))
    file = samples.read_published(samples.published_text(first), said)
    other = samples.read_published(samples.published_text(second, order), said)
    found = file_linkage(file, other, ignore)
    placed = np.empty(len(rows), np.int64)
    # Rows that fit each other in their order are taken for the same people, also where they are so by chance.
    placed[np.arange(len(rows)) if found.same_order else order] = other.labels
    truth = joint_class_size_by_record(joint_labels(file.labels, placed))
    assert (found.sizes >= truth).all()


# --- a table that nobody has anonymised


def test_a_table_as_it_was_read_is_attacked_like_a_file_of_single_values() -> None:
    said = samples.make_specification(k=2)
    text = "\n".join([HEADER, *ROWS, ""])
    table = read_table(io.BytesIO(text.encode()), "t.csv", said)
    people = register("47,rich,Dee", "30,poor,Aa")
    both = shown_from_table(table, said), samples.read_published(text, said)
    one, other = (attacks.run_attacks(of, said, register=people) for of in both)
    assert one == other
    assert one["register"]["found"]["count"] == 2
