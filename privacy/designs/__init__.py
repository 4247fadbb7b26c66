"""Designs, records and record files: parse, check, canonical form."""

from privacy.designs.design import Design, Section
from privacy.designs.parsing import parse
from privacy.designs.plain import PlainQuestion, PlainSection
from privacy.designs.question import Choice, Question, Rule
from privacy.designs.refusal import Refusal
from privacy.designs.texts import Texts
from privacy.designs.unrelated import SensitiveQuestion, UnrelatedQuestionSection

__all__ = [
    "Choice",
    "Design",
    "PlainQuestion",
    "PlainSection",
    "Question",
    "Refusal",
    "Rule",
    "Section",
    "SensitiveQuestion",
    "Texts",
    "UnrelatedQuestionSection",
    "parse",
]
