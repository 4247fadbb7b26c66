"""Adds a sensitive number, and changes its goal and its limits; also the commands of the buttons in its form."""

from dataclasses import replace
from itertools import pairwise

from django.utils.translation import gettext as _

from privacy.grammar.input_error import InputError
from privacy.grammar.number_range import NumberRange
from privacy.guarantee.presets import DEFAULT
from privacy.kinds.number.classes.section import MOST_LIMITS
from surveys.kinds.number.draft import GOALS, SHAPE, ClassesDraftQuestion, NumberDraft, read_number_question
from surveys.kinds.number.proposals import (
    propose_law,
    replan_cuts_and_keep,
    replan_keep_at_same_gamma,
    section_from_bands,
    section_from_scale,
)
from surveys.questionnaire.answer_scales import scale_values
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.draft_section import DraftSection
from surveys.questionnaire.plain_number_bands import BandsQuestion
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.protection import gamma_limit_for_section
from surveys.questionnaire.question_block_editing import (
    block_html_id,
    find_block,
    find_section,
    replace_section_normalized,
    undo_data_for_draft,
    unused_question_name,
)
from surveys.questionnaire.questionnaire import (
    Command,
    CommandResult,
    Questionnaire,
    Sent,
    read_question_key,
    read_sent_number,
)

ADDED = 3
"""Number of limits that are added at once, so that a class is divided into four."""


def new_number_section(draft: Questionnaire) -> NumberDraft:
    """Returns a section with a new number without texts: from 0 to 100, to estimate the shares of people above a few
    limits."""
    question = ClassesDraftQuestion(name=unused_question_name(draft))
    section = NumberDraft(preset=DEFAULT.name, questions=(question,))
    return propose_law(section, question.goal, gamma_limit_for_section(draft), draft.disguised_respondents)


def number_section_from_scale(question: DraftQuestion) -> NumberDraft | None:
    """Converts an evenly spaced scale, such as 0 to 10, to a sensitive number; None for any other question."""
    values = scale_values(question)
    if len({above - below for below, above in pairwise(values)}) != 1:
        return None
    return replace(section_from_scale(question, values, DEFAULT.limit), preset=DEFAULT.name)


def number_section_from_bands(question: BandsQuestion) -> NumberDraft | None:
    """Converts a plain number to a sensitive one; None if its range is too short."""
    section = section_from_bands(question, DEFAULT.limit)
    return replace(section, preset=DEFAULT.name) if section else None


def set_number_goal(draft: Questionnaire, key: str, goal: str) -> Questionnaire:
    """Sets what the researcher wants to estimate (the goal), with the settings that the goal had before, else with the
    disguise that has the least error.

    So nothing is lost when somebody tries several goals.
    """
    number, section = _find_number_section(draft, key)
    question = section.question
    if goal not in GOALS:
        raise NotAllowed(_("That could not be understood. Reload the page and try again."))
    if goal == question.goal:
        return draft
    earlier = {
        **question.earlier,
        question.goal: {**question.law_settings_json(), **section.kind_settings_json()},
    }
    node = earlier.pop(goal, {})
    restored = read_number_question(node, question.common_fields)
    after = replace(section, questions=(restored,), **NumberDraft.read_kind_settings(node)).normalized()
    if not node or after.disguise_law() is None or restored.number_range != question.number_range:
        after = propose_law(
            section, goal, gamma_limit_for_section(draft, number), draft.disguised_respondents
        )
    return replace_section_normalized(
        draft, number, replace(after, questions=(replace(after.question, earlier=earlier),))
    )


def set_proposed_law(draft: Questionnaire, key: str) -> Questionnaire:
    """Sets the disguise that has the least error for the number's goal and range."""
    number, section = _find_number_section(draft, key)
    limit = gamma_limit_for_section(draft, number)
    return replace_section_normalized(
        draft, number, propose_law(section, section.question.goal, limit, draft.disguised_respondents)
    )


def add_limit(draft: Questionnaire, key: str, row: int | None) -> tuple[Questionnaire, int]:
    """Adds a class boundary (limit) in the middle of the class above limit `row`, or of the widest class if `row` is
    None; also returns the row of the new limit."""
    number, section = _find_number_section(draft, key)
    question, index = _question_with_new_limit(_require_classes_question(section), row)
    return replace_section_normalized(draft, number, replan_cuts_and_keep(section, question)), index


def divide_widest_classes(draft: Questionnaire, section_number: int) -> Questionnaire:
    """Adds up to three class boundaries (limits), each in the middle of the class that is widest at that moment."""
    section = _require_number_section(find_section(draft, section_number))
    question = _require_classes_question(section)
    for _time in range(max(1, min(ADDED, MOST_LIMITS - len(question.limits)))):
        question, _index = _question_with_new_limit(question, None)
    return replace_section_normalized(draft, section_number, replan_cuts_and_keep(section, question))


