"""Every method: its classes keep their criteria by brute force, and a table that cannot is refused."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.information_loss import information_losses, partition_from_labels
from privacy.anonymity.searches.bottom_up_and_k_member import (
    cluster_bottom_up,
    cluster_by_size_alone,
    join_until_criteria_hold,
)
from privacy.anonymity.searches.kacluk import CLUSTERS
from privacy.anonymity.searches.kernel_arrays import prepare_kernel_arrays
from privacy.anonymity.table_anonymisation import METHODS, anonymize
from privacy.anonymity.tables.specification import Specification
from privacy.grammar.input_error import InputError
from tests.privacy.anonymity import brute, sample_tables as samples

pytestmark = pytest.mark.proof

FULL_DOMAIN = {"datafly", "samarati"}
"""Their classes show whole nodes; those of all other methods the least that covers their records."""


@pytest.mark.at_push(3)
@pytest.mark.parametrize("method", METHODS)
@given(samples.any_rows(), samples.any_said(), st.integers(0, 2))
def test_every_class_keeps_its_criteria_or_the_table_is_refused(
    method: str, rows: list[str], said: dict[str, Any], questions: int
) -> None:
    table, specification = samples.any_table(rows, said, method=method)
    everybody = list(range(table.records))
    try:
        found = anonymize(table, specification, samples.After(questions)).partition
    except InputError as refused:
        if refused.path == "specification.method":
            assert method == "kacluk"
            values = {row.split(",")[len(samples.QUASI)] for row in rows}
            assert len(table.sensitive) > 1 or len(values) < CLUSTERS
        else:
            assert not brute.is_class_allowed(table, specification, everybody)
        return
    assert sorted(set(found.labels.tolist())) == list(range(found.class_count))
    for place in range(found.class_count):
        members = np.flatnonzero(found.labels == place)
        assert brute.is_class_allowed(table, specification, members.tolist())
        least, most = table.codes[members].min(0), table.codes[members].max(0)
        assert (found.lows[place] <= least).all()
        assert (most <= found.highs[place]).all()
        exact = (least == found.lows[place]).all() and (most == found.highs[place]).all()
        assert exact or method in FULL_DOMAIN


def test_losses_worked_out_by_hand() -> None:
    said = samples.make_specification(weights="data", k=1)
    table = samples.table_of(specification=said)
    partition = partition_from_labels(table, np.array([0, 0, 1, 1]))
    found = information_losses(table, said, partition, suppressed=1)
    # Of 30 to 47 a class shows 1 or 2 of 17; wealth none; of the towns half.
    assert found.columns == pytest.approx({"age": 1.5 / 17, "wealth": 0, "town": 0.5})
    assert found.ncp == pytest.approx((1.5 / 17 + 0.5) / 3)
    # flu occurs from 30 to 45 and in two of four towns; cold and gout at one age, in one town.
    expected = 1 / 17 * 15 / 17 + 2 / 17 * 15 / 17 + 2 * 0.5 * 0.5 + 2 * 0.5 * 0.25
    assert found.ilp == pytest.approx(expected / 12)
    assert (found.discernibility, found.suppressed) == (2 * 2**2 + 1 * 5, 0.2)
    assert found.hasr == 0
    assert information_losses(table, said, partition_from_labels(table, np.array([0, 1, 0, 1]))).hasr == 0.5


# --- *k-member* and *bottom-up*

AGE, WEALTH = samples.QUASI[:2]


def labels_of(rows: Iterable[str], said: Specification) -> list[int]:
    table = samples.table_of(rows, said)
    found: list[int] = anonymize(table, said, samples.stop_at_once).partition.labels.tolist()
    return found


def test_bottom_up_joins_the_leftover_to_its_nearest() -> None:
    """Pairs are 1 and 2, 10 and 11; 30 is left, and costs less with 10 and 11."""
    said = samples.make_specification(quasi_identifiers=[AGE], sensitive=[], method="bottom-up")
    labels = labels_of((f"{age},poor,Aa,flu" for age in (1, 10, 30, 11, 2)), said)
    assert labels[0] == labels[4] != labels[1] == labels[2] == labels[3]


def test_k_member_fills_classes_with_the_nearest_records_one_after_another() -> None:
    # 30 is farthest from 1 and takes 11; 1 is farthest from 30 and takes 2; 10 adds 25 there, and 22 beside 30.
    said = samples.make_specification(quasi_identifiers=[AGE], sensitive=[], method="k-member")
    assert labels_of((f"{age},poor,Aa,flu" for age in (1, 10, 30, 11, 2)), said) == [1, 0, 0, 0, 1]
    # 31 years apart or 1, poor or rich: 1/31 + 1 against 30/31, and 1/31 + 1/5 where wealth has the lowest level.
    rows = ["30,poor,Aa,flu", "31,rich,Aa,flu", "60,poor,Aa,flu", "61,rich,Aa,flu"]
    for weights, pairs in (("unit", [1, 0, 1, 0]), ({"flu": {"age": 5, "wealth": 1}}, [1, 1, 0, 0])):
        said = samples.make_specification(quasi_identifiers=[AGE, WEALTH], method="k-member", weights=weights)
        assert labels_of(rows, said) == pairs, weights
    # 1 and 2 have one illness between them: together with 10 and 11 they have two.
    said = samples.make_specification(
        quasi_identifiers=[AGE], l={"kind": "distinct", "value": 2}, method="k-member"
    )
    rows = ["1,poor,Aa,flu", "2,poor,Aa,flu", "10,poor,Aa,flu", "11,poor,Aa,cold"]
    rows += ["40,poor,Aa,flu", "41,poor,Aa,cold"]
    assert labels_of(rows, said) == [1, 1, 1, 1, 0, 0]


@pytest.mark.night
def test_on_part_of_adult_it_loses_less_than_bottom_up_and_keeps_l_where_the_papers_classes_do_not() -> None:
    table, said = samples.adult_table().take_records(np.arange(2000)), samples.adult_specification(k=5)
    prepared = prepare_kernel_arrays(table, said)
    papers = cluster_by_size_alone(prepared)
    kept = join_until_criteria_hold(prepared, papers)
    merged = cluster_bottom_up(prepared)
    partitions = (partition_from_labels(table, labels) for labels in (papers, kept, merged))
    of_papers, found, of_merged = (information_losses(table, said, each) for each in partitions)
    assert of_papers.ncp < found.ncp < of_merged.ncp
    assert found.hasr == 0 < of_papers.hasr
