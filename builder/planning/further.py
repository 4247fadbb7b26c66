"""What further disguised sections cost: all sections that follow a preset divide the protection of one person."""

from functools import cached_property

from django.utils.translation import gettext as _

from builder.editing.arranging import put, put_section
from builder.protection.summary import ProtectionSummary
from surveys.kinds.forms.settings_warning import points
from surveys.kinds.grouped.draft import GROUPED
from surveys.kinds.presets import followed
from surveys.kinds.registry import KINDS, known_kind
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.questions import new_block
from ui.numbers import percent


def with_further(draft: Questionnaire, sections: int = 1) -> Questionnaire:
    """The draft as the builder makes it when so many disguised sections are added, each with a yes/no question."""
    for number in range(len(draft.sections), len(draft.sections) + sections):
        draft = put_section(draft, KINDS[GROUPED].new(draft))
        draft = put(draft, new_block(draft, "yes-no", True), number)
    return followed(draft)


class FurtherSection:
    """What one more disguised section does to the draft as it stands.

    `margins`: the margins of error of the shares that there are now, before and after, in the same order.
    """

    def __init__(self, draft: Questionnaire) -> None:
        self.after = with_further(draft)
        self.margins = tuple(_margins(stage, len(draft.sections)) for stage in (draft, self.after))

    @cached_property
    def words(self) -> str:
        """Empty where nothing is estimated from disguised answers yet."""
        before, after = self.margins
        if not before:
            return ""
        if len(after) < len(before):
            return _("Another disguised section: too few people would be asked some of the other questions.")
        if before == after:  # the settings follow no preset
            person = ProtectionSummary(self.after).person
            assert person
            words = _(
                "Another disguised section: the other margins stay, but all answers of a person together are less"
                " protected: %(before)s can become %(after)s."
            )
            return words % {"before": percent(float(PRIOR), 0), "after": person.posterior_words}
        widest = {"before": points(max(before)), "after": points(max(after))}
        if len(before) == 1:
            words = _(
                "Another disguised section: the other margin grows from ± %(before)s to ± %(after)s points."
            )
        elif widest == {"before": points(min(before)), "after": points(min(after))}:
            words = _(
                "Another disguised section: every other margin grows from ± %(before)s to ± %(after)s points."
            )
        else:
            words = _(
                "Another disguised section: every other margin grows, the widest from ± %(before)s to ± %(after)s"
                " points."
            )
        return words % widest


def _margins(draft: Questionnaire, sections: int) -> list[float]:
    """The margins of error of all shares in the first sections."""
    protections = [
        kind.protection(section, draft.respondents, PRIOR)
        for section in draft.sections[:sections]
        if (kind := known_kind(section))
    ]
    return [margin for protection in protections if protection for margin in protection.share_margins]
