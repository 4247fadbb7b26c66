"""The checker against the definitions, and the rules of the search against the checker."""

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.criteria import reached_levels, violations
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import read_table
from tests.privacy.anonymity import brute, strategies
from tests.privacy.anonymity.sample_tables import METHODS, csv_of, specified, table_of

pytestmark = pytest.mark.proof


def labels_of(*numbers: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.array(numbers, np.int64)


def of_illnesses(classes: list[str], **changed: Any) -> dict[str, list[int]]:
    """Violations of a table whose classes have these illnesses, one letter each."""
    rows = [f"30,poor,Aa,{letter}" for letters in classes for letter in letters]
    labels = [place for place, letters in enumerate(classes) for _letter in letters]
    said = specified(k=1, **changed)
    return violations(table_of(rows, said), said, labels_of(*labels))


def test_k_anonymity_lists_the_classes_that_are_too_small() -> None:
    said = specified(k=2)
    assert violations(table_of(), said, labels_of(0, 1, 1, 2)) == {"k": [0, 2]}
    assert violations(table_of(), said, labels_of(0, 0, 1, 1)) == {"k": []}


def test_criteria_worked_out_by_hand(subtests: pytest.Subtests) -> None:
    cases: list[tuple[list[str], dict[str, Any], list[int]]] = [
        (["aab", "abc"], {"l": {"kind": "distinct", "value": 3}}, [0]),
        # The entropy of 2 to 1 is below ln 2; of 1 to 1 it is ln 2.
        (["aab", "ab"], {"l": {"kind": "entropy", "value": 2}}, [0]),
        # 2 < 2 (1 + 0) does not hold, 2 < 2 (1 + 1) does.
        (["aab", "aabb", "aabc"], {"l": {"kind": "recursive", "value": 2, "c": "2"}}, [0]),
        (["aab", "ab"], {"max_frequency": "0.5"}, [0]),
        (["aab", "ab"], {"max_frequency": "0.7"}, []),
        # Everybody: half a, half b; distances 1/2, 0 and 1/2.
        (["aa", "ab", "bb"], {"t": "0.4"}, [0, 2]),
        (["aa", "ab", "bb"], {"t": "0.5"}, []),
        # a has 1/5 of everybody and 1/2 of class 0.
        (["ab", "bbb"], {"rho": ["0.2", "0.5"]}, [0]),
        (["ab", "bbb"], {"rho": ["0.19", "0.5"]}, []),
        # b has 4/5 of everybody, and none of class 0.
        (["a", "bbbb"], {"rho": ["0.1", "0.8"]}, [0]),
    ]
    for classes, changed, violating in cases:
        with subtests.test(f"{classes!r:.60} {changed!r:.60}"):
            found = of_illnesses(classes, **changed)
            name = next(iter(changed))
            assert found[name] == violating


def test_ordered_values_are_as_far_apart_as_their_steps() -> None:
    sensitive = [{"name": "illness", "order": ["a", "b", "c"]}]
    # Everybody: a third each. The class aa moves 2/3 over the first step and 1/3 over the second, of two steps.
    assert of_illnesses(["aa", "bb", "cc"], sensitive=sensitive, t="0.49")["t"] == [0, 2]
    assert of_illnesses(["aa", "bb", "cc"], sensitive=sensitive, t="0.5")["t"] == []
    assert of_illnesses(["aa", "bb", "cc"], t="0.6")["t"] == [0, 1, 2]


def test_the_multi_attribute_form_asks_it_of_groups_that_agree_in_the_others() -> None:
    said = specified(
        sensitive=["illness", "wealth"],
        quasi_identifiers=[{"name": "age", "kind": "number"}],
        l={"kind": "distinct", "value": 2, "joint": True},
    )
    rows = [
        "1,poor,Aa,flu",
        "1,rich,Aa,cold",
        "2,poor,Aa,flu",
        "2,poor,Aa,cold",
        "2,rich,Aa,flu",
        "2,rich,Aa,cold",
    ]
    assert violations(table_of(rows, said), said, labels_of(0, 0, 1, 1, 1, 1))["l"] == [0]


def test_what_is_reached_stands_beside_what_was_asked() -> None:
    said = specified(k=1, l={"kind": "entropy", "value": 1}, t="0.9", rho=["0.1", "0.9"])
    assert reached_levels(table_of(specification=said), said, labels_of(0, 0, 0, 1)) == {
        "k": {"asked": 1, "reached": 1},
        "l": {"kind": "entropy", "asked": 1, "reached": 1},
        "t": {"asked": 0.9, "reached": 0.75},
        "max_frequency": {"asked": None, "reached": 1.0},
        "rho": {"asked": [0.1, 0.9]},
    }


@given(strategies.rows(), strategies.said(), st.randoms(use_true_random=False))
def test_the_checker_agrees_with_the_definitions(rows: list[str], said: dict[str, Any], random: Any) -> None:
    specification = read_specification(json.dumps(said), "spec", METHODS)
    table = read_table(csv_of(rows, strategies.HEADER), "t.csv", specification)
    labels = labels_of(*(random.randrange(3) for _row in rows))
    _names, labels = np.unique(labels, return_inverse=True)
    violating = {place for places in violations(table, specification, labels).values() for place in places}
    for place in range(int(labels.max()) + 1):
        members = np.flatnonzero(labels == place).tolist()
        assert (place not in violating) == brute.keeps(table, specification, members)
