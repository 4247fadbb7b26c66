"""*k-member*: classes filled with the nearest records, one after another."""

from collections.abc import Iterable

import numpy as np
import pytest

from privacy.anonymity.information_loss import information_losses, partition_from_labels
from privacy.anonymity.methods import anonymize
from privacy.anonymity.searches.bottom_up_and_k_member import (
    bottom_up,
    cluster_records,
    join_until_criteria_hold,
)
from privacy.anonymity.searches.kernel_arrays import prepare_kernel_arrays
from privacy.anonymity.tables.specification import Specification
from tests.privacy.anonymity import kernels
from tests.privacy.anonymity.sample_tables import adult, adult_specification, specified, table_of

pytestmark = pytest.mark.proof
AGE = {"name": "age", "kind": "number"}
WEALTH = {"name": "wealth", "kind": "ordered", "order": ["poor", "middling", "rich"]}


def labels_of(rows: Iterable[str], said: Specification) -> list[int]:
    table = table_of(rows, said)
    found: list[int] = anonymize(table, said, kernels.stop).partition.labels.tolist()
    return found


def test_a_class_begins_far_away_and_takes_the_nearest_records() -> None:
    """30 is farthest from 1 and takes 11; 1 is farthest from 30 and takes 2; 10 adds 25 there, and 22 beside 30."""
    said = specified(quasi_identifiers=[AGE], sensitive=[], method="k-member")
    assert labels_of((f"{age},poor,Aa,flu" for age in (1, 10, 30, 11, 2)), said) == [1, 0, 0, 0, 1]


@pytest.mark.parametrize(("weights", "pairs"), [("unit", [1, 0, 1, 0]), ("expert", [1, 1, 0, 0])])
def test_records_that_agree_where_the_weights_are_large_come_together(weights: str, pairs: list[int]) -> None:
    """31 years apart or 1, poor or rich: 1/31 + 1 against 30/31, and 1/31 + 1/5 where wealth has the lowest level."""
    expert = {"flu": {"age": 5, "wealth": 1}}
    said = specified(
        quasi_identifiers=[AGE, WEALTH], method="k-member", weights=expert if weights == "expert" else "unit"
    )
    rows = ["30,poor,Aa,flu", "31,rich,Aa,flu", "60,poor,Aa,flu", "61,rich,Aa,flu"]
    assert labels_of(rows, said) == pairs


def test_a_class_without_enough_values_joins_its_nearest() -> None:
    """1 and 2 have one illness between them: together with 10 and 11 they have two."""
    said = specified(quasi_identifiers=[AGE], l={"kind": "distinct", "value": 2}, method="k-member")
    rows = ["1,poor,Aa,flu", "2,poor,Aa,flu", "10,poor,Aa,flu", "11,poor,Aa,cold"]
    rows += ["40,poor,Aa,flu", "41,poor,Aa,cold"]
    assert labels_of(rows, said) == [1, 1, 1, 1, 0, 0]


@pytest.mark.night
def test_on_part_of_adult_it_loses_less_than_bottom_up_and_keeps_l_where_the_papers_classes_do_not() -> None:
    table, said = adult().take_records(np.arange(2000)), adult_specification(k=5)
    prepared = prepare_kernel_arrays(table, said)
    papers = cluster_records(prepared)
    kept = join_until_criteria_hold(prepared, papers)
    merged = bottom_up(prepared)
    of_papers, found, of_merged = (
        information_losses(table, said, partition_from_labels(table, labels))
        for labels in (papers, kept, merged)
    )
    assert of_papers.ncp < found.ncp < of_merged.ncp
    assert found.hasr == 0 < of_papers.hasr
