"""Who may do what with a survey, cell by cell, who sees it at all, and what staff see in the administration."""

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from accounts import role_assignment
from accounts.insert_only_tables import InsertOnlyViolation
from accounts.models import REVIEWERS, Person
from surveys.lifecycle import reviewer_approvals, survey_people
from surveys.models import Design, Involvement, Survey
from surveys.permission import TABLE, Role
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As, add_collaborator, with_role
from tests.surveys.conftest import NOW, People, decide, reload, state, update_row

#              viewer editor owner reviewer superuser
EXPECTED = """
see              yes   yes   yes   yes   yes
edit             -     yes   yes   -     -
invite           -     yes   yes   -     -
run              -     yes   yes   -     -
check            -     yes   yes   yes   -
open             -     -     yes   -     -
close            -     -     yes   -     -
finish           -     -     yes   -     -
destroy          -     -     yes   -     yes
collaborators    -     -     yes   -     -
proposals        -     -     yes   -     yes
hypotheses       -     -     yes   yes   -
review           -     -     -     yes   -
review-release   -     -     -     yes   -
download         -     yes   yes   yes   -
read             yes   yes   yes   yes   yes
read-undecided   yes   yes   yes   -     -
deposit          -     -     yes   -     -
share            -     -     yes   -     -
library          -     -     -     -     yes
"""
ROWS = [line.split() for line in EXPECTED.strip().splitlines()]


def test_each_role_may_do_what_the_table_says() -> None:
    assert sorted(TABLE) == sorted(row[0] for row in ROWS)
    wrong = [
        (action, role)
        for action, *cells in ROWS
        for role, cell in zip(["viewer", "editor", "owner", "reviewer", "superuser"], cells, strict=True)
        if (Role(role) in TABLE[action]) is not (cell == "yes")
    ]
    assert wrong == []


def test_each_person_has_the_role_that_was_given_and_a_stranger_none(draft: Survey, people: People) -> None:
    """Each sees the survey once; a stranger may do nothing."""
    owner, stranger = people["owner"], people.pop("stranger")
    for role, person in people.items():
        assert [role] == list(draft.roles_of_person(person))
        assert list(Survey.objects.visible_to(person)) == [draft], role
    assert [action for action in TABLE if draft.may(stranger, action)] == []
    assert not Survey.objects.visible_to(stranger).exists()
    with pytest.raises(KeyError):
        draft.may(owner, "fly")


@pytest.mark.parametrize("may_edit", [True, False])
def test_a_reviewer_reviews_no_survey_they_collaborate_on(
    draft: Survey, owner: Person, reviewer: Person, may_edit: bool
) -> None:
    """Nor one of their own; and who was removed stays out of it for ever."""
    theirs = Survey.objects.create(owner=reviewer)
    assert (theirs.may(reviewer, "review"), theirs.may(reviewer, "edit")) == (False, True)
    survey_people.add_collaborator(draft, owner, reviewer, may_edit=may_edit, now=NOW)
    assert (reload(draft).may(reviewer, "review"), reload(draft).may(reviewer, "see")) == (False, True)
    survey_people.remove_collaborator(draft, owner, draft.collaborators.get(person=reviewer), NOW)
    kept = reload(draft)
    assert [action for action in TABLE if kept.may(reviewer, action)] == []
    assert list(Survey.objects.visible_to(reviewer)) == [theirs]
    with pytest.raises(NotAllowed, match="have worked on"):
        decide(kept, reviewer, allow=True)


def test_who_becomes_a_reviewer_or_works_on_it_again_or_is_a_superuser_reviews_it_neither(
    draft: Survey, owner: Person, editor: Person, reviewer: Person, superuser: Person
) -> None:
    survey_people.remove_collaborator(draft, owner, draft.collaborators.get(person=editor), NOW)
    role_assignment.give_role(editor, REVIEWERS, by=None)
    assert not reload(draft).may(editor, "review")
    role_assignment.give_role(superuser, REVIEWERS, by=None)
    for person, roles in ((reviewer, []), (reviewer, []), (superuser, [Role.SUPERUSER])):
        survey_people.add_collaborator(draft, owner, person, may_edit=True, now=NOW)
        kept = Survey.objects.visible_to(person).get()
        assert sorted(kept.roles_of_person(person)) == [Role.EDITOR, *roles]
        survey_people.remove_collaborator(draft, owner, draft.collaborators.get(person=person), NOW)
        assert sorted(reload(draft).roles_of_person(person)) == roles
    assert Involvement.objects.filter(survey=draft, person=reviewer).count() == 1


def test_a_former_owner_stays_out_of_it(draft: Survey, owner: Person, stranger: Person) -> None:
    """No page hands a survey on and the database refuses it; should an operator do so all the same, this holds."""
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER surveys_survey_identity")
        cursor.execute("UPDATE surveys_survey SET owner_id = %s WHERE id = %s", [stranger.pk, draft.pk])
    role_assignment.give_role(owner, REVIEWERS, by=None)
    kept = reload(draft)
    assert (kept.may(owner, "review"), kept.may(stranger, "edit")) == (False, True)


