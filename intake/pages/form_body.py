"""The body that the form without JavaScript sends: of one length for all answers, so that its length tells nothing.

The values are the codes of the record, padded with zeros to the width of their question. A crosswise question sends the
code that its word is recorded as.
"""

from urllib.parse import parse_qsl

from privacy.designs import Design, InputError
from privacy.grammar.input_error import marked as _
from privacy.grammar.question import Question
from privacy.records import DISGUISED, Envelope, Record
from privacy.records.record import DIGITS, KEY

KEY_FIELD, TOKEN_FIELD = "key", "token"
SECRET_LENGTH = 32
"""Hexadecimal digits of a key and of an invitation."""


def field(index: int) -> str:
    """The name of the field of the question with this index."""
    return f"answer-{index}"


def value(question: Question, code: int) -> str:
    return f"{code:0{question.width}d}"


def length(design: Design, invited: bool) -> int:
    """The bytes of every body."""
    widths = [question.width for question in design.questions]
    secrets = [SECRET_LENGTH] * (1 + invited)
    names = _names(design, invited)
    return sum(map(len, names)) + sum(widths) + sum(secrets) + 2 * len(names) - 1


def read(design: Design, invited: bool, body: bytes) -> Envelope:
    """The record of a form, and its key; `InputError` where something is missing."""
    try:
        fields = parse_qsl(body.decode("ascii"), keep_blank_values=True, strict_parsing=True)
    except ValueError:
        raise InputError("form", _("is not what our form sends")) from None
    if [name for name, _value in fields] != _names(design, invited):
        raise InputError("form", _("is not what our form sends"))
    sent = dict(fields)
    codes = [sent[field(index)] for index in range(len(design.questions))]
    fits = all(
        len(code) == question.width and DIGITS.fullmatch(code)
        for code, question in zip(codes, design.questions, strict=True)
    )
    if not fits:
        raise InputError("form", _("is not what our form sends"))
    token = _hexadecimal(sent[TOKEN_FIELD]) if invited else None
    record = Record(design.fingerprint, DISGUISED, "".join(codes))
    return Envelope(_hexadecimal(sent[KEY_FIELD]), record, token)


def _names(design: Design, invited: bool) -> list[str]:
    answers = [field(index) for index in range(len(design.questions))]
    return [KEY_FIELD, *answers, *([TOKEN_FIELD] if invited else [])]


def _hexadecimal(text: str) -> str:
    if KEY.fullmatch(text) is None:
        raise InputError("form", _("must be 32 lowercase hexadecimal digits"))
    return text
