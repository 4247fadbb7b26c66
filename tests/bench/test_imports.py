"""`./run bench imports`: a folder of forms, counted."""

from pathlib import Path

import pytest

from bench.imports import figures, written
from tests.importing.lime_files import answers, group, parts, question, table


def test_a_folder_of_forms_is_counted_with_the_reasons(tmp_path: Path) -> None:
    age = [question("Q1", "L", "How old?"), *answers("18 to 39", "40 or older")]
    paid = [question("Q2", "M", "Paid?"), *parts("In cash", "In goods")]
    (tmp_path / "a.txt").write_bytes(table(group("Work"), *age, *paid, question("Q3", "T", "Tell us")))
    (tmp_path / "b.txt").write_bytes(table(group("Work"), *age))
    (tmp_path / "empty.xlsx").write_bytes(b"PK")
    (tmp_path / "folder").mkdir()
    found = figures(sorted(tmp_path.rglob("*")), 5)
    assert (found["files"], found["files_read"], found["questions"]) == (3, 2, 4)
    assert found["rows_by_outcome"]["left"] == 1
    (reason,) = found["left_out"]
    assert "words" in reason
    assert sum(found["refused"].values()) == 1


@pytest.mark.night
@pytest.mark.page
def test_four_of_five_numbers_of_the_corpus_come_in(tmp_path: Path) -> None:
    numbers = figures(sorted(written(tmp_path).iterdir()), 5)["numbers"]
    assert numbers["rows"] == numbers["read"] + numbers["left_out"] >= 30
    assert numbers["read"] >= 0.8 * numbers["rows"]
