"""Plain questions in a draft: sent as they are answered."""

from collections.abc import Mapping, Sequence
from typing import Any

from privacy.grammar.question import DRAWN
from privacy.kinds.plain.section import ROLES, PlainSection
from surveys.draft import SHARE
from surveys.questionnaire.choice_draft import as_drawn, choices_question
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.section_kind import SectionKind

PLAIN = PlainSection.kind


class PlainDraft(SectionKind):
    kind = PLAIN
    holds_one = False
    sensitive = False
    throws = False
    has_settings = False

    def normal_question(self, question: Mapping[str, Any], common: Node, spoken: Sequence[str]) -> Node:
        role = question.get("role")
        made = choices_question(question, common, spoken) | {"role": role if role in ROLES else "other"}
        return as_drawn(made, question.get("shares")) if question.get("form") == DRAWN else made

    def normal_settings(self, section: Mapping[str, Any], questions: Sequence[Node]) -> Node:
        return {}

    def fitted(self, question: Node) -> Node:
        """A role belongs to plain questions, noise and an expected share to disguised ones."""
        made = {key: value for key, value in question.items() if key not in ("noise", SHARE)}
        return {**made, "role": made.get("role", "other")}

    def law(self, section: Node) -> None:
        return None
