"""Attacks on files that are read back: by hand, and against plain loops."""

import io
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from privacy.anonymity.anonymised import AnonymisedTable, of_labels
from privacy.anonymity.attacks import (
    Homogeneity,
    RegisterLinkage,
    background_knowledge,
    complementary_release,
    homogeneity,
    register_linkage,
    row_order,
)
from privacy.anonymity.published import write
from privacy.anonymity.read_back import PublishedTable, read_published
from privacy.anonymity.table import QuasiColumn, read_table
from privacy.grammar.refusal import Refusal
from tests.privacy.anonymity import strategies
from tests.privacy.anonymity.outcomes import meant, outcomes, specified as specified_widely, texts_of
from tests.privacy.anonymity.tables import csv_of, specified, table_of

LABELS = np.array([0, 0, 1, 1])


def written(outcome: AnonymisedTable, order: Sequence[int] | None = None) -> str:
    file = io.StringIO()
    write(file, outcome, np.arange(len(outcome.kept)) if order is None else np.array(order))
    return file.getvalue()


def published(outcome: AnonymisedTable, order: Sequence[int] | None = None) -> PublishedTable:
    return read_published(io.BytesIO(written(outcome, order).encode()), "out.csv", outcome.source)


def of_classes(*illnesses: str) -> PublishedTable:
    """Classes of the ages 0, 1, ... whose records have these illnesses, one letter each."""
    rows = [f"{age},poor,Aa,{letter}" for age, letters in enumerate(illnesses) for letter in letters]
    labels = [place for place, letters in enumerate(illnesses) for _letter in letters]
    return published(of_labels(table_of(rows), np.array(labels)))


def test_a_file_is_read_back_in_its_order_with_what_its_cells_stand_for() -> None:
    found = published(of_labels(table_of(), LABELS), [2, 0, 3, 1])
    assert found.classes.labels.tolist() == [0, 1, 0, 1]
    # Ages 45..47, rich, South; ages 30..31, poor, North.
    assert found.classes.lows.tolist() == [[2, 2, 2], [0, 0, 0]]
    assert found.classes.highs.tolist() == [[3, 2, 3], [1, 0, 1]]
    assert texts_of(found.sensitive[0]) == ["flu", "flu", "gout", "cold"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("age,", "Age,", "its columns are not those"),
        ("45..47", "45..50", "out.csv: age: it does not hold the values"),
        ("North", "West", "out.csv: town: it does not hold the values"),
        ("gout", "none", "out.csv: illness: it does not hold the values"),
    ],
)
def test_a_file_of_another_table_is_refused(old: str, new: str, said: str) -> None:
    outcome = of_labels(table_of(), LABELS)
    with pytest.raises(Refusal, match=said):
        read_published(io.BytesIO(written(outcome).replace(old, new).encode()), "out.csv", outcome.source)


def test_a_file_without_records_is_refused() -> None:
    with pytest.raises(Refusal, match="there are no records"):
        read_published(io.BytesIO(b"age,wealth,town,illness\n"), "out.csv", table_of())


def register(*rows: str) -> tuple[QuasiColumn, ...]:
    return table_of([f"{row},none" for row in rows]).quasi


def test_a_register_is_linked_with_what_the_file_shows() -> None:
    rows = ["30,poor,Aa,flu", "31,poor,Bee,cold", "31,poor,Cee,flu", "47,rich,Dee,gout"]
    # Classes: 30..31, poor, North; 31, poor, Cee alone; 47, rich, Dee alone.
    found = published(of_labels(table_of(rows), np.array([0, 0, 1, 2])))
    people = register("31,poor,Aa", "31,poor,Cee", "47,rich,Dee", "47,poor,Dee", "30.5,poor,Bee")
    # Two records fit the first and the last person, one the second and the third, none the fourth.
    assert register_linkage(found, people) == RegisterLinkage(5, 4, 4, 2, (1 / 2 + 1 + 1 + 1 / 2) / 4)


def test_a_register_that_knows_less_fits_more() -> None:
    rows = ["30,poor,Aa,flu", "31,poor,Bee,cold", "31,poor,Cee,flu", "47,rich,Dee,gout"]
    found = published(of_labels(table_of(rows), np.array([0, 0, 1, 2])))
    ages = register("31,rich,Dee", "47,poor,Aa", "90,poor,Aa")[:1]
    # 31 fits a class of two and one of one; 47 the last; 90 none.
    assert register_linkage(found, ages) == RegisterLinkage(3, 2, 1, 1, (1 / 3 + 1) / 2)
    assert register_linkage(found, register("90,rich,Aa")) == RegisterLinkage(1, 0, 0, 0, 0.0)


