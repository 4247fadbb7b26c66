"""A reviewer's forms: on ticked rules, on all that fit a filter, on one; publishing; withdrawing.

The shorter a list, the wider its intervals; and a rule and its converse are one row, whose decision can be split.
"""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from django.db import transaction
from django.test import Client

from accounts.models import Person
from mining.nodes.report_nodes import HEAD_ENDS, Rule, sort_rules
from reports.models import Decision, Publication, Review
from reports.review import read_published_content, report_state_changes, rule_decisions
from reports.review.rule_decisions import rules_with_verdicts
from runs.models import Rule as RuleRow, Run
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.cast import As, make_once
from tests.reports import made
from tests.reports.conftest import Desk, accept, decide, page_text, reader
from tests.reports.made_nodes import rule, share
from tests.reports.sentences.test_fixed_sentences import with_usual_spaces
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
    note = "Ask again in spring. <script>alert(1)</script>"
    page = desk.post("rules/2/decide", verdict="more-data", note=note)
    assert desk.verdicts == [None, "more-data", None, None]
    assert page.index("Ask again in spring.") < page.index("By chance?")
    # A note cannot put markup into the page.
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "Choose a decision." in desk.post("rules/2/decide", verdict="")


def test_a_report_is_published_and_withdrawn_once(desk: Desk, reviewer: Person) -> None:
    desk.client.post(desk.address("publish"), {"groups": "theft"})
    assert not Publication.objects.exists()
    assert "nothing to withdraw" in desk.page("withdraw")
    assert "This report is not published." in desk.post("withdraw", reason="No.")
    accept(desk.review, reviewer, 1)
    before = desk.page("publish")
    for said in (
        "Some rules are undecided",
        "1 rule needs a decision. 2 rules need none: they fold beneath shorter rules or cannot be estimated.",
        "1 share came out below 0 %",
        'value="age"',
    ):
        assert said in before
    after = desk.post("publish", groups="age")
    assert "Published. The people who work on the survey get an email." in after
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
    assert "The people who work on the survey get an email with your reason." in desk.page("withdraw")
    after = desk.post("withdraw", reason="Forged records.")
    assert "Withdrawn. The people who work on the survey get an email with the reason." in after
    assert "Forged records." in after
    assert Review.objects.get().state == "withdrawn"


def test_the_list_in_the_administration_is_for_reviewers_and_leads_to_the_report(
    desk: Desk, partial: Person, superuser: Person, signed_in_as: As, reading: Client
) -> None:
    def list_page(client: Client) -> str:
        return str(client.get("/app/admin/reports/review/", follow=True).content.decode())

    assert desk.address("rules") in list_page(desk.client)
    assert desk.address("rules") not in list_page(signed_in_as(partial))
    assert signed_in_as(superuser).get("/app/admin/reports/review/").status_code == 403
    assert reading.get("/app/admin/reports/review/", follow=True).status_code == 403
    assert Client().get("/app/admin/reports/review/").status_code == 302
    assert desk.client.get(desk.address("change/"))["Location"] == desk.address("report")
    assert desk.client.get("/app/admin/reports/review/x/change/").status_code == 404
    assert desk.client.get("/app/admin/reports/review/add/").status_code == 403
    assert desk.client.get(desk.address("delete/")).status_code == 403
    report_state_changes.create_reviews_of_finished_runs(NOW)
    assert Review.objects.count() == 1


def test_a_run_that_is_done_stands_there_at_once(run: Any, judging: Client) -> None:
    assert "waits for a reviewer" in judging.get("/app/admin/reports/review/").content.decode()


ACCEPT, REJECT = Decision.Verdict.ACCEPT, Decision.Verdict.REJECT


def head(wider: float, association: int = 1) -> list[float]:
    """Every share from this below .5 to this above it; the lift from 1 to 3 at most."""
    ends = [0.5 - wider if name.endswith("low") else 0.5 + wider for name in HEAD_ENDS]
    return [association, 1.2 - wider, 2.0 + wider, *ends[2:]]


def rule_with_heads(number: int, heads: list[list[float]]) -> Rule:
    listed: dict[str, Any] = {f"{name}_listed": 0.0 for name in HEAD_ENDS}
    return rule(number=number, heads=tuple(map(tuple, heads)), **listed)


