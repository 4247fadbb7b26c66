"""Questionnaires in our own format: a design as it is, to the byte, or a draft as the design that it may become."""

import json
from collections.abc import Iterator
from typing import Any

from django.utils.translation import gettext as _

from importing import draft_check
from importing.faults import Fault, FileRefused
from privacy.designs import InputError
from privacy.designs.parsing import MOST
from privacy.grammar.json_node import Node, read_json
from surveys import draft_json
from surveys.draft_json import Draft
from surveys.kinds.read_draft import read_questionnaire
from surveys.lifecycle.freezing import as_design_json
from surveys.questionnaire.problems_and_refusals import reason_text
from surveys.questionnaire.sentence_texts import sentence_text_faults


def written(draft: Draft) -> bytes:
    """The draft as a design, of the builder's own keys with the texts for sentences of reports alone; of a finished
    draft, every command reads it."""
    design = json.loads(as_design_json(draft, keep_sentence_texts=True))
    return (json.dumps(design, ensure_ascii=False, indent=1) + "\n").encode()


def read(data: bytes) -> Draft:
    """The draft in a file; `FileRefused` names the path and the reason of the first thing that is wrong."""
    try:
        root = read_json(data, "design")
        draft = {key: _plain(node) for key, node in root.pairs().items()}
        if "expected" in draft:
            root.pairs()["expected"].integer(0, MOST)
        if reason := draft_check.too_large(draft):
            raise FileRefused([Fault("sections", reason)])
        if faults := list(_sentence_text_faults(draft)):
            raise FileRefused(faults)
        draft_check.check({key: value for key, value in draft.items() if key not in draft_json.BUILDER_KEYS})
    except InputError as refusal:
        raise FileRefused([Fault(refusal.path, reason_text(refusal))]) from None
    except RecursionError:
        raise FileRefused([Fault("design", _("is nested too deeply"))]) from None
    return read_questionnaire(draft).as_json()


def _sentence_text_faults(draft: Draft) -> Iterator[Fault]:
    for number, section in enumerate(draft_json.read_sections(draft)):
        for row, question in enumerate(draft_json.read_questions(section)):
            for path, reason in sentence_text_faults(question):
                yield Fault(f"sections[{number}].questions[{row}].{path}", reason)


def _plain(node: Node) -> Any:
    """The value itself, with every key once; numbers are whole ones."""
    value = node.value
    if isinstance(value, list):
        return [_plain(each) for each in node.items()]
    if value is None or isinstance(value, str | int):
        return value
    if node.is_object:
        return {key: _plain(each) for key, each in node.pairs().items()}
    raise node.refuse("must be an integer")
