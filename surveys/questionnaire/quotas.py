"""Quotas of a draft, in normal form: the wanted numbers of people with one or two certain plain answers.

A draft's quota may name a question or answer that is gone or cannot be counted; opening the survey is then
refused with the reason (privacy.designs.quotas).
"""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from privacy.designs import quotas as design_quotas
from privacy.designs.quotas import LEAST_LIMIT, MOST_ANSWERS, MOST_LIMIT, MOST_QUOTAS, NO_CHOICE, NO_QUESTION
from privacy.grammar.question import DRAWN
from surveys.questionnaire.draft_question import Choice, DraftQuestion
from surveys.questionnaire.questionnaire import DraftQuota, Questionnaire
from surveys.questionnaire.value_normalization import UniqueNames, normal_name


def read_draft_quotas(given: object) -> tuple[DraftQuota, ...]:
    """Parses the quotas of a stored draft or an upload, also invalid ones as far as possible, so that opening
    can name the fault.

    Of too many quotas or answers, one more than allowed is kept.
    """
    nodes = given if isinstance(given, list) else [given] if given else []
    quotas: list[DraftQuota] = []
    for quota in map(_read_draft_quota, nodes):
        if quota not in quotas and len(quotas) <= MOST_QUOTAS:
            quotas.append(quota)
    return tuple(quotas)


def _read_draft_quota(node: object) -> DraftQuota:
    members: Mapping[str, Any] = node if isinstance(node, Mapping) else {}
    answers, names = members.get("answers"), UniqueNames()
    given = list(answers.items())[: MOST_ANSWERS + 1] if isinstance(answers, Mapping) else []
    return DraftQuota(
        {names.make_unique(normal_name(question)): normal_name(choice) for question, choice in given},
        _read_limit(members.get("limit")),
    )


def _read_limit(given: object) -> int:
    """Parses the limit of a quota from JSON, also from a text or a fraction; 0, which is too small, for
    anything else."""
    if isinstance(given, str) and given.strip().isascii() and given.strip().isdecimal() and len(given) < 20:
        return int(given)
    is_whole = isinstance(given, float) and given.is_integer()
    return int(given) if type(given) is int or is_whole else 0  # type: ignore[call-overload]


def question_obstacle(draft: Questionnaire, name: str) -> str:
    """Returns the reason why a quota cannot count this question; empty if it can."""
    is_late = False
    for section in draft.sections:
        for question in section.questions:
            if question.name == name:
                reason = design_quotas.quota_question_problem(
                    section.sensitive, question.form == DRAWN, bool(question.show_if), is_late
                )
                return _(reason) % {"name": f"“{question_in_words(draft, question)}”"} if reason else ""
        is_late = is_late or section.sensitive
    return _(NO_QUESTION) % {"name": f"“{name}”"}


def quota_obstacle(draft: Questionnaire, quota: DraftQuota, earlier: Sequence[DraftQuota]) -> str:
    """Returns the reason why opening the survey would refuse this quota; empty if it is valid.

    `earlier` are the quotas before it, with which it must not clash.
    """
    if not LEAST_LIMIT <= quota.limit <= MOST_LIMIT:
        return _("must lie between %(low)s and %(high)s") % {"low": LEAST_LIMIT, "high": MOST_LIMIT}
    if reason := design_quotas.quota_question_names_problem(quota.answers):
        return _(reason)
    clash = design_quotas.earlier_quota_problem(quota.answers, [other.answers for other in earlier])
    return answer_obstacle(draft, quota) or (_(clash) if clash else "")


def answer_obstacle(draft: Questionnaire, quota: DraftQuota) -> str:
    """Returns the reason why one of the quota's answers cannot be counted; empty if all can be counted."""
    questions = {question.name: question for question in draft.all_questions}
    for name, choice in quota.answers.items():
        if obstacle := question_obstacle(draft, name):
            return obstacle
        if choice not in questions[name].choice_names:
            text = question_in_words(draft, questions[name])
            return _(NO_CHOICE) % {"choice": f"“{choice}”", "name": f"“{text}”"}
    return ""


def countable_questions(draft: Questionnaire) -> list[DraftQuestion]:
    """Returns the questions that a quota can count: plain ones asked of everybody, before all sensitive ones."""
    return [question for question in draft.all_questions if not question_obstacle(draft, question.name)]


def quota_in_words(
    draft: Questionnaire, quota: DraftQuota, language: str | None = None
) -> list[tuple[str, str]]:
    """Returns the texts of the quota's questions and answers; their names if a text is missing."""
    questions = {question.name: question for question in draft.all_questions}
    words: list[tuple[str, str]] = []
    for name, choice_name in quota.answers.items():
        question = questions.get(name) or DraftQuestion(name=name)
        choices = {choice.name: choice for choice in question.choices}
        choice = choices.get(choice_name) or Choice(choice_name)
        words.append((question_in_words(draft, question, language), choice_in_words(draft, choice, language)))
    return words


def question_in_words(draft: Questionnaire, question: DraftQuestion, language: str | None = None) -> str:
    return draft.text_with_fallback(question.text, language) or question.name


def choice_in_words(draft: Questionnaire, choice: Choice, language: str | None = None) -> str:
    """Returns the label of a choice; without one, Candor's word for yes or no, else the choice's name."""
    own = {"no": _("No"), "yes": _("Yes")}.get(choice.name, choice.name)
    return draft.text_with_fallback(choice.label, language) or own
