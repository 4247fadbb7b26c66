"""Writes record files as CSV from the cells of `record_file`; every possible cell is quoted once, and not for
each row."""

import io
from collections.abc import Iterator, Sequence

import numpy as np

from intake.recordfiles.record_file_rows import UsedRows
from privacy.records.csv_writer import csv_writer
from privacy.records.record_file import code_cells, group_names, record_header


def write_csv(records: UsedRows) -> Iterator[bytes]:
    yield f"{','.join(map(_quote_cell, record_header(records.design)))}\n".encode()
    cells = [_quote_cells(code_cells(question)) for question in records.design.questions]
    groups = _quote_cells(group_names(records.design))
    for group, codes in records.blocks():
        columns = [groups[group], *(by_code[row] for by_code, row in zip(cells, codes, strict=True))]
        lines = map(",".join, zip(*(column.tolist() for column in columns), strict=True))
        yield ("\n".join(lines) + "\n").encode()


def _quote_cells(cells: Sequence[str]) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    return np.array([_quote_cell(cell) for cell in cells], np.object_)


def _quote_cell(cell: str) -> str:
    """Returns the cell quoted as the csv module quotes it within a row; alone in a row, an empty cell would
    be quoted."""
    line = io.StringIO()
    csv_writer(line).writerow([cell, ""])
    return line.getvalue().removesuffix(",\n")
