"""What the protection page shows of questions that are disguised together."""

from django.forms import BoundField
from django.utils.translation import ngettext

from surveys.kinds.grouped.precision import QuestionMargin
from surveys.kinds.grouped.protection import grouped_protection
from surveys.kinds.grouped.settings import GroupedSettings
from surveys.questionnaire.section_panel import SectionPanel


class GroupedPanel(SectionPanel):
    template = "surveys/builder/results-grouped.html"
    dials = GroupedSettings()
    find = staticmethod(grouped_protection)

    @property
    def title(self) -> str:
        questions = len(self.section["questions"])
        words = ngettext("%(questions)s disguised question", "%(questions)s disguised questions", questions)
        return words % {"questions": questions}

    @property
    def margins(self) -> list[tuple[QuestionMargin, BoundField]]:
        """The margin of error of each question, with the field of the share that is expected."""
        found = self.find(self.section, self.respondents, self.prior)
        return list(zip(found.margins, self.fields.shares, strict=True)) if found else []
