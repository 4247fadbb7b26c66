"""Who may read which numbers of a run: reviewers all of them, everybody else what was published.

What was published, the reports know; they are registered here, since they import this app.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from django.db.models import QuerySet

from runs.models import Itemset, Rule, Run

if TYPE_CHECKING:
    from accounts.models import Person


@dataclass(frozen=True)
class Readable:
    """The rows of a run that a person may read; `whole` where these are all."""

    itemsets: QuerySet[Itemset]
    rules: QuerySet[Rule]
    whole: bool


@dataclass(frozen=True)
class RunLink:
    label: str
    url: str


class Reports(Protocol):
    def published_rows(self, run: Run) -> Readable | None:
        """What everybody may read of this run; None: nothing."""

    def gets_email(self, run: Run, person: "Person") -> bool:
        """Whether this person gets an email once the report of the finished run is published."""

    def report_links(self, run: Run, person: "Person") -> list[RunLink]:
        """The links to the report on the page of a finished run."""


_registered: list[Reports] = []


def register(reports: Reports) -> None:
    _registered[:] = [reports]


def reports() -> Reports:
    return _registered[0]


def readable(run: Run, person: "Person") -> Readable | None:
    """None: no number of this run."""
    if run.may(person, "numbers"):
        return Readable(run.itemsets.all(), run.rules.all(), whole=True)
    return reports().published_rows(run)
