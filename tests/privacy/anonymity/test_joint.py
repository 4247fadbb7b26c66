"""Joint classes of several releases: small ones by hand and by loops, two of Adult as they would be published."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.criteria import joint_class_sizes, joint_labels, joint_violations
from privacy.anonymity.searches.kernel_arrays import prepare_kernel_arrays
from privacy.anonymity.searches.tree import TreeSearch
from tests.privacy.anonymity.sample_tables import adult, adult_specification, specified, table_of

pytestmark = pytest.mark.proof


def labels(*numbers: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array(numbers, np.int64)


def test_records_that_agree_in_every_release_are_a_joint_class() -> None:
    assert joint_labels(labels(0, 0, 1, 1), labels(0, 0, 0, 1)).tolist() == [0, 0, 1, 2]


def test_records_that_are_absent_from_a_release_are_told_from_the_others() -> None:
    # The second release holds two records more: both were in its only class, and are known to be new.
    assert joint_labels(labels(0, 0, 0, -1, -1), labels(0, 0, 0, 0, 0)).tolist() == [1, 1, 1, 0, 0]


def test_a_record_in_no_release_is_in_no_joint_class() -> None:
    found = joint_labels(labels(-1, 0, -1), labels(-1, 0, 0))
    assert sorted(found.tolist()) == [-1, 0, 1]
    assert found[0] == -1
    assert (joint_class_sizes(found) < 2).all()
    assert joint_class_sizes(labels(-1, -1)).tolist() == [0, 0]


def test_joint_classes_are_asked_for_every_criterion() -> None:
    said = specified(k=2, l={"kind": "distinct", "value": 2})
    # Alone each release keeps both. Jointly the third record is alone, and so is the fourth.
    rows = ["1,poor,Aa,flu", "1,poor,Aa,cold", "1,poor,Aa,flu", "1,poor,Aa,cold", "1,poor,Aa,gout"]
    first, second = labels(0, 0, 0, 0, -1), labels(0, 0, 1, 2, -1)
    found = joint_violations(table_of(rows, said), said, [first, second])
    assert found == {"k": [1, 2], "l": [1, 2]}
    assert joint_violations(table_of(rows, said), said, [first]) == {"k": [], "l": []}


@given(
    st.integers(1, 12).flatmap(
        lambda n: st.lists(st.lists(st.integers(-1, 3), min_size=n, max_size=n), min_size=1, max_size=3)
    )
)
def test_joint_classes_agree_with_plain_loops(releases: list[list[int]]) -> None:
    found = joint_labels(*(np.array(one) for one in releases)).tolist()
    together = list(zip(*releases, strict=True))
    for record, own in enumerate(together):
        assert (found[record] == -1) == (set(own) == {-1})
        for other, others in enumerate(together):
            assert (found[record] == found[other]) == (own == others)
    known = {label for label in found if label >= 0}
    assert known == set(range(len(known)))


@pytest.mark.night
def test_two_releases_of_adult_leave_many_records_in_small_joint_classes() -> None:
    """docs/mathematics.md, Attacks, states the share."""
    table, found = adult(), []
    for k in (10, 13):
        search = TreeSearch(prepare_kernel_arrays(table, adult_specification(k=k)), 1)
        search.improve(lambda tries, _loss: tries >= 1000)
        found.append(search.labels)
    assert joint_class_sizes(joint_labels(found[0])).min() >= 10
    assert (joint_class_sizes(joint_labels(*found)) < 10).mean() == pytest.approx(0.32, abs=0.03)
    said = adult_specification(k=10)
    assert all(joint_violations(table, said, found)[criterion] for criterion in ("k", "l"))
