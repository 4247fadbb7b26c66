"""Show-if rules: which rules are allowed, and which changes of a draft would break a rule.

A rule shows a question only after certain answers to an earlier plain question. It never depends on a
sensitive answer, since whether the question was shown would reveal that answer.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from django.utils.translation import gettext as _

from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.problems_and_refusals import NotAllowed
from surveys.questionnaire.question_block_editing import (
    Block,
    all_blocks,
    block_key,
    blocks_of_section,
    question_text_with_fallback,
)
from surveys.questionnaire.questionnaire import Questionnaire


class BrokenRule(NamedTuple):
    """An invalid rule: the question `key` is shown after answers to the question `ruling`.

    `why`: the ruling question is "gone", "later" or "sensitive"; or "choice" if its choice `choice` is gone.
    """

    key: str
    ruling: str
    why: str
    choice: str = ""


def find_broken_rules(questionnaire: Questionnaire) -> Iterator[BrokenRule]:
    """Yields each show-if rule that names a missing, later or sensitive question, a missing choice, or no choice."""
    above: dict[str, DraftQuestion] = {}
    sensitive: set[str] = set()
    names = {question.name for question in questionnaire.all_questions}
    for section in questionnaire.sections:
        for block in blocks_of_section(section):
            rules = [rule for question in block for rule in question.show_if.items()]
            for ruling, allowed in rules:
                if ruling in sensitive:
                    yield BrokenRule(block_key(block), ruling, "sensitive")
                elif ruling not in above:
                    yield BrokenRule(block_key(block), ruling, "later" if ruling in names else "gone")
                else:
                    choice_names = above[ruling].choice_names
                    broken = [choice for choice in allowed if choice not in choice_names] if allowed else [""]
                    yield from (BrokenRule(block_key(block), ruling, "choice", choice) for choice in broken)
            if section.sensitive:
                sensitive |= {question.name for question in block}
            else:
                above |= {question.name: question for question in block}


def check_rules(before: Questionnaire, after: Questionnaire) -> Questionnaire:
    """Returns the draft `after`; raises NotAllowed with the reason if it breaks a show-if rule that was valid in
    `before`."""
    already = set(find_broken_rules(before))
    for rule in find_broken_rules(after):
        if rule not in already:
            raise NotAllowed(broken_rule_text(before, after, rule))
    return after


def broken_rule_text(before: Questionnaire, after: Questionnaire, rule: BrokenRule) -> str:
    """Returns the sentence that explains why the change would break the rule, and what to do first."""
    texts = {
        "sensitive": _(
            "“%(shown)s” is shown only after certain answers to “%(ruling)s”. If “%(ruling)s” is sensitive, showing"
            " “%(shown)s” reveals the true answer, despite the disguise. Remove the rule first."
        ),
        "later": _(
            "“%(shown)s” is shown only after certain answers to “%(ruling)s”, so it must come after it. Move the"
            " other question, or remove the rule first."
        ),
        "gone": _("“%(shown)s” is shown only after certain answers to “%(ruling)s”. Remove that rule first."),
        "choice": _(
            "“%(shown)s” is shown only after this answer to “%(ruling)s”. Take the answer out of its rule first."
        ),
    }
    language = after.first_language
    ruling = _block_text(rule.ruling, (before, after), language)
    shown = _block_text(rule.key, (after, before), language)
    return texts[rule.why] % {"ruling": ruling, "shown": shown}


def _block_text(key: str, questionnaires: Sequence[Questionnaire], language: str) -> str:
    """Returns the text of the question with this block key or name, from the first of the questionnaires that has it.

    Returns the key if none has it.
    """
    for questionnaire in questionnaires:
        for _position, block in all_blocks(questionnaire):
            if key == block_key(block) or key in (question.name for question in block):
                return question_text_with_fallback(block, language)
    return key


def questions_that_rules_may_name(questionnaire: Questionnaire, key: str) -> list[Block]:
    """Returns the plain questions above the question with this key, which its rules may depend on."""
    plain: list[Block] = []
    for section in questionnaire.sections:
        for block in blocks_of_section(section):
            if block_key(block) == key:
                return plain
            if not section.sensitive:
                plain.append(block)
    return plain


def block_with_rules(
    questionnaire: Questionnaire, key: str, block: Block, rules: Mapping[str, Sequence[str]]
) -> Block:
    """Returns the block with these show-if rules; raises NotAllowed if a rule depends on a sensitive question or a
    later one."""
    plain = {
        question.name for ruler in questions_that_rules_may_name(questionnaire, key) for question in ruler
    }
    if not rules.keys() <= plain:
        raise NotAllowed(_("Choose a question above this one that is not disguised."))
    show_if = {name: tuple(allowed) for name, allowed in rules.items()}
    return [replace(question, show_if=show_if) for question in block]
