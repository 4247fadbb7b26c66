"""A record, which one respondent's device sends, and the envelope around it.

The answer text holds every question's code in the order of the design, each zero-padded to the width that
its question's codes need: choices 0..m-1, *not asked* m, *not applicable* m+1. So all records of a design
have the same number of bytes.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from privacy.designs.design import Design
from privacy.grammar.input_error import InputError, mark_for_translation as _
from privacy.grammar.json_node import MAX_BYTES, Node, read_json

OPEN, DISGUISED = 0, 1
FINGERPRINT = re.compile(r"[0-9a-f]{64}", re.ASCII)
KEY = re.compile(r"[0-9a-f]{32}", re.ASCII)
TOKEN = re.compile(r"[0-9a-f]{32}|[-\w]{384}", re.ASCII)
"""Pattern of an invitation, or of the token for which it was exchanged (privacy.blind_signatures.tokens)."""
DIGITS = re.compile(r"[0-9]*", re.ASCII)
MOST_EPOCH = 9999
AS_WRITTEN = re.compile(
    r'{"key":"([0-9a-f]{32})",(?:"epoch":([1-9][0-9]{0,3}),)?"record":{"design":"([0-9a-f]{64})","group":([01]),"answers":"([0-9]*)"}'
    r'(?:,"token":"([0-9a-f]{32}|[-0-9A-Z_a-z]{384})")?}'
)
"""Pattern of an envelope as `Envelope.json` and respondents' pages write it; other JSON is parsed."""


@dataclass(frozen=True, slots=True)
class Record:
    """One respondent's record: `design`, the design's fingerprint; `group`, 0 for an open and 1 for a disguised
    answer."""

    design: str
    group: int
    answers: str

    @property
    def json(self) -> str:
        """The record as JSON, as devices send it."""
        return f'{{"design":"{self.design}","group":{self.group},"answers":"{self.answers}"}}'


@dataclass(frozen=True, slots=True)
class Envelope:
    """A record in transit from the device to the server.

    `key`: submission key that makes sending twice harmless. `token`: an invitation, or the token for which
    it was exchanged. `epoch`: the month of the page in which the answers were given, where the survey asks
    for it (intake.endpoint.epochs).
    """

    key: str
    record: Record
    token: str | None = None
    epoch: int | None = None

    @property
    def json(self) -> str:
        """The envelope as JSON, as devices send it."""
        token = f',"token":"{self.token}"' if self.token is not None else ""
        epoch = f',"epoch":{self.epoch}' if self.epoch is not None else ""
        return f'{{"key":"{self.key}"{epoch},"record":{self.record.json}{token}}}'


def parse_record(text: str | bytes) -> Record:
    """Parses a record from JSON (docs/formats.md, Record); `read_record` checks it against its design."""
    return _read_record(read_json(text, "record"))


def parse_envelope(text: str | bytes) -> Envelope:
    """Reads an envelope from JSON; the usual form by a regular expression, which is fast."""
    if isinstance(text, bytes) and len(text) <= MAX_BYTES:
        usual = AS_WRITTEN.fullmatch(text.decode("latin-1"))
        if usual:
            key, epoch, design, group, answers, token = usual.groups()
            return Envelope(key, Record(design, int(group), answers), token, int(epoch) if epoch else None)
    return _parse_unusual_envelope(text)


def _parse_unusual_envelope(text: str | bytes) -> Envelope:
    """Reads an envelope from any valid JSON, with exact error messages."""
    members = read_json(text, "envelope").members(frozenset({"key", "record"}), frozenset({"epoch", "token"}))
    epoch, token = members.get("epoch"), members.get("token")
    return Envelope(
        _read_matching_text(members["key"], KEY, _("must be 32 lowercase hexadecimal digits")),
        _read_record(members["record"]),
        _read_matching_text(token, TOKEN, _("must be 32 lowercase hexadecimal digits")) if token else None,
        epoch.integer(1, MOST_EPOCH) if epoch else None,
    )


def _read_record(node: Node) -> Record:
    members = node.members(frozenset({"design", "group", "answers"}), frozenset())
    return Record(
        _read_matching_text(members["design"], FINGERPRINT, _("must be 64 lowercase hexadecimal digits")),
        members["group"].integer(OPEN, DISGUISED),
        _read_matching_text(members["answers"], DIGITS, _("must be digits")),
    )


def _read_matching_text(node: Node, pattern: re.Pattern[str], reason: str) -> str:
    if not isinstance(node.value, str) or pattern.fullmatch(node.value) is None:
        raise node.refuse(reason)
    return node.value


def encode_answers(design: Design, codes: Sequence[int]) -> str:
    """Returns the answer text of a record: the code of each question as digits, one after the other."""
    return "".join(
        f"{code:0{question.width}d}" for question, code in zip(design.questions, codes, strict=True)
    )


def decode_answers(design: Design, answers: str) -> tuple[int, ...]:
    """Returns the code of each question from the answer text of a record; refuses an impossible code."""
    if len(answers) != design.width:
        raise InputError(
            "answers", _("%(given)s digits, not %(width)s"), given=len(answers), width=design.width
        )
    if DIGITS.fullmatch(answers) is None:
        raise InputError("answers", _("must be digits"))
    codes: list[int] = []
    at = 0
    for question in design.questions:
        code = int(answers[at : at + question.width])
        if code > question.not_applicable:
            raise InputError(f"answers: {question.name}", _("%(code)s is not one of its codes"), code=code)
        codes.append(code)
        at += question.width
    return tuple(codes)


def check_codes(
    design: Design, codes: Sequence[int], withheld: bool = False, *, group: int | None = None
) -> None:
    """Refuses answer codes of a record that no device could have sent.

    `group`: the group of the record; None: any. `withheld`: the plain answers are left out of the record.
    """
    for index in () if group is None else design.coded_by_group:
        question = design.questions[index]
        if codes[index] in question.codes_never_sent(group == OPEN):
            raise InputError(question.name, _("no device sends this answer in its group"))
    start = 0
    for section in design.sections:
        section.check(codes, start, withheld)
        start += len(section.questions)


def read_record(design: Design, record: Record) -> tuple[int, ...]:
    """Returns the codes of a record; refuses a record that is impossible in this design."""
    if record.design != design.fingerprint:
        raise InputError("design", _("is the fingerprint of another design"))
    if record.group not in (OPEN, DISGUISED):
        raise InputError("group", _("must be 0 or 1"))
    if record.group == OPEN and not design.has_group_open:
        raise InputError("group", _("in this design nobody can choose to answer without disguise"))
    codes = decode_answers(design, record.answers)
    try:
        check_codes(design, codes, group=record.group)
    except InputError as refusal:
        raise refusal.with_outer_path("answers") from None
    return codes
