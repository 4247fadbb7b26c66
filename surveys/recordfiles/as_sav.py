"""Record files for SPSS, with the words of questions and choices as labels.

A choice is its code, from 0; the three reasons for which a record holds none are labelled missing values.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as narwhals
import numpy as np
import pyreadstat
from django.utils.translation import gettext as _
from narwhals import Implementation

from privacy.designs import Question
from surveys.recordfiles.labels import choice_words, question_words
from surveys.recordfiles.rows import SealedRecords
from surveys.recordfiles.variables import GROUP, names

NOT_ASKED, NOT_APPLICABLE, WITHHELD = -1, -2, -3
LONGEST_LABEL, LONGEST_VALUE = 255, 120
"""Bytes that SPSS allows for the label of a variable and of a value."""


def write(records: SealedRecords, path: Path, language: str) -> None:
    """Write the file; of its records, only a block at a time lies in memory."""
    questions = records.design.questions
    variables = names(records.design)
    labels: dict[str, dict[int | float, str]] = {GROUP: {0: _("open"), 1: _("disguised")}}
    for variable, question in zip(variables, questions, strict=True):
        labels[variable] = _value_labels(question, language)
    pyreadstat.write_sav(
        _Frame([GROUP, *variables], records.n, lambda: _rows(records)),
        path,
        file_label=_cut(records.design.title.in_language(language), 64),
        column_labels=[
            _("group"),
            *(_cut(question_words(question, language), LONGEST_LABEL) for question in questions),
        ],
        note=[f"Candor design {records.design.fingerprint}"],
        variable_value_labels=labels,
        missing_ranges={variable: [NOT_ASKED, NOT_APPLICABLE, WITHHELD] for variable in variables},
        variable_measure=dict.fromkeys([GROUP, *variables], "nominal"),
        variable_format=dict.fromkeys([GROUP, *variables], "F8.0"),
        row_compress=True,
    )


def _rows(records: SealedRecords) -> Iterator[list[int]]:
    """One list of numbers for each record: the group, then an answer or the reason for none."""
    choices = np.array([question.codes for question in records.design.questions], np.int32)[:, None]
    for group, codes in records.blocks():
        values = codes.astype(np.int32)
        # After the choices of a question come not asked, not applicable and withheld, in this order.
        values = np.where(values < choices, values, choices - values - 1)
        yield from np.vstack([group[None].astype(np.int32), values]).T.tolist()


def _value_labels(question: Question, language: str) -> dict[int | float, str]:
    words: dict[int | float, str] = {
        code: choice_words(choice, language) for code, choice in enumerate(question.choices)
    }
    missing = {NOT_ASKED: _("not asked"), NOT_APPLICABLE: _("does not apply"), WITHHELD: _("withheld")}
    return {code: _cut(label, LONGEST_VALUE) for code, label in (words | missing).items()}


def _cut(text: str, most: int) -> str:
    """So many bytes of a text, in whole characters and on one line."""
    return " ".join(text.split()).encode()[:most].decode(errors="ignore")


class _Frame:
    """Rows that are made while they are written.

    pyreadstat reads data frames of pandas and polars only, through narwhals; both would need every cell in
    memory at once. This is as much of a frame as it asks for, under the name of the second.
    """

    _implementation = Implementation.POLARS
    _version: Any = None

    def __init__(self, columns: Sequence[str], n: int, rows: Callable[[], Iterator[list[int]]]) -> None:
        self.columns, self._n, self._rows = list(columns), n, rows

    def __narwhals_dataframe__(self) -> "_Frame":
        return self

    def __native_namespace__(self) -> object:
        return narwhals

    def _with_version(self, version: object) -> "_Frame":
        self._version = version
        return self

    def __len__(self) -> int:
        return self._n

    def iter_columns(self) -> Iterator["_Column"]:
        return (_Column(name, self._version) for name in self.columns)

    def iter_rows(self, *, named: bool, buffer_size: int) -> Iterator[list[int]]:
        return self._rows()


class _Column:
    """What is asked of a column before its cells come: its name, and that its cells are whole numbers."""

    _implementation = Implementation.POLARS

    def __init__(self, name: str, version: object) -> None:
        self.name, self._version, self.dtype = name, version, narwhals.Int32()

    def __narwhals_series__(self) -> "_Column":
        return self

    def null_count(self) -> int:
        return 0
