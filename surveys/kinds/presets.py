"""Sets the sections of a draft as a preset of protection or a limit wants it."""

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.presets import Preset, equal_share
from surveys.draft import PRESET, Draft
from surveys.kinds.registry import kind_of
from surveys.questionnaire.laws import adjustable_laws, law_of
from surveys.questionnaire.normal_form import settled
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.presets import left_by_others, preset_of_new
from surveys.questionnaire.section_kind import has_settings


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
        share = equal_share(left_by_others(draft, limit, numbers), len(numbers))
        made = {
            at: kind_of(draft["sections"][at]).best_within(draft["sections"][at], share) for at in numbers
        }
        if all(made.values()):
            sections = [made.get(at) or section for at, section in enumerate(draft["sections"])]
            return {**draft, "sections": [settled(section) for section in sections]}
        numbers = [at for at in numbers if made[at]]
    return draft


def with_preset(draft: Draft, preset: Preset) -> Draft:
    """Every disguised section follows this preset."""
    return followed({**draft, "sections": [_marked(section, preset) for section in draft["sections"]]})


def _marked(section: Node, preset: Preset) -> Node:
    return {**section, PRESET: preset.name} if has_settings(section) else section
