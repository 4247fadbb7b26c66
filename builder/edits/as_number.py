"""Asking a disguised scale of numbers as a number: the same question, of another kind."""

from dataclasses import replace

from django.utils.translation import gettext as _

from builder.edits.arranging import put_section
from privacy.guarantee.amplification import GammaLimit
from surveys.kinds.number.proposals import section_of_scale
from surveys.not_allowed import NotAllowed
from surveys.questionnaire.blocks import blocks, find, key_of, with_blocks, with_section
from surveys.questionnaire.presets import limit_of_section, preset_of_new
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.scales import scale_values


def as_number(draft: Questionnaire, key: str) -> Questionnaire:
    """The draft whose disguised scale of numbers is a number, at the same protection; each value is a class.

    It stands in a section of its own, before the others of its section if it was the first of them, else behind them.
    """
    position, block = find(draft, key)
    section, number = draft.sections[position.section], position.section
    values = scale_values(block[0])
    # Of the question alone: another one of its section may be unfinished.
    law = replace(section, questions=(block[0],)).choice_law() if values else None
    if law is None:
        raise NotAllowed(_("Only a disguised question whose answers are a scale of numbers can be a number."))
    if len(section.questions) == 1:
        made = section_of_scale(block[0], values, GammaLimit(law.gamma, strict=False))
        return with_section(draft, number, replace(made, preset=section.preset, intro=section.intro))
    rest = with_blocks(draft, number, [other for other in blocks(section) if key_of(other) != key])
    made = section_of_scale(block[0], values, limit_of_section(rest))
    marked = replace(made, preset=preset_of_new(draft).name)
    return put_section(rest, marked, number + bool(position.row))
