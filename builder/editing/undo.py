"""Undo of a deletion. What was deleted is sent with the page, signed; each person's last is stored for a repeat."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.core import signing
from django.utils.translation import gettext as _

from builder.editing.arranging import put_section, renewed
from surveys.kinds.reading import read_questionnaire, read_section
from surveys.not_allowed import NotAllowed
from surveys.questionnaire.answer_choices import with_choices
from surveys.questionnaire.blocks import (
    Block,
    blocks,
    copied,
    find,
    fitting,
    is_group,
    key_of,
    names,
    section_at,
    with_block,
    with_blocks,
    with_section,
)
from surveys.questionnaire.choice_draft import read_choices, read_noise
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.normal_values import Node, UniqueNames, unused_name
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.replaced import digest
from surveys.questionnaire.rules import without_broken_rule


def restore(draft: Questionnaire, removed: Node) -> tuple[Questionnaire, str]:
    """The draft with what was removed, and the key of the question to show."""
    match removed:
        case {"what": "draft", "after": seen, "draft": earlier}:
            if digest(replace(draft, plan={})) != seen:
                raise NotAllowed(
                    _("The draft has been changed since, so this cannot be taken back any more.")
                )
            return replace(read_questionnaire(earlier), plan=draft.plan), ""
        case {"what": "section", "section": data, "number": number}:
            (section,) = read_section(data, draft.languages, UniqueNames(), UniqueNames())
            return without_broken_rule(draft, put_section(draft, renewed(draft, section), number)), ""
        case {"what": "block", "section": number, "row": row, "block": block, "settings": settings}:
            after, key = _with_block_at(draft, number, row, block)
        case {"what": "answer", "key": key, "row": row, "answer": answer, "settings": settings}:
            after = _with_answer(draft, key, row, answer, removed.get("noise"))
        case {"what": "question", "key": key, "after": seen, "block": block, "settings": settings}:
            after, key = _with_question(draft, key, seen, block)
        case _:
            raise NotAllowed(_("This cannot be taken back here."))
    number = find(after, key)[0].section
    after = with_section(after, number, after.sections[number].with_lost_settings(settings))
    return without_broken_rule(draft, after), key


def _with_block_at(
    draft: Questionnaire, number: int, row: int, removed: Sequence[Node]
) -> tuple[Questionnaire, str]:
    section = section_at(draft, number)
    if not section.takes_questions:
        raise NotAllowed(_("The section of this question no longer exists."))
    block = copied(draft, fitting(_read(draft, section, removed), section))
    there = blocks(section)
    there.insert(row, block)
    return with_blocks(draft, number, there), key_of(block)


def _read(draft: Questionnaire, section: DraftSection, removed: Sequence[Node]) -> Block:
    (made,) = section.read({"questions": removed}, draft.languages, UniqueNames(), UniqueNames())
    return list(made.questions)


def _with_answer(draft: Questionnaire, key: str, row: int, removed: Node, noise: Any) -> Questionnaire:
    position, block = find(draft, key)
    if is_group(block):
        (option,) = _read(draft, draft.sections[position.section], [removed])
        option = replace(option, name=unused_name(option.name, names(draft)))
        return with_block(draft, key, [*block[:row], option, *block[row:]])
    (choice,) = read_choices([removed], draft.languages)
    choice = replace(choice, name=unused_name(choice.name, block[0].choice_names))
    choices = block[0].choices
    (question,) = with_choices(block, [*choices[:row], choice, *choices[row:]])
    own = question.noise or read_noise(noise, len(question.choices))
    return with_block(draft, key, [replace(question, noise=own)])


def _with_question(
    draft: Questionnaire, key: str, seen: str, removed: Sequence[Node]
) -> tuple[Questionnaire, str]:
    position, made = find(draft, key)
    block = _read(draft, draft.sections[position.section], removed)
    others = names(draft) - {each.name for each in made}
    if digest(made) != seen or others & {each.name for each in block}:
        raise NotAllowed(_("The draft has been changed since, so this cannot be taken back any more."))
    return with_block(draft, key, block), key_of(block)


def packed(survey: int, removed: Node) -> str:
    return signing.dumps(removed, salt=f"builder.edits.undo.{survey}", compress=True)


def unpacked(survey: int, text: str) -> Node:
    try:
        removed: Node = signing.loads(text, salt=f"builder.edits.undo.{survey}")
    except signing.BadSignature:
        raise NotAllowed(_("This cannot be taken back here.")) from None
    return removed
