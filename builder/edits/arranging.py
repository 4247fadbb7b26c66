"""Adding, moving, duplicating and deleting questions and sections."""

from dataclasses import replace

from django.utils.translation import gettext as _

from privacy.guarantee.amplification import GammaLimit
from surveys.kinds.number.proposals import section_from_scale
from surveys.kinds.plain.draft import PLAIN
from surveys.kinds.registry import KINDS
from surveys.not_allowed import NotAllowed
from surveys.questionnaire import normal_values
from surveys.questionnaire.blocks import (
    Block,
    BlockPosition,
    blocks,
    copied,
    find,
    fitting,
    groups,
    key_of,
    section_at,
    with_blocks,
    with_section,
)
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.normal_values import Node
from surveys.questionnaire.presets import limit_of_section, preset_of_new
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.replaced import removed_block
from surveys.questionnaire.rules import without_broken_rule
from surveys.questionnaire.scales import scale_values


def move(draft: Questionnaire, key: str, to: BlockPosition) -> Questionnaire:
    """`to.row` counts the blocks of that section without the one that moves."""
    source, block = find(draft, key)
    target = section_at(draft, to.section)
    if not target.takes_questions:
        raise NotAllowed(_("This section cannot take questions."))
    if is_alone(draft, key):
        raise NotAllowed(_("This question has a section of its own. Move the section."))
    left = [each for each in blocks(draft.sections[source.section]) if key_of(each) != key]
    after = with_blocks(draft, source.section, left)
    there = blocks(after.sections[to.section])
    if to.section != source.section:
        block = fitting(block, target)
    there.insert(max(0, min(to.row, len(there))), block)
    after = with_blocks(after, to.section, there)
    if to.section == source.section:
        section = after.sections[to.section].with_lost_settings(target.settings_json())
        after = with_section(after, to.section, section)
    return without_broken_rule(draft, after)


def is_alone(draft: Questionnaire, key: str) -> bool:
    """Whether its section holds it alone and goes where it goes."""
    position, _block = find(draft, key)
    return draft.sections[position.section].holds_one


def up(draft: Questionnaire, key: str) -> Questionnaire:
    position, _block = find(draft, key)
    if is_alone(draft, key):
        return move_section(draft, position.section, -1)
    if position.row:
        return move(draft, key, BlockPosition(position.section, position.row - 1))
    for number in range(position.section - 1, -1, -1):
        if draft.sections[number].takes_questions:
            return move(draft, key, BlockPosition(number, len(blocks(draft.sections[number]))))
    raise NotAllowed(_("This is the first question already."))


def down(draft: Questionnaire, key: str) -> Questionnaire:
    position, _block = find(draft, key)
    if is_alone(draft, key):
        return move_section(draft, position.section, 1)
    if position.row + 1 < len(blocks(draft.sections[position.section])):
        return move(draft, key, BlockPosition(position.section, position.row + 1))
    for number in range(position.section + 1, len(draft.sections)):
        if draft.sections[number].takes_questions:
            return move(draft, key, BlockPosition(number, 0))
    raise NotAllowed(_("This is the last question already."))


def put(draft: Questionnaire, block: Block, section: int) -> Questionnaire:
    """A new block at the end of a section."""
    if not section_at(draft, section).takes_questions:
        raise NotAllowed(_("This section cannot take questions."))
    there = blocks(draft.sections[section])
    return with_blocks(draft, section, [*there, block])


def put_control(draft: Questionnaire, block: Block, number: int) -> tuple[Questionnaire, str]:
    """A control item in a plain section: this one, else the nearest above, else a new one before it; and its key."""
    above = range(number, -1, -1)
    target = next((at for at in above if not draft.sections[at].sensitive), None)
    if target is None:
        target, draft = number, put_section(draft, KINDS[PLAIN].new(draft), number)
    return put(draft, block, target), key_of(block)


def duplicate(draft: Questionnaire, key: str) -> tuple[Questionnaire, str]:
    position, block = find(draft, key)
    if is_alone(draft, key):
        after = duplicate_section(draft, position.section)
        return after, key_of(blocks(after.sections[position.section + 1])[0])
    copy = copied(draft, block)
    there = blocks(draft.sections[position.section])
    there.insert(position.row + 1, copy)
    return with_blocks(draft, position.section, there), key_of(copy)