def test_a_row_has_the_intervals_of_its_place_in_the_list() -> None:
    rule = rule_with_heads(9, [head(0.3, 0), head(0.2), head(0.1)])
    assert rule.at_rank(8) == rule.at_rank(400) == rule
    for place, wider in ((1, 0.3), (2, 0.2), (3, 0.2), (4, 0.1), (7, 0.1)):
        found = rule.at_rank(place)
        assert found.confidence_low_listed == pytest.approx(0.5 - wider), place
        assert found.confidence_high_listed == pytest.approx(0.5 + wider), place
        assert found.lift_low_listed == pytest.approx(1.2 - wider), place
        assert found.association == (0 if place == 1 else 1), place
        # What is left are the shorter lists, so a list of a list is never narrower.
        assert found.at_rank(1).confidence_low_listed == pytest.approx(0.2), place
        assert found.at_rank(400) == found, place


def test_rules_and_itemsets_have_the_intervals_of_their_places() -> None:
    # Rules of a publication take the places there.
    rules = [rule_with_heads(40, [head(0.3), head(0.2), head(0.1)]), rule_with_heads(3, [head(0.25)])]
    found = sort_rules(rules, {})
    assert [rule.number for rule in found] == [3, 40]
    assert [rule.confidence_low_listed for rule in found] == pytest.approx([0.25, 0.3])
    assert sort_rules(sort_rules(rules, {}), {}) == sort_rules(rules, {})
    # A rule of three answers is the first of a list of its own, or the second of all in a report of one list.
    larger = replace(
        rule_with_heads(50, [head(0.3), head(0.2)]), antecedent=("a=yes", "b=yes"), consequent=("c=yes",)
    )
    for statements, low in (({"pairs": 5, "larger": 9}, 0.2), ({"pairs": 14}, 0.3)):
        assert sort_rules([*rules[1:], larger], statements)[1].confidence_low_listed == pytest.approx(low)
    # An itemset has the interval of its place.
    one = share(items=("a=yes", "b=yes"), low_listed=0.4, heads=((0.1, 0.9), (0.2, 0.8)))
    assert [one.at_rank(place).low_listed for place in (1, 2, 3, 4)] == [0.1, 0.2, 0.2, 0.4]
    # The share of one answer has its own interval at every place.
    one = share(low=0.45, high=0.55, low_listed=0.4, heads=((0.1, 0.9),))
    placed = [one.at_rank(place) for place in (1, 2, 9)]
    assert {(share.low_listed, share.high_listed) for share in placed} == {(0.45, 0.55)}


@pytest.fixture
def long_review(review: Review) -> Review:
    """Eight rules; the last has heads of its own, and its converse has the confidence of the run."""

    def make() -> Review:
        itemsets = list(review.run.itemsets.order_by("place"))
        for place in range(4, 8):
            row = made.rule(review.run, place, itemsets, **made.RULES[0])
            row.under = None
            if place == 7:
                row.both, row.heads = True, np.array([head(0.3, 0), head(0.2), head(0.1)]).tobytes()
            RuleRow.objects.bulk_create([row])
        return review

    return make_once(("eight rules",), make, lambda _first: review)


def test_a_filter_widens_the_intervals_and_says_why(
    long_review: Review, reviewer: Person, judging: Client
) -> None:
    client, desk = judging, f"/app/admin/reports/review/{long_review.pk}/rules"
    whole = page_text(client, f"{desk}?association=any&verdict=any")
    assert "picked out of" not in whole
    assert "20.0 % to 80.0 %" not in whole
    decide(long_review, reviewer, REJECT, 8)
    alone = page_text(client, f"{desk}?verdict=reject")
    assert "it was picked out of 15 pairs and 60 ways to divide more than two answers." in alone
    assert "20.0 % to 80.0 %" in alone
    # At the first place nothing is shown of it.
    assert alone.count("no association shown") > alone.count("more often together")


def test_a_rule_of_three_answers_is_the_first_of_a_list_below_that_of_pairs(
    run: Run, reviewer: Person, reading: Client, judging: Client
) -> None:
    made.rule_of_three(run, 4)
    review = made.waiting_review(run)
    desk = page_text(judging, f"/app/admin/reports/review/{review.pk}/rules/5")
    assert "As in the list, place 1 Picked out of the whole list" in desk
    assert "20.0 % to 80.0 %" in desk
    assert "20.0 % to 80.0 %" in page_text(
        judging, f"/app/admin/reports/review/{review.pk}/rules?q=&verdict=any"
    )
    made.publish(review, reviewer, (), 1, 5)
    page = page_text(reading, reader("rules"))
    pairs, larger = page.split(" Pairs Rule 1 ")[1].split(" Ways to divide more than two answers Rule 2 ")
    assert "(20–80)" not in with_usual_spaces(pairs)
    assert "(20–80)" in with_usual_spaces(larger)


