"""Published files, judged by pycanon: what is reached, and what is violated."""

import io
from math import exp, isclose
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st
from pycanon import anonymity

from privacy.anonymity.anonymised import AnonymisedTable
from privacy.anonymity.criteria import violations
from privacy.anonymity.published import classes_shown, write
from privacy.anonymity.reached import reached
from privacy.anonymity.specification import Specification
from privacy.anonymity.table import Column
from tests.privacy.anonymity import strategies
from tests.privacy.anonymity.outcomes import outcomes, specified, texts_of

pytestmark = pytest.mark.proof

QUASI = [column["name"] for column in strategies.QUASI]
DISTINCT = {"kind": "distinct", "value": 1}


class Judged:
    """A published file as a data frame and as classes; illnesses are numbers for pycanon where their order counts."""

    def __init__(self, outcome: AnonymisedTable) -> None:
        file = io.StringIO()
        write(file, outcome, np.arange(len(outcome.kept)))
        self.frame = pd.read_csv(io.StringIO(file.getvalue()), dtype=str, keep_default_na=False)
        self.labels = classes_shown([self.frame[name].tolist() for name in QUASI])
        self.table = outcome.table

    def reached(self, **said: Any) -> dict[str, Any]:
        return reached(self.table, specified(**said), self.labels)

    def violated(self, criterion: str, said: Specification) -> bool:
        return bool(violations(self.table, said, self.labels)[criterion])


@settings(max_examples=40)
@given(outcomes())
def test_k_and_distinct_values(outcome: AnonymisedTable) -> None:
    judged = Judged(outcome)
    found = judged.reached(l=DISTINCT)
    assert found["k"]["reached"] == anonymity.k_anonymity(judged.frame, QUASI)
    assert found["l"]["reached"] == anonymity.l_diversity(judged.frame, QUASI, ["illness", "mood"])
    alpha, _k = anonymity.alpha_k_anonymity(judged.frame, QUASI, ["illness", "mood"])
    assert found["max_frequency"]["reached"] == pytest.approx(alpha)


@settings(max_examples=40)
@given(outcomes())
def test_the_multi_attribute_form(outcome: AnonymisedTable) -> None:
    """In pycanon each sensitive column is asked for with the others among the quasi-identifiers."""
    judged = Judged(outcome)
    least = anonymity.l_diversity(judged.frame, QUASI, ["illness", "mood"], gen=False)
    for value in (least, least + 1):
        said = specified(l={"kind": "distinct", "value": value, "joint": True})
        assert judged.violated("l", said) == (value > least)


@settings(max_examples=40)
@given(outcomes())
def test_entropy(outcome: AnonymisedTable) -> None:
    """pycanon rounds exp(entropy) down without a tolerance, which 2.9999… does not survive where it means 3."""
    judged = Judged(outcome)
    least = anonymity.entropy_l_diversity(judged.frame, QUASI, ["illness", "mood"])
    for value in range(1, 5):
        kept = not judged.violated("l", specified(l={"kind": "entropy", "value": value}))
        assert kept == (value <= least) or (value == least + 1 and any(_equal(judged, value)))


def _equal(judged: Judged, value: int) -> list[bool]:
    """Whether the entropy of a class is just the logarithm of the value."""
    found = []
    for column in judged.table.sensitive:
        texts = np.array(texts_of(column))
        for label in set(judged.labels.tolist()):
            _values, counts = np.unique(texts[judged.labels == label], return_counts=True)
            shares = counts / counts.sum()
            found.append(isclose(exp(-(shares * np.log(shares)).sum()), value, abs_tol=1e-9))
    return found


@settings(max_examples=40)
@given(outcomes())
def test_the_l_of_the_recursive_form(outcome: AnonymisedTable) -> None:
    """Its c is another one: pycanon sorts the counts from the rarest on, the definition from the most frequent on."""
    judged = Judged(outcome)
    _c, least = anonymity.recursive_c_l_diversity(judged.frame, QUASI, ["illness", "mood"])
    for value in range(1, 5):
        # With c this large only the number of values counts.
        said = specified(l={"kind": "recursive", "value": value, "c": "100000"})
        assert judged.violated("l", said) == (value > least)


def of_illnesses(outcome: AnonymisedTable, ordered: bool) -> dict[str, Any]:
    column = outcome.table.sensitive[0]
    # pycanon counts the steps between the values that occur.
    assume(1 < column.occurring == len(column.texts))
    illness = {"name": "illness", "order": list(column.texts)} if ordered else "illness"
    return {"sensitive": [illness, "mood"]}


@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much])
@given(outcomes(), st.booleans())
def test_closeness_of_equal_and_of_ordered_values(outcome: AnonymisedTable, ordered: bool) -> None:
    said = of_illnesses(outcome, ordered)
    judged = Judged(outcome)
    frame = judged.frame
    if ordered:
        frame = frame.assign(illness=codes(outcome.table.sensitive[0]))
    far = max(
        anonymity.t_closeness(frame, QUASI, [name])
        for name, column in zip(("illness", "mood"), outcome.table.sensitive, strict=True)
        if column.occurring > 1
    )
    assert judged.reached(**said, t="0.5")["t"]["reached"] == pytest.approx(far)


def codes(column: Column) -> list[int]:
    return [int(code) for code in column.codes]
