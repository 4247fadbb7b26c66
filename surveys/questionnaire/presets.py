"""The presets of protection: a section that is marked with one gets its settings from it, whatever it asks.

The mark is a key of the builder. It is gone as soon as anybody sets a section by hand; then nothing follows any more.
"""

from dataclasses import replace
from fractions import Fraction
from math import prod

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.presets import DEFAULT, PRESETS, Preset, equal_share
from surveys.questionnaire.questionnaire import Questionnaire

LEAST_GAMMA = Fraction(3)
LEAST_SHARE = Fraction(3, 2)
"""The gamma that a section gets even where sections set by hand leave nothing."""


def left_by_others(draft: Questionnaire, limit: GammaLimit, marked: list[int]) -> GammaLimit:
    """What the other sections leave for all marked ones together."""
    others = (section.person_law() for at, section in enumerate(draft.sections) if at not in marked)
    given_away = prod((law.gamma for law in others if law), start=Fraction(1))
    return GammaLimit(max(limit.gamma / given_away, LEAST_SHARE ** len(marked)), limit.strict)


def limit_of_section(draft: Questionnaire, number: int | None = None) -> GammaLimit:
    """What a section may give away so that the whole person stays within the preset of the draft.

    With its mark it is an equal share of what is left to the marked ones, None: of a new one; set by hand it is what
    all others leave as they are. Where that shows nothing it is a gamma of 3.
    """
    limit = preset_for_new(draft).limit
    marked = [at for at, section in enumerate(draft.sections) if section.preset and section.law()]
    if number is None or number in marked:
        share = equal_share(left_by_others(draft, limit, marked), len(marked) + (number is None))
        return GammaLimit(max(share.gamma, LEAST_GAMMA), limit.strict)
    others = left_by_others(draft, limit, [number])
    return GammaLimit(max(others.gamma, LEAST_GAMMA), limit.strict)


def preset_for_new(draft: Questionnaire) -> Preset:
    """The preset of a new section: that of the others, else the default."""
    names = (section.preset for section in draft.sections if section.preset)
    return PRESETS[next(names, DEFAULT.name)]


def common_preset(draft: Questionnaire) -> Preset | None:
    """The preset that all disguised sections follow; None where one is set by hand."""
    disguised = [section for section in draft.sections if section.has_settings]
    if not disguised or not all(section.preset for section in disguised):
        return None
    return preset_for_new(draft)


def without_preset(draft: Questionnaire, number: int) -> Questionnaire:
    """The draft in which this section follows nothing any more."""
    return draft.with_section(number, replace(draft.sections[number], preset=""))


def without_presets(draft: Questionnaire) -> Questionnaire:
    """The draft with the same settings, in which none follows a preset."""
    return replace(draft, sections=tuple(replace(section, preset="") for section in draft.sections))
