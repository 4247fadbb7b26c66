"""The two roles, researcher and reviewer. A reviewer is staff, so that they may read the administration."""

from django.contrib.auth.models import Group
from django.db import transaction

from accounts.activity_log import log_activity
from accounts.models import RESEARCHERS, REVIEWERS, Person

GIVEN = {RESEARCHERS: "accounts.made-researcher", REVIEWERS: "accounts.made-reviewer"}
TAKEN = {RESEARCHERS: "accounts.no-longer-researcher", REVIEWERS: "accounts.no-longer-reviewer"}

CHANGES = [
    *(*GIVEN.values(), *TAKEN.values()),
    *("accounts.made-superuser", "accounts.no-longer-superuser", "accounts.deactivated"),
]
"""Actions in the history that end a person's API tokens, even if the change is reverted."""


@transaction.atomic
def give_role(person: Person, role: str, by: Person | None) -> None:
    if role not in person.roles:
        person.groups.add(Group.objects.get_or_create(name=role)[0])
        update_staff_flag(person)
        log_activity(by, GIVEN[role], person)


@transaction.atomic
def remove_role(person: Person, role: str, by: Person | None) -> None:
    if role in person.roles:
        person.groups.remove(*person.groups.filter(name=role))
        update_staff_flag(person)
        log_activity(by, TAKEN[role], person)


def update_staff_flag(person: Person) -> None:
    """Makes the person staff if they are a superuser or a reviewer, else not staff."""
    person.__dict__.pop("roles", None)
    person.is_staff = person.is_superuser or person.is_reviewer
    person.save(update_fields=["is_staff"])
