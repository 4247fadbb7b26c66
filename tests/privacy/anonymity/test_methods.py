"""Every method: its classes keep their criteria by brute force, and a table that cannot is refused."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.information_loss import information_losses, partition_from_labels
from privacy.anonymity.methods import METHODS, anonymize
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import read_table
from privacy.grammar.input_error import InputError
from tests.privacy.anonymity import brute, kernels, strategies
from tests.privacy.anonymity.sample_tables import adult, adult_specification, csv_of, specified, table_of

pytestmark = pytest.mark.proof

FULL_DOMAIN = {"datafly", "samarati"}
"""Their classes show whole nodes; those of all other methods the least that covers their records."""


@pytest.mark.at_push(3)
@pytest.mark.parametrize("method", METHODS)
@given(strategies.rows(), strategies.said(), st.integers(0, 2))
def test_every_class_keeps_its_criteria_or_the_table_is_refused(
    method: str, rows: list[str], said: dict[str, Any], questions: int
) -> None:
    specification = read_specification(json.dumps({**said, "method": method}), "spec", frozenset(METHODS))
    table = read_table(csv_of(rows, strategies.HEADER), "t.csv", specification)
    everybody = list(range(table.records))
    try:
        found = anonymize(table, specification, kernels.After(questions)).partition
    except InputError:
        assert not brute.keeps(table, specification, everybody)
        return
    assert sorted(set(found.labels.tolist())) == list(range(found.class_count))
    for place in range(found.class_count):
        members = np.flatnonzero(found.labels == place)
        assert brute.keeps(table, specification, members.tolist())
        least, most = table.codes[members].min(0), table.codes[members].max(0)
        assert (found.lows[place] <= least).all()
        assert (most <= found.highs[place]).all()
        if method not in FULL_DOMAIN:
            assert (least == found.lows[place]).all()
            assert (most == found.highs[place]).all()


@pytest.mark.night
@pytest.mark.parametrize(("k", "independent"), [(5, 0.0606), (50, 0.2637)])
def test_bottom_up_loses_on_adult_as_much_as_an_independent_one(k: int, independent: float) -> None:
    """At k = 10, tests/papers/test_publishing_experiments.py."""
    table, said = adult(), adult_specification(k=k, method="bottom-up")
    found = anonymize(table, said, kernels.stop).information_losses(said)
    assert found.ncp == pytest.approx(independent, rel=0.03)
    assert found.hasr == 0


def test_bottom_up_joins_the_leftover_to_its_nearest() -> None:
    """Pairs are 1 and 2, 10 and 11; 30 is left, and costs less with 10 and 11."""
    said = specified(
        quasi_identifiers=[{"name": "age", "kind": "number"}],
        sensitive=[],
        max_frequency=None,
        method="bottom-up",
    )
    table = table_of([f"{age},poor,Aa,flu" for age in (1, 10, 30, 11, 2)], said)
    labels = anonymize(table, said, kernels.stop).partition.labels.tolist()
    assert labels[0] == labels[4] != labels[1]
    assert labels[1] == labels[2] == labels[3]


def test_losses_worked_out_by_hand() -> None:
    said = specified(weights="data", k=1)
    table = table_of(specification=said)
    found = information_losses(
        table, said, partition_from_labels(table, np.array([0, 0, 1, 1])), suppressed=1
    )
    # Of 30 to 47 a class shows 1 or 2 of 17; wealth none; of the towns half.
    assert found.columns == pytest.approx({"age": 1.5 / 17, "wealth": 0, "town": 0.5})
    assert found.ncp == pytest.approx((1.5 / 17 + 0.5) / 3)
    # flu occurs from 30 to 45 and in two of four towns; cold and gout at one age, in one town.
    assert found.ilp == pytest.approx(
        (1 / 17 * 15 / 17 + 2 / 17 * 15 / 17 + 2 * 0.5 * 0.5 + 2 * 0.5 * 0.25) / 12
    )
    assert (found.discernibility, found.suppressed) == (2 * 2**2 + 1 * 5, 0.2)
    assert found.hasr == 0
    assert information_losses(table, said, partition_from_labels(table, np.array([0, 1, 0, 1]))).hasr == 0.5
