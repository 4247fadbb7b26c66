"""The codebook of a record file: what its cells say, how they were disguised, and how to undo that for shares."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.template.loader import render_to_string
from django.utils.safestring import mark_safe

from privacy.designs import Design, Question, SensitiveQuestion, UnrelatedQuestionSection
from privacy.designs.spreadsheet_cells import harmless
from privacy.kinds.grouped.form import decimal
from surveys.recordfiles import r_script
from surveys.recordfiles.labels import choice_words, question_words
from surveys.recordfiles.rows import SealedRecords, rules_tell
from surveys.recordfiles.variables import names


@dataclass(frozen=True, slots=True)
class ChoiceEntry:
    code: int
    name: str
    words: str
    noise: str


@dataclass(frozen=True, slots=True)
class QuestionEntry:
    """`variable` is what the SPSS file calls it; `rules` say when it is shown at all."""

    name: str
    variable: str
    words: str
    role: str
    rules: tuple[str, ...]
    choices: tuple[ChoiceEntry, ...]


@dataclass(frozen=True, slots=True)
class SectionEntry:
    """`keep` is empty for a plain section."""

    keep: str
    asked: int
    rotates: bool
    questions: tuple[QuestionEntry, ...]


def codebook(records: SealedRecords, file: str, title: str, language: str) -> str:
    """The codebook in Markdown, in the reader's language; the survey's own texts in `language`."""
    design = records.design
    script = r_script.code(design, file, title)
    context = {
        "title": _cell(title),
        "file": file,
        "kind": file.rpartition(".")[2],
        "design": design,
        "records": records,
        "language": language,
        "sections": list(_sections(design, language)),
        "rotates": any(section.rotates for section in design.sections),
        "guarded": any(harmless(name) != name for name in _names_of(design)),
        "rules_tell": rules_tell(design),
        "hides": any(question.show_if for question in design.questions),
        "sensitive": any(section.sensitive for section in design.sections),
        "script": mark_safe(script),  # noqa: S308 - the codebook is no HTML
    }
    return render_to_string("recordfiles/codebook.txt", context)


def _names_of(design: Design) -> Iterator[str]:
    for question in design.questions:
        yield question.name
        yield from (choice.name for choice in question.choices)


def _sections(design: Design, language: str) -> Iterator[SectionEntry]:
    variables = iter(names(design))
    for section in design.sections:
        questions = tuple(_question(question, next(variables), language) for question in section.questions)
        if isinstance(section, UnrelatedQuestionSection):
            yield SectionEntry(decimal(section.keep_parts), section.asked, section.rotates, questions)
        else:
            yield SectionEntry("", len(questions), False, questions)


def _question(question: Question, variable: str, language: str) -> QuestionEntry:
    noise = map(decimal, question.parts) if isinstance(question, SensitiveQuestion) else iter(())
    choices = tuple(
        ChoiceEntry(code, _cell(choice.name), _cell(choice_words(choice, language)), next(noise, ""))
        for code, choice in enumerate(question.choices)
    )
    rules = tuple(f"{_cell(rule.question)} = {_cell(' / '.join(rule.choices))}" for rule in question.show_if)
    words = _cell(question_words(question, language))
    return QuestionEntry(_cell(question.name), variable, words, getattr(question, "role", ""), rules, choices)


def _cell(text: str) -> str:
    """On one line, and without what would end a cell of a Markdown table."""
    return " ".join(text.split()).replace("\\", "\\\\").replace("|", "\\|").replace("`", "'")
