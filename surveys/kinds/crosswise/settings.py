"""What the protection page shows of a crosswise question; nothing of it can be set."""

from typing import Any

from django.utils.translation import gettext_lazy as _

from surveys.kinds.crosswise.draft import CrosswiseDraft
from surveys.kinds.crosswise.protection import crosswise_results
from surveys.kinds.forms.section_settings import SectionPanel, SectionSettings


class CrosswiseSettings(SectionSettings[CrosswiseDraft]):
    """Nothing can be set: only another secret has another share."""

    def value(self, section: CrosswiseDraft) -> Any:
        return [section.question.name, section.question.share]


class CrosswisePanel(SectionPanel[CrosswiseDraft]):
    template = "builder/results-crosswise.html"
    dials = CrosswiseSettings()
    heading = _("A crosswise question: %(name)s")
    find = staticmethod(crosswise_results)
