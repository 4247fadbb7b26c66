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


def test_migrations_make_both_roles_and_give_reviewers_admin_access() -> None:
    assert set(Group.objects.values_list("name", flat=True)) == {RESEARCHERS, REVIEWERS}
    assert "accounts.view_person" in permissions_of(REVIEWERS)
    assert {name for name in permissions_of(REVIEWERS) if ".view_" not in name} == set()
    assert permissions_of(RESEARCHERS) == set()
    # Every permission that a role was granted is Django's own.
    made = Permission.objects.filter(codename="view_person", content_type__app_label="accounts")
    assert made.count() == 1


def test_reviewer_is_staff_until_the_role_is_removed_and_a_researcher_is_not(
    stranger: Person, researcher: Person, superuser: Person
) -> None:
    role_assignment.give_role(stranger, REVIEWERS, by=superuser)
    stranger.refresh_from_db()
    assert (stranger.is_reviewer, stranger.is_staff) == (True, True)
    role_assignment.remove_role(stranger, REVIEWERS, by=superuser)
    stranger.refresh_from_db()
    assert (stranger.is_reviewer, stranger.is_staff) == (False, False)
    assert (researcher.is_researcher, researcher.is_reviewer, researcher.is_staff) == (True, False, False)


def test_a_superuser_without_the_role_is_no_reviewer_and_stays_staff(superuser: Person) -> None:
    assert not superuser.is_reviewer
    role_assignment.give_role(superuser, REVIEWERS, by=None)
    role_assignment.remove_role(superuser, REVIEWERS, by=None)
    assert superuser.is_staff


def test_giving_and_removing_a_role_is_in_the_history_once(stranger: Person, superuser: Person) -> None:
    for change in (role_assignment.give_role, role_assignment.remove_role):
        for _time in range(2):
            change(stranger, RESEARCHERS, by=superuser)
    acts = History.objects.order_by("pk").values_list("who__username", "what", "thing_name")
    made = ("accounts.made-researcher", "accounts.no-longer-researcher")
    assert list(acts) == [("superuser", what, "Sam Stranger") for what in made]


def test_reading_roles_again_needs_no_further_query(
    researcher: Person, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    person = Person.objects.get(pk=researcher.pk)
    with django_assert_num_queries(1):
        assert [person.is_researcher, person.is_reviewer, person.is_researcher] == [True, False, True]


def test_role_migrations_can_grant_more_and_run_again() -> None:
    for _time in range(2):
        import_module("surveys.migrations.0001_initial").let_reviewers_look(apps, None)
    assert {"surveys.view_survey", "accounts.view_person"} <= permissions_of(REVIEWERS)
    import_module("accounts.migrations.0001_initial").make_roles(apps, None)
    assert Group.objects.count() == 2


def start_demo(name: str) -> dict[str, Person]:
    passwords = {"researcher": f"{name}-secret", "reviewer": f"{name}-other"}
    return demo_accounts.create_or_reset_demo_accounts(timezone.now(), passwords)


def test_demo_makes_one_person_of_each_role_and_restarts_renew_passwords() -> None:
    for start in ("first", "second"):
        people = start_demo(start)
        assert people["researcher"].is_researcher
        assert people["reviewer"].is_reviewer
        assert people["reviewer"].is_staff
        assert people["reviewer"].check_password(f"{start}-other")
    assert Person.objects.get(username="demo-researcher").check_password("second-secret")
    assert Person.objects.count() == 2
    assert History.objects.filter(what="accounts.created").count() == 2


def test_a_production_instance_gets_no_demo_people(settings: Settings) -> None:
    settings.PRODUCTION = True
    with pytest.raises(ImproperlyConfigured, match="no demo accounts"):
        start_demo("first")
    assert not Person.objects.exists()
