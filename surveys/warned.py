"""Warnings about surveys. Later rooms register what they warn of; nobody here knows why."""

from collections.abc import Callable, Collection, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from surveys.models import Survey


class Warned(NamedTuple):
    """`badge` stands in lists, `title` and `words` on the survey's page, where its owner can pause the survey."""

    badge: str
    title: str
    words: str


Warn = Callable[[Collection["Survey"]], Mapping[int, Warned]]
_registered: list[Warn] = []


def register(warn: Warn) -> None:
    """`warn(surveys)` -> the warnings by survey id, in a few queries for all; most have none."""
    if warn not in _registered:
        _registered.append(warn)


def of_all(surveys: Collection["Survey"]) -> dict[int, list[Warned]]:
    found: dict[int, list[Warned]] = {survey.pk: [] for survey in surveys}
    for warn in _registered if surveys else ():
        for pk, warned in warn(surveys).items():
            found[pk].append(warned)
    return found


def of(survey: "Survey") -> list[Warned]:
    return of_all([survey])[survey.pk]
