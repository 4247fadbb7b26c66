"""Writes record files for SPSS, and for Stata 14 and later, with the texts of questions and choices as
labels.

A choice is stored as its code, from 0, or as its own number if all choices of the question are whole numbers;
a number with the law `window` is stored itself. The three reasons for a missing answer are labelled missing
values: in SPSS below all others, in Stata .a, .b and .c. A set of choices is stored as text, as in a CSV
file. pyreadstat writes no notes into files of Stata, so there only the codebook has the full text of a
question that is longer than a variable's label.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import narwhals.stable.v2 as narwhals
import pyreadstat
from django.utils.translation import gettext as _
from narwhals import Implementation

from intake.recordfiles.record_file_rows import UsedRows
from intake.recordfiles.spss_and_stata_variables import (
    GROUP,
    STATA,
    question_words,
    spss_values,
    variable_names,
)
from privacy.designs import Design

Cell = int | str
LONGEST_LABEL, LONGEST_VALUE, LONGEST_NOTE = 256, 120, 80
"""Largest sizes in bytes that SPSS allows for the label of a variable, the label of a value, and a line of
the notes."""
STATA_MISSING = ("a", "b", "c")
"""Stata's missing values for the reasons not asked, not applicable, withheld."""
STATA_VERSION = 14
STATA_LABEL = 80
"""Largest number of characters that Stata allows for the label of a variable and of the file; the label of a
value may have 32,000 bytes."""
CHARACTERS = "utf-32-le"
"""Encoding with four bytes for each character, to count characters as bytes."""
MORE = "…"


def write_sav(records: UsedRows, path: Path, language: str) -> None:
    """Writes an SPSS file, with only one block of records in memory at a time."""
    design = records.design
    values = dict(zip(variable_names(design), spss_values(design), strict=True))
    numbers = {variable: spss for variable, spss in values.items() if not spss.texts}
    labels: dict[str, dict[Any, str]] = {GROUP: group_labels(design)}
    for variable, spss in numbers.items():
        named = spss.labels(language, spss.missing)
        labels[variable] = {value: cut_text(label, LONGEST_VALUE) for value, label in named.items()}
    texts = [question_words(question, language) for question in design.questions]
    notes = [f"Candor design {design.fingerprint}"]
    for variable, text in zip(values, texts, strict=True):
        words = " ".join(text.split())
        if len(words.encode()) > LONGEST_LABEL:
            notes += _split_note_lines(f"{variable}: {words}")
    pyreadstat.write_sav(
        StreamedFrame(
            {GROUP: 0}
            | {variable: "x" * spss.width if spss.texts else 0 for variable, spss in values.items()},
            records,
            [spss.texts or spss.values for spss in values.values()],
        ),
        path,
        file_label=cut_text(design.title.in_language_or_first(language), 64),
        column_labels=[_("group"), *(cut_text(text, LONGEST_LABEL) for text in texts)],
        note=notes,
        variable_value_labels=labels,
        missing_ranges={variable: list(spss.missing) for variable, spss in numbers.items()},
        variable_measure={GROUP: "nominal"} | {variable: spss.measure for variable, spss in values.items()},
        variable_format={GROUP: "F8.0"} | {variable: spss.format for variable, spss in values.items()},
        row_compress=True,
    )


def write_dta(records: UsedRows, path: Path, language: str) -> None:
    """Writes a Stata file, with only one block of records in memory at a time."""
    design = records.design
    values = dict(zip(variable_names(design, STATA), spss_values(design), strict=True))
    numbers = {variable: spss for variable, spss in values.items() if not spss.texts}
    labels: dict[str, dict[Any, str]] = {GROUP: group_labels(design)}
    for variable, spss in numbers.items():
        labels[variable] = spss.labels(language, STATA_MISSING)
    texts = [_("group"), *(question_words(question, language) for question in design.questions)]
    pyreadstat.write_dta(
        StreamedFrame(
            {GROUP: 0}
            | {variable: "x" * spss.width if spss.texts else None for variable, spss in values.items()},
            records,
            [spss.texts or (*spss.numbers, *STATA_MISSING) for spss in values.values()],
        ),
        path,
        file_label=_stata_label(design.title.in_language_or_first(language)),
        column_labels=list(map(_stata_label, texts)),
        version=STATA_VERSION,
        variable_value_labels=labels,
        missing_user_values={variable: list(STATA_MISSING) for variable in numbers},
    )


