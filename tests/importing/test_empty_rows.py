"""A sheet ends after many empty rows, which some programs format down to its end."""

from importing.xlsform import workbook

HEADER = ["type", "name", "label"]
ASKED = ["integer", "age", "How old?"]


def sheet(empty: int) -> workbook.Sheet:
    lines = [HEADER, ASKED, *([["", "", ""]] * empty), ASKED]
    sheets, _unread = workbook.read(workbook.write({"survey": lines}))
    return sheets["survey"]


def test_a_sheet_ends_after_200_empty_rows_and_tells_it() -> None:
    whole, ended = sheet(empty=200), sheet(empty=201)
    assert (len(whole.rows), whole.ends_early) == (2, False)
    assert (len(ended.rows), ended.ends_early) == (1, True)
