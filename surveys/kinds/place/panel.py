"""What the protection page shows of a place."""

from functools import cached_property

from django.utils.translation import gettext as _

from surveys.kinds.place.results import PlaceResults, place_results
from surveys.kinds.place.settings import PlaceSettings
from surveys.questionnaire.section_panel import SectionPanel


class PlacePanel(SectionPanel):
    template = "surveys/builder/results-place.html"
    dials = PlaceSettings()

    @property
    def title(self) -> str:
        return _("A disguised place: %(name)s") % {"name": self.section["questions"][0]["name"]}

    @cached_property
    def results(self) -> PlaceResults | None:
        return place_results(self.section, self.respondents, self.prior)
