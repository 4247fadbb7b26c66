"""Commands of the buttons on the questionnaire's page: each returns a changed draft and a message.

`sent` are the fields of the button's form; invalid values are refused.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from django.utils.translation import gettext as _, ngettext

from builder.editing import questions_and_sections
from builder.editing.undo import apply_undo_data, read_signed_undo_data
from privacy.designs.labels import section_number
from surveys import default_draft_texts
from surveys.kinds.grouped.draft import GROUPED
from surveys.kinds.plain.draft import PLAIN
from surveys.kinds.registry import KINDS, get_kind
from surveys.questionnaire import answer_choice_editing, choice_question_kinds, show_if_rules
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_block_editing import (
    BlockPosition,
    block_html_id,
    block_key,
    blocks_of_section,
    find_block,
    find_block_with_choices,
    find_section,
    is_group_of_options,
    json_digest,
    question_text_with_fallback,
    rename_question,
    replace_block,
    undo_data_for_draft,
    undo_data_for_kind_change,
)
from surveys.questionnaire.questionnaire import (
    Command,
    CommandResult,
    Questionnaire,
    Sent,
    read_question_key,
    read_sent_number,
)

CONTROL = "control"
"""Entry in the list of question kinds that adds a control item: a yes/no question whose share of yes is known."""


def section_digest(section: DraftSection) -> str:
    """Returns a digest of a section's kind and questions.

    A button sends this digest, so that a command for a section that has moved or changed since is refused.
    """
    names = [section.kind, [block_key(block) for block in blocks_of_section(section)]]
    return json_digest(names if section.is_known else section)


def read_section_number(sent: Sent, draft: Questionnaire) -> int:
    """Returns the number of the section whose button was pressed; refused if that section has changed since."""
    number = read_sent_number(sent, "section")
    if section_digest(find_section(draft, number)) != sent.get("seen"):
        raise NotAllowed(_("Someone else has changed this section. Check it, then repeat what you did."))
    return number


def order_digest(draft: Questionnaire) -> str:
    """Returns a digest of all sections and the order of their questions; a button that moves a question sends it."""
    return json_digest([section_digest(section) for section in draft.sections])


def require_unchanged_order(draft: Questionnaire, sent: Sent) -> None:
    """Refuses a move if sections or the order of questions have changed since the person saw them, so that
    the question cannot land in a wrong place."""
    if sent.get("order") != order_digest(draft):
        raise NotAllowed(
            _("Someone else has changed the order of the questions. Check it, then repeat what you did.")
        )


def question_position_text(draft: Questionnaire, key: str) -> str:
    """Returns a sentence for screen readers that tells where a question now is."""
    position, block = find_block(draft, key)
    section = draft.sections[position.section]
    words = _("“%(question)s” is question %(number)s of %(all)s in section %(section)s, %(how)s.")
    return words % {
        "question": question_text_with_fallback(block, draft.first_language),
        "number": position.row + 1,
        "all": len(blocks_of_section(section)),
        "section": section_number(position.section),
        "how": _("disguised") if section.sensitive else _("sent as answered"),
    }


# Commands of the questionnaire's page.


def add_question_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    """Adds a question at the end of a section. A kind with sections of its own, such as a number or a place, gets a new
    section below; a control item may get another section that is not disguised."""
    number, kind = read_section_number(sent, draft), sent.get("kind", "")
    if kind in KINDS and KINDS[kind].adds:
        return _add_question_in_own_section(draft, kind, number + 1)
    if kind == CONTROL:
        after, key = questions_and_sections.add_control_item(
            draft, choice_question_kinds.new_control_item(draft), number
        )
        words = _("A control item costs no precision where answers are not disguised. %(where)s")
        return _result_with_open_form(after, key, words % {"where": question_position_text(after, key)})
    block = choice_question_kinds.new_block(draft, kind, draft.sections[number].sensitive)
    return _result_with_open_form(questions_and_sections.append_block(draft, block, number), block_key(block))


def add_section_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    kind = sent.get("kind", "")
    if kind in KINDS and KINDS[kind].adds:
        return _add_question_in_own_section(draft, kind, len(draft.sections))
    section = KINDS[GROUPED if kind == "sensitive" else PLAIN].new_section(draft)
    last = len(draft.sections)
    words = _("Section %(number)s is new. Add its first question.") % {"number": section_number(last)}
    return CommandResult(
        questions_and_sections.insert_section(draft, section), words, focus=f"section-{last}-kind"
    )


def add_battery_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    number = read_section_number(sent, draft)
    statements = questions_and_sections.read_statements(sent.get("statements", ""))
    after, key = questions_and_sections.add_battery(
        draft, number, statements, sent.get("scale", ""), sent.get("in", "")
    )
    words = ngettext("%(count)s statement is added.", "%(count)s statements are added.", len(statements))
    return _result_with_open_form(after, key, words % {"count": len(statements)})


def _add_question_in_own_section(draft: Questionnaire, kind: str, before_section: int) -> CommandResult:
    """Adds a question in a new section, before the section with this number."""
    after = questions_and_sections.insert_section(draft, KINDS[kind].new_section(draft), before_section)
    return _result_with_open_form(after, block_key(blocks_of_section(after.sections[before_section])[0]))


def _result_with_open_form(after: Questionnaire, key: str, words: str = "") -> CommandResult:
    """Returns the result of adding a question, which opens the question's form."""
    return CommandResult(
        after, words or question_position_text(after, key), key, True, f"{block_html_id(key)}-words"
    )


