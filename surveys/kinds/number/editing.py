"""Adding a sensitive number, and editing its limits."""

from dataclasses import replace
from itertools import pairwise

from django.utils.translation import gettext as _

from privacy.grammar.input_error import InputError
from privacy.guarantee.number_range import NumberRange
from privacy.guarantee.presets import DEFAULT
from privacy.kinds.number.classes.section import MOST_LIMITS
from surveys.kinds.number.draft import WANTED, ClassesDraftQuestion, NumberDraft, read_number
from surveys.kinds.number.proposals import proposed, redrawn, replanned, section_of_scale
from surveys.not_allowed import NotAllowed
from surveys.questionnaire.blocks import find, new_name, section_at, with_section
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.presets import limit_of_section
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.scales import scale_values


def new_number(draft: Questionnaire) -> NumberDraft:
    """A section with a number without words: shares above a few limits from 0 to 100."""
    question = ClassesDraftQuestion(name=new_name(draft))
    section = NumberDraft(preset=DEFAULT.name, questions=(question,))
    return proposed(section, question.goal, limit_of_section(draft), draft.respondents)


def scale_section(question: DraftQuestion) -> NumberDraft | None:
    """The sensitive number that an even scale of numbers is, such as 0 to 10; None where it is none."""
    values = scale_values(question)
    if len({above - below for below, above in pairwise(values)}) != 1:
        return None
    return replace(section_of_scale(question, values, DEFAULT.limit), preset=DEFAULT.name)


def with_wanted(draft: Questionnaire, key: str, wanted: str) -> Questionnaire:
    """What was set the last time this was wanted, else the law that shows it best.

    So nothing is lost where somebody tries one after the other.
    """
    number, section = _section(draft, key)
    question = section.question
    if wanted not in WANTED:
        raise NotAllowed(_("That could not be understood. Reload the page and try again."))
    if wanted == question.goal:
        return draft
    now = {**question.settings_json(), **section.settings_json()}
    earlier = {**question.earlier, question.goal: now}
    made = _restored(section, earlier.pop(wanted, {})) or _proposed(draft, number, section, wanted)
    return with_section(draft, number, replace(made, questions=(replace(made.question, earlier=earlier),)))


def with_proposal(draft: Questionnaire, key: str) -> Questionnaire:
    """The law that shows best what is wanted, for the range as it is now."""
    number, section = _section(draft, key)
    return with_section(draft, number, _proposed(draft, number, section, section.question.goal))


def _proposed(draft: Questionnaire, number: int, section: NumberDraft, wanted: str) -> NumberDraft:
    return proposed(section, wanted, limit_of_section(draft, number), draft.respondents)


def _restored(section: NumberDraft, earlier: Node) -> NumberDraft | None:
    """The section with these settings, if they fit the range as it is now."""
    question = read_number(earlier, section.question.common)
    made = replace(section, questions=(question,), **NumberDraft.read_settings(earlier)).settled()
    if not earlier or made.law() is None:
        return None
    return made if question.range == section.question.range else None


def add_limit(draft: Questionnaire, key: str, row: int | None) -> tuple[Questionnaire, int]:
    """A limit in the middle of the gap below the one in this row, else of the widest; and its row."""
    number, section = _section(draft, key)
    question, index = _with_another(_classes(section), row)
    return with_section(draft, number, replanned(section, question)), index


def with_widest_divided(draft: Questionnaire, number: int) -> Questionnaire:
    """The draft with three more limits, each in the class that is the widest by then, as far as they fit."""
    section = _number(section_at(draft, number))
    question = _classes(section)
    for _each in range(max(1, min(ADDED, MOST_LIMITS - len(question.limits)))):
        question, _place = _with_another(question, None)
    return with_section(draft, number, replanned(section, question))


ADDED = 3
"""Limits that divide a class into four."""


def _with_another(question: ClassesDraftQuestion, row: int | None) -> tuple[ClassesDraftQuestion, int]:
    limits = question.limits
    if len(limits) >= MOST_LIMITS:
        raise NotAllowed(_("A number has at most %(most)s limits.") % {"most": MOST_LIMITS})
    numbers = _range(question)
    points = [numbers.low, *limits, numbers.high]
    gaps = [(above - below) // numbers.step for below, above in pairwise(points)]
    index = row + 1 if row is not None and row + 1 < len(gaps) else gaps.index(max(gaps))
    if gaps[index] < 2:
        raise NotAllowed(_("There is no number left between these limits."))
    made = points[index] + gaps[index] // 2 * numbers.step
    return replace(question, limits=(*limits[:index], made, *limits[index:])), index


def remove_limit(draft: Questionnaire, key: str, row: int) -> Questionnaire:
    number, section = _section(draft, key)
    question = _classes(section)
    limits = question.limits
    if not 0 <= row < len(limits):
        raise NotAllowed(_("This limit is not there any more."))
    if len(limits) == 1:
        raise NotAllowed(_("A number needs a limit."))
    _range(question)
    left = replace(question, limits=limits[:row] + limits[row + 1 :])
    return with_section(draft, number, replanned(section, left))


def _section(draft: Questionnaire, key: str) -> tuple[int, NumberDraft]:
    position, _block = find(draft, key)
    return position.section, _number(draft.sections[position.section])


def _number(section: DraftSection) -> NumberDraft:
    if not isinstance(section, NumberDraft):
        raise NotAllowed(_("This question is not a number."))
    return section


def _classes(section: NumberDraft) -> ClassesDraftQuestion:
    if section.classes is None:
        raise NotAllowed(_("This number has no limits."))
    return section.classes


def _range(question: ClassesDraftQuestion) -> NumberRange:
    try:
        return question.range
    except InputError:
        raise NotAllowed(_("Correct the ends and the step first.")) from None


def with_plan(draft: Questionnaire, number: int, before: NumberDraft) -> Questionnaire:
    """The draft after the question of this section was changed; `before` is the section until then.

    m and R follow limits and range, but where they were changed themselves.
    """
    old, question = before.classes, _number(draft.sections[number]).classes
    if old is None or question is None:
        return draft
    rest = old.rest if not question.is_scale else 0
    if (question.cuts, question.rest) != (min(old.cuts, len(question.limits)), rest):
        return with_section(draft, number, redrawn(before, question))
    if _planned_by(old) != _planned_by(question):
        return with_section(draft, number, replanned(before, question))
    return draft


def _planned_by(question: ClassesDraftQuestion) -> tuple[object, ...]:
    return question.limits, question.low, question.high, question.step, question.expected
