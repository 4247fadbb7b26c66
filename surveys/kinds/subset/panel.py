"""What the protection page shows of a question that is sent as sets."""

from django.utils.translation import gettext_lazy as _

from surveys.kinds.subset.protection import subset_protection
from surveys.kinds.subset.settings import SubsetSettings
from surveys.questionnaire.section_panel import SectionPanel


class SubsetPanel(SectionPanel):
    template = "surveys/builder/results-subset.html"
    dials = SubsetSettings()
    heading = _("A question sent as sets: %(name)s")
    find = staticmethod(subset_protection)