def shift_question_command(draft: Questionnaire, sent: Sent, *, by: int, focus_on: str) -> CommandResult:
    """Moves a question one row up or down; the focus stays on the pressed button."""
    require_unchanged_order(draft, sent)
    return _result_after_move(
        questions_and_sections.shift_block(draft, read_question_key(sent), by),
        read_question_key(sent),
        focus_on,
    )


def move_question_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    """Moves a question to the row where it was dropped."""
    require_unchanged_order(draft, sent)
    to = BlockPosition(read_sent_number(sent, "section"), read_sent_number(sent, "row"))
    return _result_after_move(
        questions_and_sections.move_block(draft, read_question_key(sent), to), read_question_key(sent), "up"
    )


def _result_after_move(after: Questionnaire, key: str, focus_on: str) -> CommandResult:
    """Returns the result of a move, with a message that tells where the question now is."""
    return CommandResult(
        after, question_position_text(after, key), key, focus=f"{block_html_id(key)}-{focus_on}"
    )


def duplicate_question_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    after, key = questions_and_sections.duplicate_block(draft, read_question_key(sent))
    words = _("Duplicated. %(where)s") % {"where": question_position_text(after, key)}
    return CommandResult(after, words, key, True, block_html_id(key))


def delete_question_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    question = question_text_with_fallback(
        find_block(draft, read_question_key(sent))[1], draft.first_language
    )
    after, removed = questions_and_sections.remove_block(draft, read_question_key(sent))
    words = _("“%(question)s” is deleted.") % {"question": question}
    return CommandResult(after, words, focus="undo", removed=removed)


def shift_section_command(draft: Questionnaire, sent: Sent, *, by: int, focus_on: str) -> CommandResult:
    number = read_section_number(sent, draft) + by
    after = questions_and_sections.move_section(draft, number - by, by)
    words = _("It is section %(number)s of %(all)s now.")
    words %= {"number": section_number(number), "all": len(after.sections)}
    return CommandResult(after, words, focus=f"section-{number}-{focus_on}")


def duplicate_section_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    number = read_section_number(sent, draft)
    after = questions_and_sections.duplicate_section(draft, number)
    words = _("Section %(number)s is a copy of the one above.") % {"number": section_number(number + 1)}
    return CommandResult(after, words, focus=f"section-{number + 1}")


