"""Record files as Parquet: every question a column of categories, with its words in the column's metadata."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from privacy.designs import Question
from privacy.designs.files import NOT_APPLICABLE, WITHHELD
from privacy.grammar.reading import RESERVED_NAME as GROUP_COLUMN
from surveys.recordfiles.as_csv import GROUPS
from surveys.recordfiles.labels import choice_words, question_words
from surveys.recordfiles.pipe import Pipe
from surveys.recordfiles.rows import SealedRecords

CELLS = 10_000_000
"""Cells of a row group, which the writer has in memory; smaller groups would make a longer footer, also in memory."""

MISSING = {"null": "not asked", NOT_APPLICABLE: "not applicable", WITHHELD: "withheld"}


def written(records: SealedRecords, language: str) -> Iterator[bytes]:
    """The words are looked up at once, in the reader's language: a response is sent when that is over."""
    questions = records.design.questions
    place = np.min_scalar_type(-max(question.withheld for question in questions))
    category = pa.dictionary(pa.from_numpy_dtype(place), pa.string())
    fields = [
        pa.field(question.name, category, metadata=_about(question, language)) for question in questions
    ]
    about = {"candor:fingerprint": records.design.fingerprint, "candor:missing": json.dumps(MISSING)}
    schema = pa.schema([pa.field(GROUP_COLUMN, category), *fields], metadata=about)
    return _pieces(records, schema, place)


def _pieces(records: SealedRecords, schema: pa.Schema, place: np.dtype[Any]) -> Iterator[bytes]:
    questions = records.design.questions
    groups, names = pa.array(GROUPS), [_names(question) for question in questions]
    pipe = Pipe()
    with parquet.ParquetWriter(pipe, schema, write_statistics=False) as writer:
        for group, codes in records.blocks(max(1, CELLS // len(schema))):
            arrays = [pa.DictionaryArray.from_arrays(group.astype(place), groups)]
            for question, row, cells in zip(questions, codes, names, strict=True):
                arrays.append(pa.DictionaryArray.from_arrays(_places(question, row.astype(place)), cells))
            writer.write_batch(pa.record_batch(arrays, schema=schema))
            yield pipe.taken()
    yield pipe.taken()


def _names(question: Question) -> pa.Array:
    return pa.array([*(choice.name for choice in question.choices), NOT_APPLICABLE, WITHHELD])


def _places(question: Question, codes: NDArray[np.signedinteger[Any]]) -> pa.Array:
    """Codes as places among the names; *not asked*, which comes before the last two, is null."""
    return pa.array(codes - (codes > question.not_asked), mask=codes == question.not_asked)


def _about(question: Question, language: str) -> dict[str, str]:
    labels = {choice.name: choice_words(choice, language) for choice in question.choices}
    return {
        "candor:text": question_words(question, language),
        "candor:labels": json.dumps(labels, ensure_ascii=False),
    }
