"""Sets the keep probabilities of a draft's sections: by each section's protection preset, or by one limit for
all."""

from dataclasses import replace

from privacy.guarantee.amplification import GammaLimit
from privacy.guarantee.presets import Preset, limit_per_section
from surveys.kinds.registry import get_kind
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.protection import (
    laws_of_adjustable_sections,
    limit_left_by_other_sections,
    preset_for_new_section,
)
from surveys.questionnaire.questionnaire import Questionnaire


def apply_presets(draft: Questionnaire) -> Questionnaire:
    """Returns the draft with the preset's settings in every section that follows a preset."""
    preset = preset_for_new_section(draft)
    sections = tuple(
        _section_following_preset(section, preset) if section.preset else section
        for section in draft.sections
    )
    marked = [at for at, section in enumerate(sections) if section.preset and section.disguise_law()]
    return _draft_with_divided_limit(replace(draft, sections=sections), preset.limit, marked)


def divide_limit_among_sections(draft: Questionnaire, limit: GammaLimit) -> Questionnaire:
    """Returns the draft with the limit of gamma divided equally among the disguised sections that have settings; a
    section that would reveal nothing within its share keeps its settings."""
    return _draft_with_divided_limit(
        draft, limit, [number for number, _law in laws_of_adjustable_sections(draft)]
    )


def _draft_with_divided_limit(draft: Questionnaire, limit: GammaLimit, numbers: list[int]) -> Questionnaire:
    """Returns the draft in which the sections `numbers` share equally what other sections leave of the limit.

    A section whose records would reveal nothing within its share keeps its settings, and counts as one of the others.
    """
    while numbers:
        share = limit_per_section(limit_left_by_other_sections(draft, limit, numbers), len(numbers))
        limited = {
            at: get_kind(draft.sections[at]).best_section_within_limit(draft.sections[at], share)
            for at in numbers
        }
        if all(limited.values()):
            sections = (limited.get(at) or section for at, section in enumerate(draft.sections))
            return replace(draft, sections=tuple(section.normalized() for section in sections))
        numbers = [at for at in numbers if limited[at]]
    return draft


def set_preset(draft: Questionnaire, preset: Preset) -> Questionnaire:
    """Makes every section with protection settings follow this preset."""
    sections = tuple(_section_following_preset(section, preset) for section in draft.sections)
    return apply_presets(replace(draft, sections=sections))


def _section_following_preset(section: DraftSection, preset: Preset) -> DraftSection:
    return replace(section, preset=preset.name) if section.has_settings else section