def delete_section_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    number = read_section_number(sent, draft)
    after, removed = questions_and_sections.remove_section(draft, number)
    words = _("Section %(number)s and its questions are deleted.") % {"number": section_number(number)}
    return CommandResult(after, words, focus="undo", removed=removed)


def switch_subset_selection_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    """Switches what a section with one question sends: a random set of its choices (subset selection), or one
    choice."""
    number = read_section_number(sent, draft)
    after = questions_and_sections.switch_subset_selection(draft, number, sent.get("do", ""))
    return CommandResult(after, _("It is set."), focus=f"section-{number}")


def undo_command(survey: int) -> Command:
    """Returns the command that undoes a deletion, or another change that can be undone, in the survey with this id."""

    def undo_change(draft: Questionnaire, sent: Sent) -> CommandResult:
        after, key = apply_undo_data(draft, read_signed_undo_data(survey, sent.get("removed", "")))
        words = (
            _("It is back. %(where)s") % {"where": question_position_text(after, key)}
            if key
            else _("It is back.")
        )
        return CommandResult(after, words, key, focus=block_html_id(key) if key else "questionnaire")

    return undo_change


QUESTIONNAIRE_COMMANDS: dict[str, Command] = {
    "add": add_question_command,
    "battery-add": add_battery_command,
    "up": partial(shift_question_command, by=-1, focus_on="up"),
    "down": partial(shift_question_command, by=1, focus_on="down"),
    "move": move_question_command,
    "duplicate": duplicate_question_command,
    "delete": delete_question_command,
    "section-add": add_section_command,
    "sets": switch_subset_selection_command,
    "one": switch_subset_selection_command,
    "section-up": partial(shift_section_command, by=-1, focus_on="up"),
    "section-down": partial(shift_section_command, by=1, focus_on="down"),
    "section-duplicate": duplicate_section_command,
    "section-delete": delete_section_command,
}


# Commands inside the form of one question, after its fields have been saved. `row` follows the word: "answer-up 2".


def change_kind_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    """Changes the kind of a question; offers undo if that deletes answers."""
    position, before = find_block_with_choices(draft, read_question_key(sent), bands_too=True)
    after = choice_question_kinds.change_question_kind(draft, block_key(before), sent.get("kind", ""))
    block = blocks_of_section(after.sections[position.section])[position.row]
    key, labels = block_key(block), answer_choice_editing.answer_labels_but_prefer_not(block)
    result = CommandResult(after, _("Its kind is changed."), key, True, f"{block_html_id(key)}-kind")
    if all(label in labels for label in answer_choice_editing.answer_labels_but_prefer_not(before) if label):
        return result
    # The focus stays, since a person who chooses with the arrow keys is not done yet.
    words = _("The kind of the question is changed. Answers that do not match it are deleted.")
    return replace(result, message=words, removed=undo_data_for_kind_change(draft, position, block))


def add_answer_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    below = read_sent_number(sent, "row") if sent.get("row") else None
    after, row = answer_choice_editing.add_choice(draft, read_question_key(sent), below)
    return _result_after_answer_change(after, sent, _("A new answer. Write it."), row)


def remove_answer_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    after, removed = answer_choice_editing.remove_choice(
        draft, read_question_key(sent), read_sent_number(sent, "row")
    )
    return CommandResult(after, _("The answer is deleted."), read_question_key(sent), True, "undo", removed)


def shift_answer_command(draft: Questionnaire, sent: Sent, *, by: int, focus_on: str) -> CommandResult:
    row = read_sent_number(sent, "row") + by
    after = answer_choice_editing.move_choice(draft, read_question_key(sent), row - by, by)
    words = _("It is answer %(number)s now.") % {"number": row + 1}
    return _result_after_answer_change(after, sent, words, f"{row}-{focus_on}")


def _result_after_answer_change(
    after: Questionnaire, sent: Sent, words: str, focus: str | int
) -> CommandResult:
    """Returns the result of changing an answer: the question's form stays open, and one of its answers gets
    the focus."""
    key = read_question_key(sent)
    return CommandResult(after, words, key, True, f"{block_html_id(key)}-answer-{focus}")