def test_a_value_that_the_file_does_not_know_fits_a_class_that_shows_everything() -> None:
    said = specified(quasi_identifiers=[{"name": "town", "kind": "category"}])
    table = table_of(["1,poor,Aa,flu", "1,poor,Bee,flu", "1,poor,Aa,flu"], said)
    people = table_of(["1,poor,Cee,flu", "1,poor,Aa,flu"], said).quasi
    found = register_linkage(published(of_labels(table, np.array([0, 0, 1]))), people)
    assert found == RegisterLinkage(2, 2, 1, 0, (1 / 2 + 1 / 3) / 2)


def test_classes_with_a_single_value_are_homogeneous() -> None:
    assert homogeneity(of_classes("aa", "abc", "b")) == {"illness": Homogeneity(2 / 3, 3 / 6)}


def test_ruled_out_values_leave_one_worked_out_by_hand() -> None:
    found = of_classes("aab", "abc", "cc", "bc")
    # Without a: b of the first, cc; without b: aa, cc, c of the last; without c: b of the last. 10 records.
    one = background_knowledge(found, 0, 1)
    assert (one.sets, one.worst, one.values) == (3, 0.5, ("b",))
    assert one.mean == pytest.approx((3 + 5 + 1) / 3 / 10)
    # Without a and b: c of the second, cc, c; without a and c: b, b, b; without b and c: aa, a.
    two = background_knowledge(found, 0, 2)
    assert (two.sets, two.worst, two.values) == (3, 0.4, ("a", "b"))
    assert two.mean == pytest.approx((4 + 3 + 3) / 3 / 10)


def test_who_rules_out_nothing_finds_the_homogeneous_classes() -> None:
    found = of_classes("aa", "abc", "b")
    assert background_knowledge(found, 0, 0).worst == homogeneity(found)["illness"].records


def test_too_many_sets_are_refused() -> None:
    letters = "abcdefghijklmnopqrst"
    with pytest.raises(
        Refusal, match="there are 184756 sets of 10 values; choose a size with 1 to 20000 sets"
    ):
        background_knowledge(of_classes(letters), 0, 10)
    with pytest.raises(Refusal, match="there are 0 sets"):
        background_knowledge(of_classes("ab"), 0, 3)


def classes_by_text(outcome: AnonymisedTable) -> dict[tuple[str, ...], list[str]]:
    """The illnesses of each class of the file, found in its text."""
    found = defaultdict(list)
    for line in written(outcome).splitlines()[1:]:
        *quasi, illness, _mood = line.split(",")
        found[tuple(quasi)].append(illness)
    return found


@pytest.mark.proof
@settings(max_examples=60)
@given(outcomes(), st.integers(0, 3))
def test_homogeneity_and_background_knowledge_agree_with_plain_loops(
    outcome: AnonymisedTable, size: int
) -> None:
    found, classes = published(outcome), classes_by_text(outcome)
    single = [values for values in classes.values() if len(set(values)) == 1]
    records = len(outcome.kept)
    assert homogeneity(found)["illness"] == Homogeneity(
        len(single) / len(classes), sum(map(len, single)) / records
    )
    known = sorted({illness for values in classes.values() for illness in values})
    if size > len(known):
        return
    shares = []
    for ruled_out in combinations(known, size):
        left = [[value for value in values if value not in ruled_out] for values in classes.values()]
        shares.append(sum(len(values) for values in left if len(set(values)) == 1) / records)
    told = background_knowledge(found, 0, size)
    assert told.sets == len(shares)
    assert told.worst == pytest.approx(max(shares))
    assert told.mean == pytest.approx(sum(shares) / len(shares))


@pytest.mark.proof
@settings(max_examples=60)
@given(outcomes(), strategies.rows())
def test_linkage_agrees_with_plain_loops(outcome: AnonymisedTable, people: list[str]) -> None:
    table = read_table(csv_of(people, strategies.HEADER), "r.csv", specified_widely())
    cells = Counter(tuple(line.split(",")[:4]) for line in written(outcome).splitlines()[1:])
    matching = [
        [
            count
            for shown, count in cells.items()
            if all(
                _fits(column, cell, text)
                for column, cell, text in zip(outcome.source.quasi, shown, person.split(","), strict=False)
            )
        ]
        for person in people
    ]
    fitting = [sum(counts) for counts in matching if counts]
    found = register_linkage(published(outcome), table.quasi)
    assert (found.people, found.fitting) == (len(people), len(fitting))
    assert found.one_class == sum(len(counts) == 1 for counts in matching)
    assert found.one_record == fitting.count(1)
    assert found.expected == pytest.approx(sum(1 / count for count in fitting) / max(len(fitting), 1))


