"""Lowest and highest numbers (the ends) of imported number questions, which a person can enter before accepting the
import."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from typing import NamedTuple

from django import forms
from django.core.exceptions import ValidationError

from importing.apply_sensitivity_choice import without_rules_on
from importing.import_result import ImportedRow
from privacy.grammar.number_range import FURTHEST
from surveys.kinds.number.draft import ClassesDraftQuestion, is_number_section
from surveys.kinds.number.proposals import proposed_limits_or_empty, replan_cuts_and_keep
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.plain_number_bands import propose_round_limits, question_with_bands, takes_number
from surveys.questionnaire.questionnaire import Questionnaire

END = forms.IntegerField(min_value=-FURTHEST, max_value=FURTHEST)


MissingEnds = Mapping[str, Sequence[int | None]]
"""Lowest and highest number (None if missing) of number questions for which the file lacks one, by name."""


class EndsToAsk(NamedTuple):
    """A number question for whose lowest and highest number (its ends) the page asks.

    `number`: index among the questions asked for, which names the form fields. `name`: name of the question.
    `low`, `high`: as in the file; None if the file lacks it.
    """

    number: int
    name: str
    low: int | None
    high: int | None


def incomplete_ends_by_question(lines: Iterable[ImportedRow]) -> MissingEnds:
    """Returns the lowest and highest number (None if missing) of number questions whose file lacks one of them."""
    return {line.questions[0]: line.asks for line in lines if line.asks}


def editable_number_ends(draft: Questionnaire, missing: MissingEnds) -> Iterator[EndsToAsk]:
    """Yields the number questions whose lowest and highest number (the ends) a person can enter or change.

    These lack an end in the file, or their class limits were proposed from the ends and not read from the file.
    """
    numbers = count()
    for question in draft.all_questions:
        if question.name in missing:
            yield EndsToAsk(next(numbers), question.name, *missing[question.name])
        elif isinstance(question, ClassesDraftQuestion):
            if question.limits == proposed_limits_or_empty(question):
                yield EndsToAsk(next(numbers), question.name, question.low, question.high)
        elif takes_number(question) and question.number.limits == propose_round_limits(question.number.range):
            yield EndsToAsk(next(numbers), question.name, question.number.low, question.number.high)


class DraftWithEnds(NamedTuple):
    """A draft with the lowest and highest numbers (ends) that a person entered.

    `refused`: names of number questions whose entered ends do not fit, and which keep the file's ends. `left`: names of
    number questions left out because they have no valid ends.
    """

    draft: Questionnaire
    refused: list[str]
    left: list[str]


def apply_ends(draft: Questionnaire, missing: MissingEnds, posted: Mapping[str, str]) -> DraftWithEnds:
    """Returns the draft with the lowest and highest numbers that a person entered (`posted`, by form field).

    Number questions that still lack valid ones are left out, and rules on their answers with them.
    """
    sections = list(draft.sections)
    refused, left = list[str](), list[str]()
    for number, name, low, high in editable_number_ends(draft, missing):
        [index] = (at for at, section in enumerate(sections) if name in _question_names(section))
        section = sections[index]
        try:
            ends = [
                END.clean(posted.get(f"{end}-{number}", was)) for end, was in (("low", low), ("high", high))
            ]
            if name in missing or ends != [low, high]:
                is_compared = any(name in question.show_if for question in draft.all_questions)
                sections[index] = _change_ends(section, name, ends, draft.languages, is_compared)
        except (ValidationError, ValueError):
            (left if name in missing else refused).append(name)
            if name in missing:
                others = tuple(question for question in section.questions if question.name != name)
                sections[index] = replace(section, questions=others)
    pairs = zip(sections, draft.sections, strict=True)
    kept = (after for after, before in pairs if after.questions or not before.questions)
    made = replace(draft, sections=tuple(kept)).change_each_question(partial(without_rules_on, left))
    return DraftWithEnds(made, refused, left)


def _question_names(section: DraftSection) -> list[str]:
    return [question.name for question in section.questions]


def _change_ends(
    section: DraftSection, name: str, ends: Sequence[int], languages: Sequence[str], is_compared: bool
) -> DraftSection:
    """Returns the section with a new lowest and highest number (`ends`) of the number question `name`.

    If conditions name its bands (`is_compared`), it keeps them, and the ends leave room for all of them. Raises
    `ValueError` if the ends do not fit.
    """
    low, high = ends
    if is_number_section(section):
        assert section.classes_question
        question = replace(section.classes_question, low=low, high=high)
        limits = proposed_limits_or_empty(question)
        if not limits or limits[0] <= low:
            raise ValueError(limits)
        return replan_cuts_and_keep(section, replace(question, limits=limits))
    [asked] = (question for question in section.questions if question.name == name)
    assert takes_number(asked)
    bands = replace(asked.number, low=low, high=high)
    if is_compared and low < asked.number.low:
        # The lowest band stood for one number alone, perhaps, and would now stand for more.
        raise ValueError(low)
    if is_compared:
        limits = bands.limits
        bands = replace(bands, low=min(low, limits[0] - bands.step), high=max(high, limits[-1]))
    else:
        bands = replace(bands, limits=propose_round_limits(bands.range))
    number = question_with_bands(asked, bands, languages)
    questions = (number if question.name == name else question for question in section.questions)
    return replace(section, questions=tuple(questions))
