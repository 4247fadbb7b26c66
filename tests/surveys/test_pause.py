"""An open survey is paused and resumed: by its owner, with a line in the history, and time goes on meanwhile."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import IntegrityError, connection

from accounts.models import History, Person
from surveys.lifecycle import due_surveys
from surveys.lifecycle.state_changes import close_survey, pause_survey, reopen_survey, resume_survey
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As
from tests.surveys.conftest import NOW, acts

pytestmark = pytest.mark.page
LATER = NOW + timedelta(hours=1)


def fresh(survey: Survey) -> Survey:
    return Survey.objects.get(pk=survey.pk)


def test_a_pause_has_a_beginning_an_end_and_two_lines_in_the_history(opened: Survey, owner: Person) -> None:
    pause_survey(opened, owner, NOW)
    assert (opened.state, opened.paused, opened.is_paused) == ("open", NOW, True)
    resume_survey(opened, owner, LATER)
    assert (opened.state, opened.paused, opened.is_paused) == ("open", None, False)
    assert acts(opened)[-2:] == ["surveys.paused", "surveys.resumed"]
    assert [act.who for act in History.objects.about(opened).order_by("-pk")[:2]] == [owner, owner]


def test_of_two_who_pause_at_once_one_does(opened: Survey, owner: Person) -> None:
    first, second = fresh(opened), fresh(opened)
    pause_survey(first, owner, NOW)
    with pytest.raises(NotAllowed, match="paused already"):
        pause_survey(second, owner, LATER)
    assert acts(opened).count("surveys.paused") == 1
    assert fresh(opened).paused == NOW


def test_a_paused_survey_still_closes_at_its_time_and_its_cap(
    opened: Survey, owner: Person, answers: Callable[..., None]
) -> None:
    Survey.objects.filter(pk=opened.pk).update(closes=LATER)
    pause_survey(opened, owner, NOW)
    due_surveys.close_due_surveys(LATER - timedelta(seconds=1))
    assert fresh(opened).state == "open"
    due_surveys.close_due_surveys(LATER)
    assert fresh(opened).state == "closed"
    reopen_survey(opened, owner, LATER)
    pause_survey(opened, owner, LATER)
    Survey.objects.filter(pk=opened.pk).update(cap=100)
    answers(opened, waiting=100)
    due_surveys.close_due_surveys(LATER)
    assert fresh(opened).state == "closed"


def test_a_survey_that_opens_again_is_not_paused(opened: Survey, owner: Person) -> None:
    pause_survey(opened, owner, NOW)
    close_survey(opened, owner, NOW)
    assert not fresh(opened).is_paused
    reopen_survey(opened, owner, LATER)
    assert fresh(opened).paused is None


def test_nothing_else_of_an_opened_survey_can_change_with_it(opened: Survey) -> None:
    with pytest.raises(IntegrityError, match="asks stays"), connection.cursor() as cursor:
        cursor.execute("UPDATE surveys_survey SET paused = '2026-12-01 09:00:00', invited = 1")


class TestPages:
    def test_the_owner_pauses_and_resumes(self, opened: Survey, owner: Person, signed_in_as: As) -> None:
        client, path = signed_in_as(owner), f"/app/surveys/{opened.pk}"
        assert f'href="{path}/pause"' in client.get(f"{path}/").text
        page = client.get(f"{path}/pause").text
        assert "takes no answers until you resume it" in page
        assert "the survey still closes" not in page
        assert not fresh(opened).is_paused
        answer = client.post(f"{path}/pause", follow=True)
        assert "The survey is paused." in answer.text
        assert "This survey is paused" in answer.text
        assert f'href="{path}/pause"' not in answer.text
        assert f'href="{path}/resume"' in answer.text
        assert "paused" in client.get("/app/surveys/").text
        assert "at once" in client.get(f"{path}/resume").text
        answer = client.post(f"{path}/resume", follow=True)
        assert "takes answers again" in answer.text
        assert not fresh(opened).is_paused

    def test_in_chinese(self, opened: Survey, owner: Person, signed_in_as: As) -> None:
        client = signed_in_as(owner)
        client.cookies["candor-language"] = "zh-hans"
        assert client.post(f"/app/surveys/{opened.pk}/pause").status_code == 302
        for page in ("", "resume"):
            assert '<html lang="zh-hans"' in client.get(f"/app/surveys/{opened.pk}/{page}").text

    def test_a_closing_time_is_named(self, opened: Survey, owner: Person, signed_in_as: As) -> None:
        Survey.objects.filter(pk=opened.pk).update(closes=LATER)
        assert "the survey still closes" in signed_in_as(owner).get(f"/app/surveys/{opened.pk}/pause").text

    def test_a_second_time_says_why_not(self, opened: Survey, owner: Person, signed_in_as: As) -> None:
        pause_survey(opened, owner, NOW)
        client, path = signed_in_as(owner), f"/app/surveys/{opened.pk}"
        assert "paused already" in client.get(f"{path}/pause").text
        assert "paused already" in client.post(f"{path}/pause", follow=True).text
        client.post(f"{path}/resume")
        assert "is not paused" in client.get(f"{path}/resume").text

    def test_those_who_work_on_it_see_it_and_cannot_resume_it(
        self, opened: Survey, owner: Person, editor: Person, signed_in_as: As
    ) -> None:
        pause_survey(opened, owner, NOW)
        page = signed_in_as(editor).get(f"/app/surveys/{opened.pk}/").text
        assert "its owner can resume it" in page
        assert "/resume" not in page
