"""The shorter a list, the wider its intervals; and a rule and its converse are one row, whose decision can be split."""

import re
from typing import Any

import numpy as np
import pytest
from django.test import Client

from accounts.models import Person
from mining.report.report_nodes import HEAD_ENDS, Estimate, Rule, sort_rules
from reports.models import Decision, Review
from reports.review import read_published_content, rule_decisions
from reports.review.rule_decisions import rules_with_verdicts
from runs.models import Rule as RuleRow
from surveys.questionnaire.problems_and_refusals import NotAllowed
from tests.kept_rows import kept
from tests.reports import made
from tests.reports.paged import accept, reader, shown
from tests.reports.sentences.test_fixed_sentences import with_usual_spaces
from tests.surveys.conftest import NOW

ACCEPT, REJECT = Decision.Verdict.ACCEPT, Decision.Verdict.REJECT


def head(wider: float, association: int = 1) -> list[float]:
    """Every share from this below .5 to this above it; the lift from 1 to 3 at most."""
    ends = [0.5 - wider if name.endswith("low") else 0.5 + wider for name in HEAD_ENDS]
    return [association, 1.2 - wider, 2.0 + wider, *ends[2:]]


def reported(number: int, heads: list[list[float]]) -> Rule:
    listed: dict[str, Any] = {f"{name}_listed": 0.0 for name in HEAD_ENDS}
    numbers: dict[str, Any] = dict.fromkeys(
        (
            *("antecedent_support", "consequent_support", "support", "support_low", "support_high"),
            *("confidence", "confidence_low", "confidence_high", "lift", "lift_low", "lift_high", "p", "q"),
        ),
        0.5,
    )
    return Rule(
        number=number,
        antecedent=("a=yes",),
        consequent=("b=yes",),
        n_asked=100,
        under=None,
        n_shown_all=100,
        association=1,
        both=True,
        said="both",
        heads=tuple(map(tuple, heads)),
        **listed,
        **numbers,
    )


def test_a_row_has_the_intervals_of_its_place_in_the_list() -> None:
    rule = reported(9, [head(0.3, 0), head(0.2), head(0.1)])
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
    rules = [reported(40, [head(0.3), head(0.2), head(0.1)]), reported(3, [head(0.25)])]
    found = sort_rules(rules)
    assert [rule.number for rule in found] == [3, 40]
    assert [rule.confidence_low_listed for rule in found] == pytest.approx([0.25, 0.3])
    assert sort_rules(sort_rules(rules)) == sort_rules(rules)
    # An itemset has the interval of its place.
    nothing: dict[str, Any] = dict.fromkeys(
        ("n_asked", "n_open", "observed", "se", "low", "high", "pooled", "expected_w")
    )
    one = Estimate(
        items=("a=yes", "b=yes"), support=0.5, **nothing, low_listed=0.4, heads=((0.1, 0.9), (0.2, 0.8))
    )
    assert [one.at_rank(place).low_listed for place in (1, 2, 3, 4)] == [0.1, 0.2, 0.2, 0.4]
    # The share of one answer has its own interval at every place.
    one = Estimate(items=("a=yes",), support=0.5, low=0.45, high=0.55, low_listed=0.4, heads=((0.1, 0.9),))
    assert {(one.at_rank(place).low_listed, one.at_rank(place).high_listed) for place in (1, 2, 9)} == {
        (0.45, 0.55)
    }


@pytest.fixture
def long(review: Review) -> Review:
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

    return kept(("eight rules",), make, lambda _first: review)


pages = pytest.mark.page


@pages
def test_a_filter_widens_the_intervals_and_says_why(long: Review, reviewer: Person, judging: Client) -> None:
    client, desk = judging, f"/app/admin/reports/review/{long.pk}/rules"
    whole = shown(client, f"{desk}?association=any&verdict=any")
    assert "picked out of 75 pairs" not in whole
    assert "20.0 % to 80.0 %" not in whole
    decide(long, reviewer, 8, REJECT)
    alone = shown(client, f"{desk}?verdict=reject")
    assert "The shorter the list, the wider its intervals: it was picked out of 75 pairs." in alone
    assert "20.0 % to 80.0 %" in alone
    # At the first place nothing is shown of it.
    assert alone.count("no association shown") > alone.count("more often together")


