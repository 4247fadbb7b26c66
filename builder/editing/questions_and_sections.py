"""Adds, moves, copies and deletes questions and sections of a draft, and converts questions to other forms.

A block is a question, or all options of a question with several answers (surveys.questionnaire.question_block_editing).
"""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from privacy.guarantee.amplification import GammaLimit
from surveys.kinds.grouped.draft import GroupedDraft
from surveys.kinds.number.proposals import section_from_scale
from surveys.kinds.plain.draft import PLAIN
from surveys.kinds.registry import KINDS
from surveys.kinds.subset.draft import convert_to_subset_selection
from surveys.kinds.subset.kind import sets_proposal_text
from surveys.questionnaire.answer_scales import SCALES, scale_values
from surveys.questionnaire.choice_question_kinds import new_block
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.protection import gamma_limit_for_section, preset_for_new_section
from surveys.questionnaire.question_block_editing import (
    Block,
    BlockPosition,
    adapt_block_to_section,
    block_key,
    blocks_of_section,
    copy_block,
    find_block,
    find_section,
    group_names,
    question_names,
    replace_blocks,
    replace_section_normalized,
    undo_data_for_deleted_block,
)
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.show_if_rules import check_rules
from surveys.questionnaire.value_normalization import Node, UniqueNames, normal_text, unused_name

MOST_STATEMENTS = 40
LONGEST_STATEMENT = 500


def append_block(draft: Questionnaire, block: Block, number: int) -> Questionnaire:
    """Appends a question, or all options of one, to the section with this number."""
    return _append_blocks(draft, [block], number)


def _append_blocks(draft: Questionnaire, blocks: Sequence[Block], number: int) -> Questionnaire:
    if not find_section(draft, number).may_add_questions:
        raise NotAllowed(_("This section cannot take questions."))
    return replace_blocks(draft, number, [*blocks_of_section(draft.sections[number]), *blocks])


def add_control_item(draft: Questionnaire, block: Block, number: int) -> tuple[Questionnaire, str]:
    """Adds a control item, a question whose true share is known, and returns its key beside the draft.

    It goes to the section with this number if that is plain, else to the nearest plain section above, else to a new
    one.
    """
    above = range(number, -1, -1)
    target = next((index for index in above if not draft.sections[index].sensitive), None)
    if target is None:
        target, draft = number, insert_section(draft, KINDS[PLAIN].new_section(draft), number)
    return append_block(draft, block, target), block_key(block)


def move_block(draft: Questionnaire, key: str, to: BlockPosition) -> Questionnaire:
    """Moves a question to another section or row; `to.row` counts the rows without the moved question."""
    source, block = find_block(draft, key)
    target = find_section(draft, to.section)
    if not target.may_add_questions:
        raise NotAllowed(_("This section cannot take questions."))
    if draft.sections[source.section].holds_one:
        raise NotAllowed(_("This question has a section of its own. Move the section."))
    after = _draft_without_block(draft, source.section, key)
    row = max(0, min(to.row, len(blocks_of_section(after.sections[to.section]))))
    if to.section != source.section:
        return check_rules(
            draft, _insert_block_at(after, to.section, row, adapt_block_to_section(block, target))
        )
    after = _insert_block_at(after, to.section, row, block)
    section = after.sections[to.section].restore_lost_settings(target.kind_settings_json())
    return check_rules(draft, replace_section_normalized(after, to.section, section))


def shift_block(draft: Questionnaire, key: str, by: int) -> Questionnaire:
    """Moves a question one row up (-1) or down (1); at the end of its section, into the next section that
    accepts questions.

    A section with a single question of its own kind moves as a whole.
    """
    position, _block = find_block(draft, key)
    section = draft.sections[position.section]
    if section.holds_one:
        return move_section(draft, position.section, by)
    row = position.row + by
    if 0 <= row < len(blocks_of_section(section)):
        return move_block(draft, key, BlockPosition(position.section, row))
    beyond = range(position.section + by, len(draft.sections) if by > 0 else -1, by)
    for number in beyond:
        if draft.sections[number].may_add_questions:
            row = 0 if by > 0 else len(blocks_of_section(draft.sections[number]))
            return move_block(draft, key, BlockPosition(number, row))
    if by > 0:
        raise NotAllowed(
            _("No section below takes this question. Move a section instead.")
            if beyond
            else _("This is the last question already.")
        )
    raise NotAllowed(
        _("No section above takes this question. Move a section instead.")
        if beyond
        else _("This is the first question already.")
    )


def duplicate_block(draft: Questionnaire, key: str) -> tuple[Questionnaire, str]:
    """Inserts a copy of the question below it; also returns the key of the copy."""
    position, block = find_block(draft, key)
    if draft.sections[position.section].holds_one:
        after = duplicate_section(draft, position.section)
        return after, block_key(blocks_of_section(after.sections[position.section + 1])[0])
    copy = copy_block(draft, block)
    return _insert_block_at(draft, position.section, position.row + 1, copy), block_key(copy)


