"""Record files as CSV: the cells that `record_file` reads, with every cell quoted once and not per row."""

import csv
import io
from collections.abc import Iterator, Sequence

import numpy as np

from intake.recordfiles.rows import UsedRows
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
    """Returns the cell as the csv module writes it beside others; alone in a line, it would quote an empty cell."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([cell, ""])
    return line.getvalue().removesuffix(",")
