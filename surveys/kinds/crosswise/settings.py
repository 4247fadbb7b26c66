"""What the protection page shows of a crosswise question; nothing of it can be set."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from surveys.kinds.crosswise.protection import crosswise_results
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.section_settings import SectionPanel, SectionSettings


class CrosswiseSettings(SectionSettings):
    """Nothing can be set: only another secret has another share."""

    def value(self, section: Node) -> Any:
        question = section["questions"][0]
        return [question["name"], question["share"]]


class CrosswisePanel(SectionPanel):
    template = "surveys/builder/results-crosswise.html"
    dials = CrosswiseSettings()
    heading = _("A crosswise question: %(name)s")
    find = staticmethod(crosswise_results)
