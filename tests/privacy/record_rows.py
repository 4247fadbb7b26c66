"""A record file row by row."""

from collections.abc import Iterator
from typing import BinaryIO

from privacy.designs import Design
from privacy.records import RecordRow
from privacy.records.record_blocks import read_blocks


def read_records(file: BinaryIO, name: str, design: Design) -> Iterator[RecordRow]:
    for block in read_blocks(file, name, design):
        for group, codes in zip(block.group.tolist(), block.codes.T.tolist(), strict=True):
            yield RecordRow(group, tuple(codes))
