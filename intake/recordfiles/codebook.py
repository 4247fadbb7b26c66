"""The codebook of a record file: what its cells say, how they were disguised, and how to undo that for shares."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest

from django.template.loader import render_to_string

from intake.recordfiles.rows import UsedRows, rules_tell
from intake.recordfiles.spss_values import SpssValues, spss_values
from intake.recordfiles.variables import SPSS, STATA, VariableNames, names, question_label, question_words
from privacy.designs import Design, Question, Section
from privacy.designs.labels import numbered
from privacy.designs.spreadsheet_cells import harmless
from privacy.grammar.node import decimal
from surveys.kinds.file_columns import Fact, FileColumns
from surveys.kinds.registry import kind_of


@dataclass(frozen=True, slots=True)
class ChoiceEntry:
    """`code` is its value in a file of SPSS or Stata."""

    code: int
    name: str
    words: str
    noise: str


@dataclass(frozen=True, slots=True)
class QuestionEntry:
    """`variable` is what a file of SPSS or Stata calls it; `rules` say when it is shown at all."""

    name: str
    variable: str
    label: str
    words: str
    role: str
    rules: tuple[str, ...]
    choices: tuple[ChoiceEntry, ...]


@dataclass(frozen=True, slots=True)
class RegionEntry:
    name: str
    cells: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SectionEntry:
    """`unit` and `missing` are those of a number; `missing` is the value of *does not apply* in an SPSS file."""

    number: int
    form: Section
    law: str
    keep: str
    questions: tuple[QuestionEntry, ...]
    unit: str
    missing: int
    facts: Mapping[str, Fact]
    is_number: bool

    @property
    def regions(self) -> list[RegionEntry]:
        """Those of a place."""
        question = self.form.questions[0]
        names = [_cell(name) for name in question.code_names]
        regions = getattr(question, "regions", ())
        return [
            RegionEntry(_cell(region.name), tuple(names[cell] for cell in region.cells)) for region in regions
        ]

    @property
    def limits(self) -> str:
        """Those of a number by classes."""
        return ", ".join(map(str, getattr(self.form.questions[0], "limits", ())))


def codebook(records: UsedRows, file: str, title: str, language: str) -> str:
    return codebook_of(records.design, file, title, language, records)


def codebook_of(design: Design, file: str, title: str, language: str, records: UsedRows | None) -> str:
    """In Markdown, in the reader's language; the survey's own texts in `language`."""
    kind = file.rpartition(".")[2]
    sections = list(_sections(design, language, STATA if kind == "dta" else SPSS))
    context = {
        "title": _cell(title),
        "file": file,
        "kind": kind,
        "is_labelled": kind in ("sav", "dta"),
        "design": design,
        "records": records,
        "language": language,
        "sections": sections,
        "laws": {entry.law for entry in sections},
        "rotates": any(section.rotates for section in design.sections),
        "guarded": any(harmless(name) != name for name in _names_of(design)),
        "rules_tell": rules_tell(design),
        "hides": any(question.show_if for question in design.questions),
        "sensitive": any(section.sensitive for section in design.sections),
    }
    return render_to_string("intake/recordfiles/codebook.txt", context)


def _names_of(design: Design) -> Iterator[str]:
    for question in design.questions:
        yield question.name
        yield from (choice.name for choice in question.choices)


def _sections(design: Design, language: str, rules: VariableNames) -> Iterator[SectionEntry]:
    variables = zip(names(design, rules), spss_values(design), strict=True)
    for number, section in numbered(design.sections):
        columns = kind_of(section).file_columns(section)
        keep = decimal(section.mined.keep_parts) if columns.has_keep else ""
        listed = list(zip(section.questions, variables, strict=False))
        first, (_variable, values) = listed[0]
        yield SectionEntry(
            number,
            section,
            columns.law,
            keep,
            tuple(
                _question(question, columns, variable, spss, language)
                for question, (variable, spss) in listed
            ),
            _cell(columns.unit(first, language)),
            values.missing[1],
            columns.script(section, first),
            columns.is_number,
        )


def _question(
    question: Question, columns: FileColumns, variable: str, spss: SpssValues, language: str
) -> QuestionEntry:
    names = () if columns.numbers(question) else columns.names(question)
    choices = tuple(
        ChoiceEntry(spss.numbers[code], _cell(name), _cell(words), noise)
        for code, (name, words, noise) in enumerate(
            zip_longest(names, columns.words(question, language), columns.noise(question), fillvalue="")
        )
    )
    rules = tuple(f"{_cell(rule.question)} = {_cell(' / '.join(rule.choices))}" for rule in question.show_if)
    label, words = (_cell(said(question, language)) for said in (question_label, question_words))
    return QuestionEntry(
        _cell(question.name), variable, label, words, getattr(question, "role", ""), rules, choices
    )


def _cell(text: str) -> str:
    """On one line, and without what would end a cell of a Markdown table."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("`", "'")
