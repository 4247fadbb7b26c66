"""Opening, asking reviewers, pausing, ending and duplicating, as people do it on the pages."""

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import History, Person
from surveys.lifecycle import reviewer_approvals
from surveys.lifecycle.state_changes import pause_survey
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As
from tests.surveys.conftest import NOW, Answers, address, changed, post, shown, state

pytestmark = pytest.mark.page


def given(survey: Survey, allow: str, matter: reviewer_approvals.Matter = "weak") -> dict[str, str]:
    of = reviewer_approvals.current_fingerprint(survey, matter)
    return {"matter": matter, "fingerprint": of, "allow": allow}


class TestOpening:
    def test_later_withdrawn_and_now(self, draft: Survey, client: Client) -> None:
        for opens, status in {"": 200, "2020-01-01T10:00": 200, "2090-01-01T10:00": 302}.items():
            assert post(client, draft, "open", when="later", opens=opens).status_code == status
        assert draft.opens is not None
        assert draft.opens.year == 2090
        assert "Opens by itself" in client.get("/app/surveys/").text
        post(client, draft, "open/withdraw")
        assert draft.state == "draft"
        assert "Opens by itself" not in client.get("/app/surveys/").text
        page = client.post(address(draft, "open"), {"when": "now"}, follow=True).text
        assert "The survey is open" in page
        assert state(draft) == "open"

    def test_of_an_incomplete_draft_names_places_and_reasons(self, draft: Survey, client: Client) -> None:
        changed(draft, draft={**draft.draft, "languages": ["en", "zh-hans"]})
        page = post(client, draft, "open", when="now").text
        assert "Who asks</strong>: required in Simplified Chinese" in page or "Who asks</a>: required" in page
        assert "Question 1, answer 2" in page
        assert 'name="when"' not in page
        assert draft.state == "draft"

    def test_a_rehearsal_with_weak_settings_needs_no_reviewer_and_says_what_the_real_survey_needs(
        self, weak: Survey, owner: Person, client: Client, reviewer: Person, signed_in_as: As
    ) -> None:
        changed(weak, draft={**weak.draft, "rehearsal": True})
        page = shown(client, weak, "open")
        assert "Settings that protect less than usual" in page
        assert "The real survey will: a reviewer has to approve this before it happens." in page
        post(client, weak, "open", when="now")
        assert (weak.state, weak.is_rehearsal) == ("open", True)
        # Nor do its records, and nobody can be asked for what nobody has to approve.
        assert weak.may(owner, "download")
        assert "needs no approval" in shown(client, weak, "records")
        with pytest.raises(NotAllowed, match="A rehearsal needs no approval"):
            reviewer_approvals.request_approval(
                weak, owner, "records", weak.design_id or "", "", timezone.now()
            )
        page = signed_in_as(reviewer).get(address(weak), follow=True).text
        assert "Decide as a reviewer" not in page

    def test_with_weak_settings_leads_to_the_reviewers(
        self, weak: Survey, client: Client, reviewer: Person, signed_in_as: As
    ) -> None:
        page = shown(client, weak, "open")
        assert "epsilon is 6.94, above 5" in page
        assert f'href="{address(weak, "ask")}"' in page
        post(client, weak, "open", when="now")
        assert weak.state == "draft"
        assert post(client, weak, "ask", reason="A small clinic.").status_code == 302
        assert "They have not answered yet" in shown(client, weak, "open")

        ruth = signed_in_as(reviewer)
        assert "Decide on weaker protection" in ruth.get("/app/account/home").text
        assert "Waits for you" not in client.get("/app/account/home").text
        assert f'href="{address(weak, "review")}"' in ruth.get("/app/surveys/review").text
        assert "A small clinic." in shown(ruth, weak, "review")
        assert post(ruth, weak, "review", **given(weak, "yes")).status_code == 302
        assert "Nothing waits for you" in ruth.get("/app/surveys/review").text
        assert "Waits for you" not in ruth.get("/app/account/home").text

        assert "Ruth Reviewer approved this" in shown(client, weak, "open")
        post(client, weak, "open", when="now")
        assert weak.state == "open"


