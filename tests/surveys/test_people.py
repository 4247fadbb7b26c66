"""Owners invite people by address and propose reviewers; what that gives whom, and what it tells of accounts."""

import logging
import re
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core import mail as sent
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts import mail, role_assignment
from accounts.activity_log import log_activity
from accounts.home_page_news import propose_more_accounts
from accounts.models import RESEARCHERS, REVIEWERS, History, Person
from accounts.second_factor import factors
from config.logs import NothingOfRespondents
from surveys.lifecycle import approvals, state_changes, survey_people
from surveys.models import Approval, Collaborator, NamedReviewer, PeopleInvitation, Survey
from surveys.permission import Basis
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As, joined, somebody, with_role
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.page, pytest.mark.django_db]
Part = PeopleInvitation.InvitedRole
Flags = Callable[..., None]


@pytest.fixture(autouse=True)
def _no_letter_yet() -> None:
    cache.clear()


@pytest.fixture
def flags(settings: SimpleNamespace) -> Flags:
    def switch(*, name: bool = False, both: bool = False) -> None:
        settings.OWNERS_NAME_REVIEWERS, settings.ONE_PERSON_DOES_BOTH = name, both

    return switch


def post(client: Client, survey: Survey, **data: str) -> str:
    return client.post(f"/app/surveys/{survey.pk}/people", data, follow=True).text


def invite(survey: Survey, address: str, part: Part = Part.VIEWER) -> PeopleInvitation:
    return survey_people.invite_by_email(survey, survey.owner, address, part, timezone.now())


def accept(survey: Survey, person: Person, part: Part = Part.VIEWER) -> Survey:
    survey_people.accept_invitation(invite(survey, person.email, part), person, timezone.now())
    return Survey.objects.get(pk=survey.pk)


@pytest.fixture
def letters(django_capture_on_commit_callbacks: Callable[..., object]) -> Callable[[], list[str]]:
    """The bodies of the letters so far."""

    def read() -> list[str]:
        mail.mail_thread.submit(int).result()
        return [f"{letter.to[0]}: {letter.subject}\n{letter.body}" for letter in sent.outbox]

    return read


def link_in(letter: str) -> str:
    found = re.search(r"(/app/surveys/invited/\S+)", letter)
    assert found
    return found[1]


# --- what the page says of an address


@pytest.mark.parametrize(
    ("who", "words"),
    [
        ("ada", "no account with this username"),
        ("ada@", "This is no email address"),
        ("ada@@example.org", "This is no email address"),
        ("OWNER@example.org", "you own the survey"),
        ("waiting@example.org", "waiting@example.org is invited already"),
        ("viewer@example.org", "viewer@example.org is already a collaborator"),
        ("viewer", "is already a collaborator"),
    ],
)
def test_what_cannot_be_invited_says_what_to_do_at_its_field(
    draft: Survey, owner: Person, signed_in_as: As, who: str, words: str
) -> None:
    invite(draft, "waiting@example.org")
    viewer = somebody("viewer")
    Collaborator.objects.create(survey=draft, person=viewer, address=viewer.email)
    page = post(signed_in_as(owner), draft, who=who)
    assert words in page
    assert 'id="id_who_error"' in page
    assert PeopleInvitation.objects.count() == 1


@pytest.mark.parametrize(
    ("who", "words"),
    [
        ("ada", "This is no email address"),
        ("owner@example.org", "nobody reviews their own"),
        ("viewer@example.org", "works on this survey, and so never reviews it"),
        ("named@example.org", "accepted to review this survey already"),
        ("", "required"),
    ],
)
def test_who_cannot_be_proposed_says_why_at_its_field(
    draft: Survey, owner: Person, signed_in_as: As, who: str, words: str
) -> None:
    viewer = somebody("viewer")
    Collaborator.objects.create(survey=draft, person=viewer, address=viewer.email)
    accept(draft, somebody("named"), Part.REVIEWER)
    page = post(signed_in_as(owner), draft, reviewer=who)
    assert words in page
    assert 'id="id_reviewer_error"' in page
    assert not PeopleInvitation.objects.exists()


