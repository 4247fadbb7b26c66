"""Who may read which numbers of a run: reviewers all of them, everybody else what was published."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import QuerySet
from django.utils.module_loading import import_string

from mining.models import Itemset, Rule, Run

if TYPE_CHECKING:
    from people.models import Person

REPORTS = "mining.reports.run_links"
"""A dotted string, since `mining.reports` imports this module."""


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


def readable(run: Run, person: "Person") -> Readable | None:
    """None: no number of this run."""
    if run.may(person, "numbers"):
        return Readable(run.itemsets.all(), run.rules.all(), whole=True)
    published: Readable | None = import_string(f"{REPORTS}.published_rows")(run)
    return published


def ever_published(survey: int) -> list[int]:
    """The keys of the survey's runs that were ever published, withdrawn or not, in order."""
    runs: list[int] = import_string(f"{REPORTS}.ever_published")(survey)
    return runs


def gets_email(run: Run, person: "Person") -> bool:
    """Whether this person gets an email once the report of the finished run is published."""
    return bool(import_string(f"{REPORTS}.gets_email")(run, person))


def report_links(run: Run, person: "Person") -> list[RunLink]:
    """The links to the report on the page of a finished run."""
    links: list[RunLink] = import_string(f"{REPORTS}.report_links")(run, person)
    return links
