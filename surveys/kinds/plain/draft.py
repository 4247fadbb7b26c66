"""Plain questions in a draft, whose answers are sent without disguise."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from privacy.grammar.question import DRAWN
from privacy.kinds.plain.number_bands import NUMBER
from privacy.kinds.plain.section import ROLES, PlainSection
from surveys.questionnaire.draft_question import (
    DraftQuestion,
    QuestionInput,
    read_choices_question,
    with_device_draw,
)
from surveys.questionnaire.draft_section import DraftSection, QuestionText
from surveys.questionnaire.plain_number_bands import question_with_unit, read_bands_question, takes_number

PLAIN = PlainSection.kind
UNIT = "unit"
OTHER = "other"
"""Default role of a new plain question."""


@dataclass(frozen=True, kw_only=True)
class PlainDraft(DraftSection):
    """A section of questions whose answers are sent without disguise."""

    kind = PLAIN
    holds_one = False
    sensitive = False
    throws = False
    has_settings = False

    @classmethod
    def read_question(cls, given: QuestionInput) -> DraftQuestion:
        role = given.data.get("role")
        question = replace(read_choices_question(given), role=role if role in ROLES else OTHER)
        if given.data.get("form") == DRAWN:
            return with_device_draw(question, given.data.get("shares"))
        return read_bands_question(question, given.data, given.languages)

    def adapt_moved_question(self, question: DraftQuestion) -> DraftQuestion:
        """Converts a question to a plain one: sets the default role if it has none, and removes what only disguised
        questions have (noise and expected share)."""
        return replace(question, role=question.role or OTHER, noise=(), share="")

    def kind_specific_texts(self, question: DraftQuestion, path: str) -> Iterator[QuestionText]:
        if takes_number(question):
            yield QuestionText(UNIT, f"{path}.{NUMBER}.{UNIT}", _("Unit"), question.number.unit, False)

    def set_kind_specific_texts(
        self, question: DraftQuestion, language: str, words: Mapping[str, str]
    ) -> DraftQuestion:
        if UNIT not in words or not takes_number(question):
            return question
        return question_with_unit(question, language, words[UNIT].strip())

    def disguise_law(self) -> None:
        return None
