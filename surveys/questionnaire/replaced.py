"""What undo needs to take back a change, and the digests that tell what has been changed since."""

import json
from dataclasses import replace
from hashlib import sha256
from typing import Any

from surveys.questionnaire.blocks import Block, BlockPosition, blocks, key_of
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.questionnaire import Questionnaire


def json_digest(value: Any) -> str:
    """Short, and the same for the same JSON; parts of a questionnaire count as theirs."""
    text = json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=lambda part: part.as_json()
    )
    return sha256(text.encode()).hexdigest()[:16]


def block_id(key: str) -> str:
    """An id that stays with a question wherever it goes."""
    return f"block-{json_digest(key)[:8]}"


def undo_for_draft(before: Questionnaire, after: Questionnaire) -> Node:
    """For a change of the whole draft: undone only while nobody has changed anything since."""
    # Without hypotheses: what is deleted goes to the browser, and not everybody who edits may see them.
    earlier, later = (replace(draft, plan={}).as_json() for draft in (before, after))
    return {"what": "draft", "after": json_digest(later), "draft": earlier}


def undo_for_question(before: Questionnaire, position: BlockPosition, made: Block) -> Node:
    """For a question of another kind: undone only while nobody has changed that one since."""
    section = before.sections[position.section]
    block = blocks(section)[position.row]
    return {
        "what": "question",
        "key": key_of(made),
        "after": json_digest(made),
        **undo_for_block(section, block),
    }


def undo_for_block(section: DraftSection, block: Block) -> Node:
    """The JSON of the questions, and the settings of their section, which may depend on them."""
    return {"block": [question.as_json() for question in block], "settings": section.settings_json()}
