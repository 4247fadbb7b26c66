"""Writes the codebook of a record file: the meaning of its cells, how they were disguised, and how to
estimate the true shares."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from django.template.loader import render_to_string

from intake.recordfiles.record_file_rows import UsedRows, has_rules_that_reveal_plain
from intake.recordfiles.spss_and_stata_variables import (
    SPSS,
    STATA,
    SpssValues,
    question_label,
    question_words,
    spss_values,
    variable_names,
)
from privacy.designs import Design, Question, Section
from privacy.designs.formula_escape import escape_formula
from privacy.designs.labels import number_sections
from privacy.grammar.json_node import parts_to_decimal
from surveys.kinds.record_file_columns import FileColumns
from surveys.kinds.registry import get_kind


def codebook_markdown(design: Design, file: str, title: str, language: str, records: UsedRows | None) -> str:
    """Returns the codebook in Markdown, in the reader's language, with the survey's texts in `language`."""
    kind = file.rpartition(".")[2]
    variables = list(
        zip(variable_names(design, STATA if kind == "dta" else SPSS), spss_values(design), strict=True)
    )
    sections, first = [], 0
    for number, section in number_sections(design.sections):
        stop = first + len(section.questions)
        sections.append(SectionEntry(number, section, variables[first:stop], language))
        first = stop
    written_names = [
        name for question in design.questions for name in (question.name, *(c.name for c in question.choices))
    ]
    context = {
        "title": _escape_cell(title),
        "file": file,
        "kind": kind,
        "is_labelled": kind in ("sav", "dta"),
        "design": design,
        "records": records,
        "language": language,
        "sections": sections,
        "laws": {entry.law for entry in sections},
        "rotates": any(section.rotates for section in design.sections),
        "guarded": any(escape_formula(name) != name for name in written_names),
        "rules_tell": has_rules_that_reveal_plain(design),
        "hides": any(question.show_if for question in design.questions),
        "sensitive": any(section.sensitive for section in design.sections),
    }
    return render_to_string("intake/recordfiles/codebook.txt", context)


class ChoiceEntry(NamedTuple):
    """A choice in the codebook; `code` is its value in an SPSS or Stata file."""

    code: int
    name: str
    words: str
    noise: str


class QuestionEntry:
    """A question in the codebook.

    `variable`: its name in an SPSS or Stata file; `rules`: the conditions under which it is shown.
    """

    def __init__(
        self, question: Question, columns: FileColumns, variable: str, values: SpssValues, language: str
    ) -> None:
        self.name, self.variable, self.role = (
            _escape_cell(question.name),
            variable,
            getattr(question, "role", ""),
        )
        self.label = _escape_cell(question_label(question, language))
        self.words = _escape_cell(question_words(question, language))
        self.rules = [
            f"{_escape_cell(rule.question)} = {_escape_cell(' / '.join(rule.choices))}"
            for rule in question.show_if
        ]
        listed = () if columns.numbers(question) else columns.names(question)
        words, noise = columns.words(question, language), columns.noise(question)
        self.choices = [
            ChoiceEntry(values.numbers[code], _escape_cell(name), _escape_cell(text), chance)
            for code, (name, text, chance) in enumerate(zip_longest(listed, words, noise, fillvalue=""))
        ]


class RegionEntry(NamedTuple):
    name: str
    cells: list[str]


class SectionEntry:
    """A section in the codebook.

    `unit` and `missing`: for a number, its unit and the value of *does not apply* in an SPSS file. `regions`:
    the regions of a place question; `limits`: the class limits of a number sent by classes.
    """

    def __init__(
        self, number: int, section: Section, variables: Sequence[tuple[str, SpssValues]], language: str
    ) -> None:
        columns, first = get_kind(section).file_columns(section), section.questions[0]
        self.number, self.form, self.law, self.is_number = number, section, columns.law, columns.is_number
        self.keep = parts_to_decimal(section.mined_law.keep_parts) if columns.has_keep else ""
        self.questions = [
            QuestionEntry(question, columns, variable, values, language)
            for question, (variable, values) in zip(section.questions, variables, strict=True)
        ]
        self.unit, self.missing = _escape_cell(columns.unit(first, language)), variables[0][1].missing[1]
        self.facts = columns.script(section, first)
        self.limits = ", ".join(map(str, getattr(first, "limits", ())))
        cells = [_escape_cell(name) for name in first.code_names] if hasattr(first, "regions") else []
        self.regions = [
            RegionEntry(_escape_cell(region.name), [cells[cell] for cell in region.cells])
            for region in getattr(first, "regions", ())
        ]


def _escape_cell(text: str) -> str:
    """Returns the text on one line, with the characters escaped that would end a cell of a Markdown table."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("`", "'")
