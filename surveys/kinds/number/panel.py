"""What the protection page shows of a number."""

from functools import cached_property

from django.utils.translation import gettext as _

from surveys.kinds.number.results import NumberResults, number_results
from surveys.kinds.number.settings import NumberSettings
from surveys.questionnaire.section_panel import SectionPanel


class NumberPanel(SectionPanel):
    template = "surveys/builder/results-number.html"
    dials = NumberSettings()

    @property
    def title(self) -> str:
        return _("A disguised number: %(name)s") % {"name": self.section["questions"][0]["name"]}

    @cached_property
    def results(self) -> NumberResults | None:
        return number_results(self.section, self.respondents, self.prior)
