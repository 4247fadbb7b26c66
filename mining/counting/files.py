"""From a record file to columns, a few thousand rows at a time."""

from dataclasses import dataclass, field
from typing import BinaryIO

import numpy as np

from mining.counting.records import MinedRecords
from privacy.designs import Design
from privacy.kinds.codes import Codes
from privacy.records import OPEN, RecordRow, read_records
from privacy.records.columns import Columns, pack, read

ROWS = 1 << 13
"""Rows packed together: whole words of each column."""


@dataclass
class Packed:
    """Columns of the rows so far; the last rows wait until there are ROWS of them."""

    design: Design
    columns: list[Columns] = field(default_factory=list)
    waiting: list[RecordRow] = field(default_factory=list)

    def add(self, row: RecordRow) -> None:
        self.waiting.append(row)
        if len(self.waiting) == ROWS:
            self.finish()

    def finish(self) -> None:
        if self.waiting:
            group = np.array([row.group for row in self.waiting], np.uint8)
            codes: Codes = np.array([row.codes for row in self.waiting], np.uint16).T
            for place, question in enumerate(self.design.questions):
                if question.stored_as_integers:
                    # No integer says that a file withholds it; counted is neither.
                    codes[place, codes[place] == question.withheld] = question.not_asked
            self.columns.append(read(self.design, pack(self.design, group, codes)))
            self.waiting.clear()


def read_file(design: Design, file: BinaryIO, name: str) -> MinedRecords:
    """The records of a file; an error in it is a `Refusal` that names the line."""
    withheld = [place for place, of in enumerate(design.questions) if of.withheld_if_open]
    complete, without_plain = Packed(design), Packed(design)
    for row in read_records(file, name, design):
        # An open record withholds all that it may or none, so one answer tells.
        lacks = (
            row.group == OPEN
            and withheld
            and row.codes[withheld[0]] == design.questions[withheld[0]].withheld
        )
        (without_plain if lacks else complete).add(row)
    complete.finish()
    without_plain.finish()
    return MinedRecords(design.mined, complete.columns, without_plain.columns)
