import re
from collections.abc import Callable

import pytest
from django.core.mail import EmailMessage
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoCaptureOnCommitCallbacks

from accounts import credentials, role_assignment
from accounts.models import REVIEWERS, History, Person
from tests.accounts.conftest import PASSWORD
from tests.cast import As, unsaved_person

LIST, ADD = reverse("admin:accounts_person_changelist"), reverse("admin:accounts_person_add")
pytestmark = [pytest.mark.django_db, pytest.mark.page]


def page_of(person: Person) -> str:
    return reverse("admin:accounts_person_change", args=[person.pk])


def filled_in(person: Person, **changes: str) -> dict[str, str]:
    """What the form would send; a box that is not ticked is simply absent."""
    given = {
        "username": person.username,
        "name": person.name,
        "email": person.email,
        "language": person.language,
        "is_active": "on" if person.is_active else "",
        "researcher": "on" if person.is_researcher else "",
        "reviewer": "on" if person.is_reviewer else "",
        "is_superuser": "on" if person.is_superuser else "",
        **changes,
    }
    return {key: value for key, value in given.items() if value or key in ("name", "email", "language")}


def acts_on(person: Person) -> list[tuple[str | None, str]]:
    return [
        (act.who.username if act.who else None, act.what)
        for act in History.objects.about(person).order_by("pk")
    ]


@pytest.fixture
def admin(superuser: Person, signed_in_as: As) -> Client:
    return signed_in_as(superuser)


@pytest.fixture
def create(
    admin: Client, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> Callable[..., int]:
    """Fills in the form for a guest; the status of the answer, once letters are sent."""

    def post(**given: str) -> int:
        with django_capture_on_commit_callbacks(execute=True):
            answer = admin.post(ADD, {"username": "guest", "email": "guest@example.org", **given})
        return answer.status_code

    return post


def test_creating_somebody_with_an_address_sends_an_invitation(
    create: Callable[..., int], mailoutbox: list[EmailMessage]
) -> None:
    assert create(researcher="on") == 302
    guest = Person.objects.get(username="guest")
    [letter] = mailoutbox
    assert letter.to == ["guest@example.org"]
    assert re.search(r"http://testserver/app/account/invitation/\S+", str(letter.body))
    assert (guest.is_researcher, guest.is_staff, guest.has_usable_password()) == (True, False, False)
    made = ("created", "email-changed", "made-researcher", "invited")
    assert acts_on(guest) == [("superuser", f"accounts.{what}") for what in made]


def test_creating_somebody_with_a_password_sends_nothing(
    create: Callable[..., int], mailoutbox: list[EmailMessage]
) -> None:
    assert create(password1=PASSWORD, password2=PASSWORD) == 302
    assert Person.objects.get(username="guest").check_password(PASSWORD)
    assert mailoutbox == []


def test_account_that_could_never_sign_in_is_not_created(admin: Client, stranger: Person) -> None:
    cases: list[tuple[dict[str, str], str]] = [
        ({}, "Give an address to send an invitation to, or set a password."),
        ({"email": "STRANGER@example.org"}, "Another account has this email address."),
        ({"password1": "only one of both fields"}, "This field is required."),
        ({"password1": "12345678", "password2": "12345678"}, "too short"),
    ]
    for given, words in cases:
        response = admin.post(ADD, {"username": "guest", **given})
        assert words in response.content.decode()
        assert not Person.objects.filter(username="guest").exists()


def test_an_account_stays_though_its_letter_could_not_be_sent(
    create: Callable[..., int], no_mail: None
) -> None:
    create()
    acts = acts_on(Person.objects.get(username="guest"))
    assert acts == [("superuser", "accounts.created"), ("superuser", "accounts.email-changed")]


def test_administrator_is_told_when_the_invitation_letter_fails(
    admin: Client, no_mail: None, stranger: Person
) -> None:
    page = admin.post(LIST, {"action": "invite", "_selected_action": [str(stranger.pk)]}, follow=True)
    assert "could not be sent (ConnectionRefusedError)" in page.content.decode()
    assert acts_on(stranger) == []


def test_invitation_is_sent_again_to_people_without_a_password(
    admin: Client, stranger: Person, member: Person, mailoutbox: list[EmailMessage]
) -> None:
    chosen = {"action": "invite", "_selected_action": [str(stranger.pk), str(member.pk)]}
    page = admin.post(LIST, chosen, follow=True).content.decode()
    assert [letter.to for letter in mailoutbox] == [["stranger@example.org"]]
    assert "1 person was left out" in page


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"username": "strangest"}, "accounts.username-changed"),
        ({"name": "S."}, "accounts.name-changed"),
        ({"email": "s@example.org"}, "accounts.email-changed"),
        ({"language": "zh-hans"}, "accounts.language-changed"),
        ({"is_active": ""}, "accounts.deactivated"),
        ({"researcher": "on"}, "accounts.made-researcher"),
        ({"reviewer": "on"}, "accounts.made-reviewer"),
        ({"is_superuser": "on"}, "accounts.made-superuser"),
    ],
)
def test_changes_by_staff_are_in_the_history(
    admin: Client, stranger: Person, changes: dict[str, str], what: str
) -> None:
    assert admin.post(page_of(stranger), filled_in(stranger, **changes)).status_code == 302
    assert acts_on(stranger) == [("superuser", what)]


