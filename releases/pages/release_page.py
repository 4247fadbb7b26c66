"""What the pages of one release show to one person: its tabs, its specification in words, what can be done next."""

import json
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext as _

from releases import expiring
from releases.models import Making, Release
from releases.pages.method_words import METHODS
from releases.permission import MADE, TABLE
from releases.specification import criteria
from releases.specification.roles import Document
from surveys.pages import TabLink

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


@dataclass(frozen=True)
class ReleaseStep:
    label: str
    url: str


@dataclass(frozen=True)
class ReleasePage:
    release: Release
    person: "Person"

    def may(self, action: str) -> bool:
        return self.release.may(self.person, action)

    @cached_property
    def allowed(self) -> dict[str, bool]:
        """By action, for templates."""
        return {action: self.may(action) for action in TABLE}

    @property
    def badge(self) -> str:
        return BADGES[State(self.release.state)]

    @property
    def next(self) -> ReleaseStep | None:
        """What this person would do with it next; None where somebody else has to."""
        steps = [
            ("configure", _("Prepare release"), "columns"),
            ("review", _("Review release"), "report"),
            ("download", _("Download"), "release"),
        ]
        for action, label, name in steps:
            if self.may(action):
                return ReleaseStep(label, reverse(f"releases:{name}", args=[self.release.pk]))
        return None

    @cached_property
    def making(self) -> Making | None:
        return self.release.making

    @property
    def is_live(self) -> bool:
        """Whether a worker makes it, or will."""
        return self.making is not None and self.making.live

    @property
    def is_made(self) -> bool:
        return self.release.state in MADE

    @property
    def has_rows(self) -> bool:
        """Whether this person may see the rows of an upload that is still here."""
        return self.allowed["raw"] and self.release.source.deleted is None

    @property
    def deleted_by(self) -> datetime:
        """When the upload is deleted at the latest."""
        return self.release.source.created + expiring.DAYS

    @cached_property
    def document(self) -> Document:
        document: Document = json.loads(self.release.specification)
        return document

    @property
    def disguised(self) -> list[Document]:
        """The columns that are published disguised."""
        return [column for column in self.document.get("sensitive", ()) if "gamma" in column]

    @property
    def sentences(self) -> list[str]:
        return criteria.sentences(self.document)

    @property
    def method(self) -> str:
        name = self.document.get("method", "tree")
        return str(METHODS.get(name, name))

    @cached_property
    def report(self) -> dict[str, Any]:
        return self.release.report

    def tabs(self, here: str) -> list[TabLink]:
        """The pages of the release that this person may see now; `here` is the name of one of them."""
        pages = [
            ("release", _("Overview"), self.allowed["see"]),
            ("columns", _("Columns"), self.allowed["configure"]),
            ("criteria", _("Criteria"), self.allowed["configure"]),
            ("compare", _("Compare"), self.allowed["configure"]),
            ("table", _("Table"), self.allowed["numbers"] and (self.is_made or self.has_rows)),
            ("report", _("Report"), self.allowed["numbers"] and self.is_made),
            ("attacks", _("Attacks"), self.allowed["attack"] and (self.is_made or self.has_rows)),
        ]
        return [
            TabLink(label, reverse(f"releases:{name}", args=[self.release.pk]), name == here)
            for name, label, shown in pages
            if shown
        ]
