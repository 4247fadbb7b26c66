"""Writes record files as Parquet, with the texts of questions and choices in the columns' metadata.

A question is a column of categories; for a scale they are ordered like its choices, followed by the categories for
answers that do not apply or are withheld, which have no rank. A number that is sent as a number (law `window`) is a
column of integers, null if the question does not apply: it is always asked and never withheld.
"""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyarrow import parquet

from intake.recordfiles.record_file_rows import PieceBuffer, UsedRows
from intake.recordfiles.spss_and_stata_variables import question_words
from privacy.designs import Question
from privacy.grammar.question_reading import RESERVED_NAME as GROUP_COLUMN
from privacy.records.record_file import NOT_APPLICABLE, WITHHELD, group_names
from surveys.kinds.record_file_columns import FileColumns
from surveys.kinds.registry import file_columns_by_question

CELLS = 10_000_000
"""Number of cells in a row group, which the writer holds in memory; smaller groups would make a longer
footer, also held in memory."""

MISSING = {"null": "not asked", NOT_APPLICABLE: "not applicable", WITHHELD: "withheld"}
MISSING_NUMBER = {"null": "not applicable"}


def write_parquet(records: UsedRows, language: str) -> Iterator[bytes]:
    """Yields the Parquet file in pieces.

    Texts are translated before the first piece: when the response is sent, the reader's language is no longer active.
    """
    columns = list(zip(records.design.questions, file_columns_by_question(records.design), strict=True))
    most = max((question.withheld for question, kind in columns if not kind.numbers(question)), default=1)
    index_type = np.min_scalar_type(-most)
    places = pa.from_numpy_dtype(index_type)
    fields = [pa.field(GROUP_COLUMN, pa.dictionary(places, pa.string()))]
    for question, kind in columns:
        is_scale = question.form == "scale"
        category = pa.dictionary(places, pa.string(), ordered=is_scale)
        cell_type = pa.int32() if kind.numbers(question) else category
        fields.append(pa.field(question.name, cell_type, metadata=_column_metadata(question, kind, language)))
    about = {"candor:fingerprint": records.design.fingerprint, "candor:missing": json.dumps(MISSING)}
    return _write_pieces(records, pa.schema(fields, metadata=about), index_type)


def _column_metadata(question: Question, kind: FileColumns, language: str) -> dict[str, str]:
    text = {"candor:text": question_words(question, language)}
    if kind.numbers(question):
        return text | {"candor:missing": json.dumps(MISSING_NUMBER)}
    labels = dict(zip(kind.names(question), kind.words(question, language), strict=True))
    return text | {"candor:labels": json.dumps(labels, ensure_ascii=False)}


def _write_pieces(records: UsedRows, schema: pa.Schema, index_type: np.dtype[Any]) -> Iterator[bytes]:
    groups = pa.array(group_names(records.design))
    columns = [
        (question, kind.numbers(question), pa.array([*question.code_names, NOT_APPLICABLE, WITHHELD]))
        for question, kind in zip(
            records.design.questions, file_columns_by_question(records.design), strict=True
        )
    ]
    pipe = PieceBuffer()
    with parquet.ParquetWriter(pipe, schema, write_statistics=False) as writer:
        for group, block in records.blocks(max(1, CELLS // len(schema))):
            arrays = [pa.DictionaryArray.from_arrays(group.astype(index_type), groups)]
            for (question, numbers, cells), row in zip(columns, block, strict=True):
                if numbers:
                    arrays.append(_integer_column(question, numbers, row.astype(np.int64)))
                else:
                    # Codes as places among the cells; *not asked*, which comes before the last two, is null.
                    codes = row.astype(index_type)
                    is_null = codes == question.not_asked
                    indices = pa.array(codes - (codes > question.not_asked), mask=is_null)
                    is_scale = question.form == "scale"
                    arrays.append(pa.DictionaryArray.from_arrays(indices, cells, ordered=is_scale))
            writer.write_batch(pa.record_batch(arrays, schema=schema))
            yield pipe.take()
    yield pipe.take()


def _integer_column(question: Question, numbers: range, codes: NDArray[np.int64]) -> pa.Array:
    hidden = codes == question.not_applicable
    values = numbers.start + numbers.step * np.where(hidden, 0, codes)
    return pa.array(values.astype(np.int32), mask=hidden)