def test_saving_without_a_change_is_not_in_the_history(admin: Client, stranger: Person) -> None:
    admin.post(page_of(stranger), filled_in(stranger))
    assert acts_on(stranger) == []


def test_reactivating_an_account_revives_no_session_or_token(
    admin: Client, stranger: Person, signed_in_as: As
) -> None:
    theirs, before = signed_in_as(stranger), credentials.credentials_fingerprint(stranger)
    for is_active in ("", "on"):
        admin.post(page_of(stranger), filled_in(stranger, is_active=is_active))
        stranger.refresh_from_db()
    assert stranger.is_active
    assert theirs.get(reverse("accounts:account")).status_code == 302
    assert credentials.credentials_fingerprint(stranger) != before


def test_reactivating_and_taking_over_are_in_the_history(admin: Client, reviewer: Person) -> None:
    Person.objects.filter(pk=reviewer.pk).update(is_active=False, is_superuser=True)
    admin.post(page_of(reviewer), filled_in(reviewer, is_active="on", reviewer="", is_superuser=""))
    assert {what for _who, what in acts_on(reviewer)} >= {
        "accounts.reactivated",
        "accounts.no-longer-reviewer",
        "accounts.no-longer-superuser",
    }
    reviewer.refresh_from_db()
    assert not reviewer.is_staff


def test_a_new_superuser_is_staff(admin: Client, stranger: Person) -> None:
    admin.post(page_of(stranger), filled_in(stranger, is_superuser="on"))
    stranger.refresh_from_db()
    assert stranger.is_staff


def test_people_cannot_lock_themselves_out_in_the_admin(admin: Client, superuser: Person) -> None:
    admin.post(page_of(superuser), filled_in(superuser, is_active="", is_superuser="", name="S."))
    superuser.refresh_from_db()
    assert (superuser.is_active, superuser.is_superuser, superuser.name) == (True, True, "S.")


def test_setting_a_password_is_in_the_history_but_a_refused_one_is_not(
    admin: Client, stranger: Person
) -> None:
    page = reverse("admin:auth_user_password_change", args=[stranger.pk])
    assert admin.get(page).status_code == 200
    assert admin.post(page, {"password1": "a", "password2": "b"}).status_code == 200
    assert acts_on(stranger) == []
    assert admin.post(page, {"password1": PASSWORD, "password2": PASSWORD}).status_code == 302
    stranger.refresh_from_db()
    assert stranger.check_password(PASSWORD)
    assert acts_on(stranger) == [("superuser", "accounts.password-set")]


def test_password_page_of_an_invalid_person_id_answers_404(admin: Client) -> None:
    for nobody in ("abc", "0", "_5f", "1e3"):
        page = f"/app/admin/accounts/person/{nobody}/password/"
        assert admin.get(page).status_code == 404, nobody
        assert admin.post(page, {"password1": "a", "password2": "b"}).status_code == 404, nobody


def test_no_account_can_be_deleted_in_the_admin(admin: Client, stranger: Person) -> None:
    page = reverse("admin:accounts_person_delete", args=[stranger.pk])
    assert admin.post(page, {"post": "yes"}).status_code == 403
    admin.post(LIST, {"action": "delete_selected", "_selected_action": [str(stranger.pk)], "post": "yes"})
    assert Person.objects.filter(pk=stranger.pk).exists()


def test_the_list_is_filtered_by_role(admin: Client, reviewer: Person, stranger: Person) -> None:
    role_assignment.give_role(reviewer, "Researchers", by=None)
    found = admin.get(LIST, {"role": REVIEWERS}).context["cl"].queryset
    assert list(found) == [reviewer]


def test_a_reviewer_reads_people_and_changes_nothing(
    reviewer: Person, stranger: Person, signed_in_as: As, mailoutbox: list[EmailMessage]
) -> None:
    client = signed_in_as(reviewer)
    assert client.get(LIST).status_code == 200
    page = client.get(page_of(stranger)).content.decode()
    assert "Sam Stranger" in page
    assert "argon2" not in page
    assert client.post(page_of(stranger), filled_in(stranger, name="S.")).status_code == 403
    assert client.get(ADD).status_code == 403
    assert client.get(reverse("admin:auth_user_password_change", args=[stranger.pk])).status_code == 403
    client.post(LIST, {"action": "invite", "_selected_action": [str(stranger.pk)]})
    assert mailoutbox == []


def test_administration_is_closed_to_people_who_are_not_staff(researcher: Person, signed_in_as: As) -> None:
    for path in (LIST, ADD):
        assert signed_in_as(researcher).get(path, follow=True).status_code == 403
        assert Client().get(path).status_code == 302


def test_administration_does_not_register_read_only_tables(admin: Client) -> None:
    for model in ("accounts/history", "accounts/lockout", "auth/group"):
        assert admin.get(f"/app/admin/{model}/").status_code == 404, model


def test_admins_own_password_page_redirects_to_ours(admin: Client) -> None:
    page = "/app/admin/password_change/"
    given = {"old_password": "x", "new_password1": "y", "new_password2": "y"}
    for response in (admin.get(page), admin.post(page, given)):
        assert (response.status_code, response.headers["Location"]) == (302, "/app/account/password")


def test_administration_pages_open(admin: Client, stranger: Person) -> None:
    unsaved_person("without-address")
    for path in (LIST, ADD, page_of(stranger), f"{LIST}?q=str"):
        assert admin.get(path).status_code == 200
