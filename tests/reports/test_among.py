"""Whom a number is among: asked, shown, of people who chose disguise; on pages, in charts and in files.

Of 1,000 who were asked, 400 were shown cash: 8 % of all have it, 20 % of those shown.
"""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from intake.rehearsal import true_counts
from mining.nodes.report_nodes import Estimate
from reports.models import Review
from reports.pages.report_document import ReportDocument
from reports.review.report_page_data import ReportPage
from runs.models import Run
from tests.reports import made
from tests.reports.conftest import desk_page, from_csv, from_json, page_text, reader

pytestmark = pytest.mark.page
ALONE = "of people who chose disguise"


@pytest.fixture
def run(owner: Person) -> Run:
    return made.with_a_hidden_question(owner)


@pytest.fixture
def published_review(review: Review, reviewer: Person) -> Review:
    made.publish(review, reviewer, ["age"], 4, 5)
    return review


@pytest.fixture
def clients(published_review: Review, reading: Client, judging: Client) -> list[tuple[Client, Any]]:
    """A reviewer at the desk and the owner, who reads what was published."""
    return [(judging, desk_page), (reading, reader)]


SHARE = "{} Observed (disguised) {} % Estimate {} % 95 % interval {} % to {} % Pooled {} %"
OF_ALL = SHARE.format("Asked 1,000", "24.0", "8.0", "4.0", "12.0", "9.0")
OF_SHOWN = SHARE.format("Shown to 400", "60.0", "20.0", "10.0", "30.0", "22.5")


def test_an_answer_behind_a_rule_has_both_shares(clients: list[tuple[Client, Any]]) -> None:
    (desk_client, _), (client, _) = clients
    for page in (page_text(desk_client, desk_page("report")), page_text(client, reader(""))):
        assert "A condition hides this question from some respondents." in page
        assert f"{OF_ALL} {OF_SHOWN} " in page
        assert page.partition("Disguised answers")[2].count("Shown to") == 1
        # The others are shown to all who were asked.
        assert SHARE.format("Asked 1,000", "32.5", "25.0", "21.0", "29.0", "26.0") in page


def test_share_among_those_shown_equals_share_of_all_over_shown() -> None:
    numbers = (1000, 200, 0.24, 0.08, 0.02, 0.04, 0.12, 0.09, 0.01)
    one = Estimate(("cash=yes",), *numbers, shown=400, share_shown=0.2, truth=0.1)
    whole, those = one.by_denominator
    assert (whole, one.is_hidden) == (one, True)
    assert (those.n_asked, those.support) == (400, 0.2)
    assert those.observed == pytest.approx(0.6)
    assert those.pooled == pytest.approx(0.225)
    assert those.truth is None
    # Where everybody was shown it there is one share.
    for number in (None, 1000):
        one = Estimate(("cash=yes",), *numbers, shown=number, share_shown=0.1)
        assert (one.by_denominator, one.is_hidden) == ((one,), False)


def test_missing_share_among_few_shown_or_without_open_answers(owner: Person, judging: Client) -> None:
    run = made.with_a_hidden_question(owner)
    for row in run.findings["answers"][6:]:
        row |= {"shown": 30, "observed": 0.015, **dict.fromkeys(("share_shown", "low_shown", "high_shown"))}
    Run.objects.filter(pk=run.pk).update(findings=run.findings)
    page = page_text(judging, desk_page("report", made.waiting_review(run)))
    assert "Shown to 30 Observed (disguised) 50.0 % Estimate shown to too few" in page
    # Where nobody could answer openly nothing is of the disguised alone.
    run = made.with_a_hidden_question(owner, open_answers=False)
    Run.objects.filter(pk=run.pk).update(n_open=0)
    review = made.waiting_review(run)
    for name in ("report", "itemsets", "rules", "rules/5", "groups"):
        assert "chose disguise" not in page_text(judging, desk_page(name, review)), name


