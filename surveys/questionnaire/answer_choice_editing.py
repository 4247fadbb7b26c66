"""Lists and edits the answers of a question: its choices, or the options of a question where several can be
ticked.

An answer is identified by its row, counted from 0. "Prefer not to say" is always last, and is not counted
among the question's own answers. A block is a question, or all options of a group
(surveys.questionnaire.question_block_editing).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from privacy.grammar.question import DRAWN, YES_NO
from privacy.grammar.question_reading import RESERVED_CHOICES
from surveys import default_draft_texts
from surveys.draft_json import PREFER_NOT
from surveys.questionnaire import value_normalization
from surveys.questionnaire.draft_question import Choice, DraftQuestion, Words, with_device_draw
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_block_editing import (
    Block,
    find_block_with_choices,
    is_group_of_options,
    question_names,
    replace_block,
)
from surveys.questionnaire.questionnaire import Questionnaire
from surveys.questionnaire.show_if_rules import check_rules
from surveys.questionnaire.value_normalization import Node

MOST = 60


def prefer_not_to_say_choice(spoken: Sequence[str]) -> Choice:
    return Choice(
        PREFER_NOT, default_draft_texts.shipped_words_by_language(default_draft_texts.PREFER_NOT, spoken)
    )


def no_and_yes_choices(label: Words) -> tuple[Choice, ...]:
    """Returns the choices no and yes of an option; `label` is the option's text, which is stored with its yes."""
    return Choice("no"), Choice("yes", label)


def answer_rows(block: Block) -> Sequence[Choice | DraftQuestion]:
    """Returns the answers in order: choices of a question, or options (questions themselves) of a group."""
    return block if is_group_of_options(block) else block[0].choices


def is_prefer_not_to_say(block: Block, row: int) -> bool:
    """True if the answer in this row is "prefer not to say"."""
    name = answer_rows(block)[row].name
    if is_group_of_options(block):
        return name.endswith(f"-{PREFER_NOT}") and row == len(block) - 1
    return name == PREFER_NOT


def offers_prefer_not_to_say(block: Block) -> bool:
    return any(is_prefer_not_to_say(block, row) for row in range(len(answer_rows(block))))


def count_answers_but_prefer_not(block: Block) -> int:
    """Returns the number of answers besides "prefer not to say"."""
    return len(answer_rows(block)) - offers_prefer_not_to_say(block)


def is_yes_no(block: Block) -> bool:
    if is_group_of_options(block) or block[0].form in ("scale", DRAWN):
        return False
    return tuple(name for name in block[0].choice_names if name != PREFER_NOT) == YES_NO


def choice_at(block: Block, row: int) -> Choice:
    """Returns the choice that has the text of the answer in this row; for an option of a group, the option's choice
    yes."""
    return block[row].choices[1] if is_group_of_options(block) else block[0].choices[row]


def answer_labels_but_prefer_not(block: Block) -> list[Words]:
    """Returns the labels of all answers besides "prefer not to say"."""
    return [
        choice_at(block, row).label
        for row in range(len(answer_rows(block)))
        if not is_prefer_not_to_say(block, row)
    ]


def block_with_answer_label(block: Block, row: int, label: Words) -> Block:
    return block_with_answer(block, row, replace(choice_at(block, row), label=label))


def block_with_answer(block: Block, row: int, choice: Choice) -> Block:
    """Returns the block with another choice for the answer in this row; an option of a group keeps its name, and this
    replaces its yes."""
    if is_group_of_options(block):
        no = block[row].choices[0]
        return [*block[:row], replace(block[row], choices=(no, choice)), *block[row + 1 :]]
    return [_question_with_choice(block[0], row, choice)]


def _question_with_choice(question: DraftQuestion, row: int, choice: Choice) -> DraftQuestion:
    return replace(question, choices=(*question.choices[:row], choice, *question.choices[row + 1 :]))


def block_with_none_of_these(block: Block, none: Words) -> Block:
    """Sets the text of the answer *none of these*, which excludes all options of a group; an empty text removes the
    answer."""
    return [replace(block[0], none=none), *block[1:]]


def block_with_choices(block: Block, choices: Iterable[Choice]) -> Block:
    """Replaces the choices of a question. If their number changes, deletes the noise, and makes the shares of a drawn
    question equal."""
    before, after = block[0], tuple(choices)
    noise = before.noise if len(after) == len(before.choices) else ()
    question = replace(before, choices=after, noise=noise)
    return [with_device_draw(question, question.shares) if question.form == DRAWN else question]


def group_with_new_option(draft: Questionnaire, block: Block, row: int, name: str, label: Words) -> Block:
    """Returns the group with a new option in this row."""
    name = value_normalization.unused_name(name, question_names(draft))
    member = replace(block[0], name=name, choices=no_and_yes_choices(label), noise=(), none={})
    return [*block[:row], member, *block[row:]]