def test_who_was_involved_is_never_forgotten(draft: Survey, owner: Person) -> None:
    for statement in ("DELETE FROM surveys_involvement", "UPDATE surveys_involvement SET person_id = 0"):
        with (
            pytest.raises(IntegrityError, match="insert-only"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
    for forget in (Involvement.objects.get().delete, Involvement.objects.all().delete):
        with pytest.raises(InsertOnlyViolation):
            forget()


def test_what_nobody_decided_on_is_read_of_a_rehearsal_alone(draft: Survey, people: People) -> None:
    for is_rehearsal, readers in ((False, []), (True, ["owner", "viewer", "editor"])):
        kept = update_row(draft, draft={**draft.draft, "rehearsal": is_rehearsal})
        assert [role for role, person in people.items() if kept.may(person, "read-undecided")] == readers


def test_files_wait_for_a_reviewer(opened: Survey, owner: Person, viewer: Person, reviewer: Person) -> None:
    """Records are published only where that was allowed beside record files; a viewer downloads none."""

    def rights_after_decision(matter: reviewer_approvals.Matter, *, allow: bool) -> tuple[bool, bool]:
        decide(opened, reviewer, matter, allow=allow)
        return opened.may(owner, "download"), opened.may(owner, "deposit")

    assert not opened.may(owner, "download")
    assert rights_after_decision("deposit", allow=True) == (False, False)
    assert rights_after_decision("records", allow=True) == (True, True)
    assert (opened.may(reviewer, "download"), opened.may(viewer, "download")) == (True, False)
    assert rights_after_decision("records", allow=False) == (False, False)


# The administration: staff look, and change nothing.


def changelist_address(kind: str) -> str:
    return reverse(f"admin:surveys_{kind}_changelist")


def detail(kind: str, survey: Survey) -> str:
    return reverse(f"admin:surveys_{kind}_change", args=[survey.pk if kind == "survey" else survey.design_id])


@pytest.mark.page
def test_staff_look_and_change_nothing_and_researchers_are_not_let_in(
    opened: Survey, reviewer: Person, superuser: Person, client: Client, signed_in_as: As
) -> None:
    for kind in ("survey", "design"):
        for staff in (reviewer, superuser):
            browser, one = signed_in_as(staff), detail(kind, opened)
            assert [browser.get(path).status_code for path in (changelist_address(kind), one)] == [200, 200]
            assert browser.get(reverse(f"admin:surveys_{kind}_add")).status_code == 403
            assert browser.post(one, {"state": "closed"}).status_code == 403
            assert browser.post(one.replace("change", "delete"), {"post": "yes"}).status_code == 403
        assert client.get(changelist_address(kind)).status_code == 302
    assert state(opened) == "open"


@pytest.mark.page
def test_no_address_of_the_administration_tells_a_reviewer_what_no_page_shows(
    opened: Survey, reviewer: Person, signed_in_as: As
) -> None:
    browser, once = signed_in_as(reviewer), with_role(REVIEWERS, "once")
    add_collaborator(opened, once, may_edit=True)
    opened.collaborators.all().delete()
    for question in ("completion__startswith=S", "draft__icontains=theft", "pk=1", "owner__new_email=a"):
        for kind in ("surveys/survey", "surveys/design", "accounts/person", "reports/review"):
            assert browser.get(f"/app/admin/{kind}/?{question}").status_code in (302, 400), (kind, question)
    assert browser.get(changelist_address("survey"), {"state__exact": "open"}).status_code == 200
    shortcut = f"/app/admin/r/{ContentType.objects.get_for_model(Survey).pk}"
    assert [browser.get(f"{shortcut}/{pk}/").status_code for pk in (opened.pk, 0)] == [404, 404]
    assert signed_in_as(once).get(detail("survey", opened)).status_code == 302
    assert f"/app/surveys/{opened.pk}/" not in signed_in_as(once).get(changelist_address("survey")).text


@pytest.mark.page
def test_who_may_review_finds_the_way_to_the_decision_and_others_no_link_to_a_refusal(
    opened: Survey, reviewer: Person, superuser: Person, signed_in_as: As
) -> None:
    assert (
        f'href="/app/surveys/{opened.pk}/review"'
        in signed_in_as(reviewer).get(changelist_address("survey")).text
    )
    other = signed_in_as(superuser)
    assert other.get(f"/app/surveys/{opened.pk}/review").status_code in {403, 404}
    assert "Allow or refuse" not in other.get(changelist_address("survey")).text


@pytest.mark.page
def test_a_design_that_was_changed_is_said_to_be(opened: Survey, superuser: Person, signed_in_as: As) -> None:
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER surveys_design_no_update")
        cursor.execute("UPDATE surveys_design SET json = '{}'")
    client = signed_in_as(superuser)
    assert client.get(changelist_address("design")).status_code == 200
    assert "restore it from a backup" in client.get(detail("design", opened)).text
    assert Design.objects.count() == 1
