"""The published file is read back; whatever was changed in it is found."""

import io
from collections.abc import Callable

import numpy as np
import pytest

from privacy.anonymity.anonymisation_result import (
    AnonymisedTable,
    outcome_from_labels,
    outcome_without_left_out_records,
)
from privacy.anonymity.published_file import write
from privacy.grammar.input_error import InputError
from tests.privacy.anonymity.sample_tables import specified, table_of
from tests.privacy.anonymity.second_opinion import check

ORDER = np.array([2, 0, 3, 1])
WRITTEN = """\
age,wealth,town,illness
45..47,rich,South,flu
30..31,poor,North,flu
45..47,rich,South,gout
30..31,poor,North,cold
"""


def found() -> AnonymisedTable:
    return outcome_from_labels(table_of(), np.array([0, 0, 1, 1]))


def written() -> str:
    file = io.StringIO()
    write(file, found(), ORDER)
    return file.getvalue()


def checked(text: str, **said: object) -> None:
    check(io.BytesIO(text.encode()), "out.csv", found(), specified(**said), ORDER)


def test_a_class_shows_what_covers_its_records() -> None:
    assert written() == WRITTEN
    checked(WRITTEN)


def test_a_file_that_was_changed_is_refused(subtests: pytest.Subtests) -> None:
    cases: list[tuple[Callable[[str], str], str]] = [
        (lambda text: text.replace("age,", "Age,"), "its columns are not those"),
        (lambda text: text.rsplit("\n", 2)[0] + "\n", "it does not hold the records"),
        (lambda text: text.replace("45..47", "46..47"), "it does not hold the values"),
        (lambda text: text.replace("45..47", "45..50"), "it does not hold the values"),
        (lambda text: text.replace("South", "North"), "it does not hold the values"),
        (lambda text: text.replace("gout", "flu"), "it does not hold the values"),
        (lambda text: text.replace("45..47", "45", 1), "its classes do not keep k"),
    ]
    for change, said in cases:
        with subtests.test(f"{change!r:.60} {said!r:.60}"), pytest.raises(InputError, match=said):
            checked(change(WRITTEN))


def test_a_sensitive_value_is_changed_only_where_the_specification_allows_it() -> None:
    changed = WRITTEN.replace("cold", "gout")
    checked(changed, falsification="0.25")
    with pytest.raises(InputError, match="it does not hold the values"):
        checked(changed, falsification="0.2499")
    with pytest.raises(InputError, match="it does not hold the values"):
        checked(changed.replace("gout", "none"), falsification="0.5")


def test_records_are_left_out_only_where_the_specification_allows_it() -> None:
    table = table_of()
    kept = np.array([0, 1])
    outcome = outcome_without_left_out_records(
        table, kept, outcome_from_labels(table.take_records(kept), np.array([0, 0])).partition
    )
    file, order = io.StringIO(), np.array([1, 0])
    write(file, outcome, order)
    assert outcome.suppressed_count == 2
    check(io.BytesIO(file.getvalue().encode()), "out.csv", outcome, specified(suppression="0.5"), order)
    with pytest.raises(InputError, match="it does not hold the records"):
        check(
            io.BytesIO(file.getvalue().encode()), "out.csv", outcome, specified(suppression="0.4999"), order
        )


def test_texts_that_a_spreadsheet_would_run_are_marked_and_read_back() -> None:
    said = specified(quasi_identifiers=[{"name": "town", "kind": "category"}], k=1)
    table = table_of(["1,poor,=Aa,@flu", "1,poor,Bee,-cold"], said)
    file, order = io.StringIO(), np.array([0, 1])
    outcome = outcome_from_labels(table, np.array([0, 1]))
    write(file, outcome, order)
    assert file.getvalue() == "town,illness\n'=Aa,'@flu\nBee,'-cold\n"
    check(io.BytesIO(file.getvalue().encode()), "out.csv", outcome, said, order)
