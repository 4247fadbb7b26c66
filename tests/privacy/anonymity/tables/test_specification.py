"""What a specification says, and every wrong one refused by its place."""

import json
from decimal import Decimal
from typing import Any

from privacy.anonymity.tables.range_rounding import GridEnds
from privacy.anonymity.tables.specification import (
    Criteria,
    Disguised,
    Diversity,
    DiversityKind,
    Sample,
    refuse_unreachable_criteria,
)
from privacy.anonymity.tables.specification_reading import read_specification
from tests.privacy.anonymity.sample_tables import (
    METHODS,
    PLAIN,
    adult_specification,
    make_specification,
    table_of,
)
from tests.privacy.questionnaires import refusal, refused_otherwise

AGE, WEALTH, TOWN = PLAIN["quasi_identifiers"]
POOR = {"name": "wealth", "kind": "ordered", "order": ["poor", "rich"]}
CITY = {"name": "town", "kind": "category"}
GAMMA = {"name": "illness", "gamma": "5", "values": ["flu", "cold", "gout"]}
TWO, R2 = {"kind": "distinct", "value": 2}, {"kind": "recursive", "value": 2}


def test_what_a_specification_says_is_read() -> None:
    said = adult_specification()
    assert said.criteria == Criteria(10, Diversity(DiversityKind.DISTINCT, 3), None, None, None)
    others = (said.method, said.seed, said.seconds, said.weights, said.suppression, said.columns[-1])
    assert others == ("tree", 1, 1.0, "unit", 0, "occupation")
    # The cap is one half unless changed.
    without = {key: value for key, value in PLAIN.items() if key != "max_frequency"}
    assert read_specification(json.dumps(without), "spec", METHODS).criteria.max_frequency == 5000
    assert [make_specification(max_frequency=of).criteria.max_frequency for of in ("0.3", None)] == [
        3000,
        None,
    ]
    criteria = make_specification(l=R2 | {"value": 3, "c": "1.5"}, t="0.2", rho=["0.1", "0.5"]).criteria
    assert criteria.diversity == Diversity(DiversityKind.RECURSIVE, 3, 15_000)
    assert (criteria.closeness, criteria.breach) == (2000, (1000, 5000))
    assert [make_specification(seconds=of).seconds for of in ("0.15", 0)] == [0.15, 0]
    assert (make_specification(tries=100).tries, make_specification().tries) == (100, None)
    # An expert's weights are levels of five.
    row = {"age": 5, "wealth": 1, "town": 3}
    assert make_specification(weights={"flu": row}).weights == {"flu": row}
    assert "must lie between 1 and 5" in refusal(make_specification, weights={"flu": {**row, "age": 6}})


def test_ends_disguises_samples_and_proposed_hierarchies_are_read() -> None:
    ends = {"grid": "0.5", "under": "-20", "from": "75"}
    said = make_specification(quasi_identifiers=[{**AGE, "ends": ends}, WEALTH, TOWN])
    assert said.quasi_identifiers[0].ends == GridEnds(Decimal("0.5"), Decimal(-20), Decimal(75))
    assert said.quasi_identifiers[1].ends is None
    # A disguised column is not sensitive to the criteria.
    said = make_specification(sensitive=[GAMMA])
    assert (said.sensitive, said.criteria.max_frequency) == ((), None)
    assert said.disguised == (Disguised("illness", Decimal(5), ("flu", "cold", "gout")),)
    assert said.columns == ("age", "wealth", "town", "illness")
    # The weight of a record is not published, a fraction can be very small.
    said = make_specification(sample={"weight": "weight"})
    assert (said.sample, said.columns_to_read) == (Sample(weight="weight"), (*said.columns, "weight"))
    assert make_specification(sample={"fraction": "0.000001"}).sample == Sample(Decimal("0.000001"))
    for column, named, unless_said in (
        (AGE, "intervals", "intervals"),
        (POOR, "runs", "runs"),
        (CITY, "flat", "flat"),
        (CITY, "prefixes", "flat"),
    ):
        with_name = make_specification(quasi_identifiers=[{**column, "hierarchy": named}]).quasi_identifiers[
            0
        ]
        assert (with_name.proposal, with_name.branches) == (named, ())
        assert make_specification(quasi_identifiers=[column]).quasi_identifiers[0].proposal == unless_said


