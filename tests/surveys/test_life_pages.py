"""Opening, asking reviewers, pausing, ending, duplicating and the settings, as people do it on the pages."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import History, Person
from surveys.lifecycle import reviewer_approvals
from surveys.lifecycle.state_changes import pause_survey
from surveys.models import Survey
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As
from tests.surveys.conftest import (
    NOW,
    Answers,
    address,
    decide,
    page_text,
    post,
    save_settings,
    settings_base,
    update_row,
)

pytestmark = pytest.mark.page


def approval_form(survey: Survey, allow: str, matter: reviewer_approvals.Matter = "weak") -> dict[str, str]:
    of = reviewer_approvals.current_fingerprint(survey, matter)
    return {"matter": matter, "fingerprint": of, "allow": allow}


class TestOpening:
    def test_a_survey_that_can_never_be_counted_says_so_and_opens_only_knowingly(
        self, draft: Survey, client: Client
    ) -> None:
        update_row(draft, draft={**draft.draft, "expected": 40, "least": 100})
        for page in (page_text(client, draft), page_text(client, draft, "open")):
            assert "You expect 40 answers. With fewer than 100 none of them is ever counted." in page
        assert post(client, draft, "open", when="now").status_code == 200
        assert post(client, draft, "open", when="now", aware="on").status_code == 302

    def test_opening_later_is_withdrawn_and_survey_opened_now(self, draft: Survey, client: Client) -> None:
        for opens, status in {"": 200, "2020-01-01T10:00": 200, "2090-01-01T10:00": 302}.items():
            assert post(client, draft, "open", when="later", opens=opens).status_code == status
        assert draft.opens is not None
        assert draft.opens.year == 2090
        assert "Opens by itself" in client.get("/app/surveys/").text
        post(client, draft, "open/withdraw")
        assert draft.state == "draft"
        assert "Opens by itself" not in client.get("/app/surveys/").text
        assert "The survey is open" in client.post(address(draft, "open"), {"when": "now"}, follow=True).text
        assert Survey.objects.get(pk=draft.pk).state == "open"

    def test_opening_an_incomplete_draft_names_places_and_reasons(
        self, draft: Survey, client: Client
    ) -> None:
        update_row(draft, draft={**draft.draft, "languages": ["en", "zh-hans"]})
        page = post(client, draft, "open", when="now").text
        assert "Who asks</strong>: required in Simplified Chinese" in page or "Who asks</a>: required" in page
        assert "Question 1, answer 2" in page
        assert 'name="when"' not in page
        assert draft.state == "draft"

    def test_a_rehearsal_with_weak_settings_needs_no_reviewer_and_says_what_the_real_survey_needs(
        self, weak: Survey, owner: Person, client: Client, reviewer: Person, signed_in_as: As
    ) -> None:
        update_row(weak, draft={**weak.draft, "rehearsal": True})
        page = page_text(client, weak, "open")
        assert "Settings that protect less than usual" in page
        assert "The real survey will: a reviewer has to approve this before it happens." in page
        post(client, weak, "open", when="now")
        assert (weak.state, weak.is_rehearsal) == ("open", True)
        # Nor do its records, and nobody can be asked for what nobody has to approve.
        assert weak.may(owner, "download")
        assert "needs no approval" in page_text(client, weak, "records")
        with pytest.raises(NotAllowed, match="A rehearsal needs no approval"):
            reviewer_approvals.request_approval(weak, owner, "records", weak.design_id or "", "", NOW)
        with pytest.raises(NotAllowed, match="A rehearsal needs no approval"):
            decide(weak, reviewer, "records", allow=False)
        reviewing = signed_in_as(reviewer)
        assert "Decide as a reviewer" not in reviewing.get(address(weak), follow=True).text
        assert "Allow or refuse" not in reviewing.get("/app/admin/surveys/survey/").text
        page = page_text(reviewing, weak, "review", matter="records")
        assert "A rehearsal needs no approval" in page
        assert "Save decision" not in page

    def test_opening_with_weak_settings_leads_to_the_reviewers(
        self, weak: Survey, client: Client, reviewer: Person, signed_in_as: As
    ) -> None:
        assert "Request approval of weaker settings" in page_text(client, weak)
        assert "Weaker settings need a reviewer’s approval" in page_text(signed_in_as(reviewer), weak)
        page = page_text(client, weak, "open")
        assert "epsilon is 6.94, above 5" in page
        assert f'href="{address(weak, "ask")}"' in page
        post(client, weak, "open", when="now")
        assert weak.state == "draft"
        assert post(client, weak, "ask", reason="A small clinic.").status_code == 302
        assert "They have not answered yet" in page_text(client, weak, "open")

        ruth = signed_in_as(reviewer)
        assert "Decide on weaker protection" in ruth.get("/app/account/home").text
        assert "Waits for you" not in client.get("/app/account/home").text
        assert f'href="{address(weak, "review")}"' in ruth.get("/app/surveys/review").text
        assert "A small clinic." in page_text(ruth, weak, "review")
        assert post(ruth, weak, "review", **approval_form(weak, "yes")).status_code == 302
        assert "Nothing waits for you" in ruth.get("/app/surveys/review").text
        assert "Waits for you" not in ruth.get("/app/account/home").text

        assert "Ruth Reviewer approved this" in page_text(client, weak, "open")
        post(client, weak, "open", when="now")
        assert weak.state == "open"


class TestReviewing:
    def test_a_refusal_says_why_and_a_yes_is_never_given_to_something_else_than_was_read(
        self, weak: Survey, reviewer: Person, client: Client, signed_in_as: As
    ) -> None:
        judge = signed_in_as(reviewer)
        assert post(judge, weak, "review", **approval_form(weak, "no")).status_code == 200
        read = approval_form(weak, "yes")
        update_row(weak, draft={**weak.draft, "minutes": 9})
        assert "was changed while you read it" in post(judge, weak, "review", **read).text
        assert not History.objects.about(weak).exists()
        sent = approval_form(weak, "no") | {"reason": "Use two sections."}
        assert post(judge, weak, "review", **sent).status_code == 302
        assert "Use two sections." in page_text(client, weak, "open")

    def test_record_files_are_asked_for_and_allowed(
        self, opened: Survey, editor: Person, reviewer: Person, signed_in_as: As
    ) -> None:
        client = signed_in_as(editor)
        assert "Ask for record files" in page_text(client, opened)
        assert post(client, opened, "ask", reason="For a thesis.").status_code == 302
        page = page_text(client, opened)
        assert "Ask for record files" not in page
        assert "They have not answered yet" in page
        yes = approval_form(opened, "yes", "records")
        assert post(signed_in_as(reviewer), opened, "review", **yes).status_code == 302
        assert opened.may(editor, "download")
        assert "Ruth Reviewer approved this" in page_text(client, opened)

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
        assert pause in page_text(client, opened)
        page = page_text(client, opened, "pause")
        assert "takes no answers until you resume it" in page
        assert "the survey still closes" not in page
        answer = client.post(address(opened, "pause"), follow=True).text
        assert "The survey is paused." in answer
        assert "This survey is paused" in answer
        assert (pause in answer, resume in answer) == (False, True)
        assert "paused" in client.get("/app/surveys/").text
        assert "at once" in page_text(client, opened, "resume")
        assert "paused already" in page_text(client, opened, "pause")
        assert "paused already" in client.post(address(opened, "pause"), follow=True).text
        client.cookies["candor-language"] = "zh-hans"
        for path in ("", "resume"):
            assert '<html lang="zh-hans"' in page_text(client, opened, path)
        client.cookies["candor-language"] = "en"
        assert "takes answers again" in client.post(address(opened, "resume"), follow=True).text
        assert "is not paused" in page_text(client, opened, "resume")
        update_row(opened, closes=timezone.now())
        assert "the survey still closes" in page_text(client, opened, "pause")

    def test_paused_survey_is_visible_to_collaborators_who_cannot_resume(
        self, opened: Survey, owner: Person, editor: Person, signed_in_as: As
    ) -> None:
        pause_survey(opened, owner, NOW)
        page = page_text(signed_in_as(editor), opened)
        assert "its owner can resume it" in page
        assert "/resume" not in page


class TestEnding:
    def test_closing_says_how_many_are_left(self, opened: Survey, client: Client, answers: Answers) -> None:
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
            assert words in page_text(client, opened, "close")

    def test_closing_a_paused_survey_says_that_nothing_more_is_taken(
        self, opened: Survey, owner: Person, client: Client
    ) -> None:
        assert "have 1 hour to finish" in page_text(client, opened, "close")
        pause_survey(opened, owner, NOW)
        page = page_text(client, opened, "close")
        assert "nothing that waits in browsers is taken any more" in page
        assert "have 1 hour to finish" not in page

    def test_finishing_says_how_many_answers_stay_uncounted(
        self, closed: Survey, client: Client, answers: Answers
    ) -> None:
        uncounted = "answers are waiting. Fewer than 100 are never counted once the survey is finished."
        for waiting, words in ((1, f"Between 0 and 24 {uncounted}"), (99, f"Between 75 and 99 {uncounted}")):
            answers(closed, waiting=waiting)
            assert words in page_text(client, closed, "finish")
        answers(closed, waiting=100)
        assert "never counted" not in page_text(client, closed, "finish")

    def test_closing_reopening_finishing_and_a_step_too_early(self, opened: Survey, client: Client) -> None:
        assert "This survey is open. Close it first." in page_text(client, opened, "finish")
        early = client.post(address(opened, "finish"), follow=True).text
        assert "This survey is open. Close it first." in early
        for do, now in (("close", "closed"), ("reopen", "open"), ("close", "closed"), ("finish", "finished")):
            assert post(client, opened, do).status_code == 302
            assert opened.state == now

    def test_destroying_takes_the_title_typed(self, closed: Survey, client: Client) -> None:
        for typed in ("work and health", "", "yes"):
            post(client, closed, "destroy", typed=typed)
            assert closed.state == "closed"
        post(client, closed, "destroy", typed="  Work  and health ")
        assert closed.state == "destroyed"

    def test_survey_may_be_destroyed_by_a_superuser_alone(
        self, closed: Survey, superuser: Person, signed_in_as: As
    ) -> None:
        client = signed_in_as(superuser)
        for step in ("reopen", "finish", "settings"):
            assert post(client, closed, step).status_code == 403
        post(client, closed, "destroy", typed="Work and health")
        assert closed.state == "destroyed"


def test_duplicating_warns_and_leads_to_the_copy(opened: Survey, owner: Person, client: Client) -> None:
    assert "Asking the same people again weakens their protection" in page_text(client, opened, "duplicate")
    new = Survey.objects.create(owner=owner, draft=opened.draft)
    assert "weakens their protection" not in page_text(client, new, "duplicate")
    for kind in ("survey", "rehearsal"):
        response = post(client, opened, "duplicate", kind=kind)
        copy = Survey.objects.latest("pk")
        assert response["Location"] == address(copy)
        assert copy.is_rehearsal is (kind == "rehearsal")


# The settings: of a draft its editors', of an opened survey its owner's, and never overwritten unseen.


CLOSES = "2090-01-01T10:00"


def test_settings_of_a_draft_are_changed_by_its_editors(
    draft: Survey, editor: Person, signed_in_as: As
) -> None:
    theirs = signed_in_as(editor)
    numbers = {"cap": "500", "at_once": "20000", "least": "150"}
    answer = save_settings(theirs, draft, **numbers, destroy_on="2098-01-01", invited="yes", closes=CLOSES)
    assert answer.status_code == 302
    assert (draft.cap, draft.at_once, draft.least, draft.invited) == (500, 20_000, 150, True)
    assert draft.draft["retention"] == "2098-01-01"
    assert draft.draft["title"] == {"en": "Work and health"}
    assert draft.closes is not None
    assert draft.closes.year == 2090


def test_settings_of_an_opened_survey_are_changed_by_its_owner_unless_unseen(
    opened: Survey, editor: Person, client: Client, signed_in_as: As
) -> None:
    seen = settings_base(client, opened)
    assert save_settings(signed_in_as(editor), opened, cap="700", base=seen).status_code == 403
    assert save_settings(client, opened, cap="500", base=seen).status_code == 302
    late = save_settings(client, opened, closes=CLOSES, base=seen)
    assert late.status_code == 409
    assert ("Maximum number of answers", "500") in late.context["theirs"]
    assert (opened.cap, opened.closes) == (500, None)
    again = save_settings(client, opened, closes=CLOSES, cap="500", base=late.context["base"])
    assert again.status_code == 302
    assert opened.cap == 500
    assert opened.closes is not None


def test_settings_are_not_overwritten_unseen(
    draft: Survey, editor: Person, client: Client, signed_in_as: As
) -> None:
    """Nor through a mistake, after which the page still says what it showed."""
    seen = settings_base(client, draft)
    save_settings(signed_in_as(editor), draft, cap="300", closes=CLOSES, base=seen)
    mistaken = save_settings(client, draft, cap="5", base=seen)
    assert mistaken.context["base"] == seen
    assert save_settings(client, draft, cap="700", base="").status_code == 409
    late = save_settings(client, draft, cap="700", closes=CLOSES, base=seen)
    assert late.status_code == 409
    assert "This was changed elsewhere meanwhile" in late.text
    assert late.context["theirs"] == [("Maximum number of answers", "300")]
    assert 'value="700"' in late.text
    assert draft.cap == 300
    again = save_settings(client, draft, cap="700", closes=CLOSES, base=late.context["base"])
    assert again.status_code == 302
    assert draft.cap == 700


def test_a_change_withdraws_the_opening_time_and_says_so(draft: Survey, client: Client) -> None:
    update_row(draft, opens=timezone.now() + timedelta(days=1))
    words = "The opening time was set for others, so it is withdrawn."
    for invited, withdrawn in (("no", False), ("yes", True)):
        answer = save_settings(client, draft, invited=invited)
        assert (words in client.get(answer["Location"]).text) is withdrawn
    # In Chinese no space stands between two sentences.
    update_row(draft, opens=timezone.now() + timedelta(days=1))
    client.cookies["candor-language"] = "zh-hans"
    answer = save_settings(client, draft, invited="no")
    assert "设置已保存。开放时间是按其他设置定下的" in client.get(answer["Location"]).text


def test_an_opened_survey_takes_no_day_of_destruction_that_has_come(opened: Survey, client: Client) -> None:
    today, before = timezone.localdate(), Survey.objects.values().get(pk=opened.pk)
    assert f'min="{today + timedelta(days=1)}"' in page_text(client, opened, "settings")
    for days in (-365, 0):
        day = (today + timedelta(days=days)).isoformat()
        response = save_settings(client, opened, destroy_on=day, sure=day)
        assert response.context["form"].errors["destroy_on"] == ["Must be a future date."]
    assert Survey.objects.values().get(pk=opened.pk) == before


def test_what_does_not_fit_a_draft_is_refused_at_its_field(draft: Survey, client: Client) -> None:
    today = timezone.localdate()
    assert f'min="{today + timedelta(days=1)}"' in page_text(client, draft, "settings")
    for field, *values in (
        ("least", "19"),
        ("cap", "99"),
        ("closes", "2020-01-01T10:00"),
        ("destroy_on", "soon", "", today.isoformat(), (today - timedelta(days=365)).isoformat()),
    ):
        for value in values:
            response = save_settings(client, draft, **{field: value})
            assert response.status_code == 200
            assert field in response.context["form"].errors
            assert (draft.cap, draft.closes, draft.least) == (None, None, 100)
            assert draft.draft["retention"] == "2099-12-31"


def test_an_opened_survey_is_destroyed_sooner_if_one_is_sure_of_it(opened: Survey, client: Client) -> None:
    """Nor does its batch change."""
    assert 'name="sure"' not in page_text(client, opened, "settings")
    assert "earlier, never later" in save_settings(client, opened, destroy_on="2100-01-01").text
    asked = save_settings(client, opened, destroy_on="2089-12-31").text
    assert "Yes, delete everything on 31 December 2089" in asked
    assert "The date was 31 December 2099" in asked
    another = save_settings(client, opened, destroy_on="2088-12-31", sure="2089-12-31")
    assert "sure" in another.context["form"].errors
    assert str(opened.destroy_on) == "2099-12-31"
    answer = save_settings(client, opened, least="20", destroy_on="2099-01-01", sure="2099-01-01")
    assert answer.status_code == 302
    assert (opened.least, str(opened.destroy_on)) == (100, "2099-01-01")


def test_what_cannot_change_any_more_is_not_offered(finished: Survey, client: Client) -> None:
    overview = page_text(client, finished, "")
    assert "none of them is counted" in overview
    assert "towards the first" not in overview
    page = page_text(client, finished, "settings")
    assert "nothing of it can be set" in page
    assert 'name="cap"' not in page
