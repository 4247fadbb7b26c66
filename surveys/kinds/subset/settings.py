"""The settings of a question that is sent as sets: how many choices a set has, and how often it holds the true one."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from django import forms
from django.utils.translation import gettext as _, gettext_lazy

from privacy.kinds.subset.law import fitting_size
from surveys.kinds.forms.percent_fields import ProbabilityField, as_percent, as_probability
from surveys.kinds.forms.section_settings import SectionPanel, SectionSettings, Setting
from surveys.kinds.subset.draft import SubsetDraft
from surveys.kinds.subset.protection import subset_protection


class SubsetSettings(SectionSettings[SubsetDraft]):
    def settings(self, section: SubsetDraft) -> Iterator[Setting]:
        field = ProbabilityField(label=_("Sets that hold the true answer (%)"))
        yield Setting("keep", field, as_percent(section.keep), 99)
        most = max(2, section.choices // 2)
        sizes = forms.IntegerField(label=_("Answers in a set"), min_value=2, max_value=most)
        yield Setting("size", sizes, section.size, most, low=2)

    def value(self, section: SubsetDraft) -> Any:
        return [section.question.name, section.keep, section.size]

    def faults(self, section: SubsetDraft, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        keep, size = (cleaned.get(name) for name in ("keep", "size"))
        if keep is None or size is None:
            return
        if fitting_size(size, section.choices) != size:
            yield "size", _("That makes too many different sets: choose smaller ones.")
        elif section.law() and self.changed(section, cleaned).law() is None:
            yield "keep", _("So rarely, a set says nothing of the true answer.")

    def changed(self, section: SubsetDraft, cleaned: Mapping[str, Any]) -> SubsetDraft:
        keep, size = (cleaned[name] for name in ("keep", "size"))
        return replace(section, keep=as_probability(keep), size=size)


class SubsetPanel(SectionPanel[SubsetDraft]):
    template = "builder/results-subset.html"
    dials = SubsetSettings()
    heading = gettext_lazy("A question sent as sets: %(name)s")
    find = staticmethod(subset_protection)