def group_labels(design: Design) -> dict[Any, str]:
    """Returns the label of each group by its code: 0 open (or asked directly), 1 disguised."""
    return {0: _("direct") if design.has_arms else _("open"), 1: _("disguised")}


def _stata_label(text: str) -> str:
    return cut_text(text, 4 * STATA_LABEL, CHARACTERS)


def cut_text(text: str, most: int, encoding: str = "utf-8") -> str:
    """Cuts a text to `most` bytes in this encoding and one line, between words if it has spaces."""
    line = " ".join(text.split())
    if len(line.encode(encoding)) <= most:
        return line
    kept = line.encode(encoding)[: most - len(MORE.encode(encoding))].decode(encoding, errors="ignore")
    words, space, _rest = kept.rpartition(" ")
    ends_a_word = line[len(kept)] == " "
    return (kept if ends_a_word or not space else words).rstrip() + MORE


def _split_note_lines(text: str) -> Iterator[str]:
    """Yields the lines of a note in SPSS, cut between words if that leaves at least half a line."""
    line = ""
    for letter in text:
        if len((line + letter).encode()) > LONGEST_NOTE:
            space = line.rfind(" ") + 1
            at = space if 2 * space > len(line) else len(line)
            yield line[:at].rstrip()
            line = line[at:]
        line += letter
    yield line


class StreamedFrame:
    """Imitates a data frame that produces its rows while pyreadstat writes them.

    pyreadstat reads frames of pandas and polars only, through narwhals; both would hold every cell in memory
    at once. This class has only what pyreadstat asks for, and calls itself polars.
    """

    _implementation = Implementation.POLARS
    _version: Any = None

    def __init__(
        self, samples: Mapping[str, Cell | None], records: UsedRows, cells: Sequence[Sequence[Cell]]
    ) -> None:
        """Makes a frame.

        `samples`: for each column its longest text, or 0 for numbers, or None for numbers mixed with Stata's
        missing values. `cells`: the cells of each question by code.
        """
        self.columns, self._samples, self._records, self._cells = list(samples), samples, records, cells

    def __narwhals_dataframe__(self) -> "StreamedFrame":
        return self

    def __native_namespace__(self) -> object:
        return narwhals

    def _with_version(self, version: object) -> "StreamedFrame":
        """Stores the version of narwhals that its columns report; returns the frame itself."""
        self._version = version
        return self

    def __len__(self) -> int:
        return self._records.n

    def iter_columns(self) -> Iterator["StreamedColumn"]:
        return (StreamedColumn(name, sample, self._version) for name, sample in self._samples.items())

    def iter_rows(self, *, named: bool, buffer_size: int) -> Iterator[list[Cell]]:
        """Yields each record as a list: the cell of its group, then for each question the cell of its code."""
        for group, codes in self._records.blocks():
            columns = [
                group.tolist(),
                *(
                    [by_code[code] for code in row.tolist()]
                    for by_code, row in zip(self._cells, codes, strict=True)
                ),
            ]
            yield from map(list, zip(*columns, strict=True))


class StreamedColumn:
    """Describes a column of `StreamedFrame` before its rows are written: name, type, and its longest cell."""

    _implementation = Implementation.POLARS

    def __init__(self, name: str, sample: Cell | None, version: object) -> None:
        self.name, self._sample, self._version = name, sample, version
        is_text = isinstance(sample, str)
        self.dtype = (
            narwhals.String() if is_text else narwhals.Object() if sample is None else narwhals.Int32()
        )

    def __narwhals_series__(self) -> "StreamedColumn":
        return self

    def null_count(self) -> int:
        return 0

    def __iter__(self) -> Iterator[Cell]:
        yield 0 if self._sample is None else self._sample