def _fits(column: QuasiColumn, cell: str, text: str) -> bool:
    if column.is_number:
        low, _sign, high = cell.partition("..")
        return float(low) <= float(text) <= float(high or low)
    return cell == "*" or text in meant(column, cell)


def orders(outcome: AnonymisedTable, order: Sequence[int]) -> tuple[float, float]:
    found = row_order(published(outcome, order), outcome)
    return found.whole.p, found.inside.p


def large() -> AnonymisedTable:
    """Sixty records in the order of their source, ten in each of six classes by chance."""
    random = np.random.default_rng(1)
    labels = random.permutation(np.repeat(np.arange(6), 10))
    rows = [f"{label},poor,Aa,i{random.integers(5)}" for label in labels]
    return of_labels(table_of(rows), labels)


def test_the_order_of_the_source_is_found() -> None:
    outcome = large()
    assert max(orders(outcome, range(60))) < 0.001
    assert row_order(published(outcome, range(59, -1, -1)), outcome).whole.correlation < -0.4


def test_a_file_that_is_ordered_inside_its_classes_only_is_found() -> None:
    outcome = large()
    inside = np.argsort(outcome.partition.labels, kind="stable").tolist()
    whole, within = orders(outcome, inside)
    assert whole > 0.05
    assert within < 0.001


@pytest.mark.proof
def test_a_shuffled_file_passes_as_often_as_it_says() -> None:
    outcome, random = large(), np.random.default_rng(2)
    found = np.array([orders(outcome, random.permutation(60).tolist()) for _file in range(400)])
    # A share of p below .1 of about a tenth: the standard error is .015.
    assert ((found < 0.1).mean(axis=0) < 0.15).all()
    assert (abs(np.median(found, axis=0) - 0.5) < 0.08).all()


def test_the_correlation_of_orders_worked_out_by_hand() -> None:
    said = specified(sensitive=[], quasi_identifiers=[{"name": "age", "kind": "number"}], max_frequency=None)
    outcome = of_labels(
        table_of([f"{age},poor,Aa,flu" for age in (1, 2, 2, 3)], said), np.array([0, 1, 1, 2])
    )
    # In the file: 3, 1, 2, 2. Both twos stand for the places 1 and 2, so for 1.5: 3, 0, 1.5, 1.5.
    # Deviations -1.5, -.5, .5, 1.5 and 1.5, -1.5, 0, 0: sum of products -1.5, of squares 5 and 4.5.
    found = row_order(published(outcome, [3, 0, 1, 2]), outcome).whole
    assert found.correlation == pytest.approx(-1.5 / (5 * 4.5) ** 0.5)


def test_rows_that_all_look_alike_tell_nothing() -> None:
    outcome = of_labels(table_of(["1,poor,Aa,flu"] * 4), np.zeros(4, int))
    assert orders(outcome, [0, 1, 2, 3]) == (1.0, 1.0)


def test_a_file_of_other_records_has_no_order_to_compare() -> None:
    outcome = of_labels(table_of(), LABELS)
    other = of_labels(table_of(), np.zeros(4, int))
    with pytest.raises(Refusal, match="it does not hold the records of the table"):
        row_order(published(other), outcome)


def test_two_files_of_the_same_records_have_joint_classes() -> None:
    table = table_of()
    first, second = of_labels(table, LABELS), of_labels(table, np.array([0, 0, 0, 1]))
    one, two = [2, 0, 3, 1], [1, 3, 0, 2]
    files = [(published(first, one), np.array(one)), (published(second, two), np.array(two))]
    found = complementary_release(files, 4, 2)
    # {0, 1}, {2}, {3}
    assert (found.classes, found.below, found.share) == (3, 2, 0.5)
    assert complementary_release(files[:1], 4, 2).below == 0


def test_a_later_file_with_more_records_tells_which_are_new() -> None:
    table = table_of([*("30,poor,Aa,flu", "31,poor,Bee,cold") * 2, "31,poor,Aa,gout"])
    earlier = of_labels(table.at(np.arange(4)), np.zeros(4, int))
    later = of_labels(table, np.zeros(5, int))
    files = [(published(earlier), np.arange(4)), (published(later), np.arange(5))]
    found = complementary_release(files, 5, 2)
    assert (found.classes, found.below, found.share) == (2, 1, 0.2)