def remove_limit(draft: Questionnaire, key: str, row: int) -> Questionnaire:
    number, section = _find_number_section(draft, key)
    question = _require_classes_question(section)
    limits = question.limits
    if not 0 <= row < len(limits):
        raise NotAllowed(_("This limit is not there any more."))
    if len(limits) == 1:
        raise NotAllowed(_("A number needs a limit."))
    _require_number_range(question)
    question = replace(question, limits=limits[:row] + limits[row + 1 :])
    return replace_section_normalized(draft, number, replan_cuts_and_keep(section, question))


def recompute_changed_number_settings(
    draft: Questionnaire, section_number: int, before: NumberDraft
) -> Questionnaire:
    """Recomputes a changed number's settings at the same gamma: `cuts`, `rest` and the keep probability, or only the
    keep probability if `cuts` or `rest` were set by hand.

    `before` is the old section. `cuts` is the number of limits that the device draws, `rest` the number of records of
    twenty that help the average.
    """
    old, question = (
        before.classes_question,
        _require_number_section(draft.sections[section_number]).classes_question,
    )
    if old is None or question is None:
        return draft
    rest = old.rest if not question.is_scale else 0
    if (question.cuts, question.rest) != (min(old.cuts, len(question.limits)), rest):
        return replace_section_normalized(draft, section_number, replan_keep_at_same_gamma(before, question))
    names = ("limits", "low", "high", "step", "expected")
    if any(getattr(old, name) != getattr(question, name) for name in names):
        return replace_section_normalized(draft, section_number, replan_cuts_and_keep(before, question))
    return draft


def _question_with_new_limit(
    question: ClassesDraftQuestion, row: int | None
) -> tuple[ClassesDraftQuestion, int]:
    limits = question.limits
    if len(limits) >= MOST_LIMITS:
        raise NotAllowed(_("A number has at most %(most)s limits.") % {"most": MOST_LIMITS})
    numbers = _require_number_range(question)
    ends = [numbers.low, *limits, numbers.high]
    gaps = [(above - below) // numbers.step for below, above in pairwise(ends)]
    index = row + 1 if row is not None and row + 1 < len(gaps) else gaps.index(max(gaps))
    if gaps[index] < 2:
        raise NotAllowed(_("There is no number left between these limits."))
    middle = ends[index] + gaps[index] // 2 * numbers.step
    return replace(question, limits=(*limits[:index], middle, *limits[index:])), index


def _require_number_range(question: ClassesDraftQuestion) -> NumberRange:
    try:
        return question.number_range
    except InputError:
        raise NotAllowed(_("Correct the ends and the step first.")) from None


def _find_number_section(draft: Questionnaire, key: str) -> tuple[int, NumberDraft]:
    position, _block = find_block(draft, key)
    return position.section, _require_number_section(draft.sections[position.section])


def _require_number_section(section: DraftSection) -> NumberDraft:
    if not isinstance(section, NumberDraft):
        raise NotAllowed(_("This question is not a number."))
    return section


def _require_classes_question(section: NumberDraft) -> ClassesDraftQuestion:
    if section.classes_question is None:
        raise NotAllowed(_("This number has no limits."))
    return section.classes_question


# Commands: each saves with the form, then changes the draft.


def change_goal_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    key = read_question_key(sent)
    return _proposal_result(draft, set_number_goal(draft, key, sent.get("wanted", "")), key, "wanted")


def use_window_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    return change_goal_command(draft, {**sent, "wanted": SHAPE})


def announce_limits_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    """Returns the message that the limits follow the changed range; the form has already saved them."""
    return CommandResult(draft, _("The limits follow the range."), read_question_key(sent), True)


def use_proposal_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    key = read_question_key(sent)
    return _proposal_result(draft, set_proposed_law(draft, key), key, "propose")


def _proposal_result(draft: Questionnaire, after: Questionnaire, key: str, focus: str) -> CommandResult:
    removed = undo_data_for_draft(draft, after) if after != draft else None
    words, focus = _("What shows it best is proposed."), f"{block_html_id(key)}-{focus}"
    return CommandResult(after, words, key, True, focus, removed)


def add_limit_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    key = read_question_key(sent)
    after, row = add_limit(draft, key, read_sent_number(sent, "row") if sent.get("row") else None)
    return CommandResult(after, _("A new limit."), key, True, f"{block_html_id(key)}-limit-{row}")


def remove_limit_command(draft: Questionnaire, sent: Sent) -> CommandResult:
    key = read_question_key(sent)
    after = remove_limit(draft, key, read_sent_number(sent, "row"))
    return CommandResult(
        after, _("The limit is deleted."), key, True, "undo", undo_data_for_draft(draft, after)
    )


COMMANDS: dict[str, Command] = {
    "wanted": change_goal_command,
    "range": announce_limits_command,
    "window": use_window_command,
    "propose": use_proposal_command,
    "limit-add": add_limit_command,
    "limit-remove": remove_limit_command,
}
