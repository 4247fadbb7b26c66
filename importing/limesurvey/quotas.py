"""Imports quotas of a LimeSurvey or Qualtrics survey: those of one or two plain answers; others are reported
as left out."""

from collections.abc import Iterable, Mapping

from django.utils.translation import gettext as _

from importing.faults import RowRefused
from importing.limesurvey.survey_structure import LimeQuota
from importing.row_outcome_collector import ImportLog
from importing.show_if_conditions import ConditionQuestion
from privacy.designs.quotas import (
    LEAST_LIMIT,
    MOST_ANSWERS,
    MOST_LIMIT,
    MOST_QUOTAS,
    SAME_ANSWERS,
    earlier_quota_problem,
)
from surveys.questionnaire.value_normalization import Node


def importable_quotas(quotas: Iterable[LimeQuota], log: ImportLog) -> list[Node]:
    """Returns the importable quotas in a draft's format; records the outcome of each quota in `log`."""
    kept: list[Node] = []
    for number, quota in enumerate(quotas, 1):
        location, words = _("quota %(number)s") % {"number": number}, quota.name or _("a quota")
        try:
            answers = _read_answers(quota, log)
            clash = earlier_quota_problem(answers, [node["answers"] for node in kept])
            if clash == SAME_ANSWERS:
                raise RowRefused(_("counts the same answers as an earlier one"))
            if clash:
                raise RowRefused(_("counts a third set of questions; all quotas here have two at most"))
            if len(kept) == MOST_QUOTAS:
                raise RowRefused(_("is one of more than %(most)s quotas") % {"most": MOST_QUOTAS})
            kept.append({"answers": answers, "limit": _read_limit(quota)})
            log.remark(
                _("It is told as full some people above its number, so that nobody can tell who filled it.")
            )
            log.record_row(location, words)
        except RowRefused as refusal:
            log.record_left_out(location, words, str(refusal))
    return kept


def _read_limit(quota: LimeQuota) -> int:
    written = quota.limit.strip()
    limit = int(written) if written.isascii() and written.isdigit() and len(written) < 10 else 0
    if not LEAST_LIMIT <= limit <= MOST_LIMIT:
        raise RowRefused(
            _("wants no number of people from %(least)s to %(most)s")
            % {"least": LEAST_LIMIT, "most": MOST_LIMIT}
        )
    return limit


def _read_answers(quota: LimeQuota, log: ImportLog) -> dict[str, str]:
    if quota.obstacle:
        raise RowRefused(quota.obstacle)
    answers: dict[str, str] = {}
    for question, code in dict.fromkeys(quota.members):
        asked, choice = _find_answer(question, code, log.condition_questions)
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


def _find_answer(
    question: str, code: str, known: Mapping[str, ConditionQuestion]
) -> tuple[ConditionQuestion, str]:
    """Returns the imported question and the choice that a quota counts; for an option of a multiple-choice question,
    the choice *yes*.

    Raises `RowRefused` if there is none.
    """
    row, _dash, answer = code.partition("-")
    for variable, written in ((question, code), (f"{question}_{code}", "Y"), (f"{question}_{row}", answer)):
        if (asked := known.get(variable)) and written in asked.answers:
            return asked, asked.answers[written][0]
    raise RowRefused(_("counts an answer that did not come in, or that no quota here can count"))
