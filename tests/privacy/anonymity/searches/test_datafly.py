"""*datafly* raises the column with the most values; and every file that it or *samarati* publishes is checked."""

import csv
import io
import json
from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity import methods
from privacy.anonymity.anonymisation_result import AnonymisedTable
from privacy.anonymity.methods import anonymize
from privacy.anonymity.published_file import write
from privacy.anonymity.searches.full_domain import datafly
from privacy.anonymity.tables.specification_reading import read_specification
from privacy.anonymity.tables.table import read_table
from privacy.grammar.input_error import InputError
from tests.privacy.anonymity import brute, kernels, strategies
from tests.privacy.anonymity.sample_tables import adult, adult_specification, csv_of, specified, table_of
from tests.privacy.anonymity.second_opinion import check

METHODS = frozenset(methods.METHODS)
HEADER = "age,town,illness"
QUASI = [
    {"name": "age", "kind": "number"},
    {"name": "town", "kind": "category", "hierarchy": strategies.TOWNS},
]


def shown(outcome: AnonymisedTable) -> list[list[str]]:
    """The quasi-identifiers of every published record."""
    classes = outcome.partition
    cells = [
        [
            column.cell_text(low, high)
            for column, low, high in zip(outcome.table.quasi, lows, highs, strict=True)
        ]
        for lows, highs in zip(classes.lows.tolist(), classes.highs.tolist(), strict=True)
    ]
    return [cells[label] for label in classes.labels.tolist()]


def test_the_column_with_the_most_values_goes_up() -> None:
    """Ages halve at 50, 30 and 20. Six of them and four towns: ages go up to five and three, towns to two regions.

    Then 30 in the South and 90 are alone, and ages go up to 10..32 and 90. Of two ages and two regions ages are first.
    """
    said = specified(quasi_identifiers=QUASI, k=2, suppression="0.2")
    rows = ["10,Aa,flu", "12,Bee,flu", "30,Cee,flu", "31,Dee,flu", "32,Cee,flu", "90,Aa,flu"]
    table = read_table(csv_of(rows, HEADER), "t.csv", said)
    found = datafly(table, said)
    assert found.kept.tolist() == [0, 1, 2, 3, 4]
    assert shown(found) == [["10..32", "North"]] * 2 + [["10..32", "South"]] * 3
    lost = specified(quasi_identifiers=QUASI, k=2)
    assert shown(datafly(table, lost)) == [["10..90", "North"]] * 2 + [["10..90", "South"]] * 3 + [
        ["10..90", "North"]
    ]


def test_what_no_level_keeps_is_refused_with_a_way_out() -> None:
    said = specified(k=2, max_frequency="0.5", suppression="0.1")
    table = table_of(["30,poor,Aa,flu"] * 3 + ["30,poor,Aa,cold"])
    with pytest.raises(InputError) as refused:
        datafly(table, said)
    assert str(refused.value) == (
        "suppression: no generalisation meets the criteria: allow more suppression, a smaller k, or weaker "
        "criteria"
    )


@pytest.mark.night
@pytest.mark.proof
@pytest.mark.parametrize("method", ["datafly", "samarati"])
@given(strategies.rows(), strategies.said(), st.sampled_from(["0.1", "0.3", "0.6"]), st.randoms())
def test_every_published_file_keeps_the_criteria(
    method: str, rows: list[str], said: dict[str, Any], suppression: str, random: Any
) -> None:
    """Its classes by what it shows; and no more is left out than allowed."""
    text = json.dumps({**said, "method": method, "suppression": suppression})
    specification = read_specification(text, "spec", METHODS)
    table = read_table(csv_of(rows, strategies.HEADER), "t.csv", specification)
    try:
        outcome = anonymize(table, specification, kernels.stop)
    except InputError:
        assert brute.generalised(table, specification, brute.tops(table)) is None
        return
    order = np.array(random.sample(range(len(outcome.kept)), len(outcome.kept)))
    file = io.StringIO()
    write(file, outcome, order)
    check(io.BytesIO(file.getvalue().encode()), "out.csv", outcome, specification, order)
    header, *cells = csv.reader(io.StringIO(file.getvalue()))
    assert len(cells) >= (1 - float(suppression)) * len(rows)
    quasi = [{"name": name, "kind": "category"} for name in header[:4]]
    again = read_specification(json.dumps({**said, "quasi_identifiers": quasi}), "spec", METHODS)
    read = read_table(io.BytesIO(file.getvalue().replace("*", "any").encode()), "out.csv", again)
    classes = defaultdict(list)
    for record, row in enumerate(cells):
        classes[tuple(row[:4])].append(record)
    assert all(brute.keeps(read, specification, members) for members in classes.values())
    assert len(classes) == outcome.partition.class_count


@pytest.mark.proof
def test_adult() -> None:
    table = adult()
    said = adult_specification(k=10, suppression="0.02")
    found = datafly(table, said)
    assert 0 < found.suppressed_count <= 0.02 * table.records
    assert found.information_losses(said).ncp == pytest.approx(0.416, abs=0.001)
