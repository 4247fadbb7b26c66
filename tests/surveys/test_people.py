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
from config.logs import RespondentRequestFilter
from surveys.lifecycle import state_changes, survey_people
from surveys.models import Approval, Collaborator, NamedReviewer, PeopleInvitation, Survey
from surveys.permission import Basis
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As, add_collaborator, unsaved_person, with_role
from tests.surveys.conftest import NOW, People, address, decide, reload

pytestmark = [pytest.mark.page, pytest.mark.django_db]
Part = PeopleInvitation.InvitedRole
Flags = Callable[..., None]


@pytest.fixture(autouse=True)
def _no_letter_yet() -> None:
    cache.clear()


@pytest.fixture
def flags(settings: SimpleNamespace) -> Flags:
    def set_flags(*, name: bool = False, both: bool = False) -> None:
        settings.OWNERS_NAME_REVIEWERS, settings.ONE_PERSON_DOES_BOTH = name, both

    return set_flags


def post(client: Client, survey: Survey, **data: str) -> str:
    return client.post(address(survey, "people"), data, follow=True).text


def invite(survey: Survey, address: str, part: Part = Part.VIEWER) -> PeopleInvitation:
    return survey_people.invite_by_email(survey, survey.owner, address, part, timezone.now())


def accept(survey: Survey, person: Person, part: Part = Part.VIEWER) -> Survey:
    survey_people.accept_invitation(invite(survey, person.email, part), person, timezone.now())
    return reload(survey)


def create_link(survey: Survey, to: str, part: Part = Part.VIEWER) -> str:
    """The link of an invitation."""
    given = {"survey": survey, "address": to, "part": part, "by": survey.owner, "when": timezone.now()}
    PeopleInvitation.objects.create(**given, token=survey_people.token_digest("token"))
    return "/app/surveys/invited/token"


def answer_page(invitation: PeopleInvitation) -> str:
    return f"/app/surveys/invited/{invitation.pk}/answer"


@pytest.fixture
def sent_email_texts(django_capture_on_commit_callbacks: Callable[..., object]) -> Callable[[], list[str]]:
    """The bodies of the letters so far."""

    def read() -> list[str]:
        mail.mail_thread.submit(int).result()
        return [f"{letter.to[0]}: {letter.subject}\n{letter.body}" for letter in sent.outbox]

    return read


# --- what the page says of an address


def test_uninvitable_person_is_reported_at_the_field(draft: Survey, client: Client) -> None:
    viewer = unsaved_person("viewer")
    Collaborator.objects.create(survey=draft, person=viewer, address=viewer.email)
    unsaved_person("gone", is_active=False)
    accept(draft, unsaved_person("named"), Part.REVIEWER)
    invite(draft, "waiting@example.org")
    for field, who, words in (
        ("who", "", "required"),
        ("who", "ada", "no account with this username"),
        ("who", "gone", "no account with this username"),
        ("who", "owner", "owns this survey"),
        ("who", "ada@", "This is no email address"),
        ("who", "ada@@example.org", "This is no email address"),
        ("who", "OWNER@example.org", "you own the survey"),
        ("who", "waiting@example.org", "waiting@example.org is invited already"),
        ("who", "viewer@example.org", "viewer@example.org is already a collaborator"),
        ("who", "viewer", "is already a collaborator"),
        ("reviewer", "ada", "This is no email address"),
        ("reviewer", "owner@example.org", "nobody reviews their own"),
        ("reviewer", "viewer@example.org", "works on this survey, and so never reviews it"),
        ("reviewer", "named@example.org", "accepted to review this survey already"),
        ("reviewer", "", "required"),
    ):
        page = post(client, draft, **{field: who})
        assert words in page, (field, who)
        assert f'id="id_{field}_error"' in page
        assert (draft.collaborators.get().person, PeopleInvitation.objects.count()) == (viewer, 1)


def test_the_page_answers_alike_for_any_address(draft: Survey, client: Client) -> None:
    unsaved_person("qqswitched", is_active=False)
    with_role(REVIEWERS, "qqreviewer")
    pages = []
    for field in ("who", "reviewer"):
        for name in ("qqreviewer", "qqswitched", "qqnobody"):
            page = post(client, draft, **{field: f"{name}@example.org"})
            assert "An invitation was sent to" in page
            pages.append(re.sub(r"value=\"[^\"]{64}\"|invitations/\d+", "", page.replace(name, "NAME")))
            PeopleInvitation.objects.all().delete()
            cache.clear()
    assert len(set(pages)) == 2
    assert not Collaborator.objects.exists()


