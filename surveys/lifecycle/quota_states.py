"""The states of a survey's quotas as shown on its public page; a function of `intake` finds the full ones."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from surveys.kinds.read_draft import read_questionnaire
from surveys.models import Survey
from surveys.questionnaire.quotas import quota_in_words

FullQuotas = Callable[[Collection[int]], Mapping[int, Sequence[int]]]
_full: list[FullQuotas] = []


def register_full_quota_finder(find_full_quotas: FullQuotas) -> None:
    """Registers the function that finds full quotas: it returns their indices by survey id."""
    _full[:] = [find_full_quotas]


class QuotaState(NamedTuple):
    """A quota as researchers see it: texts of its questions and answers, its limit, and whether respondents are told
    that it is full."""

    answers: list[tuple[str, str]]
    limit: int
    is_full: bool


def quota_states(survey: Survey, language: str | None = None) -> list[QuotaState]:
    """Returns the survey's quotas with their texts in this language, without counts, which only a report may
    disclose."""
    draft = read_questionnaire(survey.questionnaire)
    if not draft.quotas:
        return []
    full = _full[0]([survey.pk]).get(survey.pk, ()) if _full else ()
    return [
        QuotaState(quota_in_words(draft, quota, language), quota.limit, index in full)
        for index, quota in enumerate(draft.quotas)
    ]
