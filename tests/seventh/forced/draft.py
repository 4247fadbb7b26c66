"""A forced-response question in a draft: its normal form, and the law of its section."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from privacy.grammar.question import YES_NO
from privacy.kinds.grouped.law import SectionLaw
from surveys.draft import KEEP
from surveys.phrases.answering import TRIES
from surveys.phrases.chances import GROUPED_CHANCES
from surveys.phrases.how_it_works import HOW_IT_WORKS, TOY
from surveys.questionnaire.choice_draft import choices_of
from surveys.questionnaire.control_items import known_of
from surveys.questionnaire.normal_values import Node, probability
from surveys.questionnaire.section_kind import SectionKind
from tests.seventh.forced.section import ForcedSection, forced_law

FORCED = ForcedSection.kind


class ForcedDraft(SectionKind):
    kind = FORCED
    script_phrases = {**TOY, **TRIES}
    phrases = {**HOW_IT_WORKS, **script_phrases, **GROUPED_CHANCES}

    def normal_question(self, question: Mapping[str, Any], common: Node, spoken: Sequence[str]) -> Node:
        choices = choices_of(question.get("choices"), spoken)
        if tuple(each["name"] for each in choices) != YES_NO:
            choices = [{"name": name, "label": {}} for name in YES_NO]
        return {**common, "form": "yes-no", "choices": choices, **known_of(question, "yes-no")}

    def normal_settings(self, section: Mapping[str, Any], questions: Sequence[Node]) -> Node:
        return {"keep": probability(section.get("keep")) or KEEP}

    def law(self, section: Node) -> SectionLaw:
        return forced_law(Fraction(section["keep"]))
