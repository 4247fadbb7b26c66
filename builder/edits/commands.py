"""The commands of the editor's buttons: each makes another draft and says what it did.

`sent` are the fields of the button's form; values that make no sense are refused.
"""

from collections.abc import Mapping
from dataclasses import replace

from django.utils.translation import gettext as _, ngettext

from builder.edits import arranging, batteries
from builder.edits.arranging import as_number
from builder.edits.sending import sending
from builder.edits.undo import restore, unpacked
from privacy.designs.labels import section_number
from surveys import own_words
from surveys.kinds.grouped.draft import GROUPED
from surveys.kinds.plain.draft import PLAIN
from surveys.kinds.registry import KINDS, kind_of
from surveys.not_allowed import NotAllowed
from surveys.questionnaire import answer_choices, questions, rules
from surveys.questionnaire.blocks import (
    BlockPosition,
    blocks,
    find,
    find_with_choices,
    is_group,
    key_of,
    question_text,
    section_at,
    with_block,
)
from surveys.questionnaire.commands import Command, CommandResult, Sent, key_in, number_in
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.replaced import block_id, digest, replaced_draft, replaced_question

CONTROL = "control"
"""What is added: not a kind of question, but a yes/no question with a known share."""


def section_digest(section: DraftSection) -> str:
    """Tells a section from another one that has its number meanwhile."""
    names = [section.kind, [key_of(block) for block in blocks(section)]]
    return digest(names if section.is_known else section)


def _section(draft: Questionnaire, sent: Sent) -> int:
    number = number_in(sent, "section")
    if section_digest(section_at(draft, number)) != sent.get("seen"):
        raise NotAllowed(_("Someone else has changed this section. Check it, then repeat what you did."))
    return number


def _words(draft: Questionnaire, key: str) -> str:
    return question_text(find(draft, key)[1], draft.first_language)


def position_text(draft: Questionnaire, key: str) -> str:
    """Where a question stands now, for screen readers."""
    position, _block = find(draft, key)
    section = draft.sections[position.section]
    how = _("disguised") if section.sensitive else _("sent as answered")
    words = _("“%(question)s” is question %(number)s of %(all)s in section %(section)s, %(how)s.")
    return words % {
        "question": _words(draft, key),
        "number": position.row + 1,
        "all": len(blocks(section)),
        "section": section_number(position.section),
        "how": how,
    }


def add(draft: Questionnaire, sent: Sent) -> CommandResult:
    number = _section(draft, sent)
    kind = sent.get("kind", "")
    if (alone := KINDS.get(kind)) and alone.adds:
        return _alone_added(draft, alone.new(draft), number + 1)
    if kind == CONTROL:
        return _control_added(draft, number)
    block = questions.new_block(draft, kind, draft.sections[number].sensitive)
    after = arranging.put(draft, block, number)
    key = key_of(block)
    return CommandResult(after, position_text(after, key), key, True, f"{block_id(key)}-words")


def battery_add(draft: Questionnaire, sent: Sent) -> CommandResult:
    number = _section(draft, sent)
    statements = batteries.statements_of(sent.get("statements", ""))
    after, key = batteries.added(draft, number, statements, sent.get("scale", ""), sent.get("in", ""))
    said = ngettext("%(count)s statement is added.", "%(count)s statements are added.", len(statements))
    return CommandResult(after, said % {"count": len(statements)}, key, True, f"{block_id(key)}-words")


def _control_added(draft: Questionnaire, number: int) -> CommandResult:
    after, key = arranging.put_control(draft, questions.new_control(draft), number)
    words = _("A control item costs no precision where answers are not disguised. %(where)s")
    said = words % {"where": position_text(after, key)}
    return CommandResult(after, said, key, True, f"{block_id(key)}-words")


def _alone_added(draft: Questionnaire, section: DraftSection, number: int) -> CommandResult:
    after = arranging.put_section(draft, section, number)
    key = key_of(blocks(after.sections[number])[0])
    return CommandResult(after, position_text(after, key), key, True, f"{block_id(key)}-words")


def up(draft: Questionnaire, sent: Sent) -> CommandResult:
    return _moved(arranging.up(draft, key_in(sent)), sent, "up")


def down(draft: Questionnaire, sent: Sent) -> CommandResult:
    return _moved(arranging.down(draft, key_in(sent)), sent, "down")


def move(draft: Questionnaire, sent: Sent) -> CommandResult:
    to = BlockPosition(number_in(sent, "section"), number_in(sent, "row"))
    return _moved(arranging.move(draft, key_in(sent), to), sent, "up")


