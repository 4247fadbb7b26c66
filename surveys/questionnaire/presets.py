"""The presets of protection: a section that is marked with one gets its settings from it, whatever it asks.

The mark is a key of the builder. It is gone as soon as anybody sets a section by hand; then nothing follows any more.
"""

from fractions import Fraction
from math import prod
from typing import Any

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.presets import DEFAULT, PRESETS, Preset, equal_share, section_within
from surveys.draft import PRESET, Draft
from surveys.questionnaire.laws import grouped_law, law_of, laws
from surveys.questionnaire.limited import adjustable_laws, limited
from surveys.questionnaire.normal_form import settled
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.protection import keep_text
from surveys.questionnaire.section_kinds import GROUPED, has_settings

LAW_KEYS = ("uniform", "window", "values", "near", "odds")
"""What the form of a window or a place sets of its law."""
LEAST_GAMMA = Fraction(3)
LEAST_SHARE = Fraction(3, 2)
"""The gamma that a section gets even where sections set by hand leave nothing."""


def followed(draft: Draft) -> Draft:
    """The draft in which every marked section has the settings of its preset."""
    preset = preset_of_new(draft)
    sections = [_marked(each, preset) if PRESET in each else each for each in draft["sections"]]
    marked = [at for at, section in enumerate(sections) if PRESET in section and law_of(section)]
    return _within({**draft, "sections": sections}, preset.limit, marked)


def within(draft: Draft, limit: GammaLimit) -> Draft:
    """The draft in which all disguised sections together are within the limit."""
    return _within(draft, limit, [number for number, _law in adjustable_laws(draft)])


def _within(draft: Draft, limit: GammaLimit, numbers: list[int]) -> Draft:
    """These sections divide equally what the others leave of the limit.

    One that cannot show anything within its share keeps its settings, and counts as one of the others.
    """
    while numbers:
        share = equal_share(_left(draft, limit, numbers), len(numbers))
        made = {at: _section_within(draft["sections"][at], share) for at in numbers}
        if all(made.values()):
            sections = [made.get(at) or section for at, section in enumerate(draft["sections"])]
            return {**draft, "sections": [settled(section) for section in sections]}
        numbers = [at for at in numbers if made[at]]
    return draft


def _left(draft: Draft, limit: GammaLimit, marked: list[int]) -> GammaLimit:
    """What the other sections leave for all marked ones together."""
    others = (law_of(section) for at, section in enumerate(draft["sections"]) if at not in marked)
    given_away = prod((law.gamma for law in others if law), start=Fraction(1))
    return GammaLimit(max(limit.gamma / given_away, LEAST_SHARE ** len(marked)), limit.strict)


def _section_within(section: Node, share: GammaLimit) -> Node | None:
    if section["kind"] != GROUPED:
        return limited(section, share)
    before = grouped_law(section)
    law = section_within(before.noise, share) if before else None
    return {**section, "keep": keep_text(law.keep), "asked": law.asked} if law else None


def limit_of_section(draft: Draft, number: int | None = None) -> GammaLimit:
    """What a section may give away so that the whole person stays within the preset of the draft.

    With its mark it is an equal share of what is left to the marked ones, None: of a new one; set by hand it is what
    all others leave as they are. Where that shows nothing it is a gamma of 3.
    """
    limit = preset_of_new(draft).limit
    marked = [at for at, section in enumerate(draft["sections"]) if PRESET in section and law_of(section)]
    if number is None or number in marked:
        share = equal_share(_left(draft, limit, marked), len(marked) + (number is None))
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


def with_preset(draft: Draft, preset: Preset) -> Draft:
    """Every disguised section follows this preset."""
    return followed({**draft, "sections": [_marked(section, preset) for section in draft["sections"]]})


def _marked(section: Node, preset: Preset) -> Node:
    return {**section, PRESET: preset.name} if has_settings(section) else section


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
