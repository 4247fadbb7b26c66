"""The laws by which the sections of a draft are disguised."""

from collections.abc import Iterator
from fractions import Fraction
from math import prod

from privacy.guarantee.amplification import GammaLimit
from privacy.kinds.mined_law import Disguised
from surveys.draft import Draft
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.section_kind import has_settings, is_editable, section_kind


def law_of(section: Node) -> Disguised | None:
    """None where nothing is disguised, or not yet."""
    return section_kind(section).law(section) if is_editable(section) else None


def laws(draft: Draft) -> Iterator[tuple[int, Disguised]]:
    """The number and the law of each section that is disguised and far enough to have one."""
    for number, section in enumerate(draft["sections"]):
        if law := law_of(section):
            yield number, law


def adjustable_laws(draft: Draft) -> Iterator[tuple[int, Disguised]]:
    """The laws that settings can change: all but those that a respondent's secret makes."""
    return ((number, law) for number, law in laws(draft) if has_settings(draft["sections"][number]))


def left_by_fixed(draft: Draft, limit: GammaLimit) -> GammaLimit:
    """What the sections that no setting changes leave of the limit for all others together."""
    fixed = (law for number, law in laws(draft) if not has_settings(draft["sections"][number]))
    return GammaLimit(limit.gamma / prod((law.gamma for law in fixed), start=Fraction(1)), limit.strict)
