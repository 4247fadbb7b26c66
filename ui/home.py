"""What the home page of a person shows: what waits, surveys with what was found, what is new.

Each app registers its sources in AppConfig.ready; a source takes the person who is signed in.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import Any

from django.utils.safestring import SafeString


@dataclass(frozen=True)
class Waiting:
    """Something that this person alone can do next; `action` is the text of its button."""

    title: str
    detail: str
    url: str
    action: str


@dataclass(frozen=True)
class SurveyCard:
    """A survey with one sentence, its picture, and the next step; `step_url` is empty where there is only to wait."""

    title: str
    url: str
    state: str
    sentence: str | SafeString = ""
    picture: str | SafeString = ""
    step: str = ""
    step_url: str = ""


@dataclass(frozen=True)
class News:
    """One act: who did it, what, and on which thing. `url` is empty where the thing has no page."""

    who: str
    act: str
    thing: str
    url: str
    when: datetime


Sources = list[Callable[[Any], Iterable[Any]]]
_waiting: Sources = []
_cards: Sources = []
_news: Sources = []


def register_waiting(source: Callable[[Any], Iterable[Waiting]]) -> None:
    _waiting.append(source)


def register_cards(source: Callable[[Any], Iterable[SurveyCard]]) -> None:
    _cards.append(source)


def register_news(source: Callable[[Any], Iterable[News]]) -> None:
    _news.append(source)


def waiting_for(person: Any) -> list[Waiting]:
    return _of(_waiting, person)


def cards_of(person: Any) -> list[SurveyCard]:
    return _of(_cards, person)


def news_for(person: Any) -> list[News]:
    return _of(_news, person)


def _of(sources: Sources, person: Any) -> list[Any]:
    return list(chain.from_iterable(source(person) for source in sources))
