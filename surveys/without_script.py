"""Which surveys can be answered on a page without JavaScript: those in which a device has nothing to do."""

from privacy.designs import Design
from privacy.kinds.crosswise.section import CrosswiseSection
from privacy.kinds.plain.section import PlainSection

KINDS = frozenset({PlainSection.kind, CrosswiseSection.kind})
"""Sections without coins: their answers leave the page as they are given."""


def is_possible(design: Design) -> bool:
    """Whether no coin is thrown, nobody chooses, every question is put to everybody, and all in one order."""
    return (
        not (design.has_group_open or design.drawn)
        and all(
            section.kind in KINDS and not section.presentation.random_order for section in design.sections
        )
        and not any(question.show_if for question in design.questions)
    )
