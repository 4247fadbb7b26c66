"""Record files read column by column; what is unusual is read again row by row, which refuses it by its line."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from privacy.designs.design import Design
from privacy.grammar.reading import RESERVED_NAME as GROUP_COLUMN
from privacy.kinds.codes import Codes
from privacy.records.record import DISGUISED, OPEN
from privacy.records.record_file import all_codes, columns_of, group_names, header_of, read_row
from privacy.records.table_blocks import BlockColumn, TableBlock, table_blocks


class RecordBlock(NamedTuple):
    """Some rows of a record file: codes are question by row; `withheld`: rows without what open records withhold."""

    group: NDArray[np.uint8]
    codes: Codes
    withheld: NDArray[np.bool_]


def read_blocks(file: BinaryIO, name: str, design: Design) -> Iterator[RecordBlock]:
    """A record file column by column; each row is a possible record of this design."""
    header, blocks = table_blocks(file, name)
    where, names = header_of(header, name)
    columns = columns_of(names, [GROUP_COLUMN, *(question.name for question in design.questions)], where)
    codes_by_cell = [all_codes(question) for question in design.questions]
    group_by_cell = {
        cell: group for group, cell in enumerate(group_names(design)) if group or design.has_group_open
    }
    for table in blocks:
        taken = [table.columns[column] for column in columns]
        group = _encoded(taken[0], group_by_cell)
        codes = [_encoded(*pair) for pair in zip(taken[1:], codes_by_cell, strict=True)]
        readable = [row for row in codes if row is not None]
        block = None
        if group is not None and len(readable) == len(codes):
            block = _possible(design, group, np.stack(readable))
        # What is unusual is read row by row: there may be another way to write a name, and a refusal names its line.
        yield block or _read_rows(design, table, columns, codes_by_cell)


def _encoded(column: BlockColumn, codes: Mapping[str, int]) -> NDArray[Any] | None:
    """The code of each row; None where a cell is not known."""
    encoded = [codes.get(cell) for cell in column.cells]
    if None in encoded:
        return None
    return np.array(encoded, np.uint16)[column.number]


def _possible(design: Design, group: NDArray[Any], codes: Codes) -> RecordBlock | None:
    """The block if a device could have sent every row, else None: `check_codes` on arrays."""
    withheld = np.zeros(len(group), np.bool_)
    of_open = [index for index, question in enumerate(design.questions) if question.withheld_if_open]
    if of_open:
        withheld = codes[of_open[0]] == design.questions[of_open[0]].withheld
        if (withheld & (group != OPEN)).any():
            return None
    for index in design.coded_by_group:
        for arm in (OPEN, DISGUISED):
            foreign = list(design.questions[index].foreign(arm == OPEN))
            if np.isin(codes[index][group == arm], foreign).any():
                return None
    index = 0
    for section in design.sections:
        asked_here = np.zeros(len(group), np.int64)
        for question in section.questions:
            row = codes[index]
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
            index += 1
        if (asked_here != (section.asked if section.rotates else len(section.questions))).any():
            return None
    return RecordBlock(group.astype(np.uint8), codes, withheld)


def _read_rows(
    design: Design, table: TableBlock, columns: Sequence[int], codes_by_cell: Sequence[Mapping[str, int]]
) -> RecordBlock:
    group = np.empty(len(table), np.uint8)
    codes = np.empty((len(design.questions), len(table)), np.uint16)
    withheld = np.zeros(len(table), np.bool_)
    for index, (where, cells) in enumerate(table.rows()):
        row, withheld[index] = read_row(design, where, [cells[column] for column in columns], codes_by_cell)
        group[index], codes[:, index] = row.group, row.codes
    return RecordBlock(group, codes, withheld)