def remove_block(draft: Questionnaire, key: str) -> tuple[Questionnaire, Node]:
    """Removes a question; also returns the data that undo needs to restore it (builder.editing.undo)."""
    position, block = find_block(draft, key)
    section = draft.sections[position.section]
    if section.holds_one:
        return remove_section(draft, position.section)
    after = check_rules(draft, _draft_without_block(draft, position.section, key))
    where = {"what": "block", "section": position.section, "row": position.row}
    beside = [block_key(other) for other in blocks_of_section(section) if block_key(other) != key]
    company = {"beside": beside, "sensitive": section.sensitive}
    return after, {**where, **company, **undo_data_for_deleted_block(section, block)}


def _insert_block_at(draft: Questionnaire, number: int, row: int, block: Block) -> Questionnaire:
    rows = blocks_of_section(draft.sections[number])
    return replace_blocks(draft, number, [*rows[:row], block, *rows[row:]])


def _draft_without_block(draft: Questionnaire, number: int, key: str) -> Questionnaire:
    rows = [block for block in blocks_of_section(draft.sections[number]) if block_key(block) != key]
    return replace_blocks(draft, number, rows)


def insert_section(draft: Questionnaire, section: DraftSection, number: int | None = None) -> Questionnaire:
    """Inserts a section before the section with this number, or at the end."""
    sections = list(draft.sections)
    sections.insert(len(sections) if number is None else number, section)
    return replace(draft, sections=tuple(sections))


def move_section(draft: Questionnaire, number: int, by: int) -> Questionnaire:
    """Moves a section up (-1) or down (1)."""
    section = find_section(draft, number)
    if not 0 <= number + by < len(draft.sections):
        raise NotAllowed(_("It cannot go any further."))
    return check_rules(draft, insert_section(_draft_without_section(draft, number), section, number + by))


def remove_section(draft: Questionnaire, number: int) -> tuple[Questionnaire, Node]:
    """Removes a section; also returns the data that undo needs to restore it (builder.editing.undo)."""
    section = find_section(draft, number)
    removed = {"what": "section", "number": number, "section": section.as_json()}
    return check_rules(draft, _draft_without_section(draft, number)), removed


def _draft_without_section(draft: Questionnaire, number: int) -> Questionnaire:
    return replace(draft, sections=(*draft.sections[:number], *draft.sections[number + 1 :]))


def duplicate_section(draft: Questionnaire, number: int) -> Questionnaire:
    section = find_section(draft, number)
    if not section.is_known:
        raise NotAllowed(_("This section cannot be duplicated here."))
    return insert_section(draft, section_with_unused_names(draft, section), number + 1)


def copy_section(draft: Questionnaire, source: Questionnaire, number: int) -> Questionnaire:
    """Copies a section of another survey (`source`) to the end of this draft, without show-if rules that
    refer to questions outside that section."""
    section = find_section(source, number)
    if not set(draft.languages) & set(source.languages):
        raise NotAllowed(_("That survey is written in other languages. Add one of them here first."))
    section = section_with_unused_names(draft, section)
    names_here = {question.name for question in section.questions}
    questions = [
        replace(
            question, show_if={name: rule for name, rule in question.show_if.items() if name in names_here}
        )
        for question in section.questions
    ]
    section = replace(section, questions=tuple(questions))
    return insert_section(draft, section.in_languages(draft.languages))


def copy_question(draft: Questionnaire, source: Questionnaire, number: int, row: int) -> Questionnaire:
    """Copies a question of another survey (`source`) into the last section if it is of the same kind, else into a new
    section."""
    section = find_section(source, number)
    blocks = blocks_of_section(section)
    if not 0 <= row < len(blocks):
        raise NotAllowed(_("This question is not there any more: it was deleted or got another name."))
    alone = replace(section, questions=tuple(blocks[row]), intro={})
    copied = copy_section(draft, replace_section_normalized(source, number, alone.normalized()), number)
    *sections, last = copied.sections
    if not sections or sections[-1].kind != last.kind or last.holds_one:
        return copied
    joined = [sections[-1].adapt_moved_question(question) for question in last.questions]
    sections[-1] = replace(sections[-1], questions=(*sections[-1].questions, *joined)).normalized()
    return replace(copied, sections=tuple(sections))


