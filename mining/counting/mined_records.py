"""The records that a run mines, read from batches or files, and the choice of their counter."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, ClassVar

import numpy as np
from numpy.typing import NDArray

from mining.counting.answer_pattern_histogram import HistogramCounter, PatternHistogram, fits_in_histogram
from mining.counting.bitmap_counter import BitmapCounter
from mining.queries_and_counters import Counter, Counts, Queries, Query, as_queries
from privacy.designs import Design
from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.kinds.answer_code_array_type import Codes
from privacy.records.batch_bit_columns import (
    Columns,
    columns_from_bytes,
    order_open_records_first,
    pack_batch,
)
from privacy.records.binary_tables_to_csv import PARQUET
from privacy.records.record_file import open_as_plain_csv, open_table_file
from privacy.records.record_file_blocks import RecordBlock, read_record_blocks


@dataclass(frozen=True)
class SummedCounter:
    """Counter that adds up the counts of several counters, such as those of records with and without plain answers."""

    design: Design
    counters: Sequence[Counter]

    @property
    def n(self) -> tuple[int, int]:
        return sum(counter.n[0] for counter in self.counters), sum(counter.n[1] for counter in self.counters)

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        asked = as_queries(self.design, queries)
        counts = np.zeros((len(asked), 2), np.int64)
        for counter in self.counters:
            counts += counter.count(asked)
        return counts


@dataclass(frozen=True)
class MinedRecords:
    """The records of a file or of batches as packed columns, for the mined `design`.

    `without_plain`: the records come without plain answers and places, so those columns mean nothing.
    """

    design: Design
    complete: Sequence[Columns]
    without_plain: Sequence[Columns] = ()
    is_counted_only: ClassVar[bool] = False
    """Whether the columns cannot be read, and only counts be made of them."""

    @property
    def n(self) -> int:
        return sum(part.n for part in (*self.complete, *self.without_plain))

    def counter(self) -> Counter:
        """Returns a histogram or bitmap counter of these records."""
        if not self.without_plain:
            return make_counter(self.design, self.complete)
        without_plain = make_counter(self.design, self.without_plain, withheld=True)
        return SummedCounter(self.design, [make_counter(self.design, self.complete), without_plain])


def make_counter(
    design: Design,
    parts: Sequence[Columns],
    *,
    withheld: bool = False,
    all_drawn: bool = False,
) -> Counter:
    """Returns a histogram counter if a histogram of these records is small enough, else a bitmap counter.

    `design` is the mined one. `all_drawn`: the records hold true answers to all questions.
    """
    if fits_in_histogram(design, sum(part.n for part in parts), all_drawn=all_drawn):
        return HistogramCounter(PatternHistogram.count_records(design, parts), withheld)
    return BitmapCounter(design, parts, withheld, exact=all_drawn)


# --- files
# From a record file to columns, block by block.


PACKED = 1 << 16
"""Least number of records of a file that are packed together."""


def read_record_file(design: Design, path: Path) -> MinedRecords:
    """Reads the records of a CSV or Parquet file; raises `InputError` with the line of a fault.

    Reads block by block into columns of about one bit a choice and record.
    """
    if is_parquet(path):
        from privacy.records.record_parquet_blocks import read_parquet_blocks  # late for cost

        return _pack_blocks(design, read_parquet_blocks(path, design), str(path))
    with open_as_plain_csv(path) as file:
        return read_record_csv(design, file, str(path))


def is_parquet(path: Path) -> bool:
    with open_table_file(path) as file:
        return file.peek().startswith(PARQUET)


def read_record_csv(design: Design, file: BinaryIO, name: str) -> MinedRecords:
    """Reads the records of a CSV file that `open_as_plain_csv` opened; `name`: the file's name in error messages."""
    return _pack_blocks(design, read_record_blocks(file, name, design), name)


def _pack_blocks(design: Design, read: Iterable[RecordBlock], name: str) -> MinedRecords:
    complete, without_plain = list[Columns](), list[Columns]()
    for blocks in _group_blocks(read):
        group, codes, withheld = (np.concatenate(arrays, axis=-1) for arrays in zip(*blocks, strict=True))
        for parts, chosen in ((complete, ~withheld), (without_plain, withheld)):
            if chosen.any():
                parts.append(pack_columns(design, group, codes, np.flatnonzero(chosen)))
    if not complete and not without_plain:
        raise InputError(name, _("holds no record"))
    return MinedRecords(design.mined, complete, without_plain)


def _group_blocks(blocks: Iterable[RecordBlock]) -> Iterator[list[RecordBlock]]:
    """Yields blocks in groups of at least PACKED records, the last of which may have fewer."""
    waiting: list[RecordBlock] = []
    for block in blocks:
        waiting.append(block)
        if sum(len(each.group) for each in waiting) >= PACKED:
            yield waiting
            waiting = []
    if waiting:
        yield waiting


def pack_columns(
    design: Design, group: NDArray[np.uint8], codes: Codes, rows: NDArray[np.intp] | None = None
) -> Columns:
    """Packs records for counting, the open ones first; `rows`: the indices of these records, all if None."""
    order = order_open_records_first(group, np.arange(len(group)) if rows is None else rows)
    ordered = codes.take(order, axis=1)
    for row, question in zip(ordered, design.questions, strict=True):
        if question.stored_as_integers:
            # No integer says that a file withholds it; counted is neither.
            row[row == question.withheld] = question.not_asked
    return columns_from_bytes(design, pack_batch(design, group[order], ordered))