def test_the_page_answers_alike_for_any_address(draft: Survey, owner: Person, signed_in_as: As) -> None:
    somebody("qqswitched", is_active=False)
    with_role(REVIEWERS, "qqreviewer")
    client, pages = signed_in_as(owner), []
    for field in ("who", "reviewer"):
        for name in ("qqreviewer", "qqswitched", "qqnobody"):
            page = post(client, draft, **{field: f"{name}@example.org"})
            assert "An invitation was sent to" in page
            pages.append(re.sub(r"value=\"[^\"]{64}\"|invitations/\d+", "", page.replace(name, "NAME")))
            PeopleInvitation.objects.all().delete()
            cache.clear()
    assert len(set(pages)) == 2
    assert not Collaborator.objects.exists()


def test_pending_addresses_are_for_the_owner_alone(
    draft: Survey, owner: Person, reviewer: Person, superuser: Person, signed_in_as: As
) -> None:
    invite(draft, "ada@example.org")
    assert "ada@example.org" in signed_in_as(owner).get(f"/app/surveys/{draft.pk}/people").text
    for person in (joined(draft, somebody("bo"), may_edit=True), reviewer, superuser):
        assert "ada@example.org" not in signed_in_as(person).get(f"/app/surveys/{draft.pk}/people").text


def test_nobody_fills_mailboxes(draft: Survey, owner: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    first = invite(draft, "ada@example.org")
    survey_people.remove_invitation(first, owner, NOW)
    with pytest.raises(NotAllowed, match="last ten minutes"):
        invite(draft, "ADA@example.org")
    monkeypatch.setattr(survey_people, "MOST_A_DAY", 1)
    with pytest.raises(NotAllowed, match="within a day"):
        invite(draft, "bo@example.org")
    monkeypatch.setattr(survey_people, "MOST_WAITING", 0)
    with pytest.raises(NotAllowed, match="Remove some first"):
        invite(draft, "bo@example.org")


# --- the way of an invitation


def test_a_letter_leads_somebody_without_an_account_to_one_without_a_role(
    draft: Survey,
    owner: Person,
    signed_in_as: As,
    letters: Callable[[], list[str]],
    django_capture_on_commit_callbacks: Callable[..., object],
) -> None:
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        post(signed_in_as(owner), draft, who="Ada@Example.org", may_edit="on")
    (letter,) = letters()
    assert letter.startswith("ada@example.org: An invitation to a survey: Work and health")
    assert "Olga Owner asks you to work on the survey" in letter
    visitor, link = Client(), link_in(letter)
    page = visitor.get(link).text
    assert "Make the account and accept" in page
    assert "A user with that username already exists" in visitor.post(link, {"username": "owner"}).text
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        answer = visitor.post(link, {"username": "ada", "name": "Ada", "is_superuser": "on", "groups": "1"})
    assert answer["Location"].startswith("/app/account/invitation/")
    ada = Person.objects.get(username="ada")
    assert (ada.email, ada.roles, ada.is_staff, ada.is_superuser) == (
        "ada@example.org",
        frozenset(),
        False,
        False,
    )
    assert not ada.has_usable_password()
    assert draft.may(ada, "edit")
    assert letters()[1].startswith("owner@example.org: Accepted")
    assert visitor.get(link).status_code == 404
    whats = [row.what for row in History.objects.filter(thing_model="survey").order_by("pk")]
    assert whats == ["surveys.people-invited", "surveys.collaborator-joined"]


def test_who_has_an_account_signs_in_and_accepts_or_declines(
    draft: Survey, stranger: Person, signed_in_as: As
) -> None:
    invitation = invite(draft, stranger.email)
    page = f"/app/surveys/invited/{invitation.pk}/answer"
    home = signed_in_as(stranger).get(reverse("ui:signed-in-home")).text
    assert "Olga Owner asks you to work on a survey" in home
    assert f'href="{page}"' in home
    assert "asks you to read this survey" in signed_in_as(stranger).get(page).text
    signed_in_as(stranger).post(page, {"decline": "yes"})
    assert not PeopleInvitation.objects.exists()
    assert not draft.may(stranger, "see")
    assert signed_in_as(stranger).post(page, {"accept": "yes"}).status_code == 404


def create_link(survey: Survey, address: str, part: Part = Part.VIEWER) -> str:
    """The link of an invitation."""
    PeopleInvitation.objects.create(
        survey=survey,
        address=address,
        part=part,
        by=survey.owner,
        when=timezone.now(),
        token=survey_people.token_digest("token"),
    )
    return "/app/surveys/invited/token"


def test_a_link_is_for_the_account_of_its_address_alone(
    draft: Survey, stranger: Person, reviewer: Person, signed_in_as: As
) -> None:
    link = create_link(draft, stranger.email)
    assert (
        Client().get(link)["Location"].startswith("/app/account/sign-in?next=%2Fapp%2Fsurveys%2Finvited%2F")
    )
    page = signed_in_as(reviewer).post(link, {"accept": "yes"}).text
    assert "for another address" in page
    reviewer.new_email = stranger.email  # not confirmed
    reviewer.save()
    assert (
        signed_in_as(reviewer)
        .get(f"/app/surveys/invited/{PeopleInvitation.objects.get().pk}/answer")
        .status_code
        == 404
    )
    assert not draft.collaborators.exists()
    assert signed_in_as(stranger).post(link, {"accept": "yes"}).status_code == 302
    assert draft.may(stranger, "see")
    assert not draft.may(stranger, "edit")


@pytest.mark.parametrize("over", ["removed", "lapsed", "destroyed", "owner gone"])
def test_an_invitation_that_is_over_gives_nothing(draft: Survey, owner: Person, over: str) -> None:
    link = create_link(draft, "ada@example.org")
    row = PeopleInvitation.objects.get()
    if over == "removed":
        survey_people.remove_invitation(row, owner, NOW)
    elif over == "lapsed":
        PeopleInvitation.objects.update(when=timezone.now() - survey_people.LAPSES)
    elif over == "destroyed":
        state_changes.destroy_survey(draft, owner, NOW)
        assert not PeopleInvitation.objects.exists()
    else:
        Person.objects.filter(pk=owner.pk).update(is_active=False)
    assert Client().post(link, {"username": "ada"}).status_code == 404
    assert not Person.objects.filter(username="ada").exists()
    with pytest.raises(NotAllowed, match="is over"):
        survey_people.accept_invitation(row, somebody("ada"), timezone.now())


def test_an_account_switched_off_after_the_invitation_is_told_so_and_gets_nothing(
    draft: Survey, stranger: Person
) -> None:
    link = create_link(draft, stranger.email, Part.REVIEWER)
    Person.objects.filter(pk=stranger.pk).update(is_active=False)
    answer = Client().get(link)
    assert answer.status_code == 403
    assert "switched off" in answer.text
    with pytest.raises(NotAllowed):
        survey_people.accept_invitation(PeopleInvitation.objects.get(), stranger, timezone.now())
    assert not NamedReviewer.objects.exists()


def test_addresses_of_who_does_not_answer_are_deleted(draft: Survey) -> None:
    invite(draft, "ada@example.org")
    survey_people.delete_lapsed_invitations(timezone.now() + survey_people.LAPSES - timedelta(minutes=1))
    assert PeopleInvitation.objects.exists()
    survey_people.delete_lapsed_invitations(timezone.now() + survey_people.LAPSES)
    assert not PeopleInvitation.objects.exists()


@pytest.mark.parametrize("fixture", ["viewer", "editor", "reviewer", "superuser", "stranger"])
def test_only_the_owner_invites_and_removes(
    fixture: str, draft: Survey, signed_in_as: As, request: pytest.FixtureRequest
) -> None:
    client = signed_in_as(request.getfixturevalue(fixture))
    status = 404 if fixture == "stranger" else 403
    row = invite(draft, "ada@example.org")
    path = f"/app/surveys/{draft.pk}/people"
    for data in ({"who": "bo@example.org"}, {"reviewer": "bo@example.org"}):
        assert client.post(path, data).status_code == status
    assert client.post(f"{path}/invitations/{row.pk}").status_code == status
    assert PeopleInvitation.objects.count() == 1


def test_removing_ends_an_invitation_and_a_proposal(
    draft: Survey, owner: Person, superuser: Person, stranger: Person, signed_in_as: As
) -> None:
    path, row = f"/app/surveys/{draft.pk}/people", invite(draft, "ada@example.org")
    theirs = Survey.objects.create(owner=stranger)
    other = f"/app/surveys/{theirs.pk}/people"
    assert signed_in_as(stranger).post(f"{other}/invitations/{row.pk}").status_code == 404
    assert signed_in_as(owner).post(f"{path}/invitations/{row.pk}").status_code == 302
    assert not PeopleInvitation.objects.exists()
    for person in (owner, superuser):
        cache.clear()
        accept(draft, stranger, Part.REVIEWER)
        assert signed_in_as(stranger).post(f"{path}/reviewers/{stranger.pk}").status_code == 404
        assert signed_in_as(person).post(f"{path}/reviewers/{stranger.pk}").status_code == 302
        assert not NamedReviewer.objects.exists()


# --- who reviews

BASES = """
           role  neither  name   both   all
holder     yes   role     role   role   role
named      -     -        named  -      named
former     -     -        -      -      -
editor     -     -        -      -      -
owner      -     -        -      owner  owner
superuser  -     -        -      -      -
switched   yes   -        -      -      -
"""


@pytest.mark.at_push(3)
@pytest.mark.parametrize("line", BASES.strip().splitlines()[1:])
def test_who_reviews_by_what_right_under_each_setting(
    line: str, draft: Survey, owner: Person, superuser: Person, flags: Flags
) -> None:
    who, has_role, *expected = line.split()
    person = {"owner": owner, "superuser": superuser}.get(who) or somebody(who)
    if who in ("named", "switched", "former"):
        accept(draft, person, Part.REVIEWER)
    if who == "former":
        row = Collaborator.objects.create(survey=draft, person=person)
        survey_people.remove_collaborator(draft, owner, row, NOW)
    if who == "editor":
        joined(draft, person, may_edit=True)
        NamedReviewer.objects.create(survey=draft, person=person, address=person.email, when=NOW)
    if has_role == "yes":
        role_assignment.give_role(person, REVIEWERS, by=None)
    if who == "switched":
        person.is_active = False
        person.save()
    other = Survey.objects.create(owner=with_role(RESEARCHERS, "third"))
    for column, switched in enumerate(({}, {"name": True}, {"both": True}, {"name": True, "both": True})):
        flags(**switched)
        basis = None if expected[column] == "-" else Basis(expected[column])
        survey = Survey.objects.get(pk=draft.pk)
        assert survey.review_basis(person) is basis
        assert survey.may(person, "review") is (basis is not None)
        assert survey.may(person, "review-release") is (basis is Basis.ROLE)
        assert (person in survey.reviewers()) is (basis is not None)
        assert (survey in Survey.objects.reviewable_by(person)) is (basis is not None)
        assert other.review_basis(person) is (Basis.ROLE if basis is Basis.ROLE else None)
        if basis:
            assert survey in Survey.objects.visible_to(person)


def test_both_settings_are_off_by_default(settings: SimpleNamespace) -> None:
    assert (settings.OWNERS_NAME_REVIEWERS, settings.ONE_PERSON_DOES_BOTH) == (False, False)


def test_a_proposal_gives_no_right_and_waits_for_an_administrator(
    draft: Survey, owner: Person, stranger: Person, superuser: Person, flags: Flags
) -> None:
    survey = accept(draft, stranger, Part.REVIEWER)
    assert not survey.may(stranger, "see")
    assert stranger.roles == {RESEARCHERS}
    assert [item.title for item in survey_people.proposed_reviewers_without_role(superuser)] == [
        "A proposed reviewer without the role"
    ]
    assert list(survey_people.proposed_reviewers_without_role(owner)) == []
    role_assignment.give_role(stranger, REVIEWERS, by=superuser)
    assert list(survey_people.proposed_reviewers_without_role(superuser)) == []
    assert Survey.objects.get(pk=draft.pk).review_basis(stranger) is Basis.ROLE


def test_the_owners_own_address_is_refused_as_a_reviewer_also_at_the_link(
    draft: Survey, owner: Person, flags: Flags
) -> None:
    create_link(draft, owner.email, Part.REVIEWER)
    for switched in ({}, {"name": True}, {"both": True}):
        flags(**switched)
        with pytest.raises(NotAllowed, match="Nobody reviews a survey that they own"):
            survey_people.accept_invitation(PeopleInvitation.objects.get(), owner, timezone.now())
    flags(both=True)
    PeopleInvitation.objects.all().delete()
    with pytest.raises(NotAllowed, match="one person may do both"):
        invite(draft, owner.email, Part.REVIEWER)


def test_who_once_worked_on_it_is_never_named(draft: Survey, owner: Person, flags: Flags) -> None:
    flags(name=True)
    former = somebody("former")
    row = Collaborator.objects.create(survey=draft, person=former)
    survey_people.remove_collaborator(draft, owner, row, NOW)
    with pytest.raises(NotAllowed, match="have worked on"):
        accept(draft, former, Part.REVIEWER)


def test_a_chosen_reviewer_reviews_this_survey_alone_and_sees_nothing_of_the_administration(
    draft: Survey, stranger: Person, flags: Flags, signed_in_as: As
) -> None:
    flags(name=True)
    survey = accept(draft, stranger, Part.REVIEWER)
    assert survey.may(stranger, "review")
    assert (stranger.is_staff, stranger.is_reviewer) == (False, False)
    assert signed_in_as(stranger).get("/app/admin/accounts/person/").status_code == 302
    assert signed_in_as(stranger).get("/app/surveys/review").status_code == 200
    flags()
    assert signed_in_as(stranger).get(f"/app/surveys/{draft.pk}/").status_code == 404
    assert signed_in_as(stranger).get("/app/surveys/review").status_code == 403


@pytest.mark.parametrize(("switched", "person"), [({"name": True}, "named"), ({"both": True}, "owner")])
def test_an_approval_keeps_by_what_right_it_was_given(
    switched: dict[str, bool], person: str, opened: Survey, owner: Person, flags: Flags
) -> None:
    flags(**switched)
    named = somebody("named")
    survey = accept(opened, named, Part.REVIEWER)
    by = {"named": named, "owner": owner}[person]
    approvals.decide_approval(survey, by, "records", opened.design_id or "", allow=True, reason="", now=NOW)
    flags()
    assert Approval.objects.get().basis == person
    with pytest.raises(NotAllowed):
        approvals.decide_approval(
            survey, by, "records", opened.design_id or "", allow=False, reason="No.", now=NOW
        )


def test_a_reviewers_second_factor_is_asked_of_who_reviews_without_the_role(
    draft: Survey, owner: Person, stranger: Person, flags: Flags, settings: SimpleNamespace
) -> None:
    settings.SECOND_FACTOR_FOR = ["reviewers"]
    accept(draft, stranger, Part.REVIEWER)
    assert [factors.must_have_factor(person) for person in (owner, stranger)] == [False, False]
    flags(name=True, both=True)
    assert [factors.must_have_factor(person) for person in (owner, stranger)] == [True, True]


def test_a_lone_administrator_reads_what_a_second_person_is_for(flags: Flags) -> None:
    superuser = somebody("superuser", is_superuser=True, is_staff=True)
    (item,) = propose_more_accounts(superuser)
    assert "second pair of eyes" in item.detail
    assert "ONE_PERSON_DOES_BOTH" in item.detail
    flags(both=True)
    assert list(propose_more_accounts(superuser)) == []
    assert not Group.objects.filter(user=superuser).exists()


# --- what an owner, a guest or somebody who reads the log may not do


def test_a_guest_learns_of_no_address_whether_it_is_a_username(draft: Survey) -> None:
    """The form proposes addresses as usernames, so whether one is taken would tell of an account."""
    somebody("victim@example.org")
    link = create_link(draft, "ada@example.org")
    pages = []
    for name in ("victim", "nobody"):
        page = Client().post(link, {"username": f"{name}@example.org"}).text
        assert "With an @ only the address that the letter went to" in page
        pages.append(re.sub(r"value=\"[^\"]{64}\"", "", page.replace(name, "NAME")))
    assert pages[0] == pages[1]
    assert Client().post(link, {"username": "Ada@example.org"}).status_code == 302
    assert Person.objects.get(email="ada@example.org").username == "Ada@example.org"


def test_an_invitation_that_is_taken_back_while_it_is_accepted_gives_nothing(
    draft: Survey, stranger: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    invitation = invite(draft, stranger.email)

    def remove_first(*args: Any, **kwargs: Any) -> None:
        PeopleInvitation.objects.filter(pk=invitation.pk).delete()
        log_activity(*args, **kwargs)

    monkeypatch.setattr("surveys.lifecycle.survey_people.log_activity", remove_first)
    with pytest.raises(NotAllowed, match="This invitation is over"):
        survey_people.accept_invitation(invitation, stranger, NOW)
    assert not draft.collaborators.exists()
    assert not History.objects.filter(what="surveys.collaborator-joined").exists()


def test_no_refused_request_puts_a_link_into_the_log(draft: Survey) -> None:
    somebody("off", is_active=False)
    link = create_link(draft, "off@example.org")
    written: list[str] = []
    handler = logging.Handler()
    handler.addFilter(NothingOfRespondents())
    handler.emit = lambda record: written.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("django").addHandler(handler)
    try:
        visitor = Client(enforce_csrf_checks=True)
        assert visitor.get(link).status_code == 403
        assert visitor.post(link).status_code == 403
        assert visitor.get("/app/surveys/999/").status_code == 302
        assert visitor.post("/app/surveys/999/").status_code == 403
    finally:
        logging.getLogger("django").removeHandler(handler)
    assert [line for line in written if "invited" in line] == []
    assert any("/app/surveys/999/" in line for line in written)


def test_addresses_of_one_mailbox_get_one_letter_in_ten_minutes(draft: Survey) -> None:
    invite(draft, "ada@example.org")
    for address in ("ada+1@example.org", "ada+2@EXAMPLE.org", "ada@\uff45xample.org"):
        with pytest.raises(NotAllowed, match="last ten minutes"):
            invite(draft, address)
    invite(draft, "bo@example.org")


def test_nobody_who_may_review_it_is_added_without_being_asked(
    draft: Survey, owner: Person, reviewer: Person, flags: Flags, signed_in_as: As
) -> None:
    """An owner could choose their reviewer by making all others collaborators, once and for ever."""
    accept(draft, somebody("named"), Part.REVIEWER)
    client = signed_in_as(owner)
    assert "may review this survey" in post(client, draft, who=reviewer.username)
    flags(name=True)
    assert "may review this survey" in post(client, draft, who="named")
    assert Survey.objects.get().review_basis(reviewer)
    flags(both=True)
    assert "owns this survey" in post(client, draft, who="owner")
    assert not draft.collaborators.exists()