class TestReviewing:
    def test_a_refusal_says_why_and_a_yes_is_never_given_to_something_else_than_was_read(
        self, weak: Survey, reviewer: Person, client: Client, signed_in_as: As
    ) -> None:
        judge = signed_in_as(reviewer)
        assert post(judge, weak, "review", **given(weak, "no")).status_code == 200
        read = given(weak, "yes")
        changed(weak, draft={**weak.draft, "minutes": 9})
        assert "was changed while you read it" in post(judge, weak, "review", **read).text
        assert not History.objects.about(weak).exists()
        sent = given(weak, "no") | {"reason": "Use two sections."}
        assert post(judge, weak, "review", **sent).status_code == 302
        assert "Use two sections." in shown(client, weak, "open")

    def test_record_files_are_asked_for_and_allowed(
        self, opened: Survey, editor: Person, reviewer: Person, signed_in_as: As
    ) -> None:
        client = signed_in_as(editor)
        assert "Ask for record files" in shown(client, opened)
        assert post(client, opened, "ask", reason="For a thesis.").status_code == 302
        page = shown(client, opened)
        assert "Ask for record files" not in page
        assert "They have not answered yet" in page
        yes = given(opened, "yes", "records")
        assert post(signed_in_as(reviewer), opened, "review", **yes).status_code == 302
        assert opened.may(editor, "download")
        assert "Ruth Reviewer approved this" in shown(client, opened)

    def test_the_queue_is_the_reviewers_and_of_a_draft_within_the_limits_nothing_is_asked(
        self, draft: Survey, superuser: Person, client: Client, signed_in_as: As
    ) -> None:
        queue = "/app/surveys/review"
        statuses = [each.get(queue).status_code for each in (Client(), client, signed_in_as(superuser))]
        assert [*statuses, client.post(queue).status_code] == [302, 403, 403, 405]
        assert "There is nothing to approve" in post(client, draft, "ask", reason="Why not.").text
        assert not History.objects.about(draft).exists()


class TestPages:
    """Of pausing."""

    def test_the_owner_pauses_and_resumes_in_any_language(self, opened: Survey, client: Client) -> None:
        pause, resume = (f'href="{address(opened, step)}"' for step in ("pause", "resume"))
        assert pause in shown(client, opened)
        page = shown(client, opened, "pause")
        assert "takes no answers until you resume it" in page
        assert "the survey still closes" not in page
        answer = client.post(address(opened, "pause"), follow=True).text
        assert "The survey is paused." in answer
        assert "This survey is paused" in answer
        assert (pause in answer, resume in answer) == (False, True)
        assert "paused" in client.get("/app/surveys/").text
        assert "at once" in shown(client, opened, "resume")
        assert "paused already" in shown(client, opened, "pause")
        assert "paused already" in client.post(address(opened, "pause"), follow=True).text
        client.cookies["candor-language"] = "zh-hans"
        for path in ("", "resume"):
            assert '<html lang="zh-hans"' in shown(client, opened, path)
        client.cookies["candor-language"] = "en"
        assert "takes answers again" in client.post(address(opened, "resume"), follow=True).text
        assert "is not paused" in shown(client, opened, "resume")
        changed(opened, closes=timezone.now())
        assert "the survey still closes" in shown(client, opened, "pause")

    def test_those_who_work_on_it_see_it_and_cannot_resume_it(
        self, opened: Survey, owner: Person, editor: Person, signed_in_as: As
    ) -> None:
        pause_survey(opened, owner, NOW)
        page = shown(signed_in_as(editor), opened)
        assert "its owner can resume it" in page
        assert "/resume" not in page


class TestEnding:
    def test_closing_says_in_tenths_who_is_left(
        self, opened: Survey, client: Client, answers: Answers
    ) -> None:
        few = "answers are waiting, fewer than the minimum batch size of 100"
        enough = "At least 100 answers are waiting, which is enough for a batch"
        for waiting, words in {
            0: f"Between 0 and 24 {few}",
            1: f"Between 0 and 24 {few}",
            99: f"Between 75 and 99 {few}",
            100: enough,
            250: enough,
        }.items():
            answers(opened, waiting=waiting)
            assert words in shown(client, opened, "close")

    def test_closing_reopening_finishing_and_a_step_too_early(self, opened: Survey, client: Client) -> None:
        assert "This survey is open. Close it first." in shown(client, opened, "finish")
        early = client.post(address(opened, "finish"), follow=True).text
        assert "This survey is open. Close it first." in early
        for step, after in (
            ("close", "closed"),
            ("reopen", "open"),
            ("close", "closed"),
            ("finish", "finished"),
        ):
            assert post(client, opened, step).status_code == 302
            assert opened.state == after

    def test_destroying_takes_the_title_typed(self, closed: Survey, client: Client) -> None:
        for typed in ("work and health", "", "yes"):
            post(client, closed, "destroy", typed=typed)
            assert closed.state == "closed"
        post(client, closed, "destroy", typed="  Work  and health ")
        assert closed.state == "destroyed"

    def test_a_superuser_may_destroy_alone(self, closed: Survey, superuser: Person, signed_in_as: As) -> None:
        client = signed_in_as(superuser)
        for step in ("reopen", "finish", "settings"):
            assert post(client, closed, step).status_code == 403
        post(client, closed, "destroy", typed="Work and health")
        assert closed.state == "destroyed"


def test_duplicating_warns_and_leads_to_the_copy(opened: Survey, owner: Person, client: Client) -> None:
    assert "Asking the same people again weakens their protection" in shown(client, opened, "duplicate")
    new = Survey.objects.create(owner=owner, draft=opened.draft)
    assert "weakens their protection" not in shown(client, new, "duplicate")
    for kind in ("survey", "rehearsal"):
        response = post(client, opened, "duplicate", kind=kind)
        copy = Survey.objects.latest("pk")
        assert response["Location"] == address(copy)
        assert copy.is_rehearsal is (kind == "rehearsal")
