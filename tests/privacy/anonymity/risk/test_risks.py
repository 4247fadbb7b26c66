"""Risks against plain loops, and by hand."""

from collections import Counter
from decimal import Decimal
from math import inf, log2, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from privacy.anonymity.anonymisation_result import (
    AnonymisedTable,
    outcome_from_labels,
    outcome_with_changed_values,
)
from privacy.anonymity.risk.risks import (
    Reidentification,
    informed_posteriors,
    risks,
    risks_before_anonymisation,
)
from privacy.anonymity.tables.specification import Sample
from privacy.anonymity.tables.table import read_table
from tests.privacy.anonymity import sample_tables as samples


def table_of_classes(*illnesses: str) -> AnonymisedTable:
    """Classes whose records have these illnesses, one letter each, and nothing else in common or different."""
    rows = [f"30,poor,Aa,{letter}" for letters in illnesses for letter in letters]
    labels = [place for place, letters in enumerate(illnesses) for _letter in letters]
    return outcome_from_labels(samples.table_of(rows), np.array(labels))


def test_a_record_is_picked_among_those_of_its_class_and_the_people_behind_it() -> None:
    found = risks(table_of_classes("a", "abc", "aabb"))
    # Eight records: one alone, three of three, four of four.
    assert (found.prosecutor, found.uniqueness) == (Reidentification(1.0, 3 / 8), 1 / 8)
    assert found.hasr == pytest.approx(1 / 3)
    # Without a population nothing is said of the journalist.
    assert (found.journalist, found.population, found.unique) == (None, None, ())
    assert not {"journalist", "population"} & found.as_json().keys()
    # One in four: the classes of two and three stand for eight and twelve people.
    found = risks(table_of_classes("ab", "abc"), sample=Sample(Decimal("0.25")))
    assert found.journalist
    assert found.journalist.worst == 1 / 8
    assert found.journalist.mean == pytest.approx((2 / 8 + 3 / 12) / 5)
    assert found.population == 20
    # Before, records that agree in every quasi-identifier are a class; those left out have no risk.
    rows = ["30,poor,Aa,flu", "30,poor,Aa,cold", "30,rich,Aa,flu"]
    before = risks_before_anonymisation(samples.table_of(rows))
    assert before.prosecutor == Reidentification(1.0, (1 / 2 + 1 / 2 + 1) / 3)
    assert before.uniqueness == pytest.approx(1 / 3)
    left = samples.without_the_others(samples.table_of(), np.array([0, 1]), np.array([0, 0]))
    assert risks(left).prosecutor == Reidentification(0.5, 0.5)


def test_a_column_of_weights_says_how_many_people_a_record_stands_for() -> None:
    said = samples.make_specification(sample={"weight": "weight"})
    rows = ["30,poor,Aa,flu,2", "31,poor,Bee,cold,5", "45,rich,Cee,flu,1", "47,rich,Dee,gout,2.5"]
    table = read_table(samples.csv_of(rows, "age,wealth,town,illness,weight"), "t.csv", said)
    found = risks(outcome_from_labels(table, np.array([0, 0, 1, 1])), sample=said.sample)
    assert found.journalist == Reidentification(1 / 3.5, (1 / 7 + 1 / 3.5) / 2)
    # 10.5 people, rounded to the even number.
    assert found.population == 10


def test_uniques_of_a_sample_are_unique_in_the_population_by_two_models() -> None:
    ages = [*range(20, 50), *(age for age in range(50, 60) for _twin in range(2)), *[60] * 30]
    table = samples.table_of([f"{age},poor,Aa,flu" for age in ages])
    found = risks_before_anonymisation(table, sample=Sample(Decimal("0.1")))
    # Thirty alone, ten pairs, and thirty who are alike: a sample of 80 among 800.
    assert {model.model for model in found.unique} == {"pitman", "snb"}
    for model in found.unique:
        assert 0 < model.sample < 1
        assert model.population * 800 == pytest.approx(model.sample * 30 / 0.1)


def test_what_a_class_tells_worked_out_by_hand() -> None:
    told = risks(table_of_classes("aab", "abbb")).sensitive["illness"]
    # a and b have 3 and 4 of 7; a has 2/3 of the first class and 1/4 of the second.
    of_first = 2 / 7 * log2(2 / 3 * 7 / 3) + 1 / 7 * log2(1 / 3 * 7 / 4)
    of_second = 1 / 7 * log2(1 / 4 * 7 / 3) + 3 / 7 * log2(3 / 4 * 7 / 4)
    assert told.information == pytest.approx(of_first + of_second)
    # The odds of a go from 3:4 to 2:1, of b from 4:3 to 3:1.
    assert told.odds_shift == pytest.approx(8 / 3)
    assert told.worst == 0.75
    assert told.mean == pytest.approx((2 * 2 / 3 + 1 / 3 + 1 / 4 + 3 * 3 / 4) / 7)


def test_a_value_that_a_class_makes_certain_shifts_its_odds_beyond_any_number() -> None:
    told = risks(table_of_classes("aa", "ab"))
    assert told.sensitive["illness"].odds_shift == inf
    written: Any = told.as_json()["sensitive"]
    assert written["illness"]["odds_shift"] is None
    assert risks(table_of_classes("aa", "a")).sensitive["illness"].odds_shift == 1


