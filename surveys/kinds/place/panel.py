"""What the protection page shows of a place."""

from django.utils.translation import gettext_lazy as _

from surveys.kinds.place.results import place_results
from surveys.kinds.place.settings import PlaceSettings
from surveys.questionnaire.section_panel import SectionPanel


class PlacePanel(SectionPanel):
    template = "surveys/builder/results-place.html"
    dials = PlaceSettings()
    heading = _("A disguised place: %(name)s")
    find = staticmethod(place_results)