def add_prefer_not_to_say_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    after = choice_question_kinds.set_prefer_not_to_say(draft, read_question_key(sent), True)
    last = len(answer_choice_editing.answer_rows(find_block(after, read_question_key(sent))[1])) - 1
    return _result_after_answer_change(after, sent, _("People may prefer not to say."), last)


def add_something_else_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    after, row = choice_question_kinds.add_something_else(draft, read_question_key(sent))
    return _result_after_answer_change(after, sent, _("A new answer: something else."), row)


def add_none_of_these_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    """Adds the answer "None of these" to a multiple-answer question."""
    key = read_question_key(sent)
    _position, block = find_block_with_choices(draft, key)
    if not is_group_of_options(block):
        raise NotAllowed(_("Only a question of the kind several of many can have this answer."))
    texts = default_draft_texts.shipped_words_by_language(default_draft_texts.NONE_OF_THESE, draft.languages)
    after = replace_block(draft, key, answer_choice_editing.block_with_none_of_these(block, texts))
    words = _("People who choose it choose no other answer.")
    return CommandResult(after, words, key, True, f"{block_html_id(key)}-none-words")


def add_show_if_rule_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    """Adds a show-if rule with every answer ticked, so that it hides the question from nobody at first."""
    key, name = read_question_key(sent), sent.get("ruling", "")
    _position, block = find_block(draft, key)
    ruling = {question.name: question for question in draft.all_questions}.get(name)
    if ruling is None:
        raise NotAllowed(_("Choose the question that decides first."))
    show_if = block[0].show_if
    block = show_if_rules.block_with_rules(draft, key, block, {**show_if, name: ruling.choice_names})
    words = _("Untick the answers after which it is not asked.")
    focus = f"{block_html_id(key)}-rule-{len(show_if)}_0"
    return CommandResult(replace_block(draft, key, block), words, key, True, focus)


def rename_question_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    """Renames a question and its answers in record files."""
    key, after = read_question_key(sent), draft
    position, block = find_block(draft, key)
    for row, answer in enumerate(answer_choice_editing.answer_rows(block)):
        if name := sent.get(f"name-{row}"):
            if is_group_of_options(block):
                after = rename_question(after, answer.name, name)
            else:
                after = answer_choice_editing.rename_choice(after, key, row, name)
    after = get_kind(draft.sections[position.section]).rename_in_record_files(after, key, sent)
    if not is_group_of_options(block):
        after = rename_question(after, key, sent.get("name", ""))
        key = block_key(blocks_of_section(after.sections[position.section])[position.row])
    return CommandResult(after, _("Renamed."), key, True, f"{block_html_id(key)}-name")


def turn_scale_into_number_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    """Converts a numeric scale into a sensitive number."""
    key = read_question_key(sent)
    after = questions_and_sections.turn_scale_into_number(draft, key)
    words = _("It is asked as a number. Each of its answers is a class.")
    return CommandResult(after, words, key, True, block_html_id(key), undo_data_for_draft(draft, after))


QUESTION_COMMANDS: dict[str, Command] = {
    "kind": change_kind_command,
    "answer-add": add_answer_command,
    "answer-remove": remove_answer_command,
    "answer-up": partial(shift_answer_command, by=-1, focus_on="up"),
    "answer-down": partial(shift_answer_command, by=1, focus_on="down"),
    "other-add": add_something_else_command,
    "prefer-not": add_prefer_not_to_say_command,
    "none-add": add_none_of_these_command,
    "rule-add": add_show_if_rule_command,
    "rename": rename_question_command,
    "as-number": turn_scale_into_number_command,
}


def find_command(commands: Mapping[str, Command], name: str) -> Command:
    """Returns the command of this name; refused if there is none, as when the page is outdated or the request
    is forged."""
    if name not in commands:
        raise NotAllowed(_("That could not be understood. Reload the page and try again."))
    return commands[name]
