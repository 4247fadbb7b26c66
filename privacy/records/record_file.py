"""Reads and writes files of records, and reads files of true answers, as CSV.

Both have one column per question and `group`, in any order. An error message names file, line and column.
"""

import io
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from privacy.designs.design import Design
from privacy.designs.formula_escape import escape_formula
from privacy.grammar.input_error import InputError, mark_for_translation as _, quote_value, unreadable_file
from privacy.grammar.json_node import MAX_NAME
from privacy.grammar.question import Answers, Question
from privacy.grammar.question_reading import RESERVED_NAME as GROUP_COLUMN
from privacy.records.csv_dialect_detection import WITH_COMMA, Layout, detect_layout
from privacy.records.csv_row_reader import MOST_ROW, PLAIN, csv_rows
from privacy.records.csv_writer import Sink, csv_writer
from privacy.records.record import DISGUISED, OPEN, check_codes

LONGEST_CELL = 4 * MAX_NAME
"""Most characters of a cell that can be a name; longer cells are not normalised (NFC), which is slow."""
NOT_ASKED, NOT_APPLICABLE, WITHHELD = "", "-", "?"


class RecordRow(NamedTuple):
    """A row of a record file: group (`OPEN` or `DISGUISED`) and the code of each answer."""

    group: int
    codes: tuple[int, ...]


class TrueRow(NamedTuple):
    """A row of a file of true answers: group and true answers; None where a rule hides the question."""

    group: int
    answers: tuple[int | None, ...]


class BoundedLines(io.BufferedReader):
    """A binary file whose lines are cut at MOST_ROW bytes, so that an endless line does not fill the memory."""

    def __next__(self) -> bytes:
        if line := self.readline(MOST_ROW + 1):
            return line
        raise StopIteration


def group_names(design: Design) -> tuple[str, str]:
    """Returns the names of the two groups in record files: "open" or "direct", and "disguised"."""
    return ("direct" if design.has_arms else "open", "disguised")


def open_table_file(path: Path) -> BoundedLines:
    """Opens a file of records or true answers for reading; raises `InputError` if it cannot be read."""
    try:
        return BoundedLines(io.FileIO(path))
    except (OSError, ValueError) as error:
        raise unreadable_file(path, error) from None


def write_records(file: Sink, design: Design, rows: Iterable[RecordRow], *, withhold: bool = False) -> None:
    """Writes a record file as CSV, in the order of the rows.

    `withhold`: leave out the plain answers and places of open records, as in files for download.
    """
    writer = csv_writer(file)
    writer.writerow(record_header(design))
    cells_by_code = [code_cells(question) for question in design.questions]
    hidden = [[WITHHELD] * len(cells) for cells in cells_by_code]
    open_cells = [
        withheld if question.withheld_if_open else cells
        for cells, withheld, question in zip(cells_by_code, hidden, design.questions, strict=True)
    ]
    groups = group_names(design)
    for group, codes in rows:
        cells = open_cells if withhold and group == OPEN else cells_by_code
        answers = [names[code] for names, code in zip(cells, codes, strict=True)]
        writer.writerow([groups[group], *answers])


def read_record_row(
    design: Design, where: str, cells: Sequence[str], codes_by_cell: Sequence[Mapping[str, int]]
) -> tuple[RecordRow, bool]:
    """Reads a row of a record file from its cells: the group, then the answers in the order of the design.

    Returns the record, and True if the plain answers and places of an open record are left out.
    """
    in_group, *answers = cells
    codes = [
        _read_code(code_of_cell.get, question, cell, where)
        for code_of_cell, question, cell in zip(codes_by_cell, design.questions, answers, strict=True)
    ]
    row = RecordRow(_read_group(design, in_group, where), tuple(codes))
    try:
        withheld = WITHHELD in answers and _require_exact_withholding(design, row)
        check_codes(design, row.codes, withheld, group=row.group)
    except InputError as refusal:
        raise refusal.with_outer_path(where) from None
    return row, withheld


