"""What the protection page shows of a crosswise question."""

from functools import cached_property

from django.utils.translation import gettext as _

from surveys.kinds.crosswise.protection import CrosswiseResults, crosswise_results
from surveys.kinds.crosswise.settings import CrosswiseSettings
from surveys.questionnaire.section_panel import SectionPanel


class CrosswisePanel(SectionPanel):
    template = "surveys/builder/results-crosswise.html"
    dials = CrosswiseSettings()

    @property
    def title(self) -> str:
        return _("A crosswise question: %(name)s") % {"name": self.section["questions"][0]["name"]}

    @cached_property
    def results(self) -> CrosswiseResults | None:
        return crosswise_results(self.section, self.respondents, self.prior)
