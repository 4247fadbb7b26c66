"""Quotas of a survey of LimeSurvey or Qualtrics: those of one or two plain answers come in, the others are named."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _

from importing.gathering import Gathering
from importing.limesurvey.survey import LimeQuota
from importing.relevant import Asked
from importing.size import RowRefused
from privacy.designs.quotas import LEAST_LIMIT, MOST_ANSWERS, MOST_LIMIT, MOST_QUOTAS
from surveys.questionnaire.normal_values import Node


def quotas_that_come_in(quotas: Iterable[LimeQuota], gathering: Gathering) -> list[Node]:
    """Returns the quotas as a draft stores them, and notes what became of each."""
    kept: dict[frozenset[tuple[str, str]], Node] = {}
    for number, quota in enumerate(quotas, 1):
        location, words = _("quota %(number)s") % {"number": number}, quota.name or _("a quota")
        try:
            answers = _answers(quota, gathering)
            if frozenset(answers.items()) in kept:
                raise RowRefused(_("counts the same answers as an earlier one"))
            if len(kept) == MOST_QUOTAS:
                raise RowRefused(_("is one of more than %(most)s quotas") % {"most": MOST_QUOTAS})
            kept[frozenset(answers.items())] = {"answers": answers, "limit": _limit(quota)}
            gathering.say(
                _("It is told as full some people above its number, so that nobody can tell who filled it.")
            )
            gathering.settle(location, words)
        except RowRefused as refusal:
            gathering.leave(location, words, str(refusal))
    return list(kept.values())


def switched_off() -> str:
    return _("is switched off")


def _limit(quota: LimeQuota) -> int:
    written = quota.limit.strip()
    limit = int(written) if written.isascii() and written.isdigit() and len(written) < 10 else 0
    if not LEAST_LIMIT <= limit <= MOST_LIMIT:
        raise RowRefused(_("wants fewer than %(least)s people, the fewest here") % {"least": LEAST_LIMIT})
    return limit


def _answers(quota: LimeQuota, gathering: Gathering) -> dict[str, str]:
    if quota.obstacle:
        raise RowRefused(quota.obstacle)
    answers: dict[str, str] = {}
    for question, code in dict.fromkeys(quota.members):
        asked, choice = _find_answer(question, code, gathering.known)
        if asked.hideable:
            raise RowRefused(_("counts a question that not everybody is asked"))
        if asked.name in answers:
            raise RowRefused(
                _("counts several answers of one question together; here each has a quota of its own")
            )
        answers[asked.name] = choice
    if not answers:
        raise RowRefused(_("names no answers"))
    if len(answers) > MOST_ANSWERS:
        raise RowRefused(_("names more than two answers"))
    return answers


def _find_answer(question: str, code: str, known: Mapping[str, Asked]) -> tuple[Asked, str]:
    """Returns a question that came in and its choice; of an option that it was chosen."""
    row, _dash, answer = code.partition("-")
    for variable, written in ((question, code), (f"{question}_{code}", "Y"), (f"{question}_{row}", answer)):
        if (asked := known.get(variable)) and written in asked.answers:
            return asked, asked.answers[written]
    raise RowRefused(_("counts an answer that did not come in, or that no quota here can count"))
