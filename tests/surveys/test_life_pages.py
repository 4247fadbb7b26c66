"""Opening, asking reviewers, ending and duplicating, as people do it on the pages."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import History, Person
from surveys.lifecycle import approvals
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As

pytestmark = pytest.mark.page
Answers = Callable[..., None]


class TestOpening:
    def test_now(self, draft: Survey, owner: Person, signed_in_as: As) -> None:
        response = signed_in_as(owner).post(f"/app/surveys/{draft.pk}/open", {"when": "now"}, follow=True)
        assert "The survey is open" in response.text
        draft.refresh_from_db()
        assert draft.state == "open"

    def test_later_and_withdrawn(self, draft: Survey, owner: Person, signed_in_as: As) -> None:
        client, path = signed_in_as(owner), f"/app/surveys/{draft.pk}/open"
        assert client.post(path, {"when": "later", "opens": ""}).status_code == 200
        assert client.post(path, {"when": "later", "opens": "2020-01-01T10:00"}).status_code == 200
        assert client.post(path, {"when": "later", "opens": "2090-01-01T10:00"}).status_code == 302
        draft.refresh_from_db()
        assert draft.opens is not None
        assert draft.opens.year == 2090
        assert "Opens by itself" in client.get("/app/surveys/").text
        client.post(f"{path}/withdraw")
        draft.refresh_from_db()
        assert draft.state == "draft"
        assert "Opens by itself" not in client.get("/app/surveys/").text

    def test_of_an_incomplete_draft_names_places_and_reasons(
        self, draft: Survey, owner: Person, signed_in_as: As
    ) -> None:
        Survey.objects.filter(pk=draft.pk).update(draft={**draft.draft, "languages": ["en", "zh-hans"]})
        page = signed_in_as(owner).post(f"/app/surveys/{draft.pk}/open", {"when": "now"}).text
        assert "Who asks</strong>: required in Simplified Chinese" in page or "Who asks</a>: required" in page
        assert "Question 1, answer 2" in page
        assert 'name="when"' not in page
        draft.refresh_from_db()
        assert draft.state == "draft"

    def test_a_rehearsal_with_weak_settings_needs_no_reviewer_and_says_what_the_real_survey_needs(
        self, weak: Survey, owner: Person, reviewer: Person, signed_in_as: As
    ) -> None:
        Survey.objects.filter(pk=weak.pk).update(draft={**weak.draft, "rehearsal": True})
        client, path = signed_in_as(owner), f"/app/surveys/{weak.pk}"
        page = client.get(f"{path}/open").text
        assert "Settings that protect less than usual" in page
        assert "The real survey will: a reviewer has to approve this before it happens." in page
        client.post(f"{path}/open", {"when": "now"})
        weak.refresh_from_db()
        assert (weak.state, weak.is_rehearsal) == ("open", True)
        # Nor do its records, and nobody can be asked for what nobody has to approve.
        assert weak.may(owner, "download")
        assert "needs no approval" in client.get(f"{path}/records").text
        with pytest.raises(NotAllowed, match="A rehearsal needs no approval"):
            approvals.request_approval(weak, owner, "records", weak.design_id or "", "", timezone.now())
        assert "Decide as a reviewer" not in signed_in_as(reviewer).get(path, follow=True).text

    def test_with_weak_settings_leads_to_the_reviewers(
        self, weak: Survey, owner: Person, reviewer: Person, signed_in_as: As
    ) -> None:
        client, path = signed_in_as(owner), f"/app/surveys/{weak.pk}"
        page = client.get(f"{path}/open").text
        assert "epsilon is 6.94, above 5" in page
        assert f'href="{path}/ask"' in page
        client.post(f"{path}/open", {"when": "now"})
        weak.refresh_from_db()
        assert weak.state == "draft"
        assert client.post(f"{path}/ask", {"reason": "A small clinic."}).status_code == 302
        assert "They have not answered yet" in client.get(f"{path}/open").text

        ruth = signed_in_as(reviewer)
        assert "Decide on weaker protection" in ruth.get("/app/account/home").text
        assert "Waits for you" not in client.get("/app/account/home").text
        assert f'href="{path}/review"' in ruth.get("/app/surveys/review").text
        given = {"matter": "weak", "fingerprint": approvals.current_fingerprint(weak, "weak"), "allow": "yes"}
        assert "A small clinic." in ruth.get(f"{path}/review").text
        assert ruth.post(f"{path}/review", given).status_code == 302
        assert "Nothing waits for you" in ruth.get("/app/surveys/review").text
        assert "Waits for you" not in ruth.get("/app/account/home").text

        assert "Ruth Reviewer approved this" in client.get(f"{path}/open").text
        client.post(f"{path}/open", {"when": "now"})
        weak.refresh_from_db()
        assert weak.state == "open"


class TestReviewing:
    def test_a_refusal_says_why(
        self, weak: Survey, reviewer: Person, owner: Person, signed_in_as: As
    ) -> None:
        path, client = f"/app/surveys/{weak.pk}/review", signed_in_as(reviewer)
        given = {"matter": "weak", "fingerprint": approvals.current_fingerprint(weak, "weak"), "allow": "no"}
        assert client.post(path, given).status_code == 200
        assert not History.objects.about(weak).exists()
        assert client.post(path, {**given, "reason": "Use two sections."}).status_code == 302
        assert "Use two sections." in signed_in_as(owner).get(f"/app/surveys/{weak.pk}/open").text

    def test_a_yes_is_never_given_to_something_else_than_was_read(
        self, weak: Survey, reviewer: Person, signed_in_as: As
    ) -> None:
        given = {"matter": "weak", "fingerprint": approvals.current_fingerprint(weak, "weak"), "allow": "yes"}
        Survey.objects.filter(pk=weak.pk).update(draft={**weak.draft, "minutes": 9})
        page = signed_in_as(reviewer).post(f"/app/surveys/{weak.pk}/review", given)
        assert "was changed while you read it" in page.text
        assert not History.objects.about(weak).exists()

    def test_record_files_are_asked_for_and_allowed(
        self, opened: Survey, editor: Person, reviewer: Person, signed_in_as: As
    ) -> None:
        path, client = f"/app/surveys/{opened.pk}", signed_in_as(editor)
        assert "Ask for record files" in client.get(f"{path}/").text
        assert client.post(f"{path}/ask", {"reason": "For a thesis."}).status_code == 302
        page = client.get(f"{path}/").text
        assert "Ask for record files" not in page
        assert "They have not answered yet" in page
        given = {"matter": "records", "fingerprint": str(opened.design_id), "allow": "yes"}
        assert signed_in_as(reviewer).post(f"{path}/review", given).status_code == 302
        assert opened.may(editor, "download")
        assert "Ruth Reviewer approved this" in client.get(f"{path}/").text

    def test_the_queue_is_the_reviewers(
        self, owner: Person, superuser: Person, client: Client, signed_in_as: As
    ) -> None:
        assert client.get("/app/surveys/review").status_code == 302
        assert signed_in_as(owner).get("/app/surveys/review").status_code == 403
        assert signed_in_as(superuser).get("/app/surveys/review").status_code == 403
        assert signed_in_as(owner).post("/app/surveys/review").status_code == 405

    def test_there_is_nothing_to_ask_of_a_draft_within_the_limits(
        self, draft: Survey, owner: Person, signed_in_as: As
    ) -> None:
        page = signed_in_as(owner).post(f"/app/surveys/{draft.pk}/ask", {"reason": "Why not."})
        assert "There is nothing to approve" in page.text
        assert not History.objects.about(draft).exists()


class TestEnding:
    @pytest.mark.parametrize(
        ("waiting", "words"),
        [
            (0, "Between 0 and 24 answers are waiting, fewer than the minimum batch size of 100"),
            (1, "Between 0 and 24 answers are waiting, fewer than the minimum batch size of 100"),
            (99, "Between 75 and 99 answers are waiting, fewer than the minimum batch size of 100"),
            (100, "At least 100 answers are waiting, which is enough for a batch"),
            (250, "At least 100 answers are waiting, which is enough for a batch"),
        ],
    )
    def test_closing_says_in_tenths_how_many_would_not_be_counted(
        self, opened: Survey, owner: Person, signed_in_as: As, answers: Answers, waiting: int, words: str
    ) -> None:
        answers(opened, waiting=waiting)
        assert words in signed_in_as(owner).get(f"/app/surveys/{opened.pk}/close").text

    def test_closing_reopening_and_archiving(self, opened: Survey, owner: Person, signed_in_as: As) -> None:
        client = signed_in_as(owner)
        for step, state in (
            ("close", "closed"),
            ("reopen", "open"),
            ("close", "closed"),
            ("finish", "finished"),
        ):
            assert client.post(f"/app/surveys/{opened.pk}/{step}").status_code == 302
            assert Survey.objects.get(pk=opened.pk).state == state

    def test_what_cannot_be_done_is_said_and_not_done(
        self, opened: Survey, owner: Person, signed_in_as: As
    ) -> None:
        client = signed_in_as(owner)
        assert "This survey is open. Close it first." in client.get(f"/app/surveys/{opened.pk}/finish").text
        response = client.post(f"/app/surveys/{opened.pk}/finish", follow=True)
        assert "This survey is open. Close it first." in response.text
        assert Survey.objects.get(pk=opened.pk).state == "open"

    @pytest.mark.parametrize(
        ("typed", "after"),
        [
            ("Work and health", "destroyed"),
            ("  Work  and health ", "destroyed"),
            ("work and health", "closed"),
            ("", "closed"),
            ("yes", "closed"),
        ],
    )
    def test_destroying_takes_the_title_typed(
        self, closed: Survey, owner: Person, signed_in_as: As, typed: str, after: str
    ) -> None:
        signed_in_as(owner).post(f"/app/surveys/{closed.pk}/destroy", {"typed": typed})
        assert Survey.objects.get(pk=closed.pk).state == after

    def test_a_superuser_may_destroy_and_nothing_else(
        self, closed: Survey, superuser: Person, signed_in_as: As
    ) -> None:
        client = signed_in_as(superuser)
        for step in ("reopen", "finish", "settings"):
            assert client.post(f"/app/surveys/{closed.pk}/{step}").status_code == 403
        client.post(f"/app/surveys/{closed.pk}/destroy", {"typed": "Work and health"})
        assert Survey.objects.get(pk=closed.pk).state == "destroyed"


class TestDuplicating:
    def test_warns_that_people_would_be_asked_again(
        self, opened: Survey, owner: Person, signed_in_as: As
    ) -> None:
        page = signed_in_as(owner).get(f"/app/surveys/{opened.pk}/duplicate").text
        assert "Asking the same people again weakens their protection" in page

    def test_of_a_draft_warns_of_nothing(self, draft: Survey, owner: Person, signed_in_as: As) -> None:
        page = signed_in_as(owner).get(f"/app/surveys/{draft.pk}/duplicate").text
        assert "weakens their protection" not in page

    @pytest.mark.parametrize(("kind", "rehearsal"), [("survey", False), ("rehearsal", True)])
    def test_leads_to_the_copy(
        self, opened: Survey, owner: Person, signed_in_as: As, kind: str, rehearsal: bool
    ) -> None:
        response = signed_in_as(owner).post(f"/app/surveys/{opened.pk}/duplicate", {"kind": kind})
        copy = Survey.objects.exclude(pk=opened.pk).get()
        assert response["Location"] == f"/app/surveys/{copy.pk}/"
        assert copy.is_rehearsal is rehearsal
