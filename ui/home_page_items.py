"""Items of a person's home page: tasks that wait, surveys with their findings, news.

`config.wiring` registers the sources; a source takes the person who is signed in.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, TypeVar

from django.utils.safestring import SafeString

T = TypeVar("T")


@dataclass(frozen=True)
class TodoItem:
    """A to-do item of this person on the home page; `action` is the text of its button."""

    title: str
    detail: str
    url: str
    action: str


@dataclass(frozen=True)
class SurveyCard:
    """A survey with one sentence, its picture, and the next step; `step_url` is empty if the person can only wait."""

    title: str
    url: str
    state: str
    sentence: str | SafeString = ""
    picture: str | SafeString = ""
    step: str = ""
    step_url: str = ""


@dataclass(frozen=True)
class News:
    """A news item on the home page: what somebody did or what was found, and about which thing. `url` is empty if the
    thing has no page."""

    words: str | SafeString
    thing: str
    url: str
    when: datetime


class HomePageSources(Generic[T]):
    def __init__(self) -> None:
        self._sources: list[Callable[[Any], Iterable[T]]] = []

    def register(self, source: Callable[[Any], Iterable[T]]) -> None:
        """Registers a function that yields items for a person."""
        self._sources.append(source)

    def for_person(self, person: Any) -> list[T]:
        return [entry for source in self._sources for entry in source(person)]


waiting, cards, news = HomePageSources[TodoItem](), HomePageSources[SurveyCard](), HomePageSources[News]()
acts_shown_as_findings: set[str] = set()
"""Acts that are not listed as news, since the findings that they brought are."""
register_waiting, register_cards, register_news = waiting.register, cards.register, news.register
