"""Questions of a draft that are disguised together."""

from collections.abc import Mapping, Sequence
from typing import Any

from privacy.grammar.question import DRAWN
from privacy.kinds.grouped.section import UnrelatedQuestionSection
from surveys.draft import KEEP, SHARE
from surveys.kinds.grouped.law import grouped_law
from surveys.questionnaire.choice_draft import choices_question, noise_of_choices
from surveys.questionnaire.normal_values import Node, probability
from surveys.questionnaire.section_kind import SectionKind

GROUPED = UnrelatedQuestionSection.kind


class GroupedDraft(SectionKind):
    kind = GROUPED
    holds_one = False
    own_keys = frozenset({SHARE})
    law = staticmethod(grouped_law)

    def normal_question(self, question: Mapping[str, Any], common: Node, spoken: Sequence[str]) -> Node:
        made = choices_question(question, common, spoken)
        noise = noise_of_choices(question.get("noise"), len(made["choices"]))
        share = probability(question.get(SHARE))
        return made | ({"noise": noise} if noise else {}) | ({SHARE: share} if share else {})

    def normal_settings(self, section: Mapping[str, Any], questions: Sequence[Node]) -> Node:
        """A section that asks all of its questions does not say how many."""
        asked = section.get("asked")
        is_part = type(asked) is int and 1 <= asked < len(questions)
        return {"keep": probability(section.get("keep")) or KEEP} | ({"asked": asked} if is_part else {})

    def fitted(self, question: Node) -> Node:
        made = {key: value for key, value in question.items() if key not in ("role", "shares")}
        return {**made, "form": "one"} if made["form"] == DRAWN else made