def _moved(after: Questionnaire, sent: Sent, button: str) -> CommandResult:
    key = key_in(sent)
    return CommandResult(after, position_text(after, key), key, focus=f"{block_id(key)}-{button}")


def duplicate(draft: Questionnaire, sent: Sent) -> CommandResult:
    after, key = arranging.duplicate(draft, key_in(sent))
    return CommandResult(
        after, _("Duplicated. %(where)s") % {"where": position_text(after, key)}, key, True, block_id(key)
    )


def delete(draft: Questionnaire, sent: Sent) -> CommandResult:
    key = key_in(sent)
    words = _("“%(question)s” is deleted.") % {"question": _words(draft, key)}
    after, removed = arranging.remove(draft, key)
    return CommandResult(after, words, focus="undo", removed=removed)


def section_add(draft: Questionnaire, sent: Sent) -> CommandResult:
    kind = sent.get("kind", "")
    if (alone := KINDS.get(kind)) and alone.adds:
        return _alone_added(draft, alone.new(draft), len(draft.sections))
    made = KINDS[GROUPED if kind == "sensitive" else PLAIN].new(draft)
    after = arranging.put_section(draft, made)
    last = len(after.sections) - 1
    words = _("Section %(number)s is new. Add its first question.") % {"number": section_number(last)}
    return CommandResult(after, words, focus=f"section-{last}-kind")


def section_up(draft: Questionnaire, sent: Sent) -> CommandResult:
    return _section_moved(draft, _section(draft, sent), -1, "up")


def section_down(draft: Questionnaire, sent: Sent) -> CommandResult:
    return _section_moved(draft, _section(draft, sent), 1, "down")


def _section_moved(draft: Questionnaire, number: int, by: int, button: str) -> CommandResult:
    after = arranging.move_section(draft, number, by)
    words = _("It is section %(number)s of %(all)s now.") % {
        "number": section_number(number + by),
        "all": len(after.sections),
    }
    return CommandResult(after, words, focus=f"section-{number + by}-{button}")


def section_duplicate(draft: Questionnaire, sent: Sent) -> CommandResult:
    number = _section(draft, sent)
    after = arranging.duplicate_section(draft, number)
    words = _("Section %(number)s is a copy of the one above.") % {"number": section_number(number + 1)}
    return CommandResult(after, words, focus=f"section-{number + 1}")


def section_delete(draft: Questionnaire, sent: Sent) -> CommandResult:
    number = _section(draft, sent)
    after, removed = arranging.remove_section(draft, number)
    words = _("Section %(number)s and its questions are deleted.") % {"number": section_number(number)}
    return CommandResult(after, words, focus="undo", removed=removed)


def _sending(draft: Questionnaire, sent: Sent) -> CommandResult:
    number = _section(draft, sent)
    after = sending(draft, number, sent.get("do", ""))
    return CommandResult(after, _("It is set."), focus=f"section-{number}")


def undo(survey: int) -> Command:
    def take_back(draft: Questionnaire, sent: Sent) -> CommandResult:
        after, key = restore(draft, unpacked(survey, sent.get("removed", "")))
        words = _("It is back. %(where)s") % {"where": position_text(after, key)} if key else _("It is back.")
        return CommandResult(after, words, key, focus=block_id(key) if key else "questionnaire")

    return take_back


OF_QUESTIONNAIRE: dict[str, Command] = {
    "add": add,
    "battery-add": battery_add,
    "up": up,
    "down": down,
    "move": move,
    "duplicate": duplicate,
    "delete": delete,
    "section-add": section_add,
    "sets": _sending,
    "one": _sending,
    "section-up": section_up,
    "section-down": section_down,
    "section-duplicate": section_duplicate,
    "section-delete": section_delete,
}


# Inside the form of one question, after its fields have been saved. `row` follows the word: "answer-up 2".


def kind(draft: Questionnaire, sent: Sent) -> CommandResult:
    position, before = find_with_choices(draft, key_in(sent))
    after = questions.with_kind(draft, key_of(before), sent.get("kind", ""))
    made = blocks(after.sections[position.section])[position.row]
    key, labels = key_of(made), answer_choices.labels(made)
    outcome = CommandResult(after, _("Its kind is changed."), key, True, f"{block_id(key)}-kind")
    if all(label in labels for label in answer_choices.labels(before) if label):
        return outcome
    # The focus stays, since a person who chooses with the arrow keys is not done yet.
    words = _("The kind of the question is changed. Answers that do not match it are deleted.")
    return replace(outcome, said=words, removed=replaced_question(draft, position, made))


