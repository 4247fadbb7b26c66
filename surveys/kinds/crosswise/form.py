"""The form of a crosswise question: the secret, its share with its source, and the drawn question that turns it."""

from dataclasses import replace
from decimal import Decimal
from functools import cached_property
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from privacy.grammar.node import PARTS
from privacy.kinds.crosswise.section import LEAST_SHARE, MOST_SHARE
from surveys.kinds.crosswise.draft import (
    LONGEST_SOURCE,
    CrosswiseDraft,
    CrosswiseDraftQuestion,
    is_fitting,
    may_turn,
)
from surveys.kinds.crosswise.protection import CrosswiseResults, crosswise_results
from surveys.kinds.forms.block_form import BlockForm, words_field
from surveys.kinds.forms.percent_fields import HUNDRED, ProbabilityField, as_percent, as_probability
from surveys.questionnaire.blocks import Block, question_text
from surveys.questionnaire.normal_values import words
from surveys.questionnaire.protection import PRIOR
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.rules import possible

PERCENT = PARTS // HUNDRED


class CrosswiseForm(BlockForm):
    template = "builder/question-crosswise.html"

    def __init__(
        self, draft: Questionnaire, key: str, language: str, data: Any = None, **options: Any
    ) -> None:
        super().__init__(draft, key, language, data, **options)
        section = self.draft.sections[self.position.section]
        assert isinstance(section, CrosswiseDraft)
        self.section, self.question = section, section.question
        self._add_share()
        self._add_turning()
        self._add_name()
        self._add_rules()

    def _add_share(self) -> None:
        path = f"sections[{self.position.section}].questions[0].source"
        share = ProbabilityField(
            label=_("Share of people of whom the secret is true (%)"),
            help_text=_("From 5 to 95, and not 50. Nearer to 50 protects more and shows less."),
        )
        source = words_field(_("Source of this share"), path, required=False, longest=LONGEST_SOURCE)
        source.help_text = _("Respondents can read it in the survey design.")
        self.fields.update(share=share, source=source)
        self.initial.update(share=as_percent(self.question.share), source=self.question.source)

    def _add_turning(self) -> None:
        """Only where a drawn question above can turn it, or did so before."""
        able = [block for block in possible(self.draft, self.key) if may_turn(block[0])]
        offered = [(block[0].name, question_text(block, self.language)) for block in able]
        now = self.question.turned_by
        if now and now not in dict(offered):
            offered.append((now, now))
        if offered:
            turned_by = forms.ChoiceField(
                label=_("Ask the opposite secret in half of the cases, by"),
                choices=[("", _("Never")), *offered],
                required=False,
                widget=forms.Select(attrs={"data-keeps-not": ""}),
            )
            self.fields.update(turned_by=turned_by)
            self.initial.update(turned_by=now)

    def clean_share(self) -> Decimal:
        share: Decimal = self.cleaned_data["share"]
        if not is_fitting(int(share * PERCENT)):
            raise forms.ValidationError(
                _("From %(least)s to %(most)s, and not 50: at 50 the answers would say nothing.")
                % {"least": LEAST_SHARE // int(PERCENT), "most": MOST_SHARE // int(PERCENT)}
            )
        return share

    def changed_block(self, block: Block, cleaned: dict[str, Any]) -> Block:
        (question,) = block
        assert isinstance(question, CrosswiseDraftQuestion)
        share, source = (cleaned[name] for name in ("share", "source"))
        made = replace(question, share=as_probability(share), source=words(source).strip())
        return [made.with_turning(cleaned.get("turned_by", question.turned_by))]

    @cached_property
    def results(self) -> CrosswiseResults | None:
        """Of the question as it is stored."""
        return crosswise_results(self.section, self.draft.respondents, PRIOR)
