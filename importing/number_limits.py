"""The lowest and highest numbers of an imported question, as the person who reads the import through says them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from django import forms
from django.core.exceptions import ValidationError

from importing.read_through import ReadLine
from privacy.grammar.number_range import FURTHEST
from surveys.kinds.number.draft import is_number_section
from surveys.kinds.number.proposals import proposed_limits_or_none, replan_cuts_and_keep
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.questionnaire import Questionnaire

END = forms.IntegerField(min_value=-FURTHEST, max_value=FURTHEST)


Endless = Mapping[str, Sequence[int | None]]
"""By name the lowest and the highest of the numbers of which the file lacks one."""


class AskedEnds(NamedTuple):
    """`section` is its index. None: the file does not say it."""

    section: int
    name: str
    low: int | None
    high: int | None


def endless_of(lines: Iterable[ReadLine]) -> Endless:
    return {line.questions[0]: line.asks for line in lines if line.asks}


def asked_limits(draft: Questionnaire, endless: Endless) -> Iterator[AskedEnds]:
    """Of the numbers whose limits are only proposed: these follow the ends."""
    for index, section in enumerate(draft.sections):
        question = section.classes_question if is_number_section(section) else None
        if question is None:
            continue
        if question.name in endless:
            yield AskedEnds(index, question.name, *endless[question.name])
        elif question.limits == proposed_limits_or_none(question):
            yield AskedEnds(index, question.name, question.low, question.high)


class DraftWithEnds(NamedTuple):
    """`refused` are the names of the numbers that have those of the file still, `left` of those without any."""

    draft: Questionnaire
    refused: list[str]
    left: list[str]


def with_ends(draft: Questionnaire, endless: Endless, sent: Mapping[str, str]) -> DraftWithEnds:
    """The draft with the ends that were sent; numbers that have none then are left out."""
    sections: list[DraftSection | None] = list(draft.sections)
    refused, left = list[str](), list[str]()
    for index, name, low, high in asked_limits(draft, endless):
        try:
            ends = [END.clean(sent.get(f"{end}-{index}", was)) for end, was in (("low", low), ("high", high))]
            if name in endless or ends != [low, high]:
                sections[index] = _moved(draft.sections[index], *ends)
        except (ValidationError, ValueError):
            (left if name in endless else refused).append(name)
            sections[index] = None if name in endless else sections[index]
    kept = tuple(section for section in sections if section is not None)
    return DraftWithEnds(replace(draft, sections=kept), refused, left)


def _moved(section: DraftSection, low: int, high: int) -> DraftSection:
    """`ValueError` where they do not fit."""
    assert is_number_section(section)
    assert section.classes_question
    question = replace(section.classes_question, low=low, high=high)
    limits = proposed_limits_or_none(question)
    if not limits or limits[0] <= low:
        raise ValueError(limits)
    return replan_cuts_and_keep(section, replace(question, limits=limits))
