"""The setting of a forced-response question: how often the true answer is sent."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from surveys.kinds.forms.percent_fields import ProbabilityField, as_percent, as_probability
from surveys.kinds.forms.section_settings import SectionPanel, SectionSettings, Setting
from tests.seventh.forced.draft import ForcedDraft
from tests.seventh.forced.protection import forced_protection


class ForcedSettings(SectionSettings[ForcedDraft]):
    def settings(self, section: ForcedDraft) -> Iterator[Setting]:
        yield Setting("keep", ProbabilityField(label="True answers (%)"), as_percent(section.keep), 99)

    def value(self, section: ForcedDraft) -> Any:
        return [section.questions[0].name, section.keep]

    def changed(self, section: ForcedDraft, cleaned: Mapping[str, Any]) -> ForcedDraft:
        return replace(section, keep=as_probability(cleaned["keep"]))


class ForcedPanel(SectionPanel[ForcedDraft]):
    template = "builder/results-forced.html"
    dials = ForcedSettings()
    heading = "A forced-response question: %(name)s"
    find = staticmethod(forced_protection)