def section_with_unused_names(draft: Questionnaire, section: DraftSection) -> DraftSection:
    """Renames those questions of a section whose names the draft already uses, also in show-if rules between them."""
    new_names: dict[str, str] = {}
    after, questions = draft, list[DraftQuestion]()
    for block in blocks_of_section(section):
        copy = copy_block(after, block)
        new_names |= {old.name: new.name for old, new in zip(block, copy, strict=True)}
        questions += copy
        after = insert_section(after, replace(section, questions=tuple(copy)))
    unused = UniqueNames(group_names(after))
    batteries = dict.fromkeys(question.of for question in questions if question.is_line_of_battery)
    new_batteries = {battery: unused.make_unique(battery) for battery in batteries}
    copies = [
        replace(
            question,
            of=new_batteries[question.of] if question.is_line_of_battery else question.of,
            show_if={new_names.get(name, name): rule for name, rule in question.show_if.items()},
        )
        for question in questions
    ]
    return replace(section, questions=tuple(copies))


# A battery: questions that stand together and share one scale, so that respondents see them as one table. In a draft
# they have the same `of`, form, choices and help, which is the words above the table
# (surveys.questionnaire.question_block_editing.replace_block). Each is edited, moved and deleted as a question of its
# own.


def read_statements(text: str) -> list[str]:
    """Returns the statements of a battery (questions with one scale, shown as a table), written one per line."""
    statements = [line.strip() for line in normal_text(text).splitlines() if line.strip()]
    if len(statements) < 2:
        raise NotAllowed(_("Write at least two statements, each on a line of its own."))
    if len(statements) > MOST_STATEMENTS:
        raise NotAllowed(_("A battery has at most %(most)s statements.") % {"most": MOST_STATEMENTS})
    if max(map(len, statements)) > LONGEST_STATEMENT:
        raise NotAllowed(
            _("A statement has at most %(most)s characters. Write a shorter one.")
            % {"most": LONGEST_STATEMENT}
        )
    return statements


def add_battery(
    draft: Questionnaire, number: int, statements: Sequence[str], scale: str, language: str
) -> tuple[Questionnaire, str]:
    """Appends a battery: a question for each statement, all with one scale. Also returns the name of the first
    question."""
    if scale not in SCALES:
        raise NotAllowed(_("Choose one of the scales."))
    if language not in draft.languages:
        raise NotAllowed(_("The survey is not in this language any more."))
    (model,) = new_block(draft, scale, draft.sections[number].sensitive)
    battery, unused = unused_name(model.name, group_names(draft)), UniqueNames(question_names(draft))
    lines = [
        replace(model, name=unused.make_unique(model.name), text={language: statement}, of=battery)
        for statement in statements
    ]
    return _append_blocks(draft, [[line] for line in lines], number), lines[0].name


def turn_scale_into_number(draft: Questionnaire, key: str) -> Questionnaire:
    """Replaces a disguised numeric scale by a sensitive number with the same protection; each value becomes a class.

    The number gets a section of its own: before the old section if the scale was its first question, else after it.
    """
    position, block = find_block(draft, key)
    section, values = draft.sections[position.section], scale_values(block[0])
    # Only this question: another one of its section may be unfinished.
    law = replace(section, questions=(block[0],)).single_choice_law() if values else None
    if law is None:
        raise NotAllowed(_("Only a disguised question whose answers are a scale of numbers can be a number."))
    if len(section.questions) == 1:
        number = section_from_scale(block[0], values, GammaLimit(law.gamma, strict=False))
        return replace_section_normalized(
            draft, position.section, replace(number, preset=section.preset, intro=section.intro)
        )
    rest = _draft_without_block(draft, position.section, key)
    number = section_from_scale(block[0], values, gamma_limit_for_section(rest))
    marked = replace(number, preset=preset_for_new_section(draft).name)
    return insert_section(rest, marked, position.section + bool(position.row))


def subset_selection_proposal_text(section: DraftSection) -> str:
    """Returns a sentence that proposes to send a set of answers instead of one; empty if that gives no
    smaller error."""
    law = section.single_choice_law()
    return sets_proposal_text(section, law) if law else ""


def convert_to_one_answer(section: DraftSection) -> GroupedDraft:
    """Converts a section that sends a random set of choices into one that sends one choice, with the same
    protection."""
    keep, questions = section.keep_when_sent_as_one_choice(), section.questions
    return GroupedDraft(keep=keep, preset=section.preset, intro=section.intro, questions=questions)


def switch_subset_selection(draft: Questionnaire, number: int, word: str) -> Questionnaire:
    """Makes a section with one question send a random set of its choices (`word` is "sets") or one choice ("one")."""
    section = find_section(draft, number)
    if word == "one" and section.sends_sets:
        return replace_section_normalized(draft, number, convert_to_one_answer(section))
    law = section.single_choice_law() if word == "sets" else None
    sets = convert_to_subset_selection(section, law) if law else None
    if sets is None:
        raise NotAllowed(_("This section has changed meanwhile. Look at it again."))
    return replace_section_normalized(draft, number, sets[0])
