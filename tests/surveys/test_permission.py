"""Who may do what with a survey, cell by cell, and who sees it at all."""

import pytest
from django.db import IntegrityError, connection, transaction

from accounts import role_assignment
from accounts.insert_only_tables import WrittenOnce
from accounts.models import REVIEWERS, Person
from surveys.lifecycle import approvals, survey_people
from surveys.models import Collaborator, Involvement, Survey
from surveys.permission import TABLE, Role
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.surveys.conftest import NOW

#              viewer editor owner reviewer superuser
EXPECTED = """
see              yes   yes   yes   yes   yes
edit             -     yes   yes   -     -
invite           -     yes   yes   -     -
run              -     yes   yes   -     -
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
CELLS = [
    (row[0], role, cell == "yes")
    for row in ROWS
    for role, cell in zip(["viewer", "editor", "owner", "reviewer", "superuser"], row[1:], strict=True)
]


def test_each_role_may_do_what_the_table_says() -> None:
    assert sorted(TABLE) == sorted(row[0] for row in ROWS)
    wrong = [(action, role) for action, role, yes in CELLS if (Role(role) in TABLE[action]) is not yes]
    assert wrong == []


def test_each_person_has_the_role_that_they_were_given_and_sees_it_once(
    draft: Survey, owner: Person, viewer: Person, editor: Person, reviewer: Person, superuser: Person
) -> None:
    people = {
        "owner": owner,
        "viewer": viewer,
        "editor": editor,
        "reviewer": reviewer,
        "superuser": superuser,
    }
    assert {name: sorted(draft.roles_of_person(person)) for name, person in people.items()} == {
        name: [name] for name in people
    }
    for name, person in people.items():
        assert list(Survey.objects.visible_to(person)) == [draft], name


def test_a_stranger_may_nothing_and_does_not_see_it(draft: Survey, stranger: Person) -> None:
    assert [action for action in TABLE if draft.may(stranger, action)] == []
    assert not Survey.objects.visible_to(stranger).exists()


def test_a_reviewer_reviews_no_survey_of_their_own(reviewer: Person) -> None:
    theirs = Survey.objects.create(owner=reviewer)
    assert not theirs.may(reviewer, "review")
    assert theirs.may(reviewer, "edit")


@pytest.mark.parametrize("may_edit", [True, False])
def test_a_reviewer_reviews_no_survey_they_collaborate_on(
    draft: Survey, reviewer: Person, may_edit: bool
) -> None:
    Collaborator.objects.create(survey=draft, person=reviewer, may_edit=may_edit)
    assert not draft.may(reviewer, "review")
    assert draft.may(reviewer, "see")


@pytest.mark.parametrize("may_edit", [True, False])
def test_a_reviewer_who_was_removed_stays_out_of_it(
    draft: Survey, owner: Person, reviewer: Person, may_edit: bool
) -> None:
    survey_people.add_collaborator(draft, owner, reviewer, may_edit=may_edit, now=NOW)
    survey_people.remove_collaborator(draft, owner, draft.collaborators.get(person=reviewer), NOW)
    kept = Survey.objects.get(pk=draft.pk)
    assert [action for action in TABLE if kept.may(reviewer, action)] == []
    assert not Survey.objects.visible_to(reviewer).exists()
    seen = approvals.current_fingerprint(kept, "weak")
    with pytest.raises(NotAllowed, match="have worked on"):
        approvals.decide_approval(kept, reviewer, "weak", seen, allow=True, reason="", now=NOW)


def test_somebody_who_becomes_a_reviewer_after_they_were_removed_stays_out_of_it_too(
    draft: Survey, owner: Person, editor: Person
) -> None:
    survey_people.remove_collaborator(draft, owner, draft.collaborators.get(person=editor), NOW)
    role_assignment.give_role(editor, REVIEWERS, by=None)
    assert not Survey.objects.get(pk=draft.pk).may(editor, "review")


def test_a_reviewer_who_works_on_it_again_does_so_and_reviews_nothing(
    draft: Survey, owner: Person, reviewer: Person
) -> None:
    for _turn in range(2):
        survey_people.add_collaborator(draft, owner, reviewer, may_edit=True, now=NOW)
        kept = Survey.objects.visible_to(reviewer).get()
        assert sorted(kept.roles_of_person(reviewer)) == [Role.EDITOR]
        survey_people.remove_collaborator(draft, owner, draft.collaborators.get(person=reviewer), NOW)
    assert Involvement.objects.filter(survey=draft, person=reviewer).count() == 1


def test_a_former_owner_stays_out_of_it(draft: Survey, owner: Person, stranger: Person) -> None:
    """No page hands a survey on and the database refuses it; should an operator do so all the same, this holds."""
    with connection.cursor() as cursor:
        cursor.execute("DROP TRIGGER surveys_survey_identity")
        cursor.execute("UPDATE surveys_survey SET owner_id = %s WHERE id = %s", [stranger.pk, draft.pk])
    role_assignment.give_role(owner, REVIEWERS, by=None)
    kept = Survey.objects.get(pk=draft.pk)
    assert not kept.may(owner, "review")
    assert kept.may(stranger, "edit")


def test_a_superuser_who_once_worked_on_it_reviews_nothing_either(
    draft: Survey, owner: Person, superuser: Person
) -> None:
    role_assignment.give_role(superuser, REVIEWERS, by=None)
    survey_people.add_collaborator(draft, owner, superuser, may_edit=False, now=NOW)
    survey_people.remove_collaborator(draft, owner, draft.collaborators.get(person=superuser), NOW)
    assert sorted(Survey.objects.visible_to(superuser).get().roles_of_person(superuser)) == [Role.SUPERUSER]


def test_who_was_involved_is_never_forgotten(draft: Survey, owner: Person) -> None:
    for statement in ("DELETE FROM surveys_involvement", "UPDATE surveys_involvement SET person_id = 0"):
        with (
            pytest.raises(IntegrityError, match="insert-only"),
            transaction.atomic(),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)
    for forget in (Involvement.objects.get().delete, Involvement.objects.all().delete):
        with pytest.raises(WrittenOnce):
            forget()


def test_what_nobody_decided_on_is_read_of_a_rehearsal_alone(
    draft: Survey, owner: Person, viewer: Person, reviewer: Person, stranger: Person, superuser: Person
) -> None:
    def readers() -> list[str]:
        kept = Survey.objects.get(pk=draft.pk)
        people = (owner, viewer, reviewer, stranger, superuser)
        return [person.username for person in people if kept.may(person, "read-undecided")]

    assert readers() == []
    Survey.objects.filter(pk=draft.pk).update(draft={**draft.draft, "rehearsal": True})
    assert readers() == ["owner", "viewer"]


def test_a_word_that_is_no_action_is_an_error_of_the_program(draft: Survey, owner: Person) -> None:
    with pytest.raises(KeyError):
        draft.may(owner, "fly")


def test_record_files_wait_for_a_reviewers_yes_and_a_viewer_never_downloads_them(
    opened: Survey, owner: Person, viewer: Person, reviewer: Person
) -> None:
    assert not opened.may(owner, "download")
    assert opened.design_id
    approvals.decide_approval(opened, reviewer, "records", opened.design_id, allow=True, reason="", now=NOW)
    assert opened.may(owner, "download")
    assert opened.may(reviewer, "download")
    assert not opened.may(viewer, "download")


def test_records_are_published_only_where_that_was_allowed_beside_record_files(
    opened: Survey, owner: Person, reviewer: Person
) -> None:
    assert opened.design_id
    approvals.decide_approval(opened, reviewer, "deposit", opened.design_id, allow=True, reason="", now=NOW)
    assert not opened.may(owner, "deposit")
    approvals.decide_approval(opened, reviewer, "records", opened.design_id, allow=True, reason="", now=NOW)
    assert opened.may(owner, "deposit")
    approvals.decide_approval(
        opened, reviewer, "records", opened.design_id, allow=False, reason="No.", now=NOW
    )
    assert not opened.may(owner, "deposit")
