"""The presets of protection: a section that is marked with one gets its settings from it, whatever it asks.

The mark is a key of the builder. It is gone as soon as anybody sets a section by hand; then nothing follows any more.
"""

from fractions import Fraction
from math import prod
from typing import Any

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.presets import DEFAULT, PRESETS, Preset, equal_share
from surveys.draft import PRESET, Draft
from surveys.questionnaire.laws import law_of, laws
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.section_kind import has_settings

LAW_KEYS = ("uniform", "window", "values", "near", "odds")
"""What the form of a window or a place sets of its law."""
LEAST_GAMMA = Fraction(3)
LEAST_SHARE = Fraction(3, 2)
"""The gamma that a section gets even where sections set by hand leave nothing."""


def left_by_others(draft: Draft, limit: GammaLimit, marked: list[int]) -> GammaLimit:
    """What the other sections leave for all marked ones together."""
    others = (law_of(section) for at, section in enumerate(draft["sections"]) if at not in marked)
    given_away = prod((law.gamma for law in others if law), start=Fraction(1))
    return GammaLimit(max(limit.gamma / given_away, LEAST_SHARE ** len(marked)), limit.strict)


def limit_of_section(draft: Draft, number: int | None = None) -> GammaLimit:
    """What a section may give away so that the whole person stays within the preset of the draft.

    With its mark it is an equal share of what is left to the marked ones, None: of a new one; set by hand it is what
    all others leave as they are. Where that shows nothing it is a gamma of 3.
    """
    limit = preset_of_new(draft).limit
    marked = [at for at, section in enumerate(draft["sections"]) if PRESET in section and law_of(section)]
    if number is None or number in marked:
        share = equal_share(left_by_others(draft, limit, marked), len(marked) + (number is None))
        return GammaLimit(max(share.gamma, LEAST_GAMMA), limit.strict)
    others = prod((law.gamma for at, law in laws(draft) if at != number), start=Fraction(1))
    return GammaLimit(max(limit.gamma / others, LEAST_GAMMA), limit.strict)


def preset_of_new(draft: Draft) -> Preset:
    """The preset of a new section: that of the others, else the default."""
    names = (section[PRESET] for section in draft["sections"] if PRESET in section)
    return PRESETS[next(names, DEFAULT.name)]


def preset_of(draft: Draft) -> Preset | None:
    """The preset that all disguised sections follow; None where one is set by hand."""
    disguised = [section for section in draft["sections"] if has_settings(section)]
    if not disguised or not all(PRESET in section for section in disguised):
        return None
    return preset_of_new(draft)


def question_set_by_hand(draft: Draft, number: int, before: Node, after: Node) -> Draft:
    """The draft in which a section follows nothing any more once the law in its one question was set by hand."""
    section = draft["sections"][number]
    if PRESET not in section or _law_of_question(before) == _law_of_question(after):
        return draft
    return _replaced(draft, number, _unmarked(section))


def _law_of_question(question: Node) -> list[Any]:
    levels = [question, *question.get("regions", ())]
    return [[level.get(key) for key in LAW_KEYS] for level in levels]


def _replaced(draft: Draft, number: int, section: Node) -> Draft:
    sections = [section if at == number else each for at, each in enumerate(draft["sections"])]
    return {**draft, "sections": sections}


def _unmarked(section: Node) -> Node:
    return {key: value for key, value in section.items() if key != PRESET}


def by_hand(draft: Draft) -> Draft:
    """The draft with the same settings, in which none follows a preset."""
    return {**draft, "sections": [_unmarked(section) for section in draft["sections"]]}
