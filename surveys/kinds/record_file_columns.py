"""Describes, for each kind of questions, its columns in record files, in their codebook and in the analysis scripts."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from privacy.designs import Question
from privacy.grammar.json_node import parts_to_decimal
from privacy.kinds.crosswise.section import CrosswiseSection
from privacy.kinds.grouped.section import UnrelatedQuestionSection

Fact = str | Decimal | int | bool | tuple["Fact", ...]
"""A fact about a question for the analysis scripts: a text, a number, yes or no, or a tuple of facts."""


class MarkableCellText(str):
    """Text of a cell in a record file that must be marked where a spreadsheet would run it as a formula."""

    __slots__ = ()


def markable_cell_texts(names: Iterable[str]) -> tuple[MarkableCellText, ...]:
    return tuple(map(MarkableCellText, names))


def choice_labels(question: Question, language: str) -> list[str]:
    usual = {"yes": _("Yes"), "no": _("No")}
    return [
        choice.label.in_language_or_first(language) or usual.get(choice.name, choice.name)
        for choice in question.choices
    ]


def no_column_values(*_arguments: object) -> tuple[()]:
    """Returns an empty tuple: the default for columns that a kind does not have."""
    return ()


@dataclass(frozen=True, slots=True)
class FileColumns:
    """The contents of record files, codebook and analysis scripts about the questions of a section.

    `law` selects the codebook's text about the disguise, `listed` is the kind of question in the scripts. `has_keep`:
    the section has a keep probability. `names` are the values of a cell that the codebook lists; if `are_sets`, a cell
    joins several of them. `words` is the label of each value in a language, `noise` its probability among random
    answers, as text. `numbers` is the range of values of a question whose cells are numbers, by code. `script` returns
    the facts about a question for the scripts, empty if they estimate nothing for it.
    """

    law: str
    listed: str = ""
    is_number: bool = False
    has_keep: bool = False
    are_sets: bool = False
    names: Callable[[Any], Sequence[str]] = lambda question: question.code_names
    words: Callable[[Any, str], Sequence[str]] = choice_labels
    noise: Callable[[Any], Sequence[str]] = no_column_values
    numbers: Callable[[Any], range | None] = lambda _question: None
    unit: Callable[[Any, str], str] = lambda _question, _language: ""
    script: Callable[[Any, Any], Mapping[str, Fact]] = lambda _section, _question: {}


def choice_analysis_facts(
    names: Sequence[str], keep: Decimal, noise: Sequence[Decimal]
) -> Mapping[str, Fact]:
    """Returns the facts for analysis scripts about a question whose cells are its answers: the keep probability, and
    each answer's probability among random ones."""
    return {"cells": markable_cell_texts(names), "answers": tuple(names), "keep": keep, "noise": tuple(noise)}


def grouped_analysis_facts(
    section: UnrelatedQuestionSection | CrosswiseSection, question: Any
) -> Mapping[str, Fact]:
    noise = [Decimal(parts_to_decimal(part)) for part in question.parts]
    return choice_analysis_facts(question.code_names, Decimal(parts_to_decimal(section.keep_parts)), noise)


GROUPED_COLUMNS = FileColumns(
    "grouped",
    "choices",
    has_keep=True,
    noise=lambda question: list(map(parts_to_decimal, question.parts)),
    script=grouped_analysis_facts,
)
"""Columns of the kinds that send one choice of several, with keep probability and noise."""
