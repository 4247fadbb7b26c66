"""Counting straight from a record file."""

from io import BytesIO

import pytest

from mining.counting import read_record_csv
from mining.queries_and_counters import Counter, Query
from privacy.designs import Design, InputError
from privacy.records.table_blocks import BLOCK
from tests.privacy.questionnaires import HALF, WORK, design, plain, question, sensitive

pytestmark = pytest.mark.proof
WITHHELD = """group,work,theft
open,?,yes
open,?,no
disguised,employed,yes
disguised,not,yes
disguised,employed,no
"""
THEFT, EMPLOYED = (1, 1), (0, 0)


def form() -> Design:
    return design(plain(WORK), sensitive("0.5", question("theft", *HALF)))


def over(text: str) -> Counter:
    return read_record_csv(form(), BytesIO(text.encode()), "records.csv").counter()


def test_sensitive_answers_are_counted_in_both_groups() -> None:
    assert over(WITHHELD).count([Query((THEFT,)), Query()]).tolist() == [[1, 2], [2, 3]]


def test_who_withholds_a_plain_answer_counts_as_not_asked_it() -> None:
    queries = [Query(asked=(0,)), Query((THEFT,), asked=(0,)), Query((EMPLOYED, THEFT)), Query(applies=(0,))]
    assert over(WITHHELD).count(queries).tolist() == [[0, 3], [0, 2], [0, 1], [0, 3]]


def test_open_records_that_tell_are_counted() -> None:
    told = WITHHELD.replace("?", "employed")
    assert over(told).count([Query(asked=(0,)), Query((EMPLOYED, THEFT))]).tolist() == [[2, 3], [1, 1]]


def test_all_of_a_file_longer_than_one_packing_is_counted() -> None:
    many = BLOCK // len("disguised,employed,yes\n") + 5
    rows = ["disguised,employed,yes"] * many + ["open,?,no"] * 3
    counter = over("\n".join(["group,work,theft", *rows]))
    assert counter.n == (3, many)
    assert counter.count([Query((THEFT,))]).tolist() == [[0, many]]


def test_a_row_that_no_device_sent_is_refused_by_its_line() -> None:
    with pytest.raises(InputError, match=r"records\.csv:4: theft"):
        over("group,work,theft\nopen,not,no\nopen,not,no\nopen,not,maybe\n")
