"""The members of a specification about ends, disguises, samples and tries are read, or refused with their place."""

from decimal import Decimal
from typing import Any

import pytest

from privacy.anonymity.tables.range_rounding import GridEnds
from privacy.anonymity.tables.specification import Disguised, Sample
from privacy.grammar.input_error import InputError
from tests.privacy.anonymity.sample_tables import PLAIN, specified, table_of

AGE, *OTHERS = PLAIN["quasi_identifiers"]
GAMMA = {"name": "illness", "gamma": "5", "values": ["flu", "cold", "gout"]}


def test_the_ends_of_a_number_are_read() -> None:
    ends = {"grid": "0.5", "under": "-20", "from": "75"}
    said = specified(quasi_identifiers=[{**AGE, "ends": ends}, *OTHERS])
    assert said.quasi_identifiers[0].ends == GridEnds(Decimal("0.5"), Decimal(-20), Decimal(75))
    assert said.quasi_identifiers[1].ends is None


def test_a_disguised_column_is_not_sensitive_to_the_criteria() -> None:
    said = specified(sensitive=[GAMMA])
    assert (said.sensitive, said.criteria.max_frequency) == ((), None)
    assert said.disguised == (Disguised("illness", Decimal(5), ("flu", "cold", "gout")),)
    assert said.columns == ("age", "wealth", "town", "illness")


def test_the_weight_of_a_record_is_read_and_not_published() -> None:
    said = specified(sample={"weight": "weight"})
    assert said.sample == Sample(weight="weight")
    assert said.columns_to_read == (*said.columns, "weight")


def test_a_fraction_can_be_very_small() -> None:
    assert specified(sample={"fraction": "0.000001"}).sample == Sample(Decimal("0.000001"))


def test_tries_are_read() -> None:
    assert (specified(tries=100).tries, specified().tries) == (100, None)


def test_what_cannot_be_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"quasi_identifiers": [{**AGE, "ends": {"grid": "0"}}]}, "grid: must be a positive number"),
        ({"quasi_identifiers": [{**AGE, "ends": {"grid": 5}}]}, "must be a text with a number"),
        ({"quasi_identifiers": [{**AGE, "ends": {"grid": "5", "under": "18"}}]}, "no multiple of 5"),
        (
            {"quasi_identifiers": [{**AGE, "ends": {"grid": "5", "under": "50", "from": "45"}}]},
            "must not be less than",
        ),
        (
            {"quasi_identifiers": [{**OTHERS[0], "ends": {"grid": "5"}}]},
            "only a quasi-identifier of the kind number",
        ),
        ({"sensitive": [{**GAMMA, "gamma": "1"}]}, "gamma: must be more than 1"),
        ({"sensitive": [{"name": "illness", "gamma": "5"}]}, "values"),
        ({"sensitive": [GAMMA], "l": {"kind": "distinct", "value": 2}}, "no column is sensitive"),
        ({"sample": {}}, "either the fraction or the column"),
        ({"sample": {"fraction": "0.1", "weight": "w"}}, "either the fraction or the column"),
        ({"sample": {"fraction": "1.5"}}, "more than 0 and at most 1"),
        ({"sample": {"weight": "age"}}, "appears twice"),
        ({"tries": -1}, "tries"),
    ]
    for changed, words in cases:
        with subtests.test(f"{changed!r:.60} {words!r:.60}"):
            with pytest.raises(InputError) as refused:
                specified(**changed)
            assert words in str(refused.value)


def test_a_value_that_the_disguise_does_not_know_is_refused() -> None:
    said = specified(sensitive=[GAMMA], k=1)
    with pytest.raises(InputError, match="is not one of its values"):
        table_of(["30,poor,Aa,mumps"], said)
