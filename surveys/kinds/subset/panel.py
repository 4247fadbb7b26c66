"""What the protection page shows of a question that is sent as sets."""

from functools import cached_property

from django.utils.translation import gettext as _

from surveys.kinds.subset.protection import SubsetProtection, subset_protection
from surveys.kinds.subset.settings import SubsetSettings
from surveys.questionnaire.section_panel import SectionPanel


class SubsetPanel(SectionPanel):
    template = "surveys/builder/results-subset.html"
    dials = SubsetSettings()

    @property
    def title(self) -> str:
        return _("A question sent as sets: %(name)s") % {"name": self.section["questions"][0]["name"]}

    @cached_property
    def found(self) -> SubsetProtection | None:
        return subset_protection(self.section, self.respondents, self.prior)