def test_reader_sees_exactly_the_published_rules(
    long_review: Review, reviewer: Person, reading: Client, judging: Client
) -> None:
    accept(long_review, reviewer, 8)
    page = page_text(judging, f"/app/admin/reports/review/{long_review.pk}/publish")
    assert "The accepted rules, as they will be published" in page
    assert "(20–80)" in with_usual_spaces(page)
    made.publish(long_review, reviewer)
    (rule,) = read_published_content.published_rule_nodes(long_review)
    assert rule.confidence_low_listed == pytest.approx(0.2)
    assert (rule.association, rule.heads, rule.said) == (0, (), "both")
    read = page_text(reading, reader("rules"))
    assert "(20–80)" in with_usual_spaces(read)
    assert "⇄" in read
    assert "As in the list, place 1" in page_text(reading, reader("rules/1"))


def test_split_rule_states_one_direction(
    long_review: Review, reviewer: Person, reading: Client, judging: Client
) -> None:
    address = f"/app/admin/reports/review/{long_review.pk}/rules/8"
    before = page_text(judging, address)
    assert "only the other way round" in before
    # The page of a rule has all three intervals.
    assert "As in the list, place 8" in before
    assert re.search(r"match “then” 72\.0 % 60\.0 % to 84\.0 % 55\.0 % to 89\.0 % 20\.0 % to 80\.0 %", before)
    decide(long_review, reviewer, ACCEPT, 8, direction="rule")
    assert "accepted (only this way round)" in page_text(judging, address)
    judging.post(f"{address}/decide", {"verdict": "accept", "direction": "converse", "note": ""})
    assert "accepted (only the other way round)" in page_text(judging, address)
    for direction, grey in (("rule", "30 %"), ("converse", "72 %")):
        with transaction.atomic():
            decide(long_review, reviewer, ACCEPT, 8, direction=direction)
            report_state_changes.publish(Review.objects.get(), reviewer, [], "", NOW)
            (rule,) = read_published_content.published_rule_nodes(long_review)
            assert (rule.said, rule.confidence, rule.converse) == (direction, 0.72, 0.3)
            body = reading.get(reader("rules")).content.decode()
            rows = body.split('<ol class="rules"')[1].split("</ol>")[0]
            front, back = map(with_usual_spaces, rows.split('<p class="back">')[:2])
            assert (grey in back, grey in front, "⇄" in rows) == (True, False, False), direction
            transaction.set_rollback(True)


def test_split_is_possible_only_with_acceptance(
    long_review: Review, reviewer: Person, judging: Client
) -> None:
    client, address = judging, f"/app/admin/reports/review/{long_review.pk}/rules"
    assert "only the other way round" not in page_text(client, f"{address}/1")
    client.post(f"{address}/8/decide", {"verdict": "reject", "direction": "rule", "note": ""})
    assert "“Only one way round” goes with “Accept” alone." in page_text(client, f"{address}/8")
    for verdict, number in ((ACCEPT, 1), (REJECT, 8)):
        with pytest.raises(NotAllowed, match="Only one way round has"):
            decide(long_review, reviewer, verdict, number, direction="converse")
    assert not Decision.objects.exists()
    # An undo brings the direction back.
    decide(long_review, reviewer, ACCEPT, 8, direction="converse")
    decide(long_review, reviewer, ACCEPT, 8)
    last = Decision.objects.order_by("-pk")[0]
    rule_decisions.undo_decision(long_review, reviewer, 8, last.pk, NOW)
    (row,) = rules_with_verdicts(long_review.run).filter(place=7)
    assert (row.verdict, row.direction) == ("accept", "converse")


def test_the_filter_by_confidence_looks_at_both_directions(long_review: Review, judging: Client) -> None:
    kept = list(long_review.run.itemsets.order_by("place"))
    row = made.rule(long_review.run, 8, kept, **made.RULES[0])
    row.under, row.both, row.confidence, row.converse = None, True, 0.5, 0.9
    RuleRow.objects.bulk_create([row])
    client, address = judging, f"/app/admin/reports/review/{long_review.pk}/rules?association=any"
    assert 'data-rule="9"' in client.get(f"{address}&confidence=80").content.decode()
    assert 'data-rule="8"' not in client.get(f"{address}&confidence=80").content.decode()
