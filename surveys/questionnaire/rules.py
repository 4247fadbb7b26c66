"""Show-if rules: which are allowed, and which changes would break one.

A question may be shown by what earlier plain questions were answered, never by a sensitive answer: whether
it was shown would tell that answer.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from django.utils.translation import gettext as _

from surveys.questionnaire.blocks import Block, all_blocks, blocks, key_of, question_text
from surveys.questionnaire.draft_question import DraftQuestion
from surveys.questionnaire.problems import NotAllowed
from surveys.questionnaire.questionnaire import Questionnaire


class Broken(NamedTuple):
    """The rule of `key` on `ruling` cannot stand: gone, later, sensitive, many, or `choice` is none of its choices."""

    key: str
    ruling: str
    why: str
    choice: str = ""


def find_broken_rules(questionnaire: Questionnaire) -> Iterator[Broken]:
    above: dict[str, DraftQuestion] = {}
    closed: set[str] = set()
    later = {question.name for _place, block in all_blocks(questionnaire) for question in block}
    for section in questionnaire.sections:
        for block in blocks(section):
            for question in block:
                yield from _of_question(key_of(block), question, above, closed, later)
            for question in block:
                if section.sensitive:
                    closed.add(question.name)
                else:
                    above[question.name] = question


def _of_question(
    key: str, question: DraftQuestion, above: Mapping[str, DraftQuestion], closed: set[str], later: set[str]
) -> Iterator[Broken]:
    for ruling, allowed in question.show_if.items():
        if ruling in closed:
            yield Broken(key, ruling, "sensitive")
        elif ruling not in above:
            yield Broken(key, ruling, "later" if ruling in later else "gone")
        else:
            known = set(above[ruling].choice_names)
            yield from (Broken(key, ruling, "choice", each) for each in allowed if each not in known)
            if not allowed:
                yield Broken(key, ruling, "choice")


def without_broken_rule(before: Questionnaire, after: Questionnaire) -> Questionnaire:
    """`after`, unless it breaks a rule that stood before: then why, in words."""
    already = set(find_broken_rules(before))
    for rule in find_broken_rules(after):
        if rule not in already:
            raise NotAllowed(broken_rule_text(before, after, rule))
    return after


def broken_rule_text(before: Questionnaire, after: Questionnaire, rule: Broken) -> str:
    language = after.first_language
    words = {"ruling": _words(before, after, rule.ruling, language)}
    words["shown"] = _words(after, before, rule.key, language)
    if rule.why == "sensitive":
        return (
            _(
                "“%(shown)s” is shown only after certain answers to “%(ruling)s”. If “%(ruling)s” is "
                "sensitive, showing “%(shown)s” reveals the true answer, despite the disguise. Remove "
                "the rule first."
            )
            % words
        )
    if rule.why == "later":
        return (
            _(
                "“%(shown)s” is shown only after certain answers to “%(ruling)s”, so it must come "
                "after it. Move the other question, or remove the rule first."
            )
            % words
        )
    if rule.why == "gone":
        return (
            _("“%(shown)s” is shown only after certain answers to “%(ruling)s”. Remove that rule first.")
            % words
        )
    return (
        _(
            "“%(shown)s” is shown only after this answer to “%(ruling)s”. Take the answer out of its rule first."
        )
        % words
    )


def _words(questionnaire: Questionnaire, other: Questionnaire, key: str, language: str) -> str:
    for each in (questionnaire, other):
        for _place, block in all_blocks(each):
            if key == key_of(block) or key in (question.name for question in block):
                return question_text(block, language)
    return key


def possible_rulers(questionnaire: Questionnaire, key: str) -> list[Block]:
    """The plain blocks above this one, which may decide whether it is shown."""
    plain: list[Block] = []
    for section in questionnaire.sections:
        for block in blocks(section):
            if key_of(block) == key:
                return plain
            if not section.sensitive:
                plain.append(block)
    return plain


def with_rules(
    questionnaire: Questionnaire, key: str, block: Block, rules: Mapping[str, Sequence[str]]
) -> Block:
    """The block shown only by these rules."""
    plain = {question.name for each in possible_rulers(questionnaire, key) for question in each}
    if not rules.keys() <= plain:
        raise NotAllowed(_("Choose a question above this one that is not disguised."))
    show_if = {name: tuple(allowed) for name, allowed in rules.items()}
    return [replace(question, show_if=show_if) for question in block]
