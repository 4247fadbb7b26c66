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
class Link:
    label: str
    url: str


Published = Callable[[Run], "Readable | None"]
Links = Callable[[Run, "Person"], list[Link]]
_published: list[Published] = []
_links: list[Links] = []


def register(published: Published, links: Links) -> None:
    """`published(run)` gives what everybody who sees the survey may read of a run; `links(run, person)` the pages
    that stand on the page of a run that is done."""
    _published[:], _links[:] = [published], [links]


def readable(run: Run, person: "Person") -> Readable | None:
    if run.may(person, "numbers"):
        return Readable(run.itemsets.all(), run.rules.all(), whole=True)
    return next((found for published in _published if (found := published(run))), None)


def links(run: Run, person: "Person") -> list[Link]:
    return [link for find in _links for link in find(run, person)]
