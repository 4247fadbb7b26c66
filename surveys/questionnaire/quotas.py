"""Quotas of a draft, in normal form: how many people with one or two plain answers are wanted.

A draft may name a question or an answer that is gone, or one that no quota can count; opening refuses it with the
reason (privacy.designs.quotas).
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from privacy.designs.quotas import LEAST_LIMIT, MOST_ANSWERS, MOST_LIMIT, MOST_QUOTAS
from privacy.grammar.question import DRAWN
from surveys.questionnaire.draft_question import Choice, DraftQuestion
from surveys.questionnaire.normal_values import list_or_empty, normal_name
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


def countable_questions(draft: Questionnaire) -> list[DraftQuestion]:
    """Returns the questions that a quota can count: plain ones of everybody, before all sensitive ones."""
    questions: list[DraftQuestion] = []
    for section in draft.sections:
        if section.sensitive:
            break
        questions += [
            question for question in section.questions if question.form != DRAWN and not question.show_if
        ]
    return questions


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


def quota_in_words(draft: Questionnaire, quota: DraftQuota) -> list[tuple[str, str]]:
    """Returns the texts of the quota's questions and answers in the first language; names where a text is missing."""
    questions, language = {question.name: question for question in draft.all_questions}, draft.first_language
    words: list[tuple[str, str]] = []
    for name, choice_name in quota.answers.items():
        question = questions.get(name)
        choice = (
            next((choice for choice in question.choices if choice.name == choice_name), None)
            if question
            else None
        )
        words.append((_text(question, name, language), choice_in_words(choice, choice_name, language)))
    return words


def _text(question: DraftQuestion | None, name: str, language: str) -> str:
    if question is None:
        return name
    if question.is_option:
        return question.choices[1].label.get(language, "") or name
    return question.text.get(language, "") or name


def choice_in_words(choice: Choice | None, name: str, language: str) -> str:
    return (choice.label.get(language, "") if choice else "") or name
