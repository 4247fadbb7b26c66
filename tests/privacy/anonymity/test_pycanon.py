"""Published files, judged by pycanon: what is reached, and what is violated."""

import io
from dataclasses import replace
from math import exp, isclose
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings, strategies as st
from pycanon import anonymity

from privacy.anonymity.anonymisation_result import AnonymisedTable, labels_from_cells
from privacy.anonymity.criteria_check import asked_and_reached_levels, violations
from privacy.anonymity.table_anonymisation import anonymize
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import read_table
from tests.privacy.anonymity import sample_tables as samples
from tests.privacy.anonymity.brute import check_published_file

pytestmark = pytest.mark.proof

QUASI = [column["name"] for column in samples.QUASI]
DISTINCT = {"kind": "distinct", "value": 1}


class Judged:
    """A published file as a data frame and as classes; illnesses are numbers for pycanon where their order counts."""

    def __init__(self, outcome: AnonymisedTable) -> None:
        self.frame = pd.read_csv(
            io.StringIO(samples.published_text(outcome)), dtype=str, keep_default_na=False
        )
        self.labels = labels_from_cells([self.frame[name].tolist() for name in QUASI])
        self.table = outcome.table

    def reached_levels(self, **said: Any) -> dict[str, Any]:
        return asked_and_reached_levels(self.table, samples.specified_widely(**said), self.labels)

    def has_violation(self, criterion: str, said: Specification) -> bool:
        return bool(violations(self.table, said, self.labels)[criterion])


@given(samples.outcomes())
def test_k_and_distinct_values(outcome: AnonymisedTable) -> None:
    judged = Judged(outcome)
    found = judged.reached_levels(l=DISTINCT)
    assert found["k"]["reached"] == anonymity.k_anonymity(judged.frame, QUASI)
    assert found["l"]["reached"] == anonymity.l_diversity(judged.frame, QUASI, ["illness", "mood"])
    alpha, _k = anonymity.alpha_k_anonymity(judged.frame, QUASI, ["illness", "mood"])
    assert found["max_frequency"]["reached"] == pytest.approx(alpha)


REAL = [
    {"name": "age", "kind": "number", "missing": ["", "NA"]},
    {"name": "born", "kind": "date", "dates": "dmy", "level": "month", "missing": [""]},
]
CELLS = (
    ["", "NA", "20", "+2e1", "34,5", "61"],
    ["", "1.2.1950", "28.02.1950", "31.12.2001"],
    ["flu", "gout", "mumps"],
)


@settings(max_examples=20)
@given(
    st.lists(st.tuples(*map(st.sampled_from, CELLS)), min_size=6, max_size=40),
    st.sampled_from(["tree", "samarati", "datafly"]),
    st.sampled_from([{}, {"ends": {"grid": "5"}}, {"ends": {"grid": "0.5", "from": "60"}}]),
)
def test_files_with_missing_values_dates_and_rounded_ends(
    rows: list[tuple[str, ...]], method: str, ends: dict[str, Any]
) -> None:
    layout = {"separator": ";", "decimal": ","}
    quasi = [{**REAL[0], **ends}, REAL[1]]
    said = replace(
        samples.make_specification(table=layout, quasi_identifiers=quasi, k=3, seconds=0), method=method
    )
    lines = "\n".join(["age;born;illness", *map(";".join, rows)])
    table = read_table(io.BytesIO(lines.encode()), "t.csv", said)
    # Asks pycanon for k and l of the file.
    check_published_file(anonymize(table, said, samples.stop_at_once), said)


@pytest.mark.night
@given(samples.outcomes())
def test_the_multi_attribute_form(outcome: AnonymisedTable) -> None:
    """In pycanon each sensitive column is asked for with the others among the quasi-identifiers."""
    judged = Judged(outcome)
    least = anonymity.l_diversity(judged.frame, QUASI, ["illness", "mood"], gen=False)
    for value in (least, least + 1):
        said = samples.specified_widely(l={"kind": "distinct", "value": value, "joint": True})
        assert judged.has_violation("l", said) == (value > least)


@given(samples.outcomes())
def test_entropy(outcome: AnonymisedTable) -> None:
    """pycanon rounds exp(entropy) down without a tolerance, which 2.9999… does not survive where it means 3."""
    judged = Judged(outcome)
    least = anonymity.entropy_l_diversity(judged.frame, QUASI, ["illness", "mood"])
    for value in range(1, 5):
        kept = not judged.has_violation("l", samples.specified_widely(l={"kind": "entropy", "value": value}))
        assert kept == (value <= least) or (value == least + 1 and any(_equal(judged, value)))


def _equal(judged: Judged, value: int) -> list[bool]:
    """Whether the entropy of a class is just the logarithm of the value."""
    found = []
    for column in judged.table.sensitive:
        texts = np.array(samples.texts_of(column))
        for label in set(judged.labels.tolist()):
            _values, counts = np.unique(texts[judged.labels == label], return_counts=True)
            shares = counts / counts.sum()
            found.append(isclose(exp(-(shares * np.log(shares)).sum()), value, abs_tol=1e-9))
    return found


@given(samples.outcomes())
def test_the_l_of_the_recursive_form(outcome: AnonymisedTable) -> None:
    """Its c is another one: pycanon sorts the counts from the rarest on, the definition from the most frequent on."""
    judged = Judged(outcome)
    _c, least = anonymity.recursive_c_l_diversity(judged.frame, QUASI, ["illness", "mood"])
    for value in range(1, 5):
        # With c this large only the number of values counts.
        said = samples.specified_widely(l={"kind": "recursive", "value": value, "c": "100000"})
        assert judged.has_violation("l", said) == (value > least)


@pytest.mark.night
@settings(suppress_health_check=[HealthCheck.filter_too_much])
@given(samples.outcomes(), st.booleans())
def test_closeness_of_equal_and_of_ordered_values(outcome: AnonymisedTable, ordered: bool) -> None:
    column, judged = outcome.table.sensitive[0], Judged(outcome)
    # pycanon counts the steps between the values that occur.
    assume(1 < column.distinct_values == len(column.texts))
    illness = {"name": "illness", "order": list(column.texts)} if ordered else "illness"
    frame = judged.frame.assign(illness=column.codes.tolist()) if ordered else judged.frame
    far = max(
        anonymity.t_closeness(frame, QUASI, [name])
        for name, column in zip(("illness", "mood"), outcome.table.sensitive, strict=True)
        if column.distinct_values > 1
    )
    assert judged.reached_levels(sensitive=[illness, "mood"], t="0.5")["t"]["reached"] == pytest.approx(far)
