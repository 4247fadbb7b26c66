"""Records as they stand in a file, and batches that hold known ones."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from intake.models import Batch
from intake.recordfiles import codebook as codebooks
from intake.recordfiles.record_file_rows import UsedRows
from privacy.designs import Design
from privacy.records import OPEN, RecordRow, batch_bit_columns
from surveys.models import Survey


def packed(design: Design, rows: Sequence[RecordRow]) -> bytes:
    group = np.array([row.group for row in rows], np.uint8)
    most = max(question.not_applicable for question in design.questions)
    codes = np.array([row.codes for row in rows], np.min_scalar_type(most)).T
    return batch_bit_columns.pack_batch(design, group, codes)


def records(design: Design, *parts: Sequence[RecordRow], seed: int = 1) -> UsedRows:
    """As `sealed` would read them from batches of these rows."""
    opened = tuple(batch_bit_columns.columns_from_bytes(design, packed(design, part)) for part in parts)
    order = np.random.default_rng(seed).permutation(sum(part.n for part in opened))
    return UsedRows(design, opened, order.astype(np.uint32))


def seal(survey: Survey, design: Design, *parts: Sequence[RecordRow]) -> None:
    """Batches of these rows, as a sealing leaves them."""
    for number, rows in enumerate(parts, 1):
        Batch.objects.create(
            survey=survey, first=number, last=number, n=len(rows), columns=packed(design, rows)
        )


def codebook(records: UsedRows, file: str, title: str, language: str) -> str:
    return codebooks.codebook_markdown(records.design, file, title, language, records)


def cells_of(table: Any, column: str) -> list[str]:
    """A column of a Parquet file as the cells of a CSV file, by what its own metadata say of null."""
    signs = {"not applicable": "-", "not asked": ""}
    about = table.schema.field(column).metadata or {}
    missing = about.get(b"candor:missing", table.schema.metadata[b"candor:missing"])
    null = signs[json.loads(missing)["null"]]
    return [null if cell is None else str(cell) for cell in table[column].to_pylist()]


def told(design: Design, rows: Sequence[RecordRow]) -> Iterator[RecordRow]:
    """What a file that leaves the product tells of these rows: no plain answer and no place of an open record."""
    plain = [question.withheld_if_open for question in design.questions]
    for group, codes in rows:
        hidden = [
            question.withheld if group == OPEN and is_plain else code
            for question, code, is_plain in zip(design.questions, codes, plain, strict=True)
        ]
        yield RecordRow(group, tuple(hidden))
