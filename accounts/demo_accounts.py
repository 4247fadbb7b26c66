"""Two demo accounts: a researcher and a reviewer."""

from collections.abc import Mapping
from datetime import datetime

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import transaction

from accounts import role_assignment
from accounts.activity_log import log_activity
from accounts.models import RESEARCHERS, REVIEWERS, Person

CAST = {"researcher": RESEARCHERS, "reviewer": REVIEWERS}
NAMES = {"researcher": "Robin Researcher", "reviewer": "Ruth Reviewer"}


@transaction.atomic
def create_or_reset_demo_accounts(now: datetime, passwords: Mapping[str, str]) -> dict[str, Person]:
    """Creates the two demo accounts, or sets new passwords if they exist; returns the accounts by key of CAST.

    `passwords`: also by key of CAST.
    """
    if settings.PRODUCTION:
        raise ImproperlyConfigured(
            "A production instance gets no demo accounts: anybody could guess their names."
        )
    people = {}
    for part, role in CAST.items():
        username = f"demo-{part}"
        person, is_new = Person.objects.get_or_create(
            username=username,
            defaults={"name": NAMES[part], "email": f"{username}@example.org", "date_joined": now},
        )
        if is_new:
            log_activity(None, "accounts.created", person, when=now)
        person.is_active = True
        person.set_password(passwords[part])
        person.save()
        role_assignment.give_role(person, role, by=None)
        people[part] = person
    return people
