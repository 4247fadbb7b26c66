"""Record files for SPSS, with the words of questions and choices as labels.

A choice is its code, from 0, or its own number where all choices of the question are whole numbers; a number behind the
law `window` is itself. The three reasons for which a record holds none are labelled missing values below all of them.
A set of choices is a text, the cell of a CSV file.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as narwhals
import numpy as np
import pyreadstat
from django.utils.translation import gettext as _
from narwhals import Implementation

from intake.recordfiles.rows import UsedRows
from intake.recordfiles.spss_values import SpssValues, spss_values
from intake.recordfiles.variables import GROUP, names, question_words
from privacy.designs import Design

LONGEST_LABEL, LONGEST_VALUE, LONGEST_NOTE = 255, 120, 80
"""Bytes that SPSS allows for the label of a variable, of a value, and for a line of the notes."""
MORE = "…"


def write(records: UsedRows, path: Path, language: str) -> None:
    """Write the file; of its records, only a block at a time lies in memory."""
    questions = records.design.questions
    values = dict(zip(names(records.design), spss_values(records.design), strict=True))
    labels: dict[str, dict[int | float, str]] = {GROUP: dict(enumerate(_groups(records.design)))}
    numbers = {variable: spss for variable, spss in values.items() if not spss.texts}
    for variable, spss in numbers.items():
        labels[variable] = {
            value: cut_to(label, LONGEST_VALUE) for value, label in spss.labels(language).items()
        }
    pyreadstat.write_sav(
        _Frame(
            {GROUP: 0} | {variable: spss.width * bool(spss.texts) for variable, spss in values.items()},
            records.n,
            lambda: _rows(records, list(values.values())),
        ),
        path,
        file_label=cut_to(records.design.title.in_language(language), 64),
        column_labels=[
            _("group"),
            *(cut_to(question_words(question, language), LONGEST_LABEL) for question in questions),
        ],
        note=_notes(records.design, language),
        variable_value_labels=labels,
        missing_ranges={variable: list(spss.missing) for variable, spss in numbers.items()},
        variable_measure={GROUP: "nominal"} | {variable: spss.measure for variable, spss in values.items()},
        variable_format={GROUP: "F8.0"} | {variable: spss.format for variable, spss in values.items()},
        row_compress=True,
    )


def _groups(design: Design) -> tuple[str, str]:
    """The words of the groups, by group."""
    return (_("direct") if design.has_arms else _("open"), _("disguised"))


def _rows(records: UsedRows, values: Sequence[SpssValues]) -> Iterator[list[int | str]]:
    """One list for each record: the group, then an answer or the reason for none."""
    texts = [(index, spss.texts) for index, spss in enumerate(values) if spss.texts]
    by_code = [np.array(spss.values, np.int64) for spss in values]
    for group, codes in records.blocks():
        columns = [group.tolist(), *(table[row].tolist() for table, row in zip(by_code, codes, strict=True))]
        for index, cells_by_code in texts:
            columns[index + 1] = [cells_by_code[code] for code in codes[index].tolist()]
        yield from map(list, zip(*columns, strict=True))


def cut_to(text: str, most: int) -> str:
    """At most so many bytes of a text, in whole words where it has spaces, and on one line."""
    line = " ".join(text.split())
    if len(line.encode()) <= most:
        return line
    kept = line.encode()[: most - len(MORE.encode())].decode(errors="ignore")
    words, space, _rest = kept.rpartition(" ")
    ends_a_word = line[len(kept)] == " "
    return (kept if ends_a_word or not space else words).rstrip() + MORE


def _notes(design: Design, language: str) -> list[str]:
    """The fingerprint, and the whole words of each question whose label says less."""
    notes = [f"Candor design {design.fingerprint}"]
    for variable, question in zip(names(design), design.questions, strict=True):
        words = " ".join(question_words(question, language).split())
        if len(words.encode()) > LONGEST_LABEL:
            notes += _in_lines(f"{variable}: {words}")
    return notes


def _in_lines(text: str) -> Iterator[str]:
    line = ""
    for letter in text:
        if len((line + letter).encode()) > LONGEST_NOTE:
            space = line.rfind(" ") + 1
            at = space if 2 * space > len(line) else len(line)
            yield line[:at].rstrip()
            line = line[at:]
        line += letter
    yield line


class _Frame:
    """Rows that are made while they are written.

    pyreadstat reads data frames of pandas and polars only, through narwhals; both would need every cell in
    memory at once. This is as much of a frame as it asks for, under the name of the second.
    """

    _implementation = Implementation.POLARS
    _version: Any = None

    def __init__(
        self, widths: Mapping[str, int], n: int, rows: Callable[[], Iterator[list[int | str]]]
    ) -> None:
        """`widths`: of each column the bytes of its texts, 0 where it holds numbers."""
        self.columns, self._widths, self._n, self._rows = list(widths), widths, n, rows

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
        return (_Column(name, width, self._version) for name, width in self._widths.items())

    def iter_rows(self, *, named: bool, buffer_size: int) -> Iterator[list[int | str]]:
        return self._rows()


class _Column:
    """What is asked of a column before its cells come: its name, and that these are whole numbers, or texts no longer
    than the one that it gives.
    """

    _implementation = Implementation.POLARS

    def __init__(self, name: str, width: int, version: object) -> None:
        self.name, self._width, self._version = name, width, version
        self.dtype = narwhals.String() if width else narwhals.Int32()

    def __narwhals_series__(self) -> "_Column":
        return self

    def null_count(self) -> int:
        return 0

    def __iter__(self) -> Iterator[str]:
        yield "x" * self._width
