"""Blocks of a questionnaire, which are edited and moved as one: a question, or all options of a question with
several answers.

A block is identified by its key, which a move does not change: the question's name, or `of=` and the group's
name, which no question can have.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from privacy.grammar.question_reading import RESERVED_NAME
from surveys.questionnaire import value_normalization
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.draft_section import DraftSection, with_distinct_groups
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.value_normalization import Node

Block = list[DraftQuestion]


class BlockPosition(NamedTuple):
    """Position of a block: the number of its section, and its row in the section, both from 0."""

    section: int
    row: int


def is_group_of_options(block: Sequence[DraftQuestion]) -> bool:
    return block[0].is_option


def is_later_line_of_battery(section: DraftSection, question: DraftQuestion) -> bool:
    """True if the question is a line of a battery but not its first line, which holds the scale and the text
    above the table."""
    if not question.is_line_of_battery:
        return False
    first = next(line for line in section.questions if line.of == question.of)
    return first.name != question.name


def block_key(block: Sequence[DraftQuestion]) -> str:
    """Returns the key of a block: the name of its question or, for the options of a multiple-answer question, `of=` and
    the name of that question."""
    first = block[0]
    return f"of={first.of}" if is_group_of_options(block) else first.name


def blocks_of_section(section: DraftSection) -> list[Block]:
    """Returns the blocks of a section in order: each is a question, or all options of a question with several
    answers."""
    result: list[Block] = []
    for question in section.questions:
        if result and question.is_option and result[-1][0].is_option and result[-1][0].of == question.of:
            result[-1].append(question)
        else:
            result.append([question])
    return result


def all_blocks(questionnaire: Questionnaire) -> Iterator[tuple[BlockPosition, Block]]:
    for number, section in enumerate(questionnaire.sections):
        for row, block in enumerate(blocks_of_section(section)):
            yield BlockPosition(number, row), block


def find_block(questionnaire: Questionnaire, key: str) -> tuple[BlockPosition, Block]:
    """Returns the position and the block with this key; raises NotAllowed if it is gone."""
    for position, block in all_blocks(questionnaire):
        if block_key(block) == key:
            return position, block
    raise NotAllowed(_("This question is not there any more: it was deleted or got another name."))


def find_block_with_choices(
    questionnaire: Questionnaire, key: str, *, bands_too: bool = False
) -> tuple[BlockPosition, Block]:
    """Returns the position and the block with this key; raises NotAllowed if it is gone or its choices cannot be
    edited.

    `bands_too`: also admits a typed number, whose choices are bands that follow from its limits.
    """
    position, block = find_block(questionnaire, key)
    section = questionnaire.sections[position.section]
    if section.holds_one and not section.lists_answers:
        raise NotAllowed(_("This question has no answers to choose from."))
    if block[0].takes_number and not bands_too:
        raise NotAllowed(_("The answers of this question are its bands. Change where these begin."))
    return position, block


def find_section(questionnaire: Questionnaire, number: int) -> DraftSection:
    """Returns the section with this number; raises NotAllowed if it is gone."""
    if not 0 <= number < len(questionnaire.sections):
        raise NotAllowed(_("This section is not there any more."))
    return questionnaire.sections[number]


def replace_section_normalized(
    questionnaire: Questionnaire, number: int, section: DraftSection
) -> Questionnaire:
    """Replaces the section with this number by the normalised `section`.

    Lines of a battery that are no longer adjacent become separate batteries.
    """
    if any(question.is_line_of_battery for question in section.questions):
        others = (neighbour for at, neighbour in enumerate(questionnaire.sections) if at != number)
        used_names = {question.of for neighbour in others for question in neighbour.questions if question.of}
        used_names |= {question.of for question in section.questions if question.is_option}
        groups = value_normalization.UniqueNames(used_names)
        lines = with_distinct_groups(section.questions, groups, lambda question: question.is_line_of_battery)
        section = replace(section, questions=tuple(lines))
    return questionnaire.replace_section(number, section.normalized())


def replace_blocks(questionnaire: Questionnaire, number: int, changed: Sequence[Block]) -> Questionnaire:
    questions = tuple(question for block in changed for question in block)
    return replace_section_normalized(
        questionnaire, number, replace(questionnaire.sections[number], questions=questions)
    )


def replace_block(questionnaire: Questionnaire, key: str, block: Block) -> Questionnaire:
    """Replaces the block with this key; other lines of its battery get the same scale."""
    position, _before = find_block(questionnaire, key)
    changed = blocks_of_section(questionnaire.sections[position.section])
    if is_group_of_options(block):
        # The answer that excludes the options stands on the first of them, whichever that is now.
        none = next((question.none for question in block if question.none), {})
        block = [replace(question, none={} if row else none) for row, question in enumerate(block)]
    elif block[0].is_line_of_battery:
        for line in changed:
            if line[0].is_line_of_battery and line[0].of == block[0].of:
                line[0] = _line_with_scale(line[0], block[0])
    changed[position.row] = block
    return replace_blocks(questionnaire, position.section, changed)


def _line_with_scale(line: DraftQuestion, changed: DraftQuestion) -> DraftQuestion:
    """Returns a line of a battery with the scale of the line `changed`, keeping its own noise and sentence texts."""
    noise = dict(zip(line.choice_names, line.noise, strict=False))
    names = changed.choice_names
    kept = tuple(noise[name] for name in names) if noise and set(names) == set(noise) else ()
    own = {choice.name: choice for choice in line.choices}
    choices = tuple(choice.with_sentence_texts_from(own.get(choice.name)) for choice in changed.choices)
    return replace(line, form=changed.form, choices=choices, help=changed.help, noise=kept)


def question_names(questionnaire: Questionnaire) -> set[str]:
    return {question.name for question in questionnaire.all_questions}


def group_names(questionnaire: Questionnaire) -> set[str]:
    return {question.of for question in questionnaire.all_questions if question.of}


def unused_question_name(questionnaire: Questionnaire, stem: str = "q1") -> str:
    used_names = question_names(questionnaire) | group_names(questionnaire) | {RESERVED_NAME}
    return value_normalization.unused_name(stem, used_names)


def rename_question(draft: Questionnaire, before: str, name: str) -> Questionnaire:
    """Changes the name that a question has in record files, also wherever the draft refers to it."""
    after = value_normalization.normal_name(name)
    if after == before:
        return draft
    if not after or after == RESERVED_NAME or after in question_names(draft):
        raise NotAllowed(
            _("Another question has this name, or it cannot be one: “%(name)s”.") % {"name": name}
        )
    return draft.with_renamed_question(before, after)


def copy_block(questionnaire: Questionnaire, block: Block) -> Block:
    """Returns a copy of the block with names that this questionnaire does not use yet; does not insert the
    copy. The copy of a line of a battery belongs to the same battery."""
    unique = value_normalization.UniqueNames(question_names(questionnaire) | {RESERVED_NAME})
    group = (
        value_normalization.unused_name(block[0].of, group_names(questionnaire))
        if is_group_of_options(block)
        else None
    )
    return [
        replace(question, name=unique.make_unique(question.name), of=question.of if group is None else group)
        for question in block
    ]


def adapt_block_to_section(block: Block, section: DraftSection) -> Block:
    """Returns the block converted to the kind of this section."""
    if section.sensitive:
        block = [question.without_number() for question in block]
    return [section.adapt_moved_question(question) for question in block]


def question_text_with_fallback(block: Sequence[DraftQuestion], language: str) -> str:
    """Returns the question's text in this language, else in any, else its name."""
    first = block[0]
    return first.text.get(language) or next(iter(first.text.values()), "") or first.of or first.name


