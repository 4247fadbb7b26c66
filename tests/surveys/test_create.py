"""Surveys are begun and copied, and questionnaires of the instance are marked for everybody to start from."""

import json

import pytest

from accounts.models import History, Person
from surveys.lifecycle import opening, ready_made_questionnaires, survey_creation, survey_people
from surveys.models import Survey, random_slug
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As
from tests.surveys import drafts
from tests.surveys.conftest import NOW, address, update_row
from tests.surveys.drafts import plain, put, question, sensitive, stored_draft

pytestmark = pytest.mark.page


def copy_survey(survey: Survey, owner: Person, **more: bool) -> Survey:
    return survey_creation.duplicate_survey(survey, owner, NOW, **more)


def test_a_new_survey_is_a_draft_of_its_maker(owner: Person, reviewer: Person, superuser: Person) -> None:
    may_create = survey_creation.may_create_surveys
    assert [may_create(person) for person in (owner, reviewer, superuser)] == [True, False, True]
    five = [survey_creation.create_new_survey(owner, "Work", "en", NOW) for _ in range(5)]
    survey = five[0]
    assert (survey.owner, survey.state, str(survey)) == (owner, "draft", "Work")
    # The first question has the kind that a person chooses.
    assert [part["questions"] for part in survey.draft["sections"]] == [[], []]
    assert (survey.draft["asker"], survey.draft["contact"]) == ({"en": "Olga Owner"}, "owner@example.org")
    assert History.objects.about(survey).get().what == "surveys.created"
    assert len({each.slug for each in five}) == 5
    assert {len(each.slug) for each in five} == {16}


def test_a_slug_never_looks_like_an_option_of_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter(["-abcdefghijklmno", "abcdefghijklmno-"])
    monkeypatch.setattr("secrets.token_urlsafe", lambda _size: next(drawn))
    assert random_slug() == "abcdefghijklmno-"


def test_a_copy_asks_alike_without_people_or_times(opened: Survey, viewer: Person, stranger: Person) -> None:
    update_row(opened, cap=500, closes=NOW.replace(year=2030))
    copy = copy_survey(opened, stranger)
    assert (copy.owner, copy.state, copy.design) == (stranger, "draft", None)
    assert copy.draft == drafts.complete()
    assert copy.slug != opened.slug
    assert (copy.cap, copy.closes, copy.collaborators.count()) == (None, None, 0)


def test_a_rehearsal_is_marked_and_a_copy_is_invited_as_its_original(draft: Survey, owner: Person) -> None:
    rehearsal = copy_survey(draft, owner, rehearsal=True)
    assert (rehearsal.is_rehearsal, draft.is_rehearsal) == (True, False)
    assert not copy_survey(rehearsal, owner).is_rehearsal
    assert History.objects.about(draft).get().what == "surveys.rehearsal-made"
    for invited in (True, False):
        update_row(draft, invited=invited)
        assert {copy_survey(draft, owner, rehearsal=each).invited for each in (True, False)} == {invited}


def test_what_was_opened_can_be_copied_and_a_destroyed_draft_cannot(destroyed: Survey, owner: Person) -> None:
    assert copy_survey(destroyed, owner).draft == drafts.complete()
    gone = Survey.objects.create(owner=owner, draft={}, state="destroyed")
    with pytest.raises(NotAllowed, match="Nothing is left"):
        copy_survey(gone, owner)
    # A design written by hand is questionnaire enough.
    by_hand = Survey.objects.create(owner=owner, state="open", design=destroyed.design)
    assert str(by_hand) == "Work and health"
    assert copy_survey(by_hand, owner).draft["contact"] == "council@example.org"


def test_copying_an_opened_sensitive_section_alone_asks_people_again(draft: Survey, owner: Person) -> None:
    """Not a draft, a plain survey or a rehearsal."""
    assert not survey_creation.would_copy_repeat_sensitive_questions(draft)
    only_plain = drafts.complete(sections=drafts.complete()["sections"][:1])
    plain_survey = Survey.objects.create(owner=owner, draft=only_plain)
    rehearsal = copy_survey(draft, owner, rehearsal=True)
    for survey, again in ((draft, True), (plain_survey, False), (rehearsal, False)):
        opening.open_survey_now(survey, owner, NOW)
        assert survey_creation.would_copy_repeat_sensitive_questions(survey) is again


def test_collaborators_come_change_and_go_in_the_log(draft: Survey, owner: Person, stranger: Person) -> None:
    survey_people.add_collaborator(draft, owner, stranger, may_edit=False, now=NOW)
    collaborator = draft.collaborators.get()
    for may_edit in (False, True):  # what stays as it is leaves no trace
        survey_people.set_collaborator_may_edit(draft, owner, collaborator, may_edit, NOW)
        assert draft.may(stranger, "edit") is may_edit
    survey_people.remove_collaborator(draft, owner, collaborator, NOW)
    assert not draft.may(stranger, "see")
    assert [(act.what, act.note) for act in History.objects.about(draft).order_by("pk")] == [
        (f"surveys.collaborator-{done}", "stranger") for done in ("added", "changed", "removed")
    ]


