"""What the protection page shows of a number."""

from django.utils.translation import gettext_lazy as _

from surveys.kinds.number.laws import number_results
from surveys.kinds.number.settings import NumberSettings
from surveys.questionnaire.section_panel import SectionPanel


class NumberPanel(SectionPanel):
    template = "surveys/builder/results-number.html"
    dials = NumberSettings()
    heading = _("A disguised number: %(name)s")
    find = staticmethod(number_results)
