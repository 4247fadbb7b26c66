"""The frame of all pages of a release, with tabs and the next step; the releases that wait on the home page."""

import json
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.permission import PersonRequest
from releases import uploads
from releases.models import Making, Release
from releases.permissions import MADE, TABLE, UNMADE
from releases.specification import criteria_conversion
from surveys.tabs_and_warnings import TabLink
from ui import home_page_items

if TYPE_CHECKING:
    from accounts.models import Person

State = Release.State
BADGES = {
    State.DRAFT: "waiting",
    State.RUNNING: "active",
    State.CHECKED: "waiting",
    State.APPROVED: "done",
    State.WITHDRAWN: "stopped",
    State.REFUSED: "wrong",
}


class NextStep(NamedTuple):
    """Label and address of the next step that a person can take."""

    label: str
    url: str


class ReleasePage:
    """A release as its pages and lists show it to one person: permitted actions, tabs and the next step."""

    def __init__(self, release: Release, person: "Person") -> None:
        self.release = release
        self.allowed = {action: release.may(person, action) for action in TABLE}
        is_unmade = release.stage == UNMADE
        self.knows_it_is_unmade = is_unmade and self.allowed["refuse"]
        # Others see that it waits, as if it were made.
        self.state = State.CHECKED if is_unmade and not self.knows_it_is_unmade else State(release.state)
        self.badge = BADGES[self.state]
        self.state_text = _("not made") if self.knows_it_is_unmade else self.state.label
        self.is_made = release.state in MADE
        self.has_table = self.is_made or (self.allowed["raw"] and release.source.deleted is None)
        self.delete_by = release.source.created + uploads.DAYS
        document = json.loads(release.specification)
        self.disguised = [column for column in document.get("sensitive", ()) if "gamma" in column]
        self.sentences = criteria_conversion.criteria_sentences(document)
        method = document.get("method", "tree")
        self.method = criteria_conversion.METHOD_SENTENCES.get(method, method)

    @property
    def next(self) -> NextStep | None:
        """The next step of this person with the release; None if somebody else has to act."""
        steps = [
            ("configure", _("Prepare release"), "columns"),
            ("review", _("Review release"), "report"),
            *([("refuse", _("Review release"), "release")] if self.knows_it_is_unmade else []),
            ("download", _("Download"), "release"),
        ]
        for action, label, name in steps:
            if self.allowed[action]:
                return NextStep(label, reverse(f"releases:{name}", args=[self.release.pk]))
        return None

    @cached_property
    def making(self) -> Making | None:
        return self.release.making

    def tabs(self, here: str) -> list[TabLink]:
        """Returns the tabs that this person may see now; `here` is the name of the current page."""
        pages = [
            ("release", _("Overview"), self.allowed["see"]),
            ("columns", _("Columns"), self.allowed["configure"]),
            ("criteria", _("Criteria"), self.allowed["configure"]),
            ("compare", _("Compare"), self.allowed["configure"]),
            ("table", _("Table"), self.allowed["numbers"] and self.has_table),
            ("report", _("Report"), self.allowed["numbers"] and self.is_made),
            ("attacks", _("Attacks"), self.allowed["attack"] and self.has_table),
        ]
        return [
            TabLink(label, reverse(f"releases:{name}", args=[self.release.pk]), name == here)
            for name, label, is_shown in pages
            if is_shown
        ]


def render_page(
    request: PersonRequest, release: Release, name: str, context: dict[str, Any], *, tab: str = ""
) -> HttpResponse:
    """Renders `releases/<name>.html`; status 422 if the form in `context` has errors."""
    shown = ReleasePage(release, request.user)
    status = 422 if "form" in context and context["form"].errors else 200
    whole = {**context, "release": release, "shown": shown, "tabs": shown.tabs(tab or name)}
    return render(request, f"releases/{name}.html", whole, status=status)


def waiting_reviews(person: "Person") -> Iterator[home_page_items.TodoItem]:
    """Yields the releases that this reviewer can decide on, for the home page."""
    for release in Release.objects.to_review_by(person):
        url, action = release.get_absolute_url(), _("Open the release")
        title = (
            _("A release that could not be made") if release.stage == UNMADE else _("A release to approve")
        )
        yield home_page_items.TodoItem(title, release.title(), url, action)