def add_choice(draft: Questionnaire, key: str, after: int | None = None) -> tuple[Questionnaire, int]:
    """Inserts an empty answer below row `after`, or at the end; also returns its row."""
    _position, block = find_block_with_choices(draft, key)
    if is_yes_no(block):
        raise NotAllowed(_("A question of the kind yes or no has these answers only."))
    if len(answer_rows(block)) >= MOST:
        raise NotAllowed(_("A question has at most %(most)s answers.") % {"most": MOST})
    row = (
        count_answers_but_prefer_not(block)
        if after is None
        else max(0, min(after + 1, count_answers_but_prefer_not(block)))
    )
    if is_group_of_options(block):
        extended = group_with_new_option(draft, block, row, f"{block[0].of}-1", {})
    else:
        choices = block[0].choices
        name = value_normalization.unused_name("1", [*RESERVED_CHOICES, *block[0].choice_names])
        extended = block_with_choices(block, [*choices[:row], Choice(name), *choices[row:]])
    return check_rules(draft, replace_block(draft, key, extended)), row


def remove_choice(draft: Questionnaire, key: str, row: int) -> tuple[Questionnaire, Node]:
    """Removes an answer; also returns the data that undo needs to restore it (builder.editing.undo)."""
    position, block = find_block_with_choices(draft, key)
    _check_row_exists(block, row)
    if is_yes_no(block) and not is_prefer_not_to_say(block, row):
        raise NotAllowed(_("A question of the kind yes or no keeps these answers."))
    if not is_prefer_not_to_say(block, row) and count_answers_but_prefer_not(block) <= (
        1 if is_group_of_options(block) else 2
    ):
        raise NotAllowed(
            _("Fewer answers than these would be no question. Write others instead, or delete the question.")
        )
    if is_group_of_options(block):
        rest = block_with_none_of_these([*block[:row], *block[row + 1 :]], block[0].none)
    else:
        rest = block_with_choices(block, [*block[0].choices[:row], *block[0].choices[row + 1 :]])
    removed = {
        "what": "answer",
        "key": key,
        "row": row,
        "answer": answer_rows(block)[row].as_json(),
        "noise": list(block[0].noise),
        "settings": draft.sections[position.section].kind_settings_json(),
    }
    return check_rules(draft, replace_block(draft, key, rest)), removed


def move_choice(draft: Questionnaire, key: str, row: int, by: int) -> Questionnaire:
    """Moves an answer up (-1) or down (1), together with its noise."""
    _position, block = find_block_with_choices(draft, key)
    _check_row_exists(block, row)
    if (
        is_yes_no(block)
        or row >= count_answers_but_prefer_not(block)
        or not 0 <= row + by < count_answers_but_prefer_not(block)
    ):
        raise NotAllowed(_("It cannot go any further."))
    order = list(range(len(answer_rows(block))))
    order[row], order[row + by] = row + by, row
    if is_group_of_options(block):
        moved = [block[index] for index in order]
    else:
        choices, noise = block[0].choices, block[0].noise
        choices = tuple(choices[index] for index in order)
        moved = [replace(block[0], choices=choices, noise=tuple(noise[index] for index in order if noise))]
    return check_rules(draft, replace_block(draft, key, moved))


def _check_row_exists(block: Block, row: int) -> None:
    """Refuses a row number without an answer, for example if another person has deleted the answer."""
    if not 0 <= row < len(answer_rows(block)):
        raise NotAllowed(_("This answer is not there any more."))


def rename_choice(draft: Questionnaire, key: str, row: int, name: str) -> Questionnaire:
    """Changes the name that a choice has in record files, also wherever the draft refers to it."""
    _position, block = find_block_with_choices(draft, key)
    _check_row_exists(block, row)
    before, after = answer_rows(block)[row].name, value_normalization.normal_name(name)
    if before == after:
        return draft
    if is_group_of_options(block) or is_yes_no(block) or is_prefer_not_to_say(block, row):
        raise NotAllowed(_("The names of these answers are fixed."))
    question = block[0]
    if not after or after in {*RESERVED_CHOICES, PREFER_NOT, *question.choice_names}:
        raise NotAllowed(_("Another answer has this name, or it cannot be one: “%(name)s”.") % {"name": name})
    choice = replace(question.choices[row], name=after)
    renamed = replace_block(draft, key, [_question_with_choice(question, row, choice)])
    battery = {
        line.name for line in draft.all_questions if line.is_line_of_battery and line.of == question.of
    }
    return renamed.with_renamed_choice(battery | {question.name}, before, after)
