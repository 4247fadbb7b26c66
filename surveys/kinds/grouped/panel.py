"""What the protection page shows of questions that are disguised together."""

from functools import cached_property

from django.forms import BoundField
from django.utils.translation import ngettext

from surveys.kinds.grouped.precision import QuestionMargin
from surveys.kinds.grouped.protection import GroupedProtection, grouped_protection
from surveys.kinds.grouped.settings import GroupedSettings
from surveys.questionnaire.section_panel import SectionPanel


class GroupedPanel(SectionPanel):
    template = "surveys/builder/results-grouped.html"
    dials = GroupedSettings()

    @property
    def title(self) -> str:
        questions = len(self.section["questions"])
        words = ngettext("%(questions)s disguised question", "%(questions)s disguised questions", questions)
        return words % {"questions": questions}

    @cached_property
    def found(self) -> GroupedProtection | None:
        return grouped_protection(self.section, self.respondents, self.prior)

    @property
    def margins(self) -> list[tuple[QuestionMargin, BoundField]]:
        """The margin of error of each question, with the field of the share that is expected."""
        return list(zip(self.found.margins, self.fields.shares, strict=True)) if self.found else []