def read_truth(
    file: BinaryIO, name: str, design: Design, group_column: str | None = None
) -> Iterator[TrueRow]:
    """Yields the rows of a file of true answers; ignores the cell of a question that a rule hides.

    The group is in the column `group_column`, by default `group`; without that column everybody is disguised. The cell
    of a drawn question may be empty; then the cells of all questions that it may show may be empty too.
    """
    lines = csv_rows(file, name)
    where, header = read_header(next(lines, None), name)
    questions = [question.name for question in design.questions]
    if group_column in questions:
        raise InputError(where, _("%(name)s is a question, not the group"), name=quote_value(group_column))
    if group_column and not {group_column, escape_formula(group_column)} & {*header}:
        raise InputError(where, _("the column %(column)s is missing"), column=quote_value(group_column))
    grouped = group_column or (GROUP_COLUMN if GROUP_COLUMN in header else None)
    columns = find_columns(header, [*questions, *([grouped] if grouped else [])], where)
    true_codes = [_true_code_reader(question) for question in design.questions]
    for where, cells in lines:
        answers: list[int | None] = []
        for code_of, question, column in zip(true_codes, design.questions, columns, strict=False):
            applies = question.applies(answers)
            # Left to a coin: the answer, or whether it is asked.
            chance = question.share_parts or (not applies and _may_be_shown(design, question, answers))
            needed = cells[column] if chance else applies
            answers.append(_read_code(code_of, question, cells[column], where) if needed else None)
        yield TrueRow(
            _read_group(design, cells[columns[-1]], where) if grouped else DISGUISED, tuple(answers)
        )


def read_header(row: tuple[str, list[str]] | None, name: str) -> tuple[str, list[str]]:
    """Returns the place and the column names of a file's first row; refuses a file without rows."""
    if row is None:
        raise InputError(f"{name}:1", _("the line with the names of the columns is missing"))
    where, header = row
    return where, [normalise_cell(cell) for cell in header]


def find_columns(header: list[str], names: Sequence[str], where: str) -> list[int]:
    """Returns the index of each column with one of these names; refuses missing and unknown columns."""
    places: dict[str, int] = {}
    meant = {**{name: name for name in names}, **{escape_formula(name): name for name in names}}
    for index, cell in enumerate(header):
        column = meant.get(cell)
        if column is None:
            raise InputError(where, _("unknown column %(column)s"), column=quote_value(cell))
        if column in places:
            raise InputError(where, _("the column %(column)s appears twice"), column=quote_value(column))
        places[column] = index
    for name in names:
        if name not in places:
            raise InputError(where, _("the column %(column)s is missing"), column=quote_value(name))
    return [places[name] for name in names]


def _read_group(design: Design, cell: str, where: str) -> int:
    """Returns the group of a record from its cell; refuses a group that the design does not have."""
    names = group_names(design)
    if cell not in names:
        raise InputError(
            where,
            _("the group is %(plain)s or disguised, not %(cell)s"),
            plain=names[OPEN],
            cell=quote_value(cell),
        )
    if cell == names[OPEN] and not design.has_group_open:
        raise InputError(where, _("in this design nobody can choose to answer without disguise"))
    return names.index(cell)


def _may_be_shown(design: Design, question: Question, answers: Answers) -> bool:
    """Returns True if some answer to the empty drawn questions makes the show-if rules show the question."""
    return all(
        answers[rule.place] in rule.codes
        or (design.questions[rule.place].share_parts and answers[rule.place] is None)
        for rule in question.show_if
    )


def _read_code(code_of: Callable[[str], int | None], question: Question, cell: str, where: str) -> int:
    """Returns the code of an answer in a cell; refuses a cell that is no answer of the question."""
    code = code_of(normalise_cell(cell))
    if code is None:
        template = (
            _("%(cell)s is not one of its choices")
            if question.choices
            else _("%(cell)s is none of its answers")
        )
        raise InputError(f"{where}: {question.name}", template, cell=quote_value(cell))
    return code


