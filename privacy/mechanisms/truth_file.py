"""Disguises a file of true answers with exact coins, one respondent at a time."""

from collections.abc import Iterator
from typing import BinaryIO

from privacy.designs.design import Design
from privacy.grammar.input_error import InputError, marked as _, quoted
from privacy.mechanisms.coins import RandomWords
from privacy.mechanisms.simulated import simulated_codes
from privacy.records.record_file import RecordRow, Sink, read_truth, write_records


def disguise_file(
    design: Design,
    truth: BinaryIO,
    name: str,
    records: Sink,
    words: RandomWords,
    group_column: str | None = None,
) -> None:
    """Write a record for every row of `truth`; a wrong row is an `InputError`, after the records before it are written.

    In a design with arms the coins draw the group, whatever group the rows have.
    """
    write_records(records, design, _disguised(design, truth, name, words, group_column))


def _disguised(
    design: Design, truth: BinaryIO, name: str, words: RandomWords, group_column: str | None
) -> Iterator[RecordRow]:
    if design.has_arms and group_column:
        raise InputError(
            quoted(group_column), _("the random draws of this design choose the group: name no column for it")
        )
    for group, answers in read_truth(truth, name, design, group_column):
        sent, codes = simulated_codes(design, group, answers, words)
        yield RecordRow(sent, tuple(codes))