def test_members_are_seen_by_all_and_changed_by_the_owner(
    draft: Survey, people: People, signed_in_as: As
) -> None:
    """Pending addresses are for the owner alone."""
    row, path = invite(draft, "ada@example.org"), address(draft, "people")
    viewer, stranger = people["viewer"], people["stranger"]
    assert row.address in signed_in_as(people.pop("owner")).get(path).text
    assert Client().get(path).status_code == 302
    assert signed_in_as(stranger).get(path).status_code == 404
    page = signed_in_as(viewer).get(path).text
    assert ("Olga Owner" in page, 'name="who"' in page) == (True, False)
    for role, person in people.items():
        theirs, status = signed_in_as(person), 404 if person == stranger else 403
        assert row.address not in theirs.get(path).text
        for data in ({"who": "bo@example.org"}, {"who": "owner"}, {"reviewer": "bo@example.org"}):
            assert theirs.post(path, data).status_code == status, role
        for change in (f"invitations/{row.pk}", f"{viewer.pk}"):
            assert theirs.post(f"{path}/{change}", {"remove": "yes"}).status_code == status, role
    through = address(Survey.objects.create(owner=stranger), f"people/{viewer.pk}")
    assert signed_in_as(stranger).post(through, {"remove": "yes"}).status_code == 404
    assert draft.may(viewer, "see")
    assert PeopleInvitation.objects.count() == 1


