from importlib import import_module

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.core.exceptions import ImproperlyConfigured
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from accounts import demo_accounts, role_assignment
from accounts.models import RESEARCHERS, REVIEWERS, History, Person

pytestmark = pytest.mark.django_db


def permissions_of(role: str) -> set[str]:
    held = Permission.objects.filter(group__name=role).select_related("content_type")
    return {f"{permission.content_type.app_label}.{permission.codename}" for permission in held}


def test_a_migration_made_both_roles() -> None:
    assert set(Group.objects.values_list("name", flat=True)) == {RESEARCHERS, REVIEWERS}


def test_reviewers_may_read_people_in_the_administration_and_change_nothing() -> None:
    assert "accounts.view_person" in permissions_of(REVIEWERS)
    assert {name for name in permissions_of(REVIEWERS) if ".view_" not in name} == set()


def test_researchers_have_no_business_in_the_administration() -> None:
    assert permissions_of(RESEARCHERS) == set()


def test_every_permission_a_role_was_granted_is_djangos_own() -> None:
    made = Permission.objects.filter(codename="view_person", content_type__app_label="accounts")
    assert made.count() == 1


def test_a_reviewer_is_staff_until_the_role_is_taken(stranger: Person, superuser: Person) -> None:
    role_assignment.give_role(stranger, REVIEWERS, by=superuser)
    stranger.refresh_from_db()
    assert (stranger.is_reviewer, stranger.is_staff) == (True, True)
    role_assignment.remove_role(stranger, REVIEWERS, by=superuser)
    stranger.refresh_from_db()
    assert (stranger.is_reviewer, stranger.is_staff) == (False, False)


def test_a_researcher_is_no_staff(researcher: Person) -> None:
    assert (researcher.is_researcher, researcher.is_reviewer, researcher.is_staff) == (True, False, False)


def test_a_superuser_without_the_role_is_no_reviewer_and_stays_staff(superuser: Person) -> None:
    assert not superuser.is_reviewer
    role_assignment.give_role(superuser, REVIEWERS, by=None)
    role_assignment.remove_role(superuser, REVIEWERS, by=None)
    assert superuser.is_staff


def test_giving_and_taking_stand_in_the_history_once(stranger: Person, superuser: Person) -> None:
    for _ in range(2):
        role_assignment.give_role(stranger, RESEARCHERS, by=superuser)
    for _ in range(2):
        role_assignment.remove_role(stranger, RESEARCHERS, by=superuser)
    acts = History.objects.order_by("pk").values_list("who__username", "what", "thing_name")
    assert list(acts) == [
        ("superuser", "accounts.made-researcher", "Sam Stranger"),
        ("superuser", "accounts.no-longer-researcher", "Sam Stranger"),
    ]


def test_asking_for_roles_again_costs_no_further_query(
    researcher: Person, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    person = Person.objects.get(pk=researcher.pk)
    with django_assert_num_queries(1):
        assert [person.is_researcher, person.is_reviewer, person.is_researcher] == [True, False, True]


def test_a_later_migration_grants_what_a_room_needs_and_may_be_run_again() -> None:
    migration = import_module("surveys.migrations.0001_initial")
    for _ in range(2):
        migration.let_reviewers_look(apps, None)
    assert {"surveys.view_survey", "accounts.view_person"} <= permissions_of(REVIEWERS)


def test_the_migration_may_be_run_again() -> None:
    migration = import_module("accounts.migrations.0001_initial")
    migration.make_roles(apps, None)
    assert Group.objects.count() == 2


def test_the_demo_makes_one_of_each(password: str) -> None:
    people = demo_accounts.create_or_reset_demo_accounts(
        timezone.now(), {"researcher": "first-secret", "reviewer": "second-secret"}
    )
    assert people["researcher"].is_researcher
    assert people["reviewer"].is_reviewer
    assert people["reviewer"].is_staff
    assert people["reviewer"].check_password("second-secret")


def test_a_second_start_gives_new_passwords_to_the_same_people() -> None:
    for start in ("first", "second"):
        demo_accounts.create_or_reset_demo_accounts(
            timezone.now(), {"researcher": f"{start}-secret", "reviewer": f"{start}-other"}
        )
    assert Person.objects.get(username="demo-researcher").check_password("second-secret")
    assert Person.objects.count() == 2
    assert History.objects.filter(what="accounts.created").count() == 2


def test_a_production_instance_gets_no_demo_people(settings: Settings) -> None:
    settings.PRODUCTION = True
    with pytest.raises(ImproperlyConfigured, match="no demo accounts"):
        demo_accounts.create_or_reset_demo_accounts(
            timezone.now(), {"researcher": "first-secret", "reviewer": "second-secret"}
        )
    assert not Person.objects.exists()
