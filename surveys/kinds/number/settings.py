"""The settings of a number: how often the true answer is sent, or any number of the range."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _, gettext_lazy

from privacy.grammar.input_error import InputError
from surveys.kinds.forms.percent_fields import ProbabilityField, as_percent, as_probability
from surveys.kinds.forms.section_settings import SectionPanel, SectionSettings, Setting
from surveys.kinds.number.draft import NumberDraft, WindowDraftQuestion
from surveys.kinds.number.results import number_results
from surveys.questionnaire.problems import reason_of

KEEP, UNIFORM = "keep", "uniform"


class NumberSettings(SectionSettings[NumberDraft]):
    def settings(self, section: NumberDraft) -> Iterator[Setting]:
        question = section.question
        if isinstance(question, WindowDraftQuestion):
            field = ProbabilityField(label=_("Random number sent (%)"))
            yield Setting(UNIFORM, field, as_percent(question.uniform), 99)
        else:
            field = ProbabilityField(label=_("True answer sent (%)"))
            yield Setting(KEEP, field, as_percent(section.keep), 99)

    def value(self, section: NumberDraft) -> Any:
        question = section.question
        uniform = question.uniform if isinstance(question, WindowDraftQuestion) else None
        return [question.name, question.law, section.keep, uniform]

    def faults(self, section: NumberDraft, cleaned: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """What a design would refuse of the new value, but not of the old one."""
        if UNIFORM not in cleaned:
            return
        try:
            self.changed(section, cleaned).strict()
        except InputError as refusal:
            reason = reason_of(refusal)
            yield UNIFORM, f"{reason[0].upper()}{reason[1:]}."

    def changed(self, section: NumberDraft, cleaned: Mapping[str, Any]) -> NumberDraft:
        question = section.question
        if isinstance(question, WindowDraftQuestion):
            made = replace(question, uniform=as_probability(cleaned[UNIFORM]))
            return replace(section, questions=(made,))
        return replace(section, keep=as_probability(cleaned[KEEP]))


class NumberPanel(SectionPanel[NumberDraft]):
    template = "builder/results-number.html"
    dials = NumberSettings()
    heading = gettext_lazy("A disguised number: %(name)s")
    find = staticmethod(number_results)
