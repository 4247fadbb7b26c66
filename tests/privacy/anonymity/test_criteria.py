"""The checker against the definitions, joint classes of several releases, and the chance of kernels."""

from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity import criteria_check
from privacy.anonymity.kernels.random_numbers import random_fraction, seed_random_state
from privacy.anonymity.searches.kernel_arrays import prepare_kernel_arrays
from privacy.anonymity.searches.tree import TreeSearch
from tests.privacy.anonymity import brute, sample_tables as samples

pytestmark = pytest.mark.proof


def labels(*numbers: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array(numbers, np.int64)


def violating_classes(classes: str, criterion: str, asked: Any, **changed: Any) -> list[int]:
    """The classes that violate it of a table whose classes have these illnesses, one letter each."""
    each = classes.split()
    said = samples.make_specification(k=1, **{criterion: asked}, **changed)
    table = samples.table_of([f"30,poor,Aa,{letter}" for letters in each for letter in letters], said)
    own = [place for place, letters in enumerate(each) for _letter in letters]
    return criteria_check.violations(table, said, labels(*own))[criterion]


def test_criteria_worked_out_by_hand() -> None:
    ordered = [{"name": "illness", "order": ["a", "b", "c"]}]
    for classes, criterion, asked, expected in (
        ("aab abc", "l", {"kind": "distinct", "value": 3}, [0]),
        # The entropy of 2 to 1 is below ln 2; of 1 to 1 it is ln 2.
        ("aab ab", "l", {"kind": "entropy", "value": 2}, [0]),
        # 2 < 2 (1 + 0) does not hold, 2 < 2 (1 + 1) does.
        ("aab aabb aabc", "l", {"kind": "recursive", "value": 2, "c": "2"}, [0]),
        ("aab ab", "max_frequency", "0.5", [0]),
        ("aab ab", "max_frequency", "0.7", []),
        # Everybody: half a, half b; distances 1/2, 0 and 1/2.
        ("aa ab bb", "t", "0.4", [0, 2]),
        ("aa ab bb", "t", "0.5", []),
        # a has 1/5 of everybody and 1/2 of class 0.
        ("ab bbb", "rho", ["0.2", "0.5"], [0]),
        ("ab bbb", "rho", ["0.19", "0.5"], []),
        # b has 4/5 of everybody, and none of class 0.
        ("a bbbb", "rho", ["0.1", "0.8"], [0]),
        ("aa bb cc", "t", "0.6", [0, 1, 2]),
    ):
        assert violating_classes(classes, criterion, asked) == expected, (classes, asked)
    # Ordered: everybody a third each. The class aa moves 2/3 over the first step and 1/3 over the second, of two steps.
    assert violating_classes("aa bb cc", "t", "0.49", sensitive=ordered) == [0, 2]
    assert violating_classes("aa bb cc", "t", "0.5", sensitive=ordered) == []
    table, two = samples.table_of(), samples.make_specification(k=2)
    assert criteria_check.violations(table, two, labels(0, 1, 1, 2)) == {"k": [0, 2]}
    assert criteria_check.violations(table, two, labels(0, 0, 1, 1)) == {"k": []}


def test_the_multi_attribute_form_asks_it_of_groups_that_agree_in_the_others() -> None:
    joint = {"kind": "distinct", "value": 2, "joint": True}
    said = samples.make_specification(
        sensitive=["illness", "wealth"], quasi_identifiers=samples.QUASI[:1], l=joint
    )
    rows = ["1,poor,Aa,flu", "1,rich,Aa,cold"]
    rows += [f"2,{wealth},Aa,{illness}" for wealth in ("poor", "rich") for illness in ("flu", "cold")]
    assert criteria_check.violations(samples.table_of(rows, said), said, labels(0, 0, 1, 1, 1, 1))["l"] == [0]


def test_what_is_reached_stands_beside_what_was_asked() -> None:
    said = samples.make_specification(k=1, l={"kind": "entropy", "value": 1}, t="0.9", rho=["0.1", "0.9"])
    table = samples.table_of(specification=said)
    assert criteria_check.asked_and_reached_levels(table, said, labels(0, 0, 0, 1)) == {
        "k": {"asked": 1, "reached": 1},
        "l": {"kind": "entropy", "asked": 1, "reached": 1},
        "t": {"asked": 0.9, "reached": 0.75},
        "max_frequency": {"asked": None, "reached": 1.0},
        "rho": {"asked": [0.1, 0.9]},
    }


@given(samples.any_rows(), samples.any_said(), st.randoms(use_true_random=False))
def test_the_checker_agrees_with_the_definitions(rows: list[str], said: dict[str, Any], random: Any) -> None:
    table, specification = samples.any_table(rows, said)
    own = np.unique([random.randrange(3) for _row in rows], return_inverse=True)[1]
    wrong: set[int] = set().union(*criteria_check.violations(table, specification, own).values())
    for place in range(int(own.max()) + 1):
        members = np.flatnonzero(own == place).tolist()
        assert (place not in wrong) == brute.is_class_allowed(table, specification, members)


# --- joint classes


def test_joint_classes_by_hand() -> None:
    assert criteria_check.joint_labels(labels(0, 0, 1, 1), labels(0, 0, 0, 1)).tolist() == [0, 0, 1, 2]
    # The second release holds two records more: both were in its only class, and are known to be new.
    found = criteria_check.joint_labels(labels(0, 0, 0, -1, -1), labels(0, 0, 0, 0, 0))
    assert found.tolist() == [1, 1, 1, 0, 0]
    # A record in no release is in no joint class.
    found = criteria_check.joint_labels(labels(-1, 0, -1), labels(-1, 0, 0))
    assert (sorted(found.tolist()), found[0]) == ([-1, 0, 1], -1)
    assert (criteria_check.joint_class_size_by_record(found) < 2).all()
    assert criteria_check.joint_class_size_by_record(labels(-1, -1)).tolist() == [0, 0]
    # Alone each release keeps both criteria. Jointly the third record is alone, and so is the fourth.
    said = samples.make_specification(k=2, l={"kind": "distinct", "value": 2})
    table = samples.table_of([f"1,poor,Aa,{of}" for of in ("flu", "cold", "flu", "cold", "gout")], said)
    first, second = labels(0, 0, 0, 0, -1), labels(0, 0, 1, 2, -1)
    assert criteria_check.joint_violations(table, said, [first, second]) == {"k": [1, 2], "l": [1, 2]}
    assert criteria_check.joint_violations(table, said, [first]) == {"k": [], "l": []}


@given(
    st.integers(1, 12).flatmap(
        lambda n: st.lists(st.lists(st.integers(-1, 3), min_size=n, max_size=n), min_size=1, max_size=3)
    )
)
def test_joint_classes_agree_with_plain_loops(releases: list[list[int]]) -> None:
    found = criteria_check.joint_labels(*(np.array(one) for one in releases)).tolist()
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
    table, found = samples.adult_table(), []
    for k in (10, 13):
        search = TreeSearch(prepare_kernel_arrays(table, samples.adult_specification(k=k)), 1)
        search.improve(lambda tries, _loss: tries >= 1000)
        found.append(search.labels)
    assert criteria_check.joint_class_size_by_record(criteria_check.joint_labels(found[0])).min() >= 10
    jointly = criteria_check.joint_class_size_by_record(criteria_check.joint_labels(*found))
    assert (jointly < 10).mean() == pytest.approx(0.32, abs=0.03)
    violated = criteria_check.joint_violations(table, samples.adult_specification(k=10), found)
    assert violated["k"]
    assert violated["l"]


def test_chance_in_kernels_is_even_and_repeats_for_one_seed() -> None:
    kernel: Any = random_fraction
    draw = numba.njit(kernel.py_func)
    one, other = seed_random_state(1), seed_random_state(1)
    drawn = np.array([draw(one) for _draw in range(20_000)])
    assert drawn[:100].tolist() == [draw(other) for _draw in range(100)]
    assert (drawn.min() >= 0, drawn.max() < 1) == (True, True)
    assert (abs(np.bincount((10 * drawn).astype(int)) / 20_000 - 0.1) < 0.01).all()
    assert drawn[:5].tolist() != [draw(seed_random_state(2)) for _draw in range(5)]