def _true_code_reader(question: Question) -> Callable[[str], int | None]:
    """Returns a function that turns a cell into the code of a true answer, or None."""
    is_listed = question.choices and question.codes == question.true_codes
    return _choice_codes(question).get if is_listed else question.true_code_named


def _require_exact_withholding(design: Design, row: RecordRow) -> bool:
    """Returns True if exactly the plain answers and places of an open record are left out; else raises."""
    for question, code in zip(design.questions, row.codes, strict=True):
        if (code == question.withheld) != (question.withheld_if_open and row.group == OPEN):
            raise InputError(
                question.name,
                _(
                    "only places and answers that are not disguised are withheld from records without "
                    "disguise, and then all of them"
                ),
            )
    return True


def normalise_cell(cell: str) -> str:
    """Returns a cell in composed form (NFC), unless it is too long to be a name."""
    return unicodedata.normalize("NFC", cell) if len(cell) <= LONGEST_CELL else cell


def _choice_codes(question: Question) -> dict[str, int]:
    """Returns the code of each choice by its name and by its cell in record files.

    If a name equals the cell of another choice, the cell counts.
    """
    codes = {name: code for code, name in enumerate(question.code_names)}
    return codes | {escape_formula(name): code for name, code in codes.items()}


def map_cells_to_codes(question: Question) -> dict[str, int]:
    """Returns the code of each possible cell of a record file for this question."""
    reasons = zip(
        (NOT_ASKED, NOT_APPLICABLE, WITHHELD), range(question.not_asked, question.withheld + 1), strict=True
    )
    return _choice_codes(question) | dict(reasons)


def record_header(design: Design) -> list[str]:
    """Returns the column names of a record file."""
    return [GROUP_COLUMN, *(escape_formula(question.name) for question in design.questions)]


def code_cells(question: Question) -> list[str]:
    """Returns the cell of a record file for each code: choices, not asked, not applicable, withheld.

    Choices that look like formulas get an apostrophe, negative numbers do not.
    """
    names = map(escape_formula, question.code_names) if question.choices else question.code_names
    return [*names, NOT_ASKED, NOT_APPLICABLE, WITHHELD]


# --- any layout
# A file of rows in any layout (semicolons, tabs, UTF-16, decimal commas) as UTF-8 with commas, line by line.

PIECE = 1 << 16


def open_as_plain_csv(path: Path) -> BinaryIO:
    """Opens a CSV file of any layout for reading; other layouts are converted while they are read."""
    file = open_table_file(path)
    layout = detect_layout(file.peek())
    if (layout.separator, layout.encoding) == (PLAIN.separator, PLAIN.encoding):
        return file
    return BoundedLines(_RewrittenFile(file, str(path), layout))


class _RewrittenFile(io.RawIOBase):
    """File of bytes that converts a CSV file of another layout to the product's own while it is read."""

    def __init__(self, file: BoundedLines, name: str, layout: Layout) -> None:
        self._file, self._pieces, self._left = file, _rewritten_lines(file, name, layout), memoryview(b"")

    def readable(self) -> bool:
        """Returns True, as `io.RawIOBase` asks."""
        return True

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        if not self._left:
            self._left = memoryview(next(self._pieces, b""))
        taken, self._left = self._left[: len(buffer)], self._left[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)

    def close(self) -> None:
        self._file.close()
        super().close()


def _rewritten_lines(file: BoundedLines, name: str, layout: Layout) -> Iterator[bytes]:
    """Yields the rows of a CSV file in the product's own layout; each stays in its original line."""
    text, line = io.StringIO(newline=""), 0
    writer = csv_writer(text)
    for where, cells in csv_rows(file, name, layout=layout):
        number = int(where.rpartition(":")[2])
        text.write("\n" * (number - line - 1))
        line = number
        writer.writerow(map(_replace_comma, cells) if layout.decimal == "," else cells)
        if text.tell() > PIECE:
            yield text.getvalue().encode()
            text.seek(0)
            text.truncate()
    yield text.getvalue().encode()


def _replace_comma(cell: str) -> str:
    return cell.replace(",", ".") if WITH_COMMA.fullmatch(cell) else cell
