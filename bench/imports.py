"""What of a folder of questionnaires comes in, and why the rest does not.

python -m bench.imports [FOLDER] [--why 10]

Each file is read as an upload is: XLSForm, LimeSurvey, Qualtrics or Candor's own. `refused` counts files by their first
reason, `left_out` rows of the files that were read, `numbers` the rows of XLSForms that ask for a number. Without a
folder: the forms of tests/importing/wild_corpus.py, which are put together from what real forms contain.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import bench.load  # noqa: F401 - it sets Django up
from importing import questionnaire_file
from importing.faults import Fault, FileRefused
from importing.import_result import LEFT, ImportResult
from importing.questionnaire_file import MOST_BYTES
from importing.xlsform.question_types import RowType, parse_type
from importing.xlsform.sheet_columns import read_columns
from importing.xlsform.workbook import read as read_workbook, row_location
from tests.importing.sheets import workbook
from tests.importing.wild_corpus import CORPUS

NAMED = re.compile(r"\$\{[^}]*\}|“[^”]*”|\d+|\b[a-z0-9]+_\w+")
"""Names and numbers in a reason: without them the same reason is counted once."""


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--why", type=int, default=10, help="how many reasons are listed (default: 10)")
    asked = parser.parse_args()
    with TemporaryDirectory() as corpus:
        folder = asked.folder or written(Path(corpus))
        print(json.dumps(figures(sorted(folder.rglob("*")), asked.why), indent=1, ensure_ascii=False))


def written(folder: Path) -> Path:
    """The corpus as files."""
    for name, form in CORPUS.items():
        (folder / f"{name}.xlsx").write_bytes(workbook(**form.sheets))
    return folder


def figures(files: Iterable[Path], why: int) -> dict[str, Any]:
    read, refused, numbers = list[ImportResult](), Counter[str](), Counter[str]()
    for file in filter(Path.is_file, files):
        try:
            data = file.read_bytes()
            if len(data) > MOST_BYTES:
                raise FileRefused([Fault(file.name, "is larger than an upload may be")])
            read.append(questionnaire_file.read(data))
            numbers += _numbers(data, read[-1])
        except FileRefused as refusal:
            refused[NAMED.sub("…", refusal.faults[0].reason)] += 1
    rows = [line for questionnaire in read for line in questionnaire.lines]
    sections = [section for questionnaire in read for section in questionnaire.draft["sections"]]
    reasons = (line.remarks[0] for line in rows if line.outcome == LEFT and line.remarks)
    left = Counter(NAMED.sub("…", reason) for reason in reasons)
    return {
        "files": len(read) + refused.total(),
        "files_read": len(read),
        "rows": len(rows),
        "rows_by_outcome": dict(Counter(line.outcome for line in rows)),
        "questions": sum(len(section["questions"]) for section in sections),
        "numbers": {"rows": numbers.total(), "read": numbers["read"], "left_out": numbers["left_out"]},
        "refused": dict(refused.most_common(why)),
        "left_out": dict(left.most_common(why)),
    }


def _numbers(data: bytes, taken: ImportResult) -> Counter[str]:
    """The rows of an XLSForm that ask for a number, outside of repeats, by whether they came in."""
    if not data.startswith(b"PK"):
        return Counter()
    sheets, _unread = read_workbook(data)
    columns = read_columns(sheets)
    lines = {line.location: line for line in taken.lines}
    outcomes = Counter[str]()
    for row in sheets["survey"].rows:
        row_type = parse_type(columns.text(row, "type"))
        line = lines.get(row_location(row.sheet, row.number))
        if isinstance(row_type, RowType) and row_type.kind == "number" and line:
            outcomes["left_out" if line.outcome == LEFT else "read"] += 1
    return outcomes


if __name__ == "__main__":
    main()
