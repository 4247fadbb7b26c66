"""Entries for the home page: other people's recent acts on things that a person may see, and a hint to create
accounts."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from datetime import timedelta

from django.apps import apps
from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import History, Person
from ui.home_page_items import News, TodoItem, acts_shown_as_findings

SHOWN, LATELY = 6, timedelta(days=30)


def recent_news(person: Person) -> Iterator[News]:
    """Yields recent acts of other people on things that this person may see, newest first, without acts on accounts."""
    rows = History.objects.visible_to(person).exclude(who=person).exclude(thing_app="accounts")
    rows = rows.filter(when__gte=timezone.now() - LATELY).exclude(what__in=acts_shown_as_findings)
    newest = list(rows.select_related("who")[:SHOWN])
    addresses = _find_addresses(newest, person)
    for row in newest:
        who = str(row.who) if row.who else "Candor"
        address = addresses.get((row.thing_app, row.thing_model, row.thing_id), "")
        yield News(f"{who} {row.words}:", row.thing_name, address, row.when)


def propose_more_accounts(person: Person) -> Iterator[TodoItem]:
    """Yields a to-do item to create accounts, if this person is a superuser with the only account and the site wants
    two people."""
    is_alone = person.is_superuser and not Person.objects.exclude(pk=person.pk).exists()
    if is_alone and not settings.ONE_PERSON_DOES_BOTH:
        detail = _(
            "Create people and give them their roles: researchers run surveys, reviewers publish results. A reviewer "
            "is a second pair of eyes: somebody who does not work on the survey looks whether a report says more "
            "than its numbers show, or too much about a few people, before others read it. If you work alone, set "
            "ONE_PERSON_DOES_BOTH=yes where this site’s settings are (docs/operations.md): then you review your own "
            "surveys, and each report says so."
        )
        url = reverse("admin:accounts_person_add")
        yield TodoItem(_("Only you have an account"), detail, url, _("Create an account"))


def _find_addresses(rows: Collection[History], person: Person) -> dict[tuple[str, str, str], str]:
    """Returns the URLs of the pages about the rows' things, by app, model and key; none for a thing that is deleted,
    has no page or is not for this person: a superuser reads of uploads that only their owner and reviewers may see."""
    keys: dict[tuple[str, str], set[str]] = defaultdict(set)
    for row in rows:
        keys[row.thing_app, row.thing_model].add(row.thing_id)
    addresses = {}
    for (app, model), of_model in keys.items():
        try:
            things = apps.get_model(app, model)._default_manager.all()
        except LookupError:
            continue
        if hasattr(things, "visible_to"):
            things = things.visible_to(person)
        for thing in things.prefetch_related(None).filter(pk__in=of_model):
            if hasattr(thing, "get_absolute_url"):
                addresses[app, model, str(thing.pk)] = str(thing.get_absolute_url())
    return addresses