def test_invitations_to_one_mailbox_are_limited(
    draft: Survey, owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Addresses of one mailbox get one letter in ten minutes."""
    survey_people.remove_invitation(invite(draft, "ada@example.org"), owner, NOW)
    for same in ("ADA@example.org", "ada+1@example.org", "ada+2@EXAMPLE.org", "ada@\uff45xample.org"):
        with pytest.raises(NotAllowed, match="last ten minutes"):
            invite(draft, same)
    invite(draft, "bo@example.org")
    monkeypatch.setattr(survey_people, "MOST_A_DAY", 1)
    with pytest.raises(NotAllowed, match="within a day"):
        invite(draft, "cy@example.org")
    monkeypatch.setattr(survey_people, "MOST_WAITING", 0)
    with pytest.raises(NotAllowed, match="Remove some first"):
        invite(draft, "cy@example.org")


# --- the way of an invitation


def test_a_letter_leads_somebody_without_an_account_to_one_without_a_role(
    draft: Survey,
    client: Client,
    sent_email_texts: Callable[[], list[str]],
    django_capture_on_commit_callbacks: Callable[..., object],
) -> None:
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        post(client, draft, who="Ada@Example.org", may_edit="on")
    (letter,) = sent_email_texts()
    assert letter.startswith("ada@example.org: An invitation to a survey: Work and health")
    assert "Olga Owner asks you to work on the survey" in letter
    (link,) = re.findall(r"/app/surveys/invited/\S+", letter)
    visitor = Client()
    assert "Make the account and accept" in visitor.get(link).text
    assert "A user with that username already exists" in visitor.post(link, {"username": "owner"}).text
    with django_capture_on_commit_callbacks(execute=True):  # type: ignore[attr-defined]
        answer = visitor.post(link, {"username": "ada", "name": "Ada", "is_superuser": "on", "groups": "1"})
    assert answer["Location"].startswith("/app/account/invitation/")
    ada = Person.objects.get(username="ada")
    assert (ada.email, ada.roles) == ("ada@example.org", frozenset())
    assert (ada.is_staff, ada.is_superuser) == (False, False)
    assert not ada.has_usable_password()
    assert draft.may(ada, "edit")
    assert sent_email_texts()[1].startswith("owner@example.org: Accepted")
    assert visitor.get(link).status_code == 404
    whats = [row.what for row in History.objects.filter(thing_model="survey").order_by("pk")]
    assert whats == ["surveys.people-invited", "surveys.collaborator-joined"]


def test_who_has_an_account_signs_in_and_accepts_or_declines(
    draft: Survey, stranger: Person, reviewer: Person, signed_in_as: As
) -> None:
    """A link is for the account of its address alone."""
    theirs, invitation = signed_in_as(stranger), invite(draft, stranger.email)
    page = answer_page(invitation)
    home = theirs.get(reverse("ui:signed-in-home")).text
    assert "Olga Owner asks you to work on a survey" in home
    assert f'href="{page}"' in home
    assert "asks you to read this survey" in theirs.get(page).text
    theirs.post(page, {"decline": "yes"})
    assert not PeopleInvitation.objects.exists()
    assert theirs.post(page, {"accept": "yes"}).status_code == 404
    link = create_link(draft, stranger.email)
    sign_in = "/app/account/sign-in?next=%2Fapp%2Fsurveys%2Finvited%2F"
    assert Client().get(link)["Location"].startswith(sign_in)
    other = signed_in_as(reviewer)
    assert "for another address" in other.post(link, {"accept": "yes"}).text
    reviewer.new_email = stranger.email  # not confirmed
    reviewer.save()
    assert other.get(answer_page(PeopleInvitation.objects.get())).status_code == 404
    assert not draft.collaborators.exists()
    assert theirs.post(link, {"accept": "yes"}).status_code == 302
    assert (draft.may(stranger, "see"), draft.may(stranger, "edit")) == (True, False)


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
        survey_people.accept_invitation(row, unsaved_person("ada"), timezone.now())


def test_an_account_that_was_switched_off_is_told_so(draft: Survey, stranger: Person) -> None:
    link = create_link(draft, stranger.email, Part.REVIEWER)
    Person.objects.filter(pk=stranger.pk).update(is_active=False)
    answer = Client().get(link)
    assert (answer.status_code, "switched off" in answer.text) == (403, True)
    with pytest.raises(NotAllowed):
        survey_people.accept_invitation(PeopleInvitation.objects.get(), stranger, timezone.now())
    assert not NamedReviewer.objects.exists()


def test_removing_or_not_answering_ends_an_invitation_and_removing_a_proposal(
    draft: Survey, client: Client, superuser: Person, stranger: Person, signed_in_as: As
) -> None:
    path, row = address(draft, "people"), invite(draft, "ada@example.org")
    survey_people.delete_lapsed_invitations(timezone.now() + survey_people.LAPSES - timedelta(minutes=1))
    theirs = signed_in_as(stranger)
    other = address(Survey.objects.create(owner=stranger), "people")
    assert theirs.post(f"{other}/invitations/{row.pk}").status_code == 404
    assert client.post(f"{path}/invitations/{row.pk}").status_code == 302
    assert not PeopleInvitation.objects.exists()
    for remover in (client, signed_in_as(superuser)):
        cache.clear()
        accept(draft, stranger, Part.REVIEWER)
        assert theirs.post(f"{path}/reviewers/{stranger.pk}").status_code == 404
        assert remover.post(f"{path}/reviewers/{stranger.pk}").status_code == 302
        assert not NamedReviewer.objects.exists()
    invite(draft, "bo@example.org")
    survey_people.delete_lapsed_invitations(timezone.now() + survey_people.LAPSES)
    assert not PeopleInvitation.objects.exists()


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
    person = {"owner": owner, "superuser": superuser}.get(who) or unsaved_person(who)
    if who in ("named", "switched", "former"):
        accept(draft, person, Part.REVIEWER)
    if who == "former":
        row = Collaborator.objects.create(survey=draft, person=person)
        survey_people.remove_collaborator(draft, owner, row, NOW)
    if who == "editor":
        add_collaborator(draft, person, may_edit=True)
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
    def proposed_item_titles(person: Person) -> list[str]:
        return [str(item.title) for item in survey_people.proposed_reviewer_items(person)]

    survey = accept(draft, stranger, Part.REVIEWER)
    assert not survey.may(stranger, "see")
    assert stranger.roles == {RESEARCHERS}
    assert proposed_item_titles(superuser) == ["A proposed reviewer without the role"]
    assert proposed_item_titles(owner) == []
    role_assignment.give_role(stranger, REVIEWERS, by=superuser)
    assert proposed_item_titles(superuser) == []
    assert reload(draft).review_basis(stranger) is Basis.ROLE


def test_the_owners_address_is_refused_as_a_reviewer(draft: Survey, owner: Person, flags: Flags) -> None:
    create_link(draft, owner.email, Part.REVIEWER)
    for switched in ({}, {"name": True}, {"both": True}):
        flags(**switched)
        with pytest.raises(NotAllowed, match="Nobody reviews a survey that they own"):
            survey_people.accept_invitation(PeopleInvitation.objects.get(), owner, timezone.now())
    flags(both=True)
    PeopleInvitation.objects.all().delete()
    with pytest.raises(NotAllowed, match="one person may do both"):
        invite(draft, owner.email, Part.REVIEWER)


def test_former_collaborator_is_not_named(draft: Survey, owner: Person, flags: Flags) -> None:
    flags(name=True)
    former = unsaved_person("former")
    row = Collaborator.objects.create(survey=draft, person=former)
    survey_people.remove_collaborator(draft, owner, row, NOW)
    with pytest.raises(NotAllowed, match="have worked on"):
        accept(draft, former, Part.REVIEWER)


def test_a_chosen_reviewer_reviews_this_survey_alone_and_sees_nothing_of_the_administration(
    draft: Survey, stranger: Person, flags: Flags, signed_in_as: As
) -> None:
    def statuses() -> list[int]:
        pages = ("/app/admin/accounts/person/", "/app/surveys/review", address(draft))
        return [signed_in_as(stranger).get(page).status_code for page in pages]

    flags(name=True)
    assert accept(draft, stranger, Part.REVIEWER).may(stranger, "review")
    assert (stranger.is_staff, stranger.is_reviewer) == (False, False)
    assert statuses()[:2] == [302, 200]
    flags()
    assert statuses() == [302, 403, 404]


def test_the_pages_say_where_the_owner_reviews_too(
    draft: Survey, client: Client, reviewer: Person, flags: Flags, signed_in_as: As
) -> None:
    def pages() -> str:
        return (
            client.get(address(draft, "people")).text + signed_in_as(reviewer).get("/app/surveys/review").text
        )

    apart = (
        "somebody who does not work on the survey decides",
        "Surveys that you own, work on or have worked on",
    )
    both = "a reviewer or the owner decides", "also those of surveys that you own"
    assert [words in pages() for words in (*apart, *both)] == [True, True, False, False]
    flags(both=True)
    assert [words in pages() for words in (*apart, *both)] == [False, False, True, True]


def test_a_proposed_reviewer_who_works_on_it_since_waits_for_no_role(
    draft: Survey, superuser: Person, stranger: Person, signed_in_as: As
) -> None:
    def page() -> str:
        return signed_in_as(superuser).get(address(draft, "people")).text

    accept(draft, stranger, Part.REVIEWER)
    assert "waits until an administrator gives the role" in page()
    assert "Give the role" in page()
    add_collaborator(draft, stranger, may_edit=False)
    assert "may not review it: works or worked on it" in page()
    assert "Give the role" not in page()


@pytest.mark.parametrize(("switched", "person"), [({"name": True}, "named"), ({"both": True}, "owner")])
def test_an_approval_keeps_by_what_right_it_was_given(
    switched: dict[str, bool], person: str, opened: Survey, owner: Person, flags: Flags
) -> None:
    flags(**switched)
    named = unsaved_person("named")
    survey = accept(opened, named, Part.REVIEWER)
    by = {"named": named, "owner": owner}[person]
    decide(survey, by, "records", allow=True)
    flags()
    assert Approval.objects.get().basis == person
    with pytest.raises(NotAllowed):
        decide(survey, by, "records", allow=False)


def test_a_reviewers_second_factor_is_asked_of_who_reviews_without_the_role(
    draft: Survey, owner: Person, stranger: Person, flags: Flags, settings: SimpleNamespace
) -> None:
    settings.SECOND_FACTOR_FOR = ["reviewers"]
    accept(draft, stranger, Part.REVIEWER)
    assert [factors.must_have_factor(person) for person in (owner, stranger)] == [False, False]
    flags(name=True, both=True)
    assert [factors.must_have_factor(person) for person in (owner, stranger)] == [True, True]


def test_a_lone_administrator_reads_what_a_second_person_is_for(flags: Flags) -> None:
    superuser = unsaved_person("superuser", is_superuser=True, is_staff=True)
    (item,) = propose_more_accounts(superuser)
    assert "second pair of eyes" in item.detail
    assert "ONE_PERSON_DOES_BOTH" in item.detail
    flags(both=True)
    assert list(propose_more_accounts(superuser)) == []
    assert not Group.objects.filter(user=superuser).exists()


# --- what an owner, a guest or somebody who reads the log may not do


def test_a_guest_learns_of_no_address_whether_it_is_a_username(draft: Survey) -> None:
    """The form proposes addresses as usernames, so whether one is taken would tell of an account."""
    unsaved_person("victim@example.org")
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
    unsaved_person("off", is_active=False)
    link = create_link(draft, "off@example.org")
    written: list[str] = []
    handler = logging.Handler()
    handler.addFilter(RespondentRequestFilter())
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


def test_reviewer_is_added_only_with_consent(
    draft: Survey, client: Client, reviewer: Person, flags: Flags
) -> None:
    """An owner could choose their reviewer by making all others collaborators, once and for ever."""
    accept(draft, unsaved_person("named"), Part.REVIEWER)
    assert "may review this survey" in post(client, draft, who=reviewer.username)
    flags(name=True)
    assert "may review this survey" in post(client, draft, who="named")
    assert Survey.objects.get().review_basis(reviewer)
    flags(both=True)
    assert "owns this survey" in post(client, draft, who="owner")
    assert not draft.collaborators.exists()
