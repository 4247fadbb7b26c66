"""Record files for Stata 14 and later, with the words of questions and choices as labels.

An answer is the number that it is in an SPSS file. The three reasons for which a record holds none are the missing
values .a, .b and .c, with labels. A set of choices is a text, the cell of a CSV file. pyreadstat writes no notes into
these files, so a question that is longer than the label of a variable is whole in the codebook alone.
"""

from pathlib import Path
from typing import Any

import pyreadstat
from django.utils.translation import gettext as _

from intake.recordfiles.rows import UsedRows
from intake.recordfiles.spss_values import SpssValues, spss_values
from intake.recordfiles.streamed_frame import Cell, StreamedFrame, cut_to, groups, rows
from intake.recordfiles.variables import GROUP, STATA, names, question_words

MISSING = ("a", "b", "c")
"""Not asked, not applicable, withheld."""
VERSION = 14
LONGEST_LABEL = 80
"""Characters that Stata allows for the label of a variable and of the file; that of a value may have 32,000 bytes."""
CHARACTERS = "utf-32-le"
"""Has four bytes for each."""


def write(records: UsedRows, path: Path, language: str) -> None:
    """Write the file; of its records, only a block at a time lies in memory."""
    design = records.design
    values = dict(zip(names(design, STATA), spss_values(design), strict=True))
    numbers = {variable: spss for variable, spss in values.items() if not spss.texts}
    labels: dict[str, dict[Any, str]] = {GROUP: dict(enumerate(groups(design)))}
    for variable, spss in numbers.items():
        labels[variable] = spss.labels(language, MISSING)
    texts = [_("group"), *(question_words(question, language) for question in design.questions)]
    pyreadstat.write_dta(
        StreamedFrame(
            {GROUP: 0}
            | {variable: "x" * spss.width if spss.texts else None for variable, spss in values.items()},
            records.n,
            lambda: rows(records, [_cells(spss) for spss in values.values()]),
        ),
        path,
        file_label=_label(design.title.in_language(language)),
        column_labels=list(map(_label, texts)),
        version=VERSION,
        variable_value_labels=labels,
        missing_user_values={variable: list(MISSING) for variable in numbers},
    )


def _cells(spss: SpssValues) -> tuple[Cell, ...]:
    """By code."""
    return tuple(spss.texts or (*spss.numbers, *MISSING))


def _label(text: str) -> str:
    return cut_to(text, 4 * LONGEST_LABEL, CHARACTERS)