def column(of: dict[str, Any], **changed: Any) -> dict[str, Any]:
    return {"quasi_identifiers": [{**of, **changed}]}


C, GRID = "quasi_identifiers[0]", {"grid": "5", "under": "50"}
RECURSIVE = "l: c belongs to the recursive kind, and only to it"
REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"colour": 1}, "spec: unknown key 'colour'"),
    ({"k": 0}, "k: must lie between 1 and 1000000000"),
    ({"quasi_identifiers": []}, "quasi_identifiers: at least one quasi-identifier"),
    ({"quasi_identifiers": [AGE, AGE]}, "quasi_identifiers[1].name: the column 'age' appears twice"),
    ({"sensitive": ["age"]}, "sensitive[0]: the column 'age' appears twice"),
    (column(AGE, hierarchy="flat"), f"{C}.hierarchy: 'flat' is none of intervals"),
    (column(POOR, hierarchy="intervals"), f"{C}.hierarchy: 'intervals' is none of runs"),
    (column(AGE, hierarchy={"young": ["1"]}), f"{C}.hierarchy: must be a text"),
    (column(AGE, order=["1", "2"]), f"{C}.order: only a quasi-identifier of the kind ordered has it"),
    (column(CITY, hierarchy={"A": []}), f"{C}.hierarchy.A: at least one value"),
    *(({"l": of}, RECURSIVE) for of in (TWO | {"c": "1"}, R2)),
    ({"l": TWO | {"joint": True}}, "l.joint: the multi-attribute form needs two sensitive columns"),
    ({"sensitive": [], "t": "0.1"}, "t: no column is sensitive"),
    ({"method": "magic"}, "method: 'magic' is not a method (bottom-up, ilp, k-member, tree)"),
    ({"weights": {"flu": {}}}, "weights.flu: 'age' is missing"),
    (column(AGE, ends={"grid": "0"}), f"{C}.ends.grid: must be a positive number"),
    (column(AGE, ends=GRID | {"under": "18"}), f"{C}.ends.under: is no point of the grid: no multiple of 5"),
    (column(AGE, ends=GRID | {"from": "45"}), f"{C}.ends.from: must not be less than"),
    (column(WEALTH, ends={"grid": "5"}), f"{C}.ends: only a quasi-identifier of the kind number"),
    ({"sensitive": [{"name": "illness", "gamma": "5"}]}, "sensitive[0]: 'values' is missing"),
    ({"sensitive": [GAMMA], "l": TWO}, "l: no column is sensitive"),
    *(
        ({"sample": of}, "sample: either the fraction or the column")
        for of in ({}, {"fraction": "0.1", "weight": "w"})
    ),
    ({"sample": {"weight": "age"}}, "sample.weight: the column 'age' appears twice"),
    ({"tries": -1}, "tries"),
]


def test_a_wrong_specification_is_refused() -> None:
    assert refused_otherwise(lambda changed: make_specification(**changed), REFUSED) == []
    # A value that the disguise does not know; and what no table of this size keeps.
    unknown = refusal(table_of, ["30,poor,Aa,mumps"], make_specification(sensitive=[GAMMA], k=1))
    assert "is not one of its values" in unknown
    for changed, records, said in (
        ({"k": 5}, 4, "t.csv: k is 5, and there are fewer records"),
        ({"k": 1}, 1, "t.csv: at least two records"),
        ({"l": TWO | {"value": 4}}, 4, "t.csv: illness: l is 4, and there are fewer values"),
    ):
        asked = make_specification(**changed), records, {"illness": 3}, "t.csv"
        assert refusal(refuse_unreachable_criteria, *asked) == said