# --- replaced
# What undo needs to take back a change, and the digests that tell what has been changed since.


def json_digest(value: Any) -> str:
    """Returns a short digest of a value as JSON; parts of a questionnaire are converted to their JSON."""
    text = json.dumps(
        value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=lambda part: part.as_json()
    )
    return sha256(text.encode()).hexdigest()[:16]


def block_html_id(key: str) -> str:
    """Returns an HTML id for a block, which stays the same when the block is moved."""
    return f"block-{json_digest(key)[:8]}"


def undo_data_for_draft(before: Questionnaire, after: Questionnaire) -> Node:
    """Returns the data that undoes a change of the whole draft, valid until somebody changes the draft again."""
    # Without hypotheses: what is deleted goes to the browser, and not everybody who edits may see them.
    earlier, later = (replace(draft, plan={}).as_json() for draft in (before, after))
    return {"what": "draft", "after": json_digest(later), "draft": earlier}


def undo_data_for_kind_change(before: Questionnaire, position: BlockPosition, changed: Block) -> Node:
    """Returns the data that undoes a change of a question's kind, valid until somebody changes that question again."""
    section = before.sections[position.section]
    block = blocks_of_section(section)[position.row]
    return {
        "what": "question",
        "key": block_key(changed),
        "after": json_digest(changed),
        **undo_data_for_deleted_block(section, block),
    }


def undo_data_for_deleted_block(section: DraftSection, block: Block) -> Node:
    """Returns the data that restores a deleted block: its questions, and those settings of its section that
    may depend on them."""
    return {"block": [question.as_json() for question in block], "settings": section.kind_settings_json()}
