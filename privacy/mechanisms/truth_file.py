"""Disguises a file of true answers with exact coins, one respondent at a time."""

from collections.abc import Iterator
from typing import BinaryIO

from privacy.designs.design import Design
from privacy.designs.files import RecordRow, Sink, read_truth, write_records
from privacy.mechanisms.coins import RandomWords, draw_coins
from privacy.mechanisms.disguise import disguised_codes


def disguise_file(
    design: Design,
    truth: BinaryIO,
    name: str,
    records: Sink,
    words: RandomWords,
    group_column: str | None = None,
) -> None:
    """Write a record for every row of `truth`; a wrong row is a `Refusal`, after the records before it are written."""
    write_records(records, design, _disguised(design, truth, name, words, group_column))


def _disguised(
    design: Design, truth: BinaryIO, name: str, words: RandomWords, group_column: str | None
) -> Iterator[RecordRow]:
    for group, answers in read_truth(truth, name, design, group_column):
        yield RecordRow(group, tuple(disguised_codes(design, draw_coins(design, words), group, answers)))
