"""From a record file to columns, block by block."""

from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from mining.counting.records import MinedRecords
from privacy.designs import Design
from privacy.grammar.input_error import InputError, marked as _
from privacy.kinds.codes import Codes
from privacy.records.columns import Columns, pack, read
from privacy.records.record_blocks import read_blocks


def read_file(design: Design, file: BinaryIO, name: str) -> MinedRecords:
    """The records of a CSV file, opened by `open_rows`; an error in it is an `InputError` that names the line.

    `name` is what refusals call the file. Read block by block into columns: about a bit of memory a choice and record.
    """
    complete, without_plain = list[Columns](), list[Columns]()
    for block in read_blocks(file, name, design):
        for parts, rows in ((complete, ~block.withheld), (without_plain, block.withheld)):
            if rows.any():
                parts.append(packed(design, block.group[rows], block.codes[:, rows]))
    if not complete and not without_plain:
        raise InputError(name, _("holds no record"))
    return MinedRecords(design.mined, complete, without_plain)


def packed(design: Design, group: NDArray[np.uint8], codes: Codes) -> Columns:
    for row, question in zip(codes, design.questions, strict=True):
        if question.stored_as_integers:
            # No integer says that a file withholds it; counted is neither.
            row[row == question.withheld] = question.not_asked
    return read(design, pack(design, group, codes))
