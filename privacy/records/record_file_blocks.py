"""Reads record files in blocks of rows, column by column.

Compiled code parses a block in the form that `write_records` writes. Other blocks and small files are read by
Python's `csv`, and unusual rows one by one, with an error message: so all ways read the same.
"""

import sys
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from itertools import chain, islice
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privacy.designs.design import Design
from privacy.grammar.input_error import InputError
from privacy.grammar.question_reading import RESERVED_NAME as GROUP_COLUMN
from privacy.kinds.answer_code_array_type import Codes
from privacy.records.csv_row_reader import MOST_ROW, csv_rows
from privacy.records.record import DISGUISED, OPEN
from privacy.records.record_file import (
    find_columns,
    group_names,
    map_cells_to_codes,
    read_header,
    read_record_row,
)

BLOCK = 1 << 20
"""Number of bytes of a block."""
SMALL = 1 << 20
"""Number of bytes that Python reads faster than numba and the compiled code load; a quarter if numba is loaded."""
AT_ONCE = 1 << 13
"""Number of rows of a block that Python reads."""

Row = tuple[str, list[str]]
"""Place (`file:line`) and cells of a row."""


class RecordBlock(NamedTuple):
    """Rows of a record file; `codes`: question x row; `withheld`: True for rows with withheld answers."""

    group: NDArray[np.uint8]
    codes: Codes
    withheld: NDArray[np.bool_]


def read_record_blocks(file: BinaryIO, name: str, design: Design) -> Iterator[RecordBlock]:
    """Yields the rows of a record file in blocks; refuses a row that is no possible record of this design."""
    header = next(csv_rows(file, name), None)
    where, names = read_header(header, name)
    columns = find_columns(names, [GROUP_COLUMN, *(question.name for question in design.questions)], where)
    codes_by_cell = cell_codes(design)
    line, splitter = _line_number(where), None
    small = SMALL // 4 if "numba" in sys.modules else SMALL
    while data := file.read(BLOCK):
        if not data.endswith(b"\n"):
            data += file.readline(MOST_ROW + 1)
        if splitter is None and len(data) >= small:
            from privacy.records.record_csv_row_kernel import build_record_row_parser  # late for cost

            splitter = build_record_row_parser(codes_by_cell, columns)
        codes = splitter.split(data) if splitter else None
        if codes is not None and (block := block_if_possible(design, codes[0], codes[1:])):
            yield block
            line += codes.shape[1]
            continue
        # Its last row may end after the block, so this reads on in the file.
        end = line + data.count(b"\n")
        rows = csv_rows(chain(BytesIO(data), file), name, after=line, header=header[1] if header else ())
        while line < end or not data.endswith(b"\n"):
            some, refusal = list[Row](), None
            try:
                for row in islice(rows, AT_ONCE):
                    some.append(row)
            except InputError as error:
                refusal = error
            if some:
                yield read_rows(design, some, columns, codes_by_cell)
                line = _line_number(some[-1][0])
            if refusal:
                raise refusal
            if len(some) < AT_ONCE:
                return


def cell_codes(design: Design) -> list[Mapping[str, int]]:
    """Returns the codes of the cells of the column `group` and of each question."""
    group_by_cell = {
        cell: group for group, cell in enumerate(group_names(design)) if group or design.has_group_open
    }
    return [group_by_cell, *map(map_cells_to_codes, design.questions)]


def _line_number(where: str) -> int:
    return int(where.rpartition(":")[2])


def block_if_possible(design: Design, group: NDArray[Any], codes: Codes) -> RecordBlock | None:
    """Checks that a device could have sent every row; returns the rows as a block, else None."""
    withheld = np.zeros(len(group), np.bool_)
    of_open = [index for index, question in enumerate(design.questions) if question.withheld_if_open]
    if of_open:
        withheld = codes[of_open[0]] == design.questions[of_open[0]].withheld
        if (withheld & (group != OPEN)).any():
            return None
    for index in design.coded_by_group:
        for arm in (OPEN, DISGUISED):
            foreign = list(design.questions[index].codes_never_sent(arm == OPEN))
            if np.isin(codes[index][group == arm], foreign).any():
                return None
    index, largest = 0, codes.max(axis=1).tolist()
    for section in design.sections:
        asked_here: Any = 0
        for question in section.questions:
            row, most = codes[index], largest[index]
            index += 1
            if not section.rotates and not question.show_if and most < question.not_asked:
                # The usual: everybody answered.
                if question.withheld_if_open and withheld.any():
                    return None
                asked_here += 1
                continue
            hides = question.withheld_if_open & withheld
            if ((row == question.withheld) != hides).any():
                return None
            asked = row != question.not_asked
            asked_here += asked
            hidden = row == question.not_applicable
            applies = np.ones(len(group), np.bool_)
            for rule in question.show_if:
                applies &= np.isin(codes[rule.place], list(rule.codes))
            # Without the plain answers nobody knows whether a rule hides it.
            fits = np.where(withheld, ~hidden | bool(question.show_if), hidden != applies)
            if not (fits | ~asked | hides).all():
                return None
        if np.any(asked_here != (section.asked if section.rotates else len(section.questions))):
            return None
    return RecordBlock(group.astype(np.uint8), codes, withheld)


def read_rows(
    design: Design, rows: Sequence[Row], columns: Sequence[int], codes_by_cell: Sequence[Mapping[str, int]]
) -> RecordBlock:
    """Converts rows of cells to a block of records; refuses the first row that is no possible record."""
    by_column = list(zip(*(cells for _where, cells in rows), strict=True))
    found = [
        [code_of.get(cell) for cell in by_column[column]]
        for code_of, column in zip(codes_by_cell, columns, strict=True)
    ]
    if not any(None in row for row in found):
        codes = np.array(found, np.uint16)
        if block := block_if_possible(design, codes[0], codes[1:]):
            return block
    # There may be another way to write a name, and a refusal names its line.
    group = np.empty(len(rows), np.uint8)
    codes = np.empty((len(design.questions), len(rows)), np.uint16)
    withheld = np.zeros(len(rows), np.bool_)
    for index, (where, cells) in enumerate(rows):
        row, withheld[index] = read_record_row(
            design, where, [cells[column] for column in columns], codes_by_cell[1:]
        )
        group[index], codes[:, index] = row.group, row.codes
    return RecordBlock(group, codes, withheld)
