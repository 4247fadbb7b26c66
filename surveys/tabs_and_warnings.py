"""Registries of the tabs of a survey's pages and of warnings about surveys; `config.wiring` fills them."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from django.urls import NoReverseMatch, reverse
from django.utils.functional import Promise

from surveys.models import Survey

if TYPE_CHECKING:
    from accounts.models import Person

MaySee = Callable[[Survey, "Person"], bool]


def visible_to_everybody(survey: Survey, person: "Person") -> bool:
    return True


def may_edit_draft(survey: Survey, person: "Person") -> bool:
    return survey.state == "draft" and survey.may(person, "edit")


def may_see_settings(survey: Survey, person: "Person") -> bool:
    return survey.may(person, "edit" if survey.state == "draft" else "close")


def can_have_records(survey: Survey, person: "Person") -> bool:
    return survey.has_usable_design and not survey.tools


@dataclass(frozen=True)
class Tab:
    """A tab on the pages of every survey.

    `url_name`: URL that takes the survey's id; the tab is hidden if there is no such URL.
    """

    label: str | Promise
    url_name: str
    may_see: MaySee


@dataclass(frozen=True)
class TabLink:
    """A tab as a link on a survey's page; `here` marks the current page's tab."""

    label: str
    url: str
    here: bool


_tabs: dict[str, Tab] = {}


def register_tab(
    key: str, label: str | Promise, url_name: str, may_see: MaySee = visible_to_everybody
) -> None:
    """Adds a tab to every survey's pages, behind those that were added before.

    `key` is the last word of the page's address, such as edit or runs; `tab_url` finds the page by it.
    """
    _tabs[key] = Tab(label, url_name, may_see)


def visible_tab_links(survey: Survey, person: "Person", path: str) -> list[TabLink]:
    """Returns links to the tabs that this person may see; `path` is the address of the current page."""
    links = []
    for key, tab in _tabs.items():
        if url := tab_url(key, survey, person):
            links.append(TabLink(str(tab.label), url, f"{path}/".startswith(f"{url}/")))
    return links


def tab_url(key: str, survey: Survey, person: "Person") -> str:
    """Returns the URL of a tab's page; empty if this person may not see it, or if no app has registered the tab."""
    tab = _tabs.get(key)
    return url_or_empty(tab.url_name, survey.pk) if tab and tab.may_see(survey, person) else ""


def url_or_empty(url_name: str, *args: object) -> str:
    """Returns the URL with this name; empty if no app has it."""
    try:
        return reverse(url_name, args=args)
    except NoReverseMatch:
        return ""


class SurveyWarning(NamedTuple):
    """A warning about a survey: `badge` for lists; `title` and `words` for the survey's page, which offers to pause
    it."""

    badge: str
    title: str
    words: str


Warn = Callable[[Collection["Survey"]], Mapping[int, SurveyWarning]]
_registered: list[Warn] = []


def register_warnings(warn: Warn) -> None:
    """Registers a function that returns warnings about many surveys, by survey id, in a few queries."""
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
