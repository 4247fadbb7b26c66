"""Plain questions in a draft: sent as they are answered."""

from dataclasses import dataclass, replace

from privacy.grammar.question import DRAWN
from privacy.kinds.plain.section import ROLES, PlainSection
from surveys.questionnaire.draft_question import (
    DraftQuestion,
    QuestionInput,
    device_drawn_question,
    read_choices_question,
)
from surveys.questionnaire.draft_section import DraftSection

PLAIN = PlainSection.kind
OTHER = "other"
"""The role of a new question."""


@dataclass(frozen=True, kw_only=True)
class PlainDraft(DraftSection):
    kind = PLAIN
    holds_one = False
    sensitive = False
    throws = False
    has_settings = False

    @classmethod
    def read_question(cls, given: QuestionInput) -> DraftQuestion:
        role = given.data.get("role")
        question = replace(read_choices_question(given), role=role if role in ROLES else OTHER)
        is_drawn = given.data.get("form") == DRAWN
        return device_drawn_question(question, given.data.get("shares")) if is_drawn else question

    def adapt_question(self, question: DraftQuestion) -> DraftQuestion:
        """Gives the question a role, and removes noise and expected share, which disguised questions have."""
        return replace(question, role=question.role or OTHER, noise=(), share="")

    def disguise_law(self) -> None:
        return None
