"""Undoes deletions, and other changes that come with an undo button.

The page gets the deleted or earlier data, signed; each person's last data is also stored for a repeated request.
"""

from dataclasses import replace

from django.core import signing
from django.utils.translation import gettext as _

from builder.editing.questions_and_sections import insert_section, section_with_unused_names
from surveys.kinds.read_draft import read_questionnaire, read_sections_from_json
from surveys.questionnaire.answer_choice_editing import block_with_choices
from surveys.questionnaire.draft_question import read_choices, read_noise_probabilities
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_block_editing import (
    Block,
    adapt_block_to_section,
    block_key,
    blocks_of_section,
    copy_block,
    find_block,
    is_group_of_options,
    json_digest,
    question_names,
    replace_block,
    replace_blocks,
    replace_section_normalized,
)
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.show_if_rules import check_rules
from surveys.questionnaire.value_normalization import Node, UniqueNames, unused_name

SALT = "builder.edits.undo"


def sign_undo_data(survey: int, removed: Node) -> str:
    """Returns the data that undo needs, signed for the survey with this id; the page's undo button sends it back."""
    return signing.dumps(removed, salt=f"{SALT}.{survey}", compress=True)


def read_signed_undo_data(survey: int, text: str) -> Node:
    """Verifies and returns the data that `sign_undo_data` signed; refused if forged, or signed for another survey."""
    try:
        removed: Node = signing.loads(text, salt=f"{SALT}.{survey}")
    except signing.BadSignature:
        raise NotAllowed(_("This cannot be taken back here.")) from None
    return removed


def apply_undo_data(draft: Questionnaire, removed: Node) -> tuple[Questionnaire, str]:
    """Restores a deleted question, answer or section, or an earlier state of a question or of the whole draft.

    Also returns the key of the question to show, empty for a section or the whole draft. An earlier state is refused if
    somebody has changed the question or the draft since.
    """
    match removed:
        case {"what": "draft", "after": seen, "draft": earlier}:
            if json_digest(replace(draft, plan={})) != seen:
                raise NotAllowed(
                    _("The draft has been changed since, so this cannot be taken back any more.")
                )
            return replace(read_questionnaire(earlier), plan=draft.plan), ""
        case {"what": "section", "section": data, "number": number}:
            (section,) = read_sections_from_json(data, draft.languages, UniqueNames(), UniqueNames())
            after = insert_section(draft, section_with_unused_names(draft, section), number)
            return check_rules(draft, after), ""
        case {
            "what": "block",
            "section": number,
            "row": row,
            "beside": beside,
            "sensitive": sensitive,
            "block": data,
            "settings": settings,
        }:
            number = _find_section_of_deleted_question(draft, number, set(beside), sensitive)
            after, key = _restore_block(draft, number, row, data)
        case {"what": "answer", "key": key, "row": row, "answer": data, "settings": settings}:
            after = _restore_answer(draft, key, row, data, removed.get("noise"))
        case {"what": "question", "key": key, "after": seen, "block": data, "settings": settings}:
            after, key = _restore_question_kind(draft, key, seen, data)
        case _:
            raise NotAllowed(_("This cannot be taken back here."))
    number = find_block(after, key)[0].section
    after = replace_section_normalized(after, number, after.sections[number].restore_lost_settings(settings))
    return check_rules(draft, after), key


def _find_section_of_deleted_question(
    draft: Questionnaire, old_number: int, beside: set[str], sensitive: bool
) -> int:
    """Returns the number of the section from which a question was deleted; refused if the section is gone.

    Sections may have been moved since. The section is recognised by the questions that were beside the
    deleted one (`beside`, most matches); if there were none, by its old number and having no questions.
    """
    shared = {
        number: len(beside & keys)
        for number, section in enumerate(draft.sections)
        if section.sensitive == sensitive and section.may_add_questions
        for keys in [{block_key(block) for block in blocks_of_section(section)}]
        if beside & keys or (not beside and not keys and number == old_number)
    }
    if not shared:
        raise NotAllowed(_("The section of this question no longer exists."))
    return max(shared, key=lambda number: shared[number])


def _restore_block(
    draft: Questionnaire, number: int, row: int, data: list[Node]
) -> tuple[Questionnaire, str]:
    section = draft.sections[number]
    block = copy_block(draft, adapt_block_to_section(_read_block(draft, section, data), section))
    rows = blocks_of_section(section)
    rows.insert(row, block)
    return replace_blocks(draft, number, rows), block_key(block)


def _restore_answer(draft: Questionnaire, key: str, row: int, data: Node, noise: object) -> Questionnaire:
    """Restores a deleted answer: an option of a multiple-answer question as a question, any other answer as a choice
    with its noise."""
    position, block = find_block(draft, key)
    if is_group_of_options(block):
        (option,) = _read_block(draft, draft.sections[position.section], [data])
        option = replace(option, name=unused_name(option.name, question_names(draft)))
        return replace_block(draft, key, [*block[:row], option, *block[row:]])
    (choice,) = read_choices([data], draft.languages)
    choice = replace(choice, name=unused_name(choice.name, block[0].choice_names))
    choices = block[0].choices
    (question,) = block_with_choices(block, [*choices[:row], choice, *choices[row:]])
    noise = question.noise or read_noise_probabilities(noise, len(question.choices))
    return replace_block(draft, key, [replace(question, noise=noise)])


def _restore_question_kind(
    draft: Questionnaire, key: str, digest_after_change: str, data: list[Node]
) -> tuple[Questionnaire, str]:
    """Restores a question as it was before its kind was changed; refused if it has been changed since."""
    position, after = find_block(draft, key)
    before = _read_block(draft, draft.sections[position.section], data)
    names_in_use = question_names(draft) - {question.name for question in after}
    if json_digest(after) != digest_after_change or names_in_use & {question.name for question in before}:
        raise NotAllowed(_("The draft has been changed since, so this cannot be taken back any more."))
    return replace_block(draft, key, before), block_key(before)


def _read_block(draft: Questionnaire, section: DraftSection, data: list[Node]) -> Block:
    (section,) = section.read_sections({"questions": data}, draft.languages, UniqueNames(), UniqueNames())
    return list(section.questions)
