"""Survey designs: parsing, checks and canonical form."""

from privacy.designs.design import Design
from privacy.designs.labels import short_label
from privacy.designs.parsing import parse_design, parse_design_file
from privacy.grammar.input_error import InputError
from privacy.grammar.question import Choice, Question, ShowIfRule
from privacy.grammar.translated_texts import Texts
from privacy.kinds.grouped.section import SensitiveQuestion, UnrelatedQuestionSection
from privacy.kinds.plain.section import PlainQuestion, PlainSection
from privacy.kinds.section import Section

__all__ = [
    "Choice",
    "Design",
    "InputError",
    "PlainQuestion",
    "PlainSection",
    "Question",
    "Section",
    "SensitiveQuestion",
    "ShowIfRule",
    "Texts",
    "UnrelatedQuestionSection",
    "parse_design",
    "parse_design_file",
    "short_label",
]