def test_collaborators_are_added_once(draft: Survey, owner: Person, viewer: Person, stranger: Person) -> None:
    gone = Survey.objects.create(owner=owner, draft={}, state="destroyed")
    for survey, person, reason in (
        (draft, owner, "owns this survey"),
        (draft, viewer, "already"),
        (gone, stranger, "has been deleted"),
    ):
        before = survey.may(person, "edit")
        with pytest.raises(NotAllowed, match=reason):
            survey_people.add_collaborator(survey, owner, person, may_edit=True, now=NOW)
        assert survey.may(person, "edit") is before is (person == owner)


# Questionnaires of the instance.

SECRETS = {
    "asker": {"en": "The First Institute"},
    "contact": "first@institute.example",
    "plan": {"salt": "a" * 32, "hypotheses": []},
    "invitation_key": "b" * 342,
    "ethics": {"en": "Board 7"},
}


@pytest.fixture
def ready_made_survey(draft: Survey, superuser: Person) -> Survey:
    questions = (plain(question("age")), sensitive(question("theft"), question("debt")))
    put(draft, *questions, title={"en": "Losses at work"}, **SECRETS)
    ready_made_questionnaires.mark_ready_made(draft, superuser, NOW)
    return draft


def test_an_administrator_alone_marks_a_survey_as_ready_made_and_ends_that(
    draft: Survey, owner: Person, editor: Person, stranger: Person, superuser: Person, signed_in_as: As
) -> None:
    page = address(draft, "ready-made")
    for person, status in ((owner, 403), (editor, 403), (stranger, 404)):
        assert signed_in_as(person).post(page, {"mark": "yes"}).status_code == status
        assert signed_in_as(person).get(page).status_code == 405
    assert not ready_made_questionnaires.ready_made_surveys().exists()
    client = signed_in_as(superuser)
    assert "stay hidden" in client.get(address(draft)).text
    for _time in range(2):
        assert client.post(page, {"mark": "yes"}).status_code == 302
    assert "End this" in client.get(address(draft)).text
    for _time in range(2):
        client.post(page, {"end": "yes"})
    assert not ready_made_questionnaires.ready_made_surveys().exists()
    acts = [entry.what for entry in History.objects.about(draft) if "ready-made" in entry.what]
    assert sorted(acts) == ["surveys.ready-made", "surveys.ready-made-ended"]


def test_a_stranger_reads_the_title_and_number_of_questions_alone_and_gets_a_copy_without_who_asked(
    ready_made_survey: Survey, stranger: Person, reviewer: Person, signed_in_as: As
) -> None:
    client = signed_in_as(stranger)
    page = client.get("/app/surveys/new").text
    assert "Losses at work" in page
    assert "3 questions, 2 of them sensitive." in page
    assert "Institute" not in page
    for path in ("", "edit", "preview", "history", "people", "settings"):
        assert client.get(address(ready_made_survey, path)).status_code == 404
    answer = client.post(f"/app/surveys/new/{ready_made_survey.pk}")
    copy = Survey.objects.get(owner=stranger)
    assert answer["Location"] == address(copy, "edit")
    assert [len(section["questions"]) for section in copy.draft["sections"]] == [1, 2]
    assert (copy.draft["contact"], copy.state, copy.invited) == (stranger.email, "draft", False)
    written = json.dumps(copy.draft)
    assert not any(secret in written for secret in ("Institute", "institute", "Board 7", "b" * 342, "salt"))
    assert (copy.may(ready_made_survey.owner, "see"), ready_made_survey.may(stranger, "see")) == (
        False,
        False,
    )
    # Who may not begin surveys starts from none.
    assert signed_in_as(reviewer).post(f"/app/surveys/new/{ready_made_survey.pk}").status_code == 403
    assert signed_in_as(reviewer).get(f"/app/surveys/new/{ready_made_survey.pk}").status_code == 405


def test_what_is_not_marked_any_more_or_never_was_or_was_deleted_is_not_there(
    ready_made_survey: Survey, superuser: Person, stranger: Person, signed_in_as: As
) -> None:
    other = Survey.objects.create(owner=superuser, draft=stored_draft(plain(question("age"))))
    ready_made_questionnaires.unmark_ready_made(ready_made_survey, superuser, NOW)
    client = signed_in_as(stranger)
    for pk in (ready_made_survey.pk, other.pk, 10**9):
        assert client.post(f"/app/surveys/new/{pk}").status_code == 404
    assert "of this instance" not in client.get("/app/surveys/new").text
    gone = update_row(other, state="destroyed", draft={})
    with pytest.raises(NotAllowed):
        ready_made_questionnaires.mark_ready_made(gone, superuser, NOW)
    assert ready_made_questionnaires.list_ready_made_questionnaires() == []


def test_ready_made_survey_is_copied_as_it_was_asked(
    opened: Survey, superuser: Person, stranger: Person
) -> None:
    ready_made_questionnaires.mark_ready_made(opened, superuser, NOW)
    copy = ready_made_questionnaires.create_from_ready_made(opened, stranger, NOW)
    assert copy.design is None
    names = [[question["name"] for question in section["questions"]] for section in copy.draft["sections"]]
    assert names == [[question.name for question in s.questions] for s in opened.design.content.sections]  # type: ignore[union-attr]
