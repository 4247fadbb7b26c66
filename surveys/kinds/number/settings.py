"""The settings of a number: how often the true answer is sent, or any number of the range."""

from collections.abc import Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _, gettext_lazy

from privacy.grammar.refusal import Refusal
from privacy.kinds.number.window.section import WINDOW
from surveys.kinds.number.draft import read_section
from surveys.kinds.number.laws import number_results
from surveys.problems import reason_of
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.percent_fields import ProbabilityField, as_percent, as_probability
from surveys.questionnaire.section_settings import SectionPanel, SectionSettings, Setting


class NumberSettings(SectionSettings):
    def settings(self, section: Node) -> Iterator[Setting]:
        if _is_window(section):
            field = ProbabilityField(label=_("Random number sent (%)"))
            yield Setting("uniform", field, as_percent(section["questions"][0]["uniform"]), 99)
        else:
            field = ProbabilityField(label=_("True answer sent (%)"))
            yield Setting("keep", field, as_percent(section["keep"]), 99)

    def value(self, section: Node) -> Any:
        question = section["questions"][0]
        return [question["name"], question["law"], section.get("keep"), question.get("uniform")]

    def faults(self, section: Node, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """What a design would refuse of the new value, but not of the old one."""
        if "uniform" not in cleaned:
            return
        try:
            read_section(self.changed(section, cleaned))
        except Refusal as refusal:
            reason = reason_of(refusal)
            yield "uniform", f"{reason[0].upper()}{reason[1:]}."

    def changed(self, section: Node, cleaned: Mapping[str, Any]) -> Node:
        if not _is_window(section):
            return {**section, "keep": as_probability(cleaned["keep"])}
        question = {**section["questions"][0], "uniform": as_probability(cleaned["uniform"])}
        return {**section, "questions": [question]}


class NumberPanel(SectionPanel):
    template = "surveys/builder/results-number.html"
    dials = NumberSettings()
    heading = gettext_lazy("A disguised number: %(name)s")
    find = staticmethod(number_results)


def _is_window(section: Node) -> bool:
    return bool(section["questions"][0]["law"] == WINDOW)
