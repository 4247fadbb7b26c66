"""Quotas of a draft, in normal form: how many people with one or two plain answers are wanted.

A draft may name a question or an answer that is gone, or one that no quota can count; opening refuses it with the
reason (privacy.designs.quotas).
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from privacy.designs.quotas import (
    DRAWN_BY_DEVICE,
    LEAST_LIMIT,
    MOST_ANSWERS,
    MOST_LIMIT,
    MOST_QUOTAS,
    NO_CHOICE,
    NO_QUESTION,
    NOT_EVERYBODY,
    SENSITIVE,
    TOO_LATE,
)
from privacy.grammar.question import DRAWN
from surveys.questionnaire.draft_question import Choice, DraftQuestion
from surveys.questionnaire.normalization import list_or_empty, normal_name
from surveys.questionnaire.questionnaire import DraftQuota, Questionnaire


def read_draft_quotas(given: object) -> tuple[DraftQuota, ...]:
    """Reads the quotas of a stored draft or an upload; what is none is left out."""
    quotas: dict[frozenset[tuple[str, str]], DraftQuota] = {}
    for node in list_or_empty(given):
        quota = _read_draft_quota(node) if isinstance(node, Mapping) else None
        if quota and len(quotas) < MOST_QUOTAS:
            quotas.setdefault(frozenset(quota.answers.items()), quota)
    return tuple(quotas.values())


def _read_draft_quota(node: Mapping[str, Any]) -> DraftQuota | None:
    answers, limit = node.get("answers"), node.get("limit")
    if not isinstance(answers, Mapping) or type(limit) is not int:
        return None
    names = {normal_name(question): normal_name(choice) for question, choice in answers.items()}
    is_valid = 0 < len(names) <= MOST_ANSWERS and all(names) and all(names.values())
    return DraftQuota(names, limit) if is_valid and LEAST_LIMIT <= limit <= MOST_LIMIT else None


def question_obstacle(draft: Questionnaire, name: str) -> str:
    """Returns why no quota can count this question, as opening says it; empty if one can."""
    is_late = False
    for section in draft.sections:
        for question in section.questions:
            if question.name == name:
                reason = (
                    (SENSITIVE if section.sensitive else "")
                    or (DRAWN_BY_DEVICE if question.form == DRAWN else "")
                    or (NOT_EVERYBODY if question.show_if else "")
                    or (TOO_LATE if is_late else "")
                )
                return _(reason) % {"name": f"“{question_in_words(draft, question)}”"} if reason else ""
        is_late = is_late or section.sensitive
    return _(NO_QUESTION) % {"name": f"“{name}”"}


def quota_obstacle(draft: Questionnaire, quota: DraftQuota) -> str:
    """Returns why the design would refuse this quota; empty if it would not."""
    questions = {question.name: question for question in draft.all_questions}
    for name, choice in quota.answers.items():
        if obstacle := question_obstacle(draft, name):
            return obstacle
        if choice not in questions[name].choice_names:
            text = question_in_words(draft, questions[name])
            return _(NO_CHOICE) % {"choice": f"“{choice}”", "name": f"“{text}”"}
    return ""


def countable_questions(draft: Questionnaire) -> list[DraftQuestion]:
    """Returns the questions that a quota can count: plain ones of everybody, before all sensitive ones."""
    return [question for question in draft.all_questions if not question_obstacle(draft, question.name)]


def rename_in_quotas(
    draft: Questionnaire, questions: Iterable[str], rename: Mapping[str, str]
) -> Questionnaire:
    """Returns the draft with choices of these questions renamed in its quotas."""
    named = frozenset(questions)
    return replace(
        draft,
        quotas=tuple(
            replace(
                quota,
                answers={
                    question: rename.get(choice, choice) if question in named else choice
                    for question, choice in quota.answers.items()
                },
            )
            for quota in draft.quotas
        ),
    )


def quota_in_words(
    draft: Questionnaire, quota: DraftQuota, language: str | None = None
) -> list[tuple[str, str]]:
    """Returns the texts of the quota's questions and answers; names where a text is missing."""
    questions = {question.name: question for question in draft.all_questions}
    words: list[tuple[str, str]] = []
    for name, choice_name in quota.answers.items():
        question = questions.get(name) or DraftQuestion(name=name)
        choices = {choice.name: choice for choice in question.choices}
        choice = choices.get(choice_name) or Choice(choice_name)
        words.append((question_in_words(draft, question, language), choice_in_words(draft, choice, language)))
    return words


def question_in_words(draft: Questionnaire, question: DraftQuestion, language: str | None = None) -> str:
    return draft.text_in_language(question.text, language) or question.name


def choice_in_words(draft: Questionnaire, choice: Choice, language: str | None = None) -> str:
    """Returns the label of an answer; of a yes or no without one, Candor's own word."""
    own = {"no": _("No"), "yes": _("Yes")}.get(choice.name, choice.name)
    return draft.text_in_language(choice.label, language) or own