def test_a_changed_value_tells_less_of_the_true_one() -> None:
    table = samples.table_of()
    # True: flu, cold | flu, gout. Published: flu, flu | flu, gout.
    changed = samples.with_codes(table.sensitive[0], [1, 1, 1, 2])
    told = risks(outcome_with_changed_values(table, np.array([0, 0, 1, 1]), (changed,))).sensitive["illness"]
    assert (told.mean, told.worst) == ((1 + 0 + 0.5 + 0.5) / 4, 1)


def test_an_attacker_who_knows_the_joint_shares_worked_out_by_hand() -> None:
    wealth = {"name": "wealth", "kind": "ordered", "order": ["poor", "rich"]}
    said = samples.make_specification(quasi_identifiers=[wealth])
    rows = ["poor,Aa,a"] * 3 + ["rich,Aa,a", "poor,Aa,b"] + ["rich,Aa,b"] * 3
    table = samples.table_of([f"30,{row}" for row in rows], said)
    # The first poor one with a and the last rich one with b are a class; the others are one too.
    labels = np.array([0, 1, 1, 1, 1, 1, 1, 0])
    found = informed_posteriors(outcome_from_labels(table, labels), 0)
    # a is 3/4 of the poor and 1/4 of the rich. The first class holds a and b once, the second each three times, and
    # each as many poor as rich: so a has the weight 3/4 for the poor, of 3/4 and 1/4, and 1/4 for the rich.
    assert found.tolist() == pytest.approx([3 / 4, 3 / 4, 3 / 4, 1 / 4, 1 / 4, 3 / 4, 3 / 4, 3 / 4])


def loops(outcome: AnonymisedTable, place: int) -> list[float]:
    """The omega-estimate by its definition."""
    source, table, labels = outcome.source, outcome.table, outcome.partition.labels.tolist()
    true, published = samples.texts_of(source.sensitive[place]), samples.texts_of(table.sensitive[place])
    everybody = [samples.texts_of(column) for column in source.quasi]
    shown = [samples.texts_of(column) for column in table.quasi]

    def joint(record: int, value: str) -> float:
        having = [other for other in range(source.records) if true[other] == value]
        if not having:
            return 0.0
        both = zip(everybody, shown, strict=True)
        shares = (sum(texts[other] == own[record] for other in having) / len(having) for texts, own in both)
        return len(having) / source.records * prod(shares)

    found = []
    for record, label in enumerate(labels):
        members = [other for other in range(len(labels)) if labels[other] == label]
        counts = Counter(published[other] for other in members)
        beliefs = {}
        for other in members:
            likely = {value: joint(other, value) for value in counts}
            total = sum(likely.values())
            shares = {value: count / len(members) for value, count in counts.items()}
            beliefs[other] = {value: likely[value] / total if total else shares[value] for value in counts}
        weights = {}
        for value, count in counts.items():
            expected = sum(beliefs[other][value] for other in members)
            weights[value] = count * beliefs[record][value] / expected if expected else 0.0
        found.append(weights.get(true[outcome.kept[record]], 0.0) / sum(weights.values()))
    return found


@pytest.mark.proof
@given(samples.outcomes())
def test_the_informed_attacker_agrees_with_plain_loops(outcome: AnonymisedTable) -> None:
    for place, column in enumerate(outcome.table.sensitive):
        expected = loops(outcome, place)
        assert informed_posteriors(outcome, place).tolist() == pytest.approx(expected)
        told = risks(outcome).sensitive[column.name]
        assert told.informed_worst == pytest.approx(max(expected))
        assert told.informed_mean == pytest.approx(sum(expected) / len(expected))


@pytest.mark.proof
@given(samples.outcomes())
def test_risks_agree_with_plain_loops(outcome: AnonymisedTable) -> None:
    found, labels = risks(outcome), outcome.partition.labels.tolist()
    sizes = [labels.count(label) for label in labels]
    assert found.prosecutor.worst == pytest.approx(1 / min(sizes))
    assert found.prosecutor.mean == pytest.approx(sum(1 / size for size in sizes) / len(sizes))
    assert found.uniqueness == sizes.count(1) / len(sizes)
    homogeneous = set()
    for place, column in enumerate(outcome.table.sensitive):
        values = samples.texts_of(column)
        true = [samples.texts_of(outcome.source.sensitive[place])[record] for record in outcome.kept]
        told, bits, shift = [], 0.0, 1.0
        for label in set(labels):
            members = [record for record, own in enumerate(labels) if own == label]
            counts = Counter(values[record] for record in members)
            told += [counts[true[record]] / len(members) for record in members]
            if len(counts) == 1:
                homogeneous.add(label)
            for value, count in counts.items():
                inside, before = count / len(members), values.count(value) / len(values)
                bits += count / len(values) * log2(inside / before)
                if before < 1:
                    odds = inf if inside == 1 else inside / (1 - inside)
                    shift = max(shift, odds * (1 - before) / before)
        risk = found.sensitive[column.name]
        assert risk.information == pytest.approx(bits, abs=1e-12)
        assert risk.odds_shift == pytest.approx(shift)
        assert (risk.worst, risk.mean) == pytest.approx((max(told), sum(told) / len(told)))
    assert found.hasr == pytest.approx(len(homogeneous) / len(set(labels)))