@pages
def test_before_a_publication_its_intervals_are_shown_and_they_are_published(
    long: Review, reviewer: Person, reading: Client, judging: Client
) -> None:
    accept(long, reviewer, 8)
    page = shown(judging, f"/app/admin/reports/review/{long.pk}/publish")
    assert "The accepted rules, as they will be published" in page
    assert "(20–80)" in with_usual_spaces(page)
    made.publish(long, reviewer)
    (rule,) = read_published_content.rules_in_publication(long)
    assert rule.confidence_low_listed == pytest.approx(0.2)
    assert (rule.association, rule.heads, rule.said) == (0, (), "both")
    read = shown(reading, reader("rules"))
    assert "(20–80)" in with_usual_spaces(read)
    assert "⇄" in read
    assert "As in the list, place 1" in shown(reading, reader("rules/1"))


@pages
def test_a_split_publishes_one_direction_and_shows_the_other_in_grey(
    long: Review, reviewer: Person, reading: Client, judging: Client
) -> None:
    address = f"/app/admin/reports/review/{long.pk}/rules/8"
    before = shown(judging, address)
    assert "only the other way round" in before
    # The page of a rule has all three intervals.
    assert "As in the list, place 8" in before
    assert re.search(r"match “then” 72\.0 % 60\.0 % to 84\.0 % 55\.0 % to 89\.0 % 20\.0 % to 80\.0 %", before)
    decide(long, reviewer, 8, ACCEPT, "rule")
    assert "accepted (only this way round)" in shown(judging, address)
    judging.post(f"{address}/decide", {"verdict": "accept", "direction": "converse", "note": ""})
    assert "accepted (only the other way round)" in shown(judging, address)
    made.publish(long, reviewer)
    (rule,) = read_published_content.rules_in_publication(long)
    assert (rule.said, rule.confidence, rule.converse) == ("converse", 0.72, 0.3)
    rows = shown_rules(reading)
    front, back = map(with_usual_spaces, rows.split('<p class="back">')[:2])
    assert "72 %" in back
    assert "72 %" not in front
    assert "⇄" not in rows


@pages
def test_the_other_direction_is_published_as_it_is_decided(
    long: Review, reviewer: Person, reading: Client
) -> None:
    decide(long, reviewer, 8, ACCEPT, "rule")
    made.publish(long, reviewer)
    (rule,) = read_published_content.rules_in_publication(long)
    assert (rule.said, rule.confidence, rule.converse) == ("rule", 0.72, 0.3)
    front, back = map(with_usual_spaces, shown_rules(reading).split('<p class="back">')[:2])
    assert "30 %" in back
    assert "30 %" not in front


def shown_rules(reading: Client) -> str:
    body = reading.get(reader("rules")).content.decode()
    return str(body.split('<ol class="rules"')[1].split("</ol>")[0])


@pages
def test_a_split_needs_both_directions_and_goes_with_accept_alone(
    long: Review, reviewer: Person, judging: Client
) -> None:
    client, address = judging, f"/app/admin/reports/review/{long.pk}/rules"
    assert "only the other way round" not in shown(client, f"{address}/1")
    client.post(f"{address}/8/decide", {"verdict": "reject", "direction": "rule", "note": ""})
    assert "“Only one way round” goes with “Accept” alone." in shown(client, f"{address}/8")
    with pytest.raises(NotAllowed, match="Only one way round has"):
        decide(long, reviewer, 1, ACCEPT, "converse")
    with pytest.raises(NotAllowed, match="Only one way round has"):
        decide(long, reviewer, 8, REJECT, "converse")
    assert not Decision.objects.exists()


@pages
def test_an_undo_brings_the_direction_back(long: Review, reviewer: Person) -> None:
    decide(long, reviewer, 8, ACCEPT, "converse")
    decide(long, reviewer, 8, ACCEPT)
    last = Decision.objects.order_by("-pk")[0]
    rule_decisions.undo_decision(long, reviewer, 8, last.pk, NOW)
    (row,) = rules_with_verdicts(long.run).filter(place=7)
    assert (row.verdict, row.direction) == ("accept", "converse")


@pages
def test_the_filter_by_confidence_looks_at_both_directions(long: Review, judging: Client) -> None:
    kept = list(long.run.itemsets.order_by("place"))
    row = made.rule(long.run, 8, kept, **made.RULES[0])
    row.under, row.both, row.confidence, row.converse = None, True, 0.5, 0.9
    RuleRow.objects.bulk_create([row])
    client, address = judging, f"/app/admin/reports/review/{long.pk}/rules?association=any"
    assert 'data-rule="9"' in client.get(f"{address}&confidence=80").content.decode()
    assert 'data-rule="8"' not in client.get(f"{address}&confidence=80").content.decode()


def decide(
    review: Review, person: Person, number: int, verdict: Decision.Verdict, direction: str = ""
) -> None:
    rules = rules_with_verdicts(review.run).filter(place=number - 1)
    rule_decisions.decide_rules(review, person, rules, verdict, "", NOW, direction)
