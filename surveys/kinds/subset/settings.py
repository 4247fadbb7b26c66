"""The settings of a question that is sent as sets: how many choices a set has, and how often it holds the true one."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from privacy.kinds.subset.law import fitting_size
from surveys.kinds.subset.draft import subset_law
from surveys.kinds.subset.protection import subset_protection
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.percent_fields import ProbabilityField, as_percent, as_probability
from surveys.questionnaire.section_settings import SectionPanel, SectionSettings, Setting


class SubsetSettings(SectionSettings):
    def settings(self, section: Node) -> Iterator[Setting]:
        field = ProbabilityField(label=_("Sets that hold the true answer (%)"))
        yield Setting("keep", field, as_percent(section["keep"]), 99)
        most = max(2, len(section["questions"][0]["choices"]) // 2)
        sizes = forms.IntegerField(label=_("Answers in a set"), min_value=2, max_value=most)
        yield Setting("size", sizes, section["size"], most, low=2)

    def value(self, section: Node) -> Any:
        return [section["questions"][0]["name"], section["keep"], section["size"]]

    def faults(self, section: Node, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        if "keep" not in cleaned or "size" not in cleaned:
            return
        if fitting_size(cleaned["size"], len(section["questions"][0]["choices"])) != cleaned["size"]:
            yield "size", _("That makes too many different sets: choose smaller ones.")
        elif subset_law(section) and subset_law(self.changed(section, cleaned)) is None:
            yield "keep", _("So rarely, a set says nothing of the true answer.")

    def changed(self, section: Node, cleaned: Mapping[str, Any]) -> Node:
        return {**section, "keep": as_probability(cleaned["keep"]), "size": cleaned["size"]}


class SubsetPanel(SectionPanel):
    template = "surveys/builder/results-subset.html"
    dials = SubsetSettings()
    heading = gettext_lazy("A question sent as sets: %(name)s")
    find = staticmethod(subset_protection)
