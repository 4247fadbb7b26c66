"""A forced-response question in a draft: how it is read, and the law of its section."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from privacy.grammar.question import YES_NO
from privacy.kinds.grouped.law import SectionLaw
from surveys.draft_json import KEEP
from surveys.phrases.answering import TRIES
from surveys.phrases.how_answers_are_disguised import GROUPED_CHANCES, HOW_IT_WORKS, TOY
from surveys.questionnaire.draft_question import (
    DraftQuestion,
    QuestionInput,
    keep_or_replace_choices,
    read_choices,
    read_known_share,
)
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.value_normalization import normal_probability
from tests.seventh.forced.section import ForcedSection, forced_law

FORCED = ForcedSection.kind
FORM = "yes-no"


@dataclass(frozen=True, kw_only=True)
class ForcedDraft(DraftSection):
    kind = FORCED
    script_phrases = {**TOY, **TRIES}
    phrases = {**HOW_IT_WORKS, **script_phrases, **GROUPED_CHANCES}
    keep: str = KEEP

    @classmethod
    def read_question(cls, given: QuestionInput) -> DraftQuestion:
        choices = keep_or_replace_choices(read_choices(given.data.get("choices"), given.languages), YES_NO)
        return DraftQuestion(
            **given.common, form=FORM, choices=choices, known=read_known_share(given.data, FORM)
        )

    @classmethod
    def read_kind_settings(cls, data: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"keep": normal_probability(data.get("keep")) or KEEP}

    def disguise_law(self) -> SectionLaw:
        return forced_law(Fraction(self.keep))
