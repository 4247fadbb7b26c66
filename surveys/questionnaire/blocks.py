"""A block is edited and moved as one: a question, or all options of a question of the form "many".

Its key finds it again after a move: the question's name, or `of=` and the group's name, which no question can have.
All functions expect a normalized draft and return another.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from privacy.grammar.reading import RESERVED_NAME
from surveys.draft import Draft
from surveys.questionnaire import normal_form, normal_values
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.section_kind import is_editable, section_kind
from surveys.refused import Refused

Block = list[Node]


class BlockPlace(NamedTuple):
    """The number of a section, and of a block in it; both from 0."""

    section: int
    row: int


def is_group(block: Sequence[Node]) -> bool:
    return bool(block[0].get("form") == "many")


def in_battery(question: Node) -> bool:
    """Whether it is a line of a battery (surveys.builder.batteries)."""
    return "of" in question and question.get("form") != "many"


def is_later_line(section: Node, question: Node) -> bool:
    """Whether an earlier line of its battery brings the scale and the words above the table."""
    if not in_battery(question):
        return False
    first = next(each for each in section["questions"] if each.get("of") == question["of"])
    return bool(first["name"] != question["name"])


def key_of(block: Sequence[Node]) -> str:
    first = block[0]
    return f"of={first['of']}" if is_group(block) else str(first["name"])


def blocks(section: Node) -> list[Block]:
    made: list[Block] = []
    for question in section["questions"] if is_editable(section) else ():
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
    kind = section_kind(draft["sections"][place.section])
    if kind.holds_one and not kind.lists_answers:
        raise Refused(_("This question has no answers to choose from."))
    return place, block


def section_at(draft: Draft, number: int) -> Node:
    if not 0 <= number < len(draft["sections"]):
        raise Refused(_("This section is not there any more."))
    section: Node = draft["sections"][number]
    return section


def with_section(draft: Draft, number: int, section: Node) -> Draft:
    sections = list(draft["sections"])
    others = {
        question["of"]
        for at, other in enumerate(sections)
        if at != number and is_editable(other)
        for question in other["questions"]
        if "of" in question
    }
    sections[number] = normal_form.settled(_split(section, others))
    return {**draft, "sections": sections}


def _split(section: Node, taken: set[str]) -> Node:
    """Lines of a battery that no longer stand together become batteries of their own."""
    questions = section.get("questions")
    if not questions or not any(map(in_battery, questions)):
        return section
    groups = normal_values.UniqueNames(taken | {each["of"] for each in questions if is_group([each])})
    return {**section, "questions": normal_form.grouped(questions, groups, in_battery)}


def with_blocks(draft: Draft, number: int, made: Sequence[Block]) -> Draft:
    section = {**draft["sections"][number], "questions": [question for block in made for question in block]}
    return with_section(draft, number, section)


def with_block(draft: Draft, key: str, block: Block) -> Draft:
    """`block` in the place of the one with this key; the other lines of its battery get the same scale."""
    place, _before = find(draft, key)
    of = block[0].get("of")
    made = [
        [_with_scale(other[0], block[0])]
        if in_battery(other[0]) and in_battery(block[0]) and other[0]["of"] == of
        else other
        for other in blocks(draft["sections"][place.section])
    ]
    made[place.row] = _with_none_first(block) if is_group(block) else block
    return with_blocks(draft, place.section, made)


def _with_scale(line: Node, changed: Node) -> Node:
    """A line of a battery as another one of its lines has been changed; its own noise stays with its choices."""
    noise = dict(zip((each["name"] for each in line["choices"]), line.get("noise", ()), strict=False))
    called = [each["name"] for each in changed["choices"]]
    kept = {"noise": [noise[name] for name in called]} if noise and set(called) == set(noise) else {}
    rest = {key: value for key, value in line.items() if key != "noise"}
    return {**rest, **{key: changed[key] for key in ("form", "choices", "help")}, **kept}


def _with_none_first(block: Block) -> Block:
    """The answer that excludes the options stands on the first of them, whichever that is now."""
    none = next((each["none"] for each in block if each.get("none")), None)
    bare = [{key: value for key, value in each.items() if key != "none"} for each in block]
    return [{**bare[0], "none": none}, *bare[1:]] if none else bare


def names(draft: Draft) -> set[str]:
    return {question["name"] for _place, block in all_blocks(draft) for question in block}


def groups(draft: Draft) -> set[str]:
    return {block[0]["of"] for _place, block in all_blocks(draft) if "of" in block[0]}


def new_name(draft: Draft, stem: str = "q1") -> str:
    return normal_values.unused_name(stem, names(draft) | groups(draft) | {RESERVED_NAME})


def copied(draft: Draft, block: Block) -> Block:
    """The same under names that the draft does not use yet; a line stays in its battery."""
    taken = names(draft) | {RESERVED_NAME}
    group = normal_values.unused_name(block[0]["of"], groups(draft)) if is_group(block) else None
    made = []
    for question in block:
        name = normal_values.unused_name(question["name"], taken)
        taken.add(name)
        made.append({**question, "name": name, **({"of": group} if group else {})})
    return made


def fitting(block: Block, section: Node) -> Block:
    """The block as a section of this kind holds it."""
    return [section_kind(section).fitted(each) for each in block]


def question_text(block: Sequence[Node], language: str) -> str:
    """The question's words, or its name where it has none."""
    text: dict[str, Any] = block[0]["text"]
    found = text.get(language) or next(iter(text.values()), "") or block[0].get("of") or block[0]["name"]
    return str(found)
