"""A block is edited and moved as one: a question, or all options of a question of the form "many".

Its key finds it again after a move: the question's name, or `of=` and the group's name, which no question can have.
All functions expect a normalized draft and return another.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from privacy.grammar.reading import RESERVED_NAME
from surveys.builder import normal_form, normal_values, section_kinds
from surveys.builder.normal_values import Node
from surveys.draft import Draft
from surveys.refused import Refused

Block = list[Node]


class BlockPlace(NamedTuple):
    """The number of a section, and of a block in it; both from 0."""

    section: int
    row: int


def is_group(block: Sequence[Node]) -> bool:
    return bool(block[0].get("form") == "many")


def key_of(block: Sequence[Node]) -> str:
    first = block[0]
    return f"of={first['of']}" if is_group(block) else str(first["name"])


def blocks(section: Node) -> list[Block]:
    made: list[Block] = []
    for question in section["questions"] if section_kinds.is_editable(section) else ():
        if made and question.get("form") == "many" and made[-1][0].get("of") == question["of"]:
            made[-1].append(question)
        else:
            made.append([question])
    return made


def all_blocks(draft: Draft) -> Iterator[tuple[BlockPlace, Block]]:
    for number, section in enumerate(draft["sections"]):
        for row, block in enumerate(blocks(section)):
            yield BlockPlace(number, row), block


def find(draft: Draft, key: str) -> tuple[BlockPlace, Block]:
    for place, block in all_blocks(draft):
        if key_of(block) == key:
            return place, block
    raise Refused(_("This question is not there any more: it was deleted or got another name."))


def find_with_choices(draft: Draft, key: str) -> tuple[BlockPlace, Block]:
    place, block = find(draft, key)
    if "choices" not in block[0]:
        raise Refused(_("This question has no answers to choose from."))
    return place, block


def section_at(draft: Draft, number: int) -> Node:
    if not 0 <= number < len(draft["sections"]):
        raise Refused(_("This section is not there any more."))
    section: Node = draft["sections"][number]
    return section


def with_section(draft: Draft, number: int, section: Node) -> Draft:
    sections = list(draft["sections"])
    sections[number] = normal_form.settled(section)
    return {**draft, "sections": sections}


def with_blocks(draft: Draft, number: int, made: Sequence[Block]) -> Draft:
    section = {**draft["sections"][number], "questions": [question for block in made for question in block]}
    return with_section(draft, number, section)


def with_block(draft: Draft, key: str, block: Block) -> Draft:
    """`block` in the place of the one with this key."""
    place, _before = find(draft, key)
    made = blocks(draft["sections"][place.section])
    made[place.row] = block
    return with_blocks(draft, place.section, made)


def names(draft: Draft) -> set[str]:
    return {question["name"] for _place, block in all_blocks(draft) for question in block}


def groups(draft: Draft) -> set[str]:
    return {block[0]["of"] for _place, block in all_blocks(draft) if "of" in block[0]}


def new_name(draft: Draft, stem: str = "q1") -> str:
    return normal_values.unused_name(stem, names(draft) | {RESERVED_NAME})


def copied(draft: Draft, block: Block) -> Block:
    """The same under names that the draft does not use yet."""
    taken = names(draft) | {RESERVED_NAME}
    group = normal_values.unused_name(block[0]["of"], groups(draft)) if "of" in block[0] else None
    made = []
    for question in block:
        name = normal_values.unused_name(question["name"], taken)
        taken.add(name)
        made.append({**question, "name": name, **({"of": group} if group else {})})
    return made


def fitting(block: Block, section: Node) -> Block:
    """The block as a section of this kind holds it."""
    return [section_kinds.section_kind(section).fitted(each) for each in block]


def question_text(block: Sequence[Node], language: str) -> str:
    """The question's words, or its name where it has none."""
    text: dict[str, Any] = block[0]["text"]
    found = text.get(language) or next(iter(text.values()), "") or block[0].get("of") or block[0]["name"]
    return str(found)
