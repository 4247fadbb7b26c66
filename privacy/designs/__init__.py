"""Designs, records and record files: parse, check, canonical form."""

from privacy.designs.design import Design, Section
from privacy.designs.files import RecordRow, TrueRow, open_file, read_records, read_truth, write_records
from privacy.designs.labels import short_label
from privacy.designs.parsing import parse, parse_file
from privacy.designs.record import (
    DISGUISED,
    OPEN,
    Envelope,
    Record,
    check_codes,
    decode,
    encode,
    parse_envelope,
    parse_record,
    read_record,
)
from privacy.grammar.question import Choice, Question, ShowIfRule
from privacy.grammar.refusal import Refusal
from privacy.grammar.texts import Texts
from privacy.kinds.grouped.form import SensitiveQuestion, UnrelatedQuestionSection
from privacy.kinds.plain.form import PlainQuestion, PlainSection

__all__ = [
    "DISGUISED",
    "OPEN",
    "Choice",
    "Design",
    "Envelope",
    "PlainQuestion",
    "PlainSection",
    "Question",
    "Record",
    "RecordRow",
    "Refusal",
    "Section",
    "SensitiveQuestion",
    "ShowIfRule",
    "Texts",
    "TrueRow",
    "UnrelatedQuestionSection",
    "check_codes",
    "decode",
    "encode",
    "open_file",
    "parse",
    "parse_envelope",
    "parse_file",
    "parse_record",
    "read_record",
    "read_records",
    "read_truth",
    "short_label",
    "write_records",
]
