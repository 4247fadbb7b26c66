"""Warnings about surveys, which later rooms register."""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from surveys.models import Survey


class SurveyWarning(NamedTuple):
    """`badge` is shown in lists; `title` and `words` on the survey's page, where its owner can pause it."""

    badge: str
    title: str
    words: str


Warn = Callable[[Collection["Survey"]], Mapping[int, SurveyWarning]]
_registered: list[Warn] = []


def register_warnings(warn: Warn) -> None:
    """`warn(surveys)` -> the warnings by survey id, in a few queries for all; most have none."""
    if warn not in _registered:
        _registered.append(warn)


def warnings_for_surveys(surveys: Collection["Survey"]) -> dict[int, list[SurveyWarning]]:
    by_survey: dict[int, list[SurveyWarning]] = {survey.pk: [] for survey in surveys}
    for warn in _registered if surveys else ():
        for pk, warnings in warn(surveys).items():
            by_survey[pk].append(warnings)
    return by_survey


def warnings_for_survey(survey: "Survey") -> list[SurveyWarning]:
    return warnings_for_surveys([survey])[survey.pk]
