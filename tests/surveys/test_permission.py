"""DESIGN 7's table, cell by cell, and who sees a survey at all."""

import pytest

from people.models import Person
from surveys import review
from surveys.models import Collaborator, Survey
from surveys.permission import TABLE, Role
from tests.surveys.conftest import NOW

#              viewer editor owner reviewer superuser
EXPECTED = """
see              yes   yes   yes   yes   yes
edit             -     yes   yes   -     -
invite           -     yes   yes   -     -
run              -     yes   yes   -     -
open             -     -     yes   -     -
close            -     -     yes   -     -
archive          -     -     yes   -     -
destroy          -     -     yes   -     yes
collaborators    -     -     yes   -     -
review           -     -     -     yes   -
download         -     yes   yes   yes   -
read             yes   yes   yes   yes   yes
"""
ROWS = [line.split() for line in EXPECTED.strip().splitlines()]
CELLS = [
    (row[0], role, cell == "yes")
    for row in ROWS
    for role, cell in zip(["viewer", "editor", "owner", "reviewer", "superuser"], row[1:], strict=True)
]


@pytest.mark.parametrize(("action", "role", "yes"), CELLS)
def test_each_role_may_do_what_the_table_says(action: str, role: str, yes: bool) -> None:
    assert (Role(role) in TABLE[action]) is yes


def test_the_table_has_no_other_row() -> None:
    assert sorted(TABLE) == sorted(row[0] for row in ROWS)


def test_each_person_has_the_role_that_they_were_given(
    draft: Survey, owner: Person, viewer: Person, editor: Person, reviewer: Person, superuser: Person
) -> None:
    people = {
        "owner": owner,
        "viewer": viewer,
        "editor": editor,
        "reviewer": reviewer,
        "superuser": superuser,
    }
    assert {name: sorted(draft.roles(person)) for name, person in people.items()} == {
        name: [name] for name in people
    }


def test_a_stranger_may_nothing_and_does_not_see_it(draft: Survey, stranger: Person) -> None:
    assert [action for action in TABLE if draft.may(stranger, action)] == []
    assert not Survey.objects.visible_to(stranger).exists()


def test_everybody_with_a_role_sees_it_once(
    draft: Survey, owner: Person, viewer: Person, editor: Person, reviewer: Person, superuser: Person
) -> None:
    for person in (owner, viewer, editor, reviewer, superuser):
        assert list(Survey.objects.visible_to(person)) == [draft]


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


def test_a_word_that_is_no_action_is_an_error_of_the_program(draft: Survey, owner: Person) -> None:
    with pytest.raises(KeyError):
        draft.may(owner, "fly")


def test_record_files_wait_for_a_reviewers_yes(opened: Survey, owner: Person, reviewer: Person) -> None:
    assert not opened.may(owner, "download")
    assert opened.design_id
    review.decide(opened, reviewer, "records", opened.design_id, allow=True, reason="", now=NOW)
    assert opened.may(owner, "download")
    assert opened.may(reviewer, "download")


def test_a_viewer_never_downloads_record_files(opened: Survey, viewer: Person, reviewer: Person) -> None:
    assert opened.design_id
    review.decide(opened, reviewer, "records", opened.design_id, allow=True, reason="", now=NOW)
    assert not opened.may(viewer, "download")
