"""Questionnaires of the instance: an administrator marks one, and everybody may start from a copy of it alone."""

import json

import pytest

from accounts.models import History, Person
from surveys.lifecycle import ready_made_questionnaires, survey_creation
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.builder.written import plain, question, sensitive, stored
from tests.cast import As
from tests.surveys.conftest import NOW

pytestmark = [pytest.mark.page, pytest.mark.django_db]
SECRETS = {
    "asker": {"en": "The First Institute"},
    "contact": "first@institute.example",
    "plan": {"salt": "a" * 32, "hypotheses": []},
    "invitation_key": "b" * 342,
    "ethics": {"en": "Board 7"},
}


@pytest.fixture
def marked(draft: Survey, superuser: Person) -> Survey:
    questions = (plain(question("age")), sensitive(question("theft"), question("debt")))
    draft.draft = stored(*questions, title={"en": "Losses at work"}, **SECRETS)
    draft.save()
    ready_made_questionnaires.mark_ready_made(draft, superuser, NOW)
    return draft


def acts(survey: Survey) -> list[str]:
    return [entry.what for entry in History.objects.about(survey) if "ready-made" in entry.what]


def test_an_administrator_marks_a_survey_on_its_page_and_ends_that(
    draft: Survey, superuser: Person, signed_in_as: As
) -> None:
    client, address = signed_in_as(superuser), f"/app/surveys/{draft.pk}/"
    assert "stay hidden" in client.get(address).content.decode()
    for _time in range(2):
        assert client.post(f"{address}ready-made", {"mark": "yes"}).status_code == 302
    assert "End this" in client.get(address).content.decode()
    for _time in range(2):
        client.post(f"{address}ready-made", {"end": "yes"})
    assert not ready_made_questionnaires.ready_made_surveys().exists()
    assert sorted(acts(draft)) == ["surveys.ready-made", "surveys.ready-made-ended"]


@pytest.mark.parametrize(("role", "status"), [("owner", 403), ("editor", 403), ("stranger", 404)])
def test_nobody_else_marks_one(
    draft: Survey, role: str, status: int, request: pytest.FixtureRequest, signed_in_as: As
) -> None:
    client = signed_in_as(request.getfixturevalue(role))
    assert client.post(f"/app/surveys/{draft.pk}/ready-made", {"mark": "yes"}).status_code == status
    assert client.get(f"/app/surveys/{draft.pk}/ready-made").status_code == 405
    assert not ready_made_questionnaires.ready_made_surveys().exists()


def test_a_stranger_reads_its_title_and_number_of_questions_and_nothing_else(
    marked: Survey, stranger: Person, signed_in_as: As
) -> None:
    client = signed_in_as(stranger)
    page = client.get("/app/surveys/new").content.decode()
    assert "Losses at work" in page
    assert "3 questions, 2 of them sensitive." in page
    assert "Institute" not in page
    for path in ("", "edit", "preview", "history", "people", "settings"):
        assert client.get(f"/app/surveys/{marked.pk}/{path}").status_code == 404


def test_who_chooses_it_gets_a_draft_of_their_own_without_what_says_who_asked(
    marked: Survey, stranger: Person, signed_in_as: As
) -> None:
    answer = signed_in_as(stranger).post(f"/app/surveys/new/{marked.pk}")
    copy = Survey.objects.get(owner=stranger)
    assert answer["Location"] == f"/app/surveys/{copy.pk}/edit"
    assert [len(section["questions"]) for section in copy.draft["sections"]] == [1, 2]
    assert (copy.draft["contact"], copy.state, copy.invited) == (stranger.email, "draft", False)
    written = json.dumps(copy.draft)
    assert not any(secret in written for secret in ("Institute", "institute", "Board 7", "b" * 342, "salt"))
    assert not copy.may(marked.owner, "see")
    assert not marked.may(stranger, "see")


def test_what_is_not_marked_any_more_or_never_was_is_not_there(
    marked: Survey, superuser: Person, stranger: Person, signed_in_as: As
) -> None:
    other = Survey.objects.create(owner=superuser, draft=stored(plain(question("age"))))
    ready_made_questionnaires.unmark_ready_made(marked, superuser, NOW)
    client = signed_in_as(stranger)
    for pk in (marked.pk, other.pk, 10**9):
        assert client.post(f"/app/surveys/new/{pk}").status_code == 404
    assert "of this instance" not in client.get("/app/surveys/new").content.decode()


def test_who_may_not_begin_surveys_starts_from_none(
    marked: Survey, reviewer: Person, signed_in_as: As
) -> None:
    assert not survey_creation.may_create_surveys(reviewer)
    assert signed_in_as(reviewer).post(f"/app/surveys/new/{marked.pk}").status_code == 403
    assert signed_in_as(reviewer).get(f"/app/surveys/new/{marked.pk}").status_code == 405


def test_a_deleted_survey_is_no_questionnaire_to_start_from(destroyed: Survey, superuser: Person) -> None:
    with pytest.raises(NotAllowed):
        ready_made_questionnaires.mark_ready_made(destroyed, superuser, NOW)
    assert ready_made_questionnaires.list_ready_made_questionnaires() == []


def test_an_opened_survey_is_copied_as_it_was_asked(
    opened: Survey, superuser: Person, stranger: Person
) -> None:
    ready_made_questionnaires.mark_ready_made(opened, superuser, NOW)
    copy = ready_made_questionnaires.create_from_ready_made(opened, stranger, NOW)
    assert copy.design is None
    names = [[question["name"] for question in section["questions"]] for section in copy.draft["sections"]]
    assert names == [[question.name for question in s.questions] for s in opened.design.content.sections]  # type: ignore[union-attr]
