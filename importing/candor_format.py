"""Questionnaires in Candor's own JSON format: reads and writes drafts in the form of a design."""

import json
from collections.abc import Iterator
from typing import Any

from importing import draft_check
from importing.faults import Fault, FileRefused
from privacy.designs import InputError
from privacy.designs.parsing import MOST
from privacy.grammar.json_node import Node, read_json
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.design_from_draft import design_json_from_draft
from surveys.questionnaire import hypotheses
from surveys.questionnaire.problems_and_refusals import reason_text
from surveys.questionnaire.report_sentence_texts import sentence_text_faults


def write(draft: Draft) -> bytes:
    """Returns the draft as a questionnaire file in Candor's own JSON format.

    It keeps the texts for sentences in reports, but no other keys of the builder, and of hypotheses only their SHA-256.
    Once the draft is finished, every command accepts the file.
    """
    design = json.loads(design_json_from_draft(draft, keep_sentence_texts=True))
    if fingerprint := hypotheses.plan_fingerprint(draft.get(hypotheses.KEY)):
        design[hypotheses.KEY] = fingerprint
    return (json.dumps(design, ensure_ascii=False, indent=1) + "\n").encode()


def read(data: bytes) -> Draft:
    """Returns the draft in a questionnaire file; raises `FileRefused` with the path and the reason of a fault."""
    try:
        root = read_json(data, "design")
        fractions: list[Node] = []
        draft = {key: _json_value(node, fractions) for key, node in root.object_members().items()}
        if "expected" in draft:
            root.object_members()["expected"].integer(0, MOST)
        if reason := draft_check.too_large_reason(draft):
            raise FileRefused([Fault("sections", reason)])
        if faults := list(_sentence_text_faults(draft)):
            raise FileRefused(faults)
        draft_check.check_draft(
            {key: value for key, value in draft.items() if key not in draft_json.BUILDER_KEYS}
        )
        # `check_draft` refuses the fractions that it reads, by the rule for their place. These it did not read.
        for node in fractions:
            raise node.refuse("must be an integer")
    except InputError as refusal:
        raise FileRefused([Fault(refusal.path, reason_text(refusal))]) from None
    return read_questionnaire(draft).as_json()


def _sentence_text_faults(draft: Draft) -> Iterator[Fault]:
    for number, section in enumerate(draft_json.read_sections_without_understanding_check(draft)):
        for row, question in enumerate(draft_json.read_questions(section)):
            for path, reason in sentence_text_faults(question):
                yield Fault(f"sections[{number}].questions[{row}].{path}", reason)


def _json_value(node: Node, fractions: list[Node]) -> Any:
    """Returns the Python value of a JSON node, and appends numbers that are not integers to `fractions`.

    Refuses repeated keys.
    """
    value = node.value
    if isinstance(value, list):
        return [_json_value(each, fractions) for each in node.items()]
    if value is None or isinstance(value, str | int):
        return value
    if node.is_object:
        return {key: _json_value(each, fractions) for key, each in node.object_members().items()}
    fractions.append(node)
    return 0.5
