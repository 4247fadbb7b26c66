"""`./run bench imports`: files of each format, counted and compared, and the table of them in the documents."""

from pathlib import Path

import pytest

from bench.imports import DOCUMENT, by_hand, details, lines, of_folder, with_figures
from tests.importing.flow.made_files import answers, group, lime_table, question, subquestions


def test_imported_forms_are_counted_with_reasons(tmp_path: Path) -> None:
    age = [question("Q1", "L", "How old?"), *answers("18 to 39", "40 or older")]
    paid = [question("Q2", "M", "Paid?", relevance='Q1 == "A1"'), *subquestions("In cash", "In goods")]
    (tmp_path / "a.txt").write_bytes(lime_table(group("Work"), *age, *paid, question("Q3", "T", "Tell us")))
    (tmp_path / "b.tsv").write_bytes(lime_table(group("Work"), *age))
    (tmp_path / "empty.xlsx").write_bytes(b"PK")
    (tmp_path / "folder").mkdir()
    found = of_folder(tmp_path)
    assert [*found["LimeSurvey, table"].cells()] == [2, 0, 3, 0, 1, 1, 0, 0, 0]
    assert [*found["XLSForm, workbook"].cells()][:2] == [1, 1]
    assert len([*lines(found)]) == 4
    assert any("1 left out" in line and "words" in line for line in details(found, 5))


@pytest.mark.night
@pytest.mark.page
def test_import_table_in_the_documents_is_current() -> None:
    document = DOCUMENT.read_text("utf-8")
    assert with_figures(document, lines(by_hand())) == document
