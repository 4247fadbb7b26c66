"""Who may read which numbers of a run: reviewers all of them, everybody else published and rounded ones.

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


def register_reports(reports: Reports) -> None:
    _registered[:] = [reports]


def reports() -> Reports:
    return _registered[0]


def readable_rows(run: Run, person: "Person") -> Readable | None:
    """The rows of a run that this person may read; None: no number of the run."""
    if run.may(person, "numbers"):
        return Readable(run.itemsets.all(), run.rules.all(), whole=True)
    return reports().published_rows(run)


FEW = 10

THRESHOLDS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
"""The only thresholds for which numbers are shown."""


def round_to_one_digit(number: int) -> int:
    """Round a count; below `FEW`, where one digit would be exact, it is 0."""
    if number < FEW:
        return 0
    unit: int = 10 ** (len(str(number)) - 1)
    return (number + unit // 2) // unit * unit


def threshold_at_least(least: float | None) -> float | None:
    """The lowest of `THRESHOLDS` that is at least this; the exact one would reveal unpublished itemsets."""
    if least is None:
        return None
    return min((threshold for threshold in THRESHOLDS if threshold >= least), default=None)