def test_itemsets_rules_and_groups_say_whom_they_are_among(clients: list[tuple[Client, Any]]) -> None:
    # An itemset says whom it is among.
    (desk_client, _), (client, _) = clients
    page = page_text(desk_client, desk_page("itemsets"))
    those = "20.0 % of those shown, 10.0 % to 30.0 %"
    assert f"1,000 shown to 400 24.0 % 8.0 % 4.0 % to 12.0 % {those} 9.0 %" in page
    questions = page.index("Age How old are you? Theft Have you taken something home?")
    assert questions < page.index("18 to 39 Age")
    assert f"18 to 39 Age Yes Theft {ALONE} 800 27.0 %" in page
    # Sensitive answers alone are of everybody.
    assert page.count(ALONE) == 1
    page = page_text(client, reader("itemsets"))
    assert those in page
    assert page.count(ALONE) == 1
    # A rule says how many could give all its answers.
    for (client, address), numbers in zip(clients, ((4, 5), (1, 2)), strict=True):
        page = page_text(client, address("rules"))
        assert "Estimated from 400 answers. Among all who were shown these questions:" in page
        assert "Estimated from 800 answers of people who chose disguise. Among all who chose disguise" in page
        of_all, alone = (page_text(client, address(f"rules/{number}")) for number in numbers)
        assert "Among 400 records of people who were shown these questions." in of_all
        assert "Among 800 records of people who chose disguise and were shown these questions." in alone
        assert "all measures but the support are theirs 800" in alone
    # Shares by group say whom they are among.
    for client, address in clients:
        page = page_text(client, address("groups"))
        assert f"All shares on this page are {ALONE}." in page
        assert "10.0 % of all asked 5.0 % to 15.0 % 16.0 % of those shown, 8.0 % to 24.0 %" in page
        assert "asked 400, shown to 250 40 or older not shown" in page
        assert "too few" not in page


def test_files_say_whom_a_number_is_among(clients: list[tuple[Client, Any]]) -> None:
    client = clients[1][0]
    cash = from_csv(client, "shares")[-1]
    names = ("base", "shown", "support", "share_shown", "low_shown", "high_shown")
    assert [cash[name] for name in names] == ["1000", "400", "0.08", "0.2", "0.1", "0.3"]
    itemsets = {row["items"]: row for row in from_csv(client, "itemsets")}
    assert {name: row["among"] for name, row in itemsets.items() if "&" in name} == {
        "late=yes & cash=yes": "",
        "age=18-39 & theft=yes": ALONE,
    }
    assert itemsets["cash=yes"]["share_shown"] == "0.2"
    rules = {row["number"]: (row["eligible"], row["among"]) for row in from_csv(client, "rules")}
    assert rules == {"1": ("400", ""), "2": ("800", ALONE)}
    groups = from_csv(client, "groups")
    assert {row["among"] for row in groups} == {ALONE}
    assert [groups[4][name] for name in ("shown", "share_shown")] == ["250", "0.16"]
    report = from_json(client)
    assert [rule["disguised_only"] for rule in report["report"]["rules"]] == [False, True]
    assert report["report"]["groups"][0]["disguised_only"]
    assert ALONE in report["formulas"]["among"]


def test_a_rehearsal_has_both_truths(owner: Person, monkeypatch: pytest.MonkeyPatch, judging: Client) -> None:
    """Of 1,000 people 400 are shown cash, of whom 90 have it; of those disguised 250 are young, and 50 of these
    have it. 40 of the 90 come late, and of the 400 shown 160 do."""
    counts: dict[true_counts.Itemset, int] = {((3, 1),): 90, ((3, 0),): 310, ((2, 1),): 300}
    counts |= {((2, 1), (3, 1)): 40, ((2, 0), (3, 1)): 50, ((2, 1), (3, 0)): 120}
    everybody = true_counts.CountedTruth(1000, counts)
    disguised = true_counts.CountedTruth(800, {((0, 0),): 250, ((0, 0), (3, 1)): 50, ((0, 0), (3, 0)): 200})
    stored = true_counts.StoredTruth(everybody, disguised)
    monkeypatch.setattr(true_counts, "read_true_counts", lambda survey: stored)
    review = made.waiting_review(made.with_a_hidden_question(owner, rehearsal=True))
    page = page_text(judging, desk_page("report"))
    assert f"{OF_ALL} Truth 9.0 % {OF_SHOWN} Truth 22.5 %" in page
    # The marks in the row are of the same people as its estimate.
    report = ReportPage(review, whole=True)
    tables = ReportDocument(report, "en", has_evidence=True).context()["tables"]
    rows = [row for table in tables for group in table.groups for row in group.rows]
    marks = [(one.estimate, one.received, one.truth) for row in rows for one in row.pictures]
    assert (0.2, 0.6, 0.225) in [tuple(round(mark or 0, 4) for mark in three) for three in marks]
    said = "5.0 % to 15.0 % 16.0 % of those shown, 8.0 % to 24.0 % asked 400, shown to 250 20.0 % 20.0 %"
    assert said in page_text(judging, desk_page("groups"))
    # cash -> late: 40 of the 90. late -> cash: 40 of the 160 who come late and were shown cash.
    for number, true in ((4, "44.4 %"), (3, "25.0 %")):
        said = f"True confidence (known in this rehearsal): {true}."
        assert said in page_text(judging, desk_page(f"rules/{number}"))
