"""Who reads which numbers of a run: reviewers all of them, others what a later room says was published."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.db.models import QuerySet

from mining.models import Itemset, Rule, Run

if TYPE_CHECKING:
    from people.models import Person


@dataclass(frozen=True)
class Readable:
    """The rows of a run that somebody may read; `whole` where these are all."""

    itemsets: QuerySet[Itemset]
    rules: QuerySet[Rule]
    whole: bool


@dataclass(frozen=True)
class RunLink:
    label: str
    url: str


Published = Callable[[Run], "Readable | None"]
Links = Callable[[Run, "Person"], list[RunLink]]
Told = Callable[[int], list[int]]
_published: list[Published] = []
_links: list[Links] = []
_told: list[Told] = []


def register(published: Published, links: Links, told: Told) -> None:
    """`published(run)` gives what everybody who sees the survey may read of a run; `links(run, person)` the pages
    that stand on the page of a run that is done; `told(survey)` the runs of a survey that were ever published."""
    _published[:], _links[:], _told[:] = [published], [links], [told]


def ever_published(survey: int) -> list[int]:
    """The keys of these runs, in order."""
    return [run for told in _told for run in told(survey)]


def readable(run: Run, person: "Person") -> Readable | None:
    if run.may(person, "numbers"):
        return Readable(run.itemsets.all(), run.rules.all(), whole=True)
    return next((found for published in _published if (found := published(run))), None)


def links(run: Run, person: "Person") -> list[RunLink]:
    return [link for find in _links for link in find(run, person)]
