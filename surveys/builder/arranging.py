"""Adding, moving, duplicating and deleting questions and sections."""

from django.utils.translation import gettext as _

from surveys import draft as drafts
from surveys.draft import Draft
from surveys.kinds.plain.draft import PLAIN
from surveys.kinds.registry import KINDS
from surveys.questionnaire import normal_form, normal_values
from surveys.questionnaire.blocks import (
    Block,
    BlockPlace,
    blocks,
    copied,
    find,
    fitting,
    groups,
    in_battery,
    key_of,
    names,
    section_at,
    with_blocks,
    with_section,
)
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.rules import without_broken_rule
from surveys.questionnaire.section_kind import is_editable, section_kind, takes_questions
from surveys.refused import Refused


def move(draft: Draft, key: str, to: BlockPlace) -> Draft:
    """`to.row` counts the blocks of that section without the one that moves."""
    source, block = find(draft, key)
    target = section_at(draft, to.section)
    if not takes_questions(target):
        raise Refused(_("This section cannot take questions."))
    if is_alone(draft, key):
        raise Refused(_("This question has a section of its own. Move the section."))
    left = [each for each in blocks(draft["sections"][source.section]) if key_of(each) != key]
    after = with_blocks(draft, source.section, left)
    there = blocks(after["sections"][to.section])
    if to.section != source.section:
        block = fitting(block, target)
    there.insert(max(0, min(to.row, len(there))), block)
    after = with_blocks(after, to.section, there)
    if to.section == source.section and "asked" in target:
        after = with_section(after, to.section, {**after["sections"][to.section], "asked": target["asked"]})
    return without_broken_rule(draft, after)


def is_alone(draft: Draft, key: str) -> bool:
    """Whether its section holds it alone and goes where it goes."""
    place, _block = find(draft, key)
    return section_kind(draft["sections"][place.section]).holds_one


def up(draft: Draft, key: str) -> Draft:
    place, _block = find(draft, key)
    if is_alone(draft, key):
        return move_section(draft, place.section, -1)
    if place.row:
        return move(draft, key, BlockPlace(place.section, place.row - 1))
    for number in range(place.section - 1, -1, -1):
        if takes_questions(draft["sections"][number]):
            return move(draft, key, BlockPlace(number, len(blocks(draft["sections"][number]))))
    raise Refused(_("This is the first question already."))


def down(draft: Draft, key: str) -> Draft:
    place, _block = find(draft, key)
    if is_alone(draft, key):
        return move_section(draft, place.section, 1)
    if place.row + 1 < len(blocks(draft["sections"][place.section])):
        return move(draft, key, BlockPlace(place.section, place.row + 1))
    for number in range(place.section + 1, len(draft["sections"])):
        if takes_questions(draft["sections"][number]):
            return move(draft, key, BlockPlace(number, 0))
    raise Refused(_("This is the last question already."))


def put(draft: Draft, block: Block, section: int) -> Draft:
    """A new block at the end of a section."""
    if not takes_questions(section_at(draft, section)):
        raise Refused(_("This section cannot take questions."))
    there = blocks(draft["sections"][section])
    return with_blocks(draft, section, [*there, block])


def put_control(draft: Draft, block: Block, number: int) -> tuple[Draft, str]:
    """A control item in a plain section: this one, else the nearest above, else a new one before it; and its key."""
    above = range(number, -1, -1)
    place = next((at for at in above if not drafts.is_sensitive(draft["sections"][at])), None)
    if place is None:
        place, draft = number, put_section(draft, KINDS[PLAIN].new(draft), number)
    return put(draft, block, place), key_of(block)


def duplicate(draft: Draft, key: str) -> tuple[Draft, str]:
    place, block = find(draft, key)
    if is_alone(draft, key):
        after = duplicate_section(draft, place.section)
        return after, key_of(blocks(after["sections"][place.section + 1])[0])
    copy = copied(draft, block)
    there = blocks(draft["sections"][place.section])
    there.insert(place.row + 1, copy)
    return with_blocks(draft, place.section, there), key_of(copy)


def remove(draft: Draft, key: str) -> tuple[Draft, Node]:
    """The changed draft, and what surveys.builder.undo needs to restore it."""
    place, block = find(draft, key)
    section = draft["sections"][place.section]
    if is_alone(draft, key):
        return remove_section(draft, place.section)
    left = [each for each in blocks(section) if key_of(each) != key]
    after = without_broken_rule(draft, with_blocks(draft, place.section, left))
    removed = {"what": "block", "section": place.section, "row": place.row, "block": block}
    return after, removed | ({"asked": section["asked"]} if "asked" in section else {})


def put_section(draft: Draft, section: Node, number: int | None = None) -> Draft:
    """Before the section with this number, or at the end."""
    sections = list(draft["sections"])
    sections.insert(len(sections) if number is None else number, section)
    return {**draft, "sections": sections}


def move_section(draft: Draft, number: int, by: int) -> Draft:
    section = section_at(draft, number)
    left = [each for at, each in enumerate(draft["sections"]) if at != number]
    if not 0 <= number + by < len(draft["sections"]):
        raise Refused(_("It cannot go any further."))
    return without_broken_rule(draft, put_section({**draft, "sections": left}, section, number + by))


def remove_section(draft: Draft, number: int) -> tuple[Draft, Node]:
    section = section_at(draft, number)
    left = [each for at, each in enumerate(draft["sections"]) if at != number]
    return without_broken_rule(draft, {**draft, "sections": left}), {
        "what": "section",
        "number": number,
        "section": section,
    }


def duplicate_section(draft: Draft, number: int) -> Draft:
    section = section_at(draft, number)
    if not is_editable(section):
        raise Refused(_("This section cannot be duplicated here."))
    return put_section(draft, renewed(draft, section), number + 1)


def renewed(draft: Draft, section: Node) -> Node:
    """The same section under names that the draft does not use yet; rules inside it look at the copies."""
    called: dict[str, str] = {}
    grown, made = draft, []
    for block in blocks(section):
        copy = copied(grown, block)
        called.update((old["name"], new["name"]) for old, new in zip(block, copy, strict=True))
        made.append(copy)
        grown = put_section(grown, {"kind": section["kind"], "questions": copy})
    questions = [
        {**each, "show_if": {called.get(name, name): allowed for name, allowed in each["show_if"].items()}}
        for block in made
        for each in block
    ]
    batteries = dict.fromkeys(each["of"] for each in questions if in_battery(each))
    fresh = normal_values.UniqueNames(groups(grown))
    renamed = {of: fresh.give(of) for of in batteries}
    return {
        **section,
        "questions": [
            {**each, "of": renamed[each["of"]]} if in_battery(each) else each for each in questions
        ],
    }


def copy_in(draft: Draft, other: Draft, number: int) -> Draft:
    """A section of another survey, at the end, without the rules that look at what stays behind."""
    section = section_at(normal_form.normalized(other), number)
    spoken = set(draft["languages"])
    if not spoken & set(normal_form.normalized(other)["languages"]):
        raise Refused(_("That survey is written in other languages. Add one of them here first."))
    section = renewed(draft, section) if is_editable(section) else section
    known = names({**draft, "sections": [section]})
    questions = [
        {**each, "show_if": {name: allowed for name, allowed in each["show_if"].items() if name in known}}
        for each in section["questions"]
    ]
    return normal_form.normalized(put_section(draft, {**section, "questions": questions}))
