"""Local suppression: within its budget, with less loss, and `*` is a value of its own for every criterion."""

from collections import defaultdict
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from privacy.anonymity.anonymisation_result import AnonymisedTable, count_range_ends_of_one_person
from privacy.anonymity.published_file import record_order_by_cells
from privacy.anonymity.table_anonymisation import anonymize
from privacy.anonymity.tables.hierarchies import EVERYTHING
from privacy.anonymity.tables.specification import Specification
from privacy.anonymity.tables.table import read_table
from privacy.grammar.input_error import InputError
from tests.privacy.anonymity import brute, sample_tables as samples
from tests.privacy.questionnaires import refusal

pytestmark = pytest.mark.proof

TOWNS, INHABITANTS = 20, 20
NAMES = ("town", "doctor", "school")
QUASI: list[dict[str, Any]] = [{"name": name, "kind": "category"} for name in NAMES]
QUASI.append({"name": "income", "kind": "number"})


def incomes() -> list[str]:
    """Each town has a doctor and a school, and everybody an income of their own: it stands in the way of all three."""
    random = np.random.default_rng(1)
    towns = np.repeat(np.arange(TOWNS), INHABITANTS)
    pairs = zip(towns.tolist(), random.permutation(10_000)[: len(towns)].tolist(), strict=True)
    return [f"t{town},d{town},s{town},{income},{income % 2}" for town, income in pairs]


def suppress_cells(cells: str) -> tuple[AnonymisedTable, Specification, str]:
    said = samples.make_specification(
        quasi_identifiers=QUASI, sensitive=["ill"], k=10, tries=0, cell_suppression=cells
    )
    table = read_table(samples.csv_of(incomes(), ",".join([*NAMES, "income", "ill"])), "t.csv", said)
    outcome = anonymize(table, said, samples.stop_at_once)
    return outcome, said, samples.published_text(outcome, order_of(outcome))


def order_of(outcome: AnonymisedTable) -> list[int]:
    return [int(row) for row in record_order_by_cells(outcome)]


@pytest.mark.night
def test_a_column_that_stands_in_the_way_of_others_is_suppressed_up_to_the_budget() -> None:
    without, some, all_of_it = (suppress_cells(cells)[0] for cells in ("0.0001", "0.05", "0.25"))
    assert without.suppressed_cell_count == 0
    assert 0 < some.suppressed_cell_count <= 0.05 * TOWNS * INHABITANTS * len(QUASI)
    losses = [
        outcome.information_losses(suppress_cells("0.05")[1]).ncp for outcome in (without, some, all_of_it)
    ]
    assert losses == sorted(losses, reverse=True)
    # Without the incomes the towns are classes, and of four cells one is lost.
    assert losses[-1] < 0.3 < 0.6 < losses[0]


def test_a_suppressed_cell_costs_all_and_shows_nothing() -> None:
    outcome, _said, file = suppress_cells("0.25")
    classes, income = outcome.partition, outcome.table.quasi[3]
    hidden = classes.classes_with_suppressed_column(3)
    assert (income.penalties(classes.lows[:, 3], classes.highs[:, 3])[hidden] == 1).all()
    shown = [row.split(",")[3] for row in file.splitlines()[1:]]
    assert shown.count(EVERYTHING) == outcome.suppressed_cell_count == classes.sizes[hidden].sum() > 0
    assert count_range_ends_of_one_person(outcome)["income"] <= 2 * np.count_nonzero(~hidden)


def test_the_same_seed_gives_the_same_bytes_and_more_suppressed_cells_than_the_classes_have_are_refused() -> (
    None
):
    outcome, said, file = suppress_cells("0.05")
    assert suppress_cells("0.05")[2] == file
    order, holds = order_of(outcome), "it does not hold the values of the table"
    brute.check_published_file(outcome, said, order)
    shown = next(row.split(",")[3] for row in file.splitlines()[1:] if ".." in row)
    refused = refusal(brute.check_published_file, outcome, said, order, file.replace(shown, EVERYTHING))
    assert refused.startswith(f"out.csv: income: {holds}")
    refused = refusal(brute.check_published_file, outcome, replace(said, cell_suppression=1), order)
    assert refused.startswith(f"out.csv: cells: {holds}")


def test_a_table_with_one_column_keeps_its_cells() -> None:
    said = samples.make_specification(
        quasi_identifiers=[QUASI[3]], sensitive=[], k=2, tries=0, cell_suppression="0.5"
    )
    table = read_table(samples.csv_of(["1", "2", "8", "9"], "income"), "t.csv", said)
    assert anonymize(table, said, samples.stop_at_once).suppressed_cell_count == 0


@given(samples.any_rows(least=8), samples.any_said(), st.sampled_from(["0.1", "0.3", "0.9"]))
def test_every_class_that_the_file_shows_keeps_the_criteria(
    rows: list[str], document: dict[str, Any], cells: str
) -> None:
    """By brute force over the file: rows with the same cells are a class, and `*` is a cell like others."""
    table, said = samples.any_table(rows, document, cell_suppression=cells)
    try:
        outcome = anonymize(table, said, samples.stop_at_once)
    except InputError:
        return
    order, classes = order_of(outcome), defaultdict(list)
    file = brute.check_published_file(outcome, said, order)
    for record, row in zip(order, file.splitlines()[1:], strict=True):
        shown = tuple(row.split(",")[: len(table.quasi)])
        classes[shown].append(record)
        for column, cell in zip(table.quasi, shown, strict=True):
            assert column.texts[column.codes[record]] in samples.values_of_cell(column, cell)
    assert all(brute.is_class_allowed(table, said, members) for members in classes.values())
    assert outcome.suppressed_cell_count * 10_000 <= said.cell_suppression * table.records * len(table.quasi)
