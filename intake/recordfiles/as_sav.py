"""Record files for SPSS, with the words of questions and choices as labels.

A choice is its code, from 0, or its own number where all choices of the question are whole numbers; a number behind the
law `window` is itself. The three reasons for which a record holds none are labelled missing values below all of them.
A set of choices is a text, the cell of a CSV file.
"""

from collections.abc import Iterator
from pathlib import Path

import pyreadstat
from django.utils.translation import gettext as _

from intake.recordfiles.rows import UsedRows
from intake.recordfiles.spss_values import spss_values
from intake.recordfiles.streamed_frame import StreamedFrame, cut_to, groups, rows
from intake.recordfiles.variables import GROUP, names, question_words
from privacy.designs import Design

LONGEST_LABEL, LONGEST_VALUE, LONGEST_NOTE = 256, 120, 80
"""Bytes that SPSS allows for the label of a variable, of a value, and for a line of the notes."""


def write(records: UsedRows, path: Path, language: str) -> None:
    """Write the file; of its records, only a block at a time lies in memory."""
    questions = records.design.questions
    values = dict(zip(names(records.design), spss_values(records.design), strict=True))
    labels: dict[str, dict[int | float, str]] = {GROUP: dict(enumerate(groups(records.design)))}
    numbers = {variable: spss for variable, spss in values.items() if not spss.texts}
    for variable, spss in numbers.items():
        labels[variable] = {
            value: cut_to(label, LONGEST_VALUE)
            for value, label in spss.labels(language, spss.missing).items()
        }
    pyreadstat.write_sav(
        StreamedFrame(
            {GROUP: 0}
            | {variable: "x" * spss.width if spss.texts else 0 for variable, spss in values.items()},
            records.n,
            lambda: rows(records, [spss.texts or spss.values for spss in values.values()]),
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
