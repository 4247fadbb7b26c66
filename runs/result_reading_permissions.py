"""Decides which numbers of a run a person may read: reviewers all, everybody else the published or rounded
ones.

The app `reports`, which imports this one, knows which results are published; `config.wiring` registers its functions.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from django.db.models import QuerySet

from runs.models import Itemset, Rule, Run

if TYPE_CHECKING:
    from accounts.models import Person


@dataclass(frozen=True)
class ReadableRows:
    """The itemsets and rules of a run that a person may read."""

    itemsets: QuerySet[Itemset]
    rules: QuerySet[Rule]


@dataclass(frozen=True)
class RunLink:
    label: str
    url: str


class ReportFunctions(Protocol):
    """Interface of the functions of the app `reports`."""

    def published_rows(self, run: Run) -> ReadableRows | None:
        """Returns the rows of this run that everybody may read; None if there are none."""

    def gets_report_email(self, run: Run, person: "Person") -> bool:
        """Returns True if this person gets an email when the report of the finished run is published."""

    def report_links(self, run: Run, person: "Person") -> list[RunLink]:
        """Returns the links to the report, for the page of a finished run."""


_registered: list[ReportFunctions] = []


def register_report_functions(reports: ReportFunctions) -> None:
    _registered[:] = [reports]


def registered_report_functions() -> ReportFunctions:
    return _registered[0]


def readable_rows(run: Run, person: "Person") -> ReadableRows | None:
    """Returns the rows of a run that this person may read; None if there are none."""
    if run.may(person, "numbers"):
        return ReadableRows(run.itemsets.all(), run.rules.all())
    return registered_report_functions().published_rows(run)


FEW = 10

THRESHOLDS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
"""Support thresholds for which numbers of itemsets are shown to people who may not see results."""


def round_to_digit_or_zero(number: int) -> int:
    """Rounds a count to one digit, and a count below `FEW` to 0, since rounding would leave it exact."""
    if number < FEW:
        return 0
    unit: int = 10 ** (len(str(number)) - 1)
    return (number + unit // 2) // unit * unit


def round_up_to_listed_threshold(least: float | None) -> float | None:
    """Returns the lowest of `THRESHOLDS` that is at least `least`; the exact one would reveal unpublished itemsets."""
    if least is None:
        return None
    return min((threshold for threshold in THRESHOLDS if threshold >= least), default=None)