def remove(draft: Questionnaire, key: str) -> tuple[Questionnaire, Node]:
    """The changed draft, and what builder.edits.undo needs to restore it."""
    position, block = find(draft, key)
    section = draft.sections[position.section]
    if is_alone(draft, key):
        return remove_section(draft, position.section)
    left = [each for each in blocks(section) if key_of(each) != key]
    after = without_broken_rule(draft, with_blocks(draft, position.section, left))
    where = {"what": "block", "section": position.section, "row": position.row}
    return after, {**where, **removed_block(section, block)}


def put_section(draft: Questionnaire, section: DraftSection, number: int | None = None) -> Questionnaire:
    """Before the section with this number, or at the end."""
    sections = list(draft.sections)
    sections.insert(len(sections) if number is None else number, section)
    return replace(draft, sections=tuple(sections))


def move_section(draft: Questionnaire, number: int, by: int) -> Questionnaire:
    section = section_at(draft, number)
    if not 0 <= number + by < len(draft.sections):
        raise NotAllowed(_("It cannot go any further."))
    return without_broken_rule(draft, put_section(_without_section(draft, number), section, number + by))


def remove_section(draft: Questionnaire, number: int) -> tuple[Questionnaire, Node]:
    section = section_at(draft, number)
    removed = {"what": "section", "number": number, "section": section.as_json()}
    return without_broken_rule(draft, _without_section(draft, number)), removed


def _without_section(draft: Questionnaire, number: int) -> Questionnaire:
    sections = (section for at, section in enumerate(draft.sections) if at != number)
    return replace(draft, sections=tuple(sections))


def duplicate_section(draft: Questionnaire, number: int) -> Questionnaire:
    section = section_at(draft, number)
    if not section.is_known:
        raise NotAllowed(_("This section cannot be duplicated here."))
    return put_section(draft, renewed(draft, section), number + 1)


def renewed(draft: Questionnaire, section: DraftSection) -> DraftSection:
    """The same section under names that the draft does not use yet; rules inside it look at the copies."""
    called: dict[str, str] = {}
    grown, made = draft, list[DraftQuestion]()
    for block in blocks(section):
        copy = copied(grown, block)
        called |= {old.name: new.name for old, new in zip(block, copy, strict=True)}
        made += copy
        grown = put_section(grown, replace(section, questions=tuple(copy)))
    fresh = normal_values.UniqueNames(groups(grown))
    batteries = {
        battery: fresh.give(battery) for battery in dict.fromkeys(each.of for each in made if each.in_battery)
    }

    def following(question: DraftQuestion) -> DraftQuestion:
        battery = batteries[question.of] if question.in_battery else question.of
        rules = {called.get(name, name): allowed for name, allowed in question.show_if.items()}
        return replace(question, of=battery, show_if=rules)

    return replace(section, questions=tuple(map(following, made)))


def copy_in(draft: Questionnaire, other: Questionnaire, number: int) -> Questionnaire:
    """A section of another survey, at the end, without the rules that look at what stays behind."""
    section = section_at(other, number)
    if not set(draft.languages) & set(other.languages):
        raise NotAllowed(_("That survey is written in other languages. Add one of them here first."))
    section = renewed(draft, section)
    known = {question.name for question in section.questions}

    def within(question: DraftQuestion) -> DraftQuestion:
        rules = {name: allowed for name, allowed in question.show_if.items() if name in known}
        return replace(question, show_if=rules)

    section = replace(section, questions=tuple(map(within, section.questions)))
    return put_section(draft, section.in_languages(draft.languages))


def as_number(draft: Questionnaire, key: str) -> Questionnaire:
    """The draft whose disguised scale of numbers is a number, at the same protection; each value is a class.

    It stands in a section of its own, before the others of its section if it was the first of them, else behind them.
    """
    position, block = find(draft, key)
    section, number = draft.sections[position.section], position.section
    values = scale_values(block[0])
    # Of the question alone: another one of its section may be unfinished.
    law = replace(section, questions=(block[0],)).choice_law() if values else None
    if law is None:
        raise NotAllowed(_("Only a disguised question whose answers are a scale of numbers can be a number."))
    if len(section.questions) == 1:
        made = section_from_scale(block[0], values, GammaLimit(law.gamma, strict=False))
        return with_section(draft, number, replace(made, preset=section.preset, intro=section.intro))
    rest = with_blocks(draft, number, [other for other in blocks(section) if key_of(other) != key])
    made = section_from_scale(block[0], values, limit_of_section(rest))
    marked = replace(made, preset=preset_of_new(draft).name)
    return put_section(rest, marked, number + bool(position.row))
