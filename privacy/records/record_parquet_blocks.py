"""Reads records of a Parquet file in blocks of rows, of the columns of a design alone, row group by row group.

A column is decoded by its distinct values, so that each text is looked up once a block.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy.designs.design import Design
from privacy.grammar.input_error import InputError, mark_for_translation as _, name_extra_of_missing_package
from privacy.grammar.question_reading import RESERVED_NAME as GROUP_COLUMN
from privacy.records.record_file import NOT_ASKED, find_columns
from privacy.records.record_file_blocks import (
    RecordBlock,
    block_if_possible,
    cell_codes,
    read_rows,
)

ROWS = 1 << 16
"""Of a block."""
UNKNOWN = np.iinfo(np.uint16).max
Column = tuple[list[str], NDArray[np.intp]]
"""The distinct cells of a column as texts, and for each row the index of its cell."""


def read_parquet_blocks(path: Path, design: Design) -> Iterator[RecordBlock]:
    """Yields the rows of a Parquet file in blocks; refuses a row that is no possible record of this design.

    Other columns are not read.
    """
    with name_extra_of_missing_package():
        from pyarrow import lib, parquet, set_memory_pool, system_memory_pool  # late for cost

    wanted = [GROUP_COLUMN, *(question.name for question in design.questions)]
    codes_by_cell, row = cell_codes(design), 0
    set_memory_pool(system_memory_pool())  # others keep what is read no more
    try:
        names = parquet.read_schema(path).names
        find_columns([name for name in names if name in wanted], wanted, str(path))
        source = parquet.ParquetFile(path, read_dictionary=wanted, pre_buffer=False)
        for batch in source.iter_batches(ROWS, columns=wanted, use_threads=False):
            columns = [_distinct_texts(batch.column(name)) for name in wanted]
            yield _read_block(design, columns, codes_by_cell, path, row)
            row += batch.num_rows
    except (lib.ArrowException, OSError) as error:
        raise InputError(str(path), _("cannot be read (%(what)s)"), what=error) from None


def _distinct_texts(column: Any) -> Column:
    coded = column if hasattr(column, "indices") else column.dictionary_encode()
    texts = [_as_text(value) for value in coded.dictionary.to_pylist()]
    indexes = coded.indices
    if indexes.null_count:
        indexes = indexes.cast("int64").fill_null(len(texts))
    return [*texts, NOT_ASKED], np.from_dlpack(indexes).astype(
        np.intp, copy=False
    )  # `to_numpy` would load pandas


def _as_text(value: object) -> str:
    """Returns a cell as a file of text has it; numbers with missing ones are floats in many tools."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _read_block(
    design: Design,
    columns: list[Column],
    codes_by_cell: list[Mapping[str, int]],
    path: Path,
    begun: int,
) -> RecordBlock:
    codes = np.empty((len(columns), len(columns[0][1])), np.uint16)
    for row, code_of, (texts, indexes) in zip(codes, codes_by_cell, columns, strict=True):
        np.take(np.array([code_of.get(text, UNKNOWN) for text in texts], np.uint16), indexes, out=row)
    if codes.max(initial=0) < UNKNOWN and (block := block_if_possible(design, codes[0], codes[1:])):
        return block
    # There may be another way to write a name, and a refusal names its row, counted from 1.
    cells = zip(*([texts[at] for at in indexes] for texts, indexes in columns), strict=True)
    rows = [(f"{path}:{begun + number}", [*of_row]) for number, of_row in enumerate(cells, 1)]
    return read_rows(design, rows, range(len(columns)), codes_by_cell)
