"""The lowest and highest numbers of an imported question, as the person who reads the import through says them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import count
from typing import NamedTuple

from django import forms
from django.core.exceptions import ValidationError

from importing.import_result import ReadLine
from privacy.grammar.number_range import FURTHEST
from surveys.kinds.number.draft import ClassesDraftQuestion, is_number_section
from surveys.kinds.number.proposals import proposed_limits_or_none, replan_cuts_and_keep
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.number_bands import asked_as_number, proposed_limits, takes_number
from surveys.questionnaire.questionnaire import Questionnaire

END = forms.IntegerField(min_value=-FURTHEST, max_value=FURTHEST)


Endless = Mapping[str, Sequence[int | None]]
"""By name the lowest and the highest of the numbers of which the file lacks one."""


class AskedEnds(NamedTuple):
    """The number counts those that are asked; `name` is the question's. None: the file does not say it."""

    number: int
    name: str
    low: int | None
    high: int | None


def endless_of(lines: Iterable[ReadLine]) -> Endless:
    return {line.questions[0]: line.asks for line in lines if line.asks}


def asked_limits(draft: Questionnaire, endless: Endless) -> Iterator[AskedEnds]:
    """Of the numbers whose limits are only proposed: these follow the ends."""
    numbers = count()
    for question in draft.all_questions:
        if question.name in endless:
            yield AskedEnds(next(numbers), question.name, *endless[question.name])
        elif isinstance(question, ClassesDraftQuestion):
            if question.limits == proposed_limits_or_none(question):
                yield AskedEnds(next(numbers), question.name, question.low, question.high)
        elif takes_number(question) and question.number.limits == proposed_limits(question.number.range):
            yield AskedEnds(next(numbers), question.name, question.number.low, question.number.high)


class DraftWithEnds(NamedTuple):
    """`refused` are the names of the numbers that have those of the file still, `left` of those without any."""

    draft: Questionnaire
    refused: list[str]
    left: list[str]


def with_ends(draft: Questionnaire, endless: Endless, sent: Mapping[str, str]) -> DraftWithEnds:
    """The draft with the ends that were sent; numbers that have none then are left out."""
    sections = list(draft.sections)
    refused, left = list[str](), list[str]()
    for number, name, low, high in asked_limits(draft, endless):
        [index] = (at for at, section in enumerate(sections) if name in _names(section))
        section = sections[index]
        try:
            ends = [
                END.clean(sent.get(f"{end}-{number}", was)) for end, was in (("low", low), ("high", high))
            ]
            if name in endless or ends != [low, high]:
                sections[index] = _moved(section, name, ends, draft.languages)
        except (ValidationError, ValueError):
            (left if name in endless else refused).append(name)
            if name in endless:
                others = tuple(question for question in section.questions if question.name != name)
                sections[index] = replace(section, questions=others)
    pairs = zip(sections, draft.sections, strict=True)
    kept = (after for after, before in pairs if after.questions or not before.questions)
    return DraftWithEnds(replace(draft, sections=tuple(kept)), refused, left)


def _names(section: DraftSection) -> list[str]:
    return [question.name for question in section.questions]


def _moved(section: DraftSection, name: str, ends: Sequence[int], languages: Sequence[str]) -> DraftSection:
    """Returns the section with these ends of one of its numbers; `ValueError` where they do not fit."""
    low, high = ends
    if is_number_section(section):
        assert section.classes_question
        question = replace(section.classes_question, low=low, high=high)
        limits = proposed_limits_or_none(question)
        if not limits or limits[0] <= low:
            raise ValueError(limits)
        return replan_cuts_and_keep(section, replace(question, limits=limits))
    [asked] = (question for question in section.questions if question.name == name)
    assert takes_number(asked)
    bands = replace(asked.number, low=low, high=high)
    number = asked_as_number(asked, replace(bands, limits=proposed_limits(bands.range)), languages)
    questions = (number if question.name == name else question for question in section.questions)
    return replace(section, questions=tuple(questions))
