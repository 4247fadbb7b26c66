"""Effect of one more disguised section on the precision of a draft.

All disguised sections share the protection of a person, so another section widens the margins of the present
ones.
"""

from functools import cached_property

from django.utils.translation import gettext as _

from builder.editing.questions_and_sections import append_block, insert_section
from builder.protection.summary import ProtectionSummary
from surveys.kinds.apply_protection_presets import apply_presets
from surveys.kinds.grouped.draft import GROUPED
from surveys.kinds.protection_page_elements import percentage_points_text
from surveys.kinds.registry import KINDS, get_kind_if_known
from surveys.questionnaire.choice_question_kinds import new_block
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.questionnaire import Questionnaire
from ui.number_format import format_percent


def draft_with_further_sections(draft: Questionnaire, sections: int = 1) -> Questionnaire:
    """Adds disguised sections with one yes/no question each, with the builder's default settings."""
    for number in range(len(draft.sections), len(draft.sections) + sections):
        draft = insert_section(draft, KINDS[GROUPED].new_section(draft))
        draft = append_block(draft, new_block(draft, "yes-no", True), number)
    return apply_presets(draft)


class FurtherSectionEffect:
    """Effect of one more disguised section on the draft: `margins` are the margins of error of all present shares,
    before and after, in the same order."""

    def __init__(self, draft: Questionnaire) -> None:
        self.after = draft_with_further_sections(draft)
        self.margins = tuple(
            _margins_of_first_sections(stage, len(draft.sections)) for stage in (draft, self.after)
        )

    @cached_property
    def effect_sentence(self) -> str:
        """Sentence about how the other margins grow; empty if no disguised share can be estimated yet."""
        before, after = self.margins
        if not before:
            return ""
        if len(after) < len(before):
            return _("Another disguised section: too few people would be asked some of the other questions.")
        if before == after:  # the settings follow no preset
            person = ProtectionSummary(self.after).person_protection
            assert person
            words = _(
                "Another disguised section: the other margins stay, but all answers of a person together are less"
                " protected: %(before)s can become %(after)s."
            )
            return words % {"before": format_percent(float(PRIOR), 0), "after": person.posterior_words}
        widest = {"before": percentage_points_text(max(before)), "after": percentage_points_text(max(after))}
        if len(before) == 1:
            words = _(
                "Another disguised section: the other margin grows from ±%(before)s to ±%(after)s points."
            )
        elif widest == {
            "before": percentage_points_text(min(before)),
            "after": percentage_points_text(min(after)),
        }:
            words = _(
                "Another disguised section: every other margin grows from ±%(before)s to ±%(after)s points."
            )
        else:
            words = _(
                "Another disguised section: every other margin grows, the widest from ±%(before)s to ±%(after)s"
                " points."
            )
        return words % widest


def _margins_of_first_sections(draft: Questionnaire, sections: int) -> list[float]:
    """Returns the margins of error of all shares in the first `sections` sections of the draft."""
    protections = [
        kind.protection(section, draft.disguised_respondents, PRIOR)
        for section in draft.sections[:sections]
        if (kind := get_kind_if_known(section))
    ]
    return [margin for protection in protections if protection for margin in protection.share_margins]
