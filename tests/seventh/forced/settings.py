"""The setting of a forced-response question: how often the true answer is sent."""

from collections.abc import Iterator, Mapping
from typing import Any

from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.percent_fields import ProbabilityField, as_percent, as_probability
from surveys.questionnaire.section_settings import SectionPanel, SectionSettings, Setting
from tests.seventh.forced.protection import forced_protection


class ForcedSettings(SectionSettings):
    def settings(self, section: Node) -> Iterator[Setting]:
        yield Setting("keep", ProbabilityField(label="True answers (%)"), as_percent(section["keep"]), 99)

    def value(self, section: Node) -> Any:
        return [section["questions"][0]["name"], section["keep"]]

    def changed(self, section: Node, cleaned: Mapping[str, Any]) -> Node:
        return {**section, "keep": as_probability(cleaned["keep"])}


class ForcedPanel(SectionPanel):
    template = "surveys/builder/results-forced.html"
    dials = ForcedSettings()
    heading = "A forced-response question: %(name)s"
    find = staticmethod(forced_protection)
