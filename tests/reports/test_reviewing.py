"""A reviewer's forms: on ticked rules, on all that fit a filter, on one; publishing; withdrawing; a backtest."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from reports.models import Backtest, Decision, Publication, Review
from reports.review import publishing
from tests.cast import As
from tests.reports.paged import Desk, accept
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def test_a_decision_is_about_the_ticked_rules_or_all_that_fit_the_filter(desk: Desk) -> None:
    """Rule 3 cannot be estimated, rule 4 folds beneath rule 1: they need no decision unless the filter says so."""
    decide = desk.address("rules/decide")
    desk.client.post(decide, {"which": "fitting", "fitting": 2, "verdict": "accept"})
    assert desk.verdicts == ["accept", "accept", None, None]
    # A filter that fits others by now decides nothing.
    page = desk.post("rules/decide?verdict=undecided", which="fitting", fitting=3, verdict="accept")
    assert "Other rules match the filter now" in page
    assert desk.verdicts == ["accept", "accept", None, None]
    page = desk.post("rules/decide", which="ticked", fitting=4, verdict="reject", rule=["1", "4"])
    assert "Decision saved for 2 rules." in page
    assert desk.verdicts == ["reject", "accept", None, "reject"]
    query = "?verdict=any&confidence=50&association=none"
    data = {"which": "fitting", "fitting": 2, "verdict": "more-data", "note": "Weak."}
    answer = desk.client.post(f"{decide}{query}", data)
    assert answer["Location"] == desk.address(f"rules{query}&last=3")
    assert desk.verdicts == ["reject", "accept", "more-data", "more-data"]
    assert set(Decision.objects.filter(verdict="more-data").values_list("note", flat=True)) == {"Weak."}


def test_a_form_that_says_too_little_decides_nothing(desk: Desk) -> None:
    wrong: list[dict[str, Any]] = [
        {"which": "ticked", "fitting": 4, "rule": "1"},
        {"which": "ticked", "fitting": 4, "rule": "1", "verdict": "praise"},
        {"which": "everything", "fitting": 4, "verdict": "accept"},
        {"which": "ticked", "fitting": 4, "verdict": "accept"},
        {"which": "ticked", "fitting": 4, "verdict": "accept", "rule": ["x", "99"]},
    ]
    for data in wrong:
        desk.client.post(desk.address("rules/decide"), data)
        assert not Decision.objects.exists(), data
    assert desk.page().count('class="toast error"') == len(wrong)


def test_one_rule_is_decided_on_its_own_page_where_all_decisions_stand(desk: Desk) -> None:
    desk.client.post(desk.address("rules/2/decide"), {"verdict": "reject", "note": "By chance?"})
    page = desk.post(
        "rules/2/decide", verdict="more-data", note="Ask again in spring. <script>alert(1)</script>"
    )
    assert desk.verdicts == [None, "more-data", None, None]
    assert page.index("Ask again in spring.") < page.index("By chance?")
    # A note cannot put markup into the page.
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "Choose a decision." in desk.post("rules/2/decide", verdict="")


def test_a_report_is_published_once_with_the_ticked_groups_and_withdrawn_with_a_reason(
    desk: Desk, reviewer: Person
) -> None:
    desk.client.post(desk.address("publish"), {"groups": "theft"})
    assert not Publication.objects.exists()
    assert "nothing to withdraw" in desk.page("withdraw")
    accept(desk.review, reviewer, 1)
    before = desk.page("publish")
    assert "Some rules are undecided" in before
    assert (
        "1 of them needs a decision; the others fold beneath shorter rules or cannot be estimated." in before
    )
    assert "1 share came out below 0 %" in before
    assert 'value="age"' in before
    after = desk.post("publish", groups="age")
    assert "Published. Collaborators get an email." in after
    publication = Publication.objects.get()
    assert [table["question"] for table in publication.content["groups"]] == ["age"]
    assert [rule["number"] for rule in publication.rules] == [1]
    # No page offers a decision now, and a second click says so.
    for page in ("rules", "rules/1"):
        assert "/decide" not in desk.page(page)
    assert "its rules are decided" in desk.post("rules/1/decide", verdict="accept")
    assert "This report is published already." in desk.post("publish")
    assert Publication.objects.count() == 1
    assert "error-summary" in desk.post("withdraw", reason=" ")
    assert Review.objects.get().state == "published"
    assert "Forged records." in desk.post("withdraw", reason="Forged records.")
    assert Review.objects.get().state == "withdrawn"


def test_what_is_not_published_cannot_be_withdrawn(desk: Desk) -> None:
    assert "This report is not published." in desk.post("withdraw", reason="No.")


def test_a_backtest_is_asked_for_once_and_nothing_is_published_while_it_is_under_way(
    desk: Desk, owner: Person, partial: Person, signed_in_as: As
) -> None:
    page = desk.post("backtest")
    job = Backtest.objects.get()
    assert job.state == "queued"
    assert "Waiting" in page
    # Nobody else sees or stops it.
    progress = f"/app/jobs/reports.backtest/{job.pk}/progress"
    assert desk.client.get(progress).status_code == 200
    for person in (owner, partial):
        assert signed_in_as(person).get(progress).status_code == 403
    assert "is under way or done already" in desk.post("backtest")
    for state in ({"state": "queued"}, {"state": "running", "claim": "c", "heartbeat": NOW}):
        Backtest.objects.update(**state)
        page = desk.post("publish")
        assert (
            "A backtest of this run is under way. Wait until it is over, or cancel it, then publish." in page
        )
        assert "Publish this report" in page
        assert (Review.objects.get().state, Publication.objects.count()) == ("waiting", 0)
    Backtest.objects.update(state="failed", claim="", finished=NOW)
    desk.client.post(desk.address("backtest"))
    assert Backtest.objects.get().state == "queued"
    Backtest.objects.update(state="cancelled", finished=NOW)
    assert "Published. Collaborators get an email." in desk.post("publish")


# --- the administration's list --------------------------------------------------------------------------


def test_the_list_in_the_administration_is_for_reviewers(
    desk: Desk, partial: Person, superuser: Person, signed_in_as: As, reading: Client
) -> None:
    def listed(client: Client) -> str:
        return str(client.get("/app/admin/reports/review/", follow=True).content.decode())

    assert desk.address("rules") in listed(desk.client)
    assert desk.address("rules") not in listed(signed_in_as(partial))
    assert signed_in_as(superuser).get("/app/admin/reports/review/").status_code == 403
    assert reading.get("/app/admin/reports/review/", follow=True).status_code == 403
    assert Client().get("/app/admin/reports/review/").status_code == 302


def test_a_run_that_is_done_stands_there_at_once(run: Any, judging: Client) -> None:
    assert "waits for a reviewer" in judging.get("/app/admin/reports/review/").content.decode()


def test_its_link_leads_to_the_report_and_nothing_is_added_or_deleted_there(desk: Desk) -> None:
    assert desk.client.get(desk.address("change/"))["Location"] == desk.address("report")
    assert desk.client.get("/app/admin/reports/review/x/change/").status_code == 404
    assert desk.client.get("/app/admin/reports/review/add/").status_code == 403
    assert desk.client.get(desk.address("delete/")).status_code == 403
    publishing.create_reviews_of_finished_runs(NOW)
    assert Review.objects.count() == 1
