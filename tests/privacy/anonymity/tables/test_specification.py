"""What a specification says, and every wrong one refused by its place."""

import json
from typing import Any

import pytest

from privacy.anonymity.tables.specification import (
    Criteria,
    Diversity,
    DiversityKind,
    refuse_unreachable_criteria,
)
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.grammar.input_error import InputError
from tests.privacy.anonymity.sample_tables import METHODS, PLAIN, adult_specification, specified


def test_the_specification_of_adult() -> None:
    said = adult_specification()
    assert said.criteria == Criteria(10, Diversity(DiversityKind.DISTINCT, 3), None, None, None)
    assert (said.method, said.seed, said.seconds, said.weights, said.suppression) == (
        "tree",
        1,
        1.0,
        "unit",
        0,
    )
    assert said.columns[-1] == "occupation"


def test_the_cap_is_one_half_unless_changed() -> None:
    without = {key: value for key, value in PLAIN.items() if key != "max_frequency"}
    assert read_specification(json.dumps(without), "spec", METHODS).criteria.max_frequency == 5000
    assert specified(max_frequency="0.3").criteria.max_frequency == 3000
    assert specified(max_frequency=None).criteria.max_frequency is None


def test_every_criterion_is_read() -> None:
    criteria = specified(
        l={"kind": "recursive", "value": 3, "c": "1.5"}, t="0.2", rho=["0.1", "0.5"]
    ).criteria
    assert criteria.diversity == Diversity(DiversityKind.RECURSIVE, 3, 15_000)
    assert (criteria.closeness, criteria.breach) == (2000, (1000, 5000))


AGE = {"name": "age", "kind": "number"}
WEALTH = {"name": "wealth", "kind": "ordered", "order": ["poor", "rich"]}
TOWN = {"name": "town", "kind": "category"}


def test_proposed_hierarchies_by_kind(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, Any], str, str]] = [
        (AGE, "intervals", "intervals"),
        (WEALTH, "runs", "runs"),
        (TOWN, "flat", "flat"),
        (TOWN, "prefixes", "flat"),
    ]
    for column, named, unless_said in cases:
        with subtests.test(f"{column!r:.60} {named!r:.60}"):
            with_name = specified(quasi_identifiers=[{**column, "hierarchy": named}]).quasi_identifiers[0]
            assert with_name.proposal == named
            assert specified(quasi_identifiers=[column]).quasi_identifiers[0].proposal == unless_said
            assert with_name.branches == ()


def test_a_wrong_specification_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"format": "candor-release/2"}, "format: 'candor-release/2' is not candor-release/1"),
        ({"colour": 1}, "spec: unknown key 'colour'"),
        ({"k": 0}, "k: must lie between 1 and 1000000000"),
        ({"k": 2.5}, "k: must be an integer"),
        ({"quasi_identifiers": []}, "quasi_identifiers: at least one quasi-identifier"),
        ({"quasi_identifiers": [AGE, AGE]}, "quasi_identifiers[1].name: the column 'age' appears twice"),
        ({"sensitive": ["age"]}, "sensitive[0]: the column 'age' appears twice"),
        (
            {"quasi_identifiers": [{**AGE, "kind": "text"}]},
            "quasi_identifiers[0].kind: 'text' is none of number, date, ordered, category",
        ),
        (
            {"quasi_identifiers": [{**AGE, "hierarchy": "flat"}]},
            "quasi_identifiers[0].hierarchy: 'flat' is none of intervals",
        ),
        (
            {"quasi_identifiers": [{**WEALTH, "hierarchy": "intervals"}]},
            "quasi_identifiers[0].hierarchy: 'intervals' is none of runs",
        ),
        (
            {"quasi_identifiers": [{**AGE, "kind": "category", "hierarchy": "runs"}]},
            "quasi_identifiers[0].hierarchy: 'runs' is none of flat, prefixes",
        ),
        (
            {"quasi_identifiers": [{**AGE, "hierarchy": {"young": ["1"]}}]},
            "quasi_identifiers[0].hierarchy: must be a text",
        ),
        (
            {"quasi_identifiers": [{**AGE, "order": ["1", "2"]}]},
            "quasi_identifiers[0].order: only a quasi-identifier of the kind ordered has it",
        ),
        ({"quasi_identifiers": [{**AGE, "kind": "ordered"}]}, "quasi_identifiers[0]: 'order' is missing"),
        (
            {"quasi_identifiers": [{**AGE, "kind": "category", "hierarchy": {"A": []}}]},
            "quasi_identifiers[0].hierarchy.A: at least one value",
        ),
        ({"l": {"kind": "many", "value": 2}}, "l.kind: 'many' is none of distinct, entropy, recursive"),
        (
            {"l": {"kind": "distinct", "value": 2, "c": "1"}},
            "l: c belongs to the recursive kind, and only to it",
        ),
        ({"l": {"kind": "recursive", "value": 2}}, "l: c belongs to the recursive kind, and only to it"),
        (
            {"l": {"kind": "distinct", "value": 2, "joint": True}},
            "l.joint: the multi-attribute form needs two sensitive columns",
        ),
        ({"sensitive": [], "t": "0.1"}, "t: no column is sensitive"),
        ({"rho": ["0.5", "0.1"]}, "rho: must be two probabilities, the smaller one first"),
        ({"method": "magic"}, "method: 'magic' is not a method (bottom-up, ilp, k-member, tree)"),
        ({"seconds": 601}, "seconds: must lie between 0 and 600"),
        ({"weights": {"flu": {}}}, "weights.flu: 'age' is missing"),
    ]
    for changed, said in cases:
        with subtests.test(f"{changed!r:.60} {said!r:.60}"):
            with pytest.raises(InputError) as refused:
                specified(**changed)
            assert str(refused.value) == said


def test_seconds_may_have_places() -> None:
    assert specified(seconds="0.15").seconds == 0.15
    assert specified(seconds=0).seconds == 0


def test_an_experts_weights_are_levels_of_five() -> None:
    row = {"age": 5, "wealth": 1, "town": 3}
    assert specified(weights={"flu": row}).weights == {"flu": row}
    with pytest.raises(InputError, match="must lie between 1 and 5"):
        specified(weights={"flu": {**row, "age": 6}})


def test_what_no_table_of_this_size_keeps_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, Any], int, str]] = [
        ({"k": 5}, 4, "t.csv: k is 5, and there are fewer records"),
        ({"k": 1}, 1, "t.csv: at least two records"),
        ({"l": {"kind": "distinct", "value": 4}}, 4, "t.csv: illness: l is 4, and there are fewer values"),
    ]
    for changed, records, said in cases:
        with subtests.test(f"{changed!r:.60} {records!r:.60}"):
            with pytest.raises(InputError) as refused:
                refuse_unreachable_criteria(specified(**changed), records, {"illness": 3}, "t.csv")
            assert str(refused.value) == said
