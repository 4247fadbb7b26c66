"""Activities that continue after a person's account was deactivated: each app lists its own, an administrator
decides."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from django.urls import reverse
from django.utils.translation import gettext as _

from accounts.activity_log import log_activity
from accounts.models import History, Person
from ui.home_page_items import TodoItem


@dataclass(frozen=True)
class ContinuingActivity:
    """An activity of a deactivated person that still continues.

    `key`: unique for the person; `end` stops the activity, called with the administrator and the time.
    """

    key: str
    title: str
    detail: str
    url: str
    end: Callable[[Person, datetime], object]


_sources: list[Callable[[Person], Iterable[ContinuingActivity]]] = []


def register_activity_source(source: Callable[[Person], Iterable[ContinuingActivity]]) -> None:
    """Registers a function that lists the continuing activities of a deactivated person."""
    _sources.append(source)


def list_continuing_activities(person: Person) -> list[ContinuingActivity]:
    return list(chain.from_iterable(source(person) for source in _sources))


def end_or_keep_activities(
    person: Person, ended: list[ContinuingActivity], kept: list[ContinuingActivity], by: Person, now: datetime
) -> None:
    for thing in ended:
        thing.end(by, now)
        log_activity(by, "accounts.left-ended", person, note=thing.title, when=now)
    for thing in kept:
        log_activity(by, "accounts.left-kept", person, note=thing.title, when=now)
    log_activity(by, "accounts.left-decided", person, when=now)


def has_undecided_activities(person: Person) -> bool:
    """True if a deactivated person's activities continue, and nobody has decided about them since the deactivation."""
    acts = History.objects.about(person).filter(what__in=["accounts.deactivated", "accounts.left-decided"])
    is_decided = acts.values_list("what", flat=True).first() == "accounts.left-decided"
    return not person.is_active and not is_decided and bool(list_continuing_activities(person))


def accounts_with_undecided_activities(administrator: Person) -> Iterator[TodoItem]:
    """Yields to-do items for superusers about deactivated accounts whose activities continue."""
    if not administrator.is_superuser:
        return
    for person in filter(has_undecided_activities, Person.objects.filter(is_active=False)):
        yield TodoItem(
            _("Decide what %(person)s left behind") % {"person": person},
            _("The account is switched off. Jobs, surveys or public pages of it go on until you decide."),
            reverse("accounts:left-behind", args=[person.pk]),
            _("Decide"),
        )