def answer_add(draft: Questionnaire, sent: Sent) -> CommandResult:
    below = number_in(sent, "row") if sent.get("row") else None
    after, row = answer_choices.add(draft, key_in(sent), below)
    return _answer(after, sent, row, _("A new answer. Write it."))


def answer_remove(draft: Questionnaire, sent: Sent) -> CommandResult:
    key, row = key_in(sent), number_in(sent, "row")
    after, removed = answer_choices.remove(draft, key, row)
    return CommandResult(after, _("The answer is deleted."), key, True, "undo", removed)


def answer_up(draft: Questionnaire, sent: Sent) -> CommandResult:
    row = number_in(sent, "row")
    return _answer_moved(answer_choices.move(draft, key_in(sent), row, -1), sent, row - 1, "up")


def answer_down(draft: Questionnaire, sent: Sent) -> CommandResult:
    row = number_in(sent, "row")
    return _answer_moved(answer_choices.move(draft, key_in(sent), row, 1), sent, row + 1, "down")


def _answer_moved(after: Questionnaire, sent: Sent, row: int, button: str) -> CommandResult:
    key = key_in(sent)
    words = _("It is answer %(number)s now.") % {"number": row + 1}
    return CommandResult(after, words, key, True, f"{block_id(key)}-answer-{row}-{button}")


def _answer(after: Questionnaire, sent: Sent, row: int, words: str) -> CommandResult:
    key = key_in(sent)
    return CommandResult(after, words, key, True, f"{block_id(key)}-answer-{row}")


def prefer_not(draft: Questionnaire, sent: Sent) -> CommandResult:
    key = key_in(sent)
    after = questions.with_prefer_not(draft, key, True)
    row = len(answer_choices.rows(find(after, key)[1])) - 1
    return _answer(after, sent, row, _("People may prefer not to say."))


def none_add(draft: Questionnaire, sent: Sent) -> CommandResult:
    key = key_in(sent)
    _place, block = find_with_choices(draft, key)
    if not is_group(block):
        raise NotAllowed(_("Only a question of the kind several of many can have this answer."))
    made = answer_choices.with_none(block, own_words.in_languages(own_words.NONE_OF_THESE, draft.languages))
    words = _("People who choose it choose no other answer.")
    return CommandResult(with_block(draft, key, made), words, key, True, f"{block_id(key)}-none-words")


def rule_add(draft: Questionnaire, sent: Sent) -> CommandResult:
    """With every answer ticked, so that nobody is left out before somebody unticks one."""
    key, ruling = key_in(sent), sent.get("ruling", "")
    _place, block = find(draft, key)
    ruler = {question.name: question for question in draft.questions}.get(ruling)
    if ruler is None:
        raise NotAllowed(_("Choose the question that decides first."))
    show_if = block[0].show_if
    made = rules.changed_rules(draft, key, block, {**show_if, ruling: ruler.choice_names})
    words = _("Untick the answers after which it is not asked.")
    return CommandResult(
        with_block(draft, key, made), words, key, True, f"{block_id(key)}-rule-{len(show_if)}_0"
    )


def rename(draft: Questionnaire, sent: Sent) -> CommandResult:
    """The names that the files of records will use."""
    key = key_in(sent)
    position, block = find(draft, key)
    after = draft
    for row, each in enumerate(answer_choices.rows(block)):
        if name := sent.get(f"name-{row}"):
            if is_group(block):
                after = questions.renamed(after, each.name, name)
            else:
                after = answer_choices.renamed(after, key, row, name)
    after = kind_of(draft.sections[position.section]).rename(after, key, sent)
    if not is_group(block):
        after = questions.renamed(after, key, sent.get("name", ""))
        key = key_of(blocks(after.sections[position.section])[position.row])
    return CommandResult(after, _("Renamed."), key, True, f"{block_id(key)}-name")


def _as_number(draft: Questionnaire, sent: Sent) -> CommandResult:
    """Of a scale of numbers."""
    key = key_in(sent)
    after = as_number(draft, key)
    words = _("It is asked as a number. Each of its answers is a class.")
    return CommandResult(after, words, key, True, block_id(key), replaced_draft(draft, after))


OF_QUESTION: dict[str, Command] = {
    "kind": kind,
    "answer-add": answer_add,
    "answer-remove": answer_remove,
    "answer-up": answer_up,
    "answer-down": answer_down,
    "prefer-not": prefer_not,
    "none-add": none_add,
    "rule-add": rule_add,
    "rename": rename,
    "as-number": _as_number,
}


def command_named(acts: Mapping[str, Command], name: str) -> Command:
    if name not in acts:
        raise NotAllowed(_("That could not be understood. Reload the page and try again."))
    return acts[name]
