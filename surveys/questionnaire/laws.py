"""The laws by which the sections of a questionnaire are disguised."""

from collections.abc import Iterator
from fractions import Fraction
from math import prod

from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.mined_law import Disguised
from surveys.questionnaire.questionnaire import Questionnaire


def laws(questionnaire: Questionnaire) -> Iterator[tuple[int, Disguised]]:
    """The number and the law of each section that is disguised and far enough to have one."""
    for number, section in enumerate(questionnaire.sections):
        if law := section.law():
            yield number, law


def adjustable_laws(questionnaire: Questionnaire) -> Iterator[tuple[int, Disguised]]:
    """The laws that settings can change: all but those that a respondent's secret makes."""
    sections = questionnaire.sections
    return ((number, law) for number, law in laws(questionnaire) if sections[number].has_settings)


def left_by_fixed(questionnaire: Questionnaire, limit: GammaLimit) -> GammaLimit:
    """What the sections that no setting changes leave of the limit for all others together."""
    sections = questionnaire.sections
    fixed = (law for number, law in laws(questionnaire) if not sections[number].has_settings)
    return GammaLimit(limit.gamma / prod((law.gamma for law in fixed), start=Fraction(1)), limit.strict)
