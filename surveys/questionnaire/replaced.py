"""What undo needs to take back a change, and the digests that tell what has been changed since."""

import json
from hashlib import sha256
from typing import Any

from surveys.draft import Draft, without_plan
from surveys.questionnaire.blocks import Block, BlockPlace, blocks, key_of
from surveys.questionnaire.normal_values import Node


def digest(value: Any) -> str:
    """Short, and the same for the same JSON."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()[:16]


def block_id(key: str) -> str:
    """An id that stays with a question wherever it goes."""
    return f"block-{digest(key)[:8]}"


def replaced_draft(before: Draft, after: Draft) -> Node:
    """For a change of the whole draft: undone only while nobody has changed anything since."""
    # Without hypotheses: what is deleted goes to the browser, and not everybody who edits may see them.
    return {"what": "draft", "after": digest(without_plan(after)), "draft": without_plan(before)}


def replaced_question(before: Draft, place: BlockPlace, made: Block) -> Node:
    """For a question of another kind: undone only while nobody has changed that one since."""
    section = before["sections"][place.section]
    block = blocks(section)[place.row]
    removed = {"what": "question", "key": key_of(made), "after": digest(made), "block": block}
    return removed | ({"asked": section["asked"]} if "asked" in section else {})
