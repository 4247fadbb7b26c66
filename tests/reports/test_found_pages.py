"""Itemsets and rules, as reviewers and researchers read them."""

import re

import pytest

from intake.rehearsal import truth
from people.models import Person
from reports import publishing
from reports.models import Review
from runs.models import Rule, Run
from tests.cast import As
from tests.reports import made
from tests.reports.paged import accept, desk, reader, shown
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def test_an_itemset_clears_the_threshold_or_could_be_below_it(
    review: Review, reviewer: Person, signed_in_as: As
) -> None:
    page = shown(signed_in_as(reviewer), desk("itemsets"))
    after = "after the search 12.0 % to 24.0 %"
    assert f"clears thresholds 1,000 29.0 % 18.0 % 14.0 % to 22.0 % {after} 19.0 % 17.5 % 1.5 %" in page
    after = "after the search 5.0 % to 17.0 %"
    assert f"could be below 1,000 25.5 % 11.0 % 7.0 % to 15.0 % {after} 12.0 % – 1.5 %" in page
    assert "At most 5 % of these badges are expected to be false." in page
    assert "At most 5 % of these intervals are expected to miss." in page
    assert "Answers whose estimated support is at least 10.0 %, alone or together." in page


def test_adjusted_shares_stand_beside_the_raw_ones_and_say_what_they_are(
    review: Review, reviewer: Person, owner: Person, signed_in_as: As
) -> None:
    accept(review, reviewer, 1)
    publishing.publish(review, reviewer, [], "", NOW)
    for client, address in ((signed_in_as(reviewer), desk), (signed_in_as(owner), reader)):
        page = shown(client, address("itemsets"))
        assert "Pooled Adjusted Expected error" in page
        assert "never replaces the estimate" in page
        assert "18.0 % 14.0 % to 22.0 % after the search 12.0 % to 24.0 % 19.0 % 17.5 %" in page


@pytest.fixture
def rehearsed(owner: Person, monkeypatch: pytest.MonkeyPatch) -> Review:
    """1,000 respondents, of whom 240 truly said yes to theft, 410 to late and 90 to both, 130 to late and cash, 200 to
    cash; those who are young are 400."""
    singles = {
        (0, 0): 400,
        (0, 1): 600,
        (1, 0): 760,
        (1, 1): 240,
        (2, 0): 590,
        (2, 1): 410,
        (3, 0): 800,
        (3, 1): 200,
    }
    pairs: dict[truth.Itemset, int] = {((1, 1), (2, 1)): 90, ((2, 1), (3, 1)): 130}
    counts: dict[truth.Itemset, int] = {(item,): many for item, many in singles.items()}
    counts |= pairs
    counted = truth.CountedTruth(1000, counts)
    monkeypatch.setattr(truth, "read", lambda survey: truth.StoredTruth(counted, counted))
    made.run(made.survey(owner, rehearsal=True))
    publishing.add_finished_runs(NOW)
    return Review.objects.with_surveys().get()


def test_a_rehearsal_says_by_size_how_far_it_is_from_the_truth(
    rehearsed: Review, reviewer: Person, owner: Person, signed_in_as: As
) -> None:
    """By hand, of what 10 % and more gave: theft .25 for .24, late .4 for .41; both .18 for .09, late and cash .11 for
    .13. Neither the two ages nor cash were found. Readers are not told what was missed."""
    page = shown(signed_in_as(reviewer), desk("itemsets"))
    assert "Truly rarer Missed 1 2 1.00 % 3.3 % 0 3 2 2 5.50 % 15.4 % 1 0 W is" in page
    accept(rehearsed, reviewer, 1)
    publishing.publish(rehearsed, reviewer, [], "", NOW)
    page = shown(signed_in_as(owner), reader("itemsets"))
    assert "Truly rarer 1 2 1.00 % 3.3 % 0 2 1 9.00 % – 1 W is" in page
    assert "Missed" not in page


def test_a_rehearsal_without_an_accepted_rule_has_nothing_to_compare(
    rehearsed: Review, reviewer: Person, owner: Person, signed_in_as: As
) -> None:
    publishing.publish(rehearsed, reviewer, [], "", NOW)
    page = shown(signed_in_as(owner), reader("itemsets"))
    assert "There are no itemsets" in page
    assert "Compared with the true values (simulated)" not in page


def test_without_a_known_truth_nothing_is_compared_with_it(
    review: Review, reviewer: Person, signed_in_as: As
) -> None:
    assert "Compared with the true values (simulated)" not in shown(signed_in_as(reviewer), desk("itemsets"))


def test_where_nothing_was_adjusted_no_column_says_so(
    review: Review, reviewer: Person, signed_in_as: As
) -> None:
    Run.objects.update(findings={**made.FINDINGS, "coherent": []})
    assert "Adjusted" not in shown(signed_in_as(reviewer), desk("itemsets"))


@pytest.mark.parametrize(
    ("query", "shares"),
    [
        ("", [40.0, 25.0, 18.0, 11.0]),
        ("?sort=support", [11.0, 18.0, 25.0, 40.0]),
        ("?size=2", [18.0, 11.0]),
        ("?holds=no", [11.0]),
        ("?holds=yes&size=1&sort=-support", [40.0, 25.0]),
        ("?size=x&holds=maybe&sort=nothing", [40.0, 25.0, 18.0, 11.0]),
    ],
)
def test_itemsets_are_sorted_and_filtered_by_the_address(
    review: Review, reviewer: Person, signed_in_as: As, query: str, shares: list[float]
) -> None:
    page = signed_in_as(reviewer).get(desk("itemsets") + query).content.decode()
    assert [float(share) for share in re.findall(r"<strong>([\d.]+) %</strong>", page)] == shares


def test_a_rule_is_said_in_words_with_all_its_numbers(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    page = shown(signed_in_as(owner), reader("rules"))
    assert "1 rule" in page
    assert (
        "if Yes Theft Have you taken something home? then Yes Late Do you come late clears thresholds among the "
        "1,000 who could give all these answers" in page
    )
    assert "18.0 % 14.0 % to 22.0 % after the search 12.0 % to 24.0 %" in page
    assert "72.0 % 60.0 % to 84.0 % after the search 55.0 % to 89.0 %" in page
    assert "1.80 1.40 to 2.30 after the search 1.35 to 2.35 0.010" in page
    assert "an upper bound on the expected share of false discoveries" in page
    alone = shown(signed_in_as(owner), reader("rules/1"))
    assert "Kulczynski" in alone
    assert "Among the 1,000 who could give all these answers." in alone
    assert "Support and confidence reach the minimums of the run, allowing for the search." in alone
    assert re.search(
        r"Confidence of people matching “if”.* 72\.0 % 60\.0 % to 84\.0 % after the search 55\.0 %", alone
    )
    assert re.search(r"q′ upper bound .* 0\.020", alone)
    assert "Shown to of these, records to which no rule hides any of it" in alone


def test_a_rule_that_could_be_below_its_thresholds_says_so(
    review: Review, reviewer: Person, signed_in_as: As
) -> None:
    page = shown(signed_in_as(reviewer), desk("rules/4"))
    assert "could be below" in page
    assert (
        "The data do not rule out that the support or the confidence is below the minimum of the run." in page
    )
    assert "At most 5 % of these badges" not in page


def test_a_value_without_a_number_is_a_dash_and_a_tiny_chance_is_not_nothing(
    review: Review, reviewer: Person, signed_in_as: As
) -> None:
    kept = list(review.run.itemsets.order_by("place"))
    row = made.rule(review.run, 4, kept, **made.RULES[0])
    row.p, row.q, row.q_holds, row.lift_high, row.conviction = 1e-9, 0.000999, 0.0, None, None
    Rule.objects.bulk_create([row])
    client = signed_in_as(reviewer)
    page = shown(client, desk("rules/5"))
    assert page.count("&lt; 0.001") == 3
    assert re.search(r"Conviction how much rarer exceptions are [^0-9]* – ", page)
    assert "1.80 1.40 or more after the search 1.35 to 2.35" in page
    assert "&lt; 0.001" in shown(client, desk("rules"))
    assert "0.000" not in page


@pytest.mark.parametrize(("estimator", "said"), [("stratified", False), ("pooled", True), ("combined", True)])
def test_rules_of_other_estimators_say_where_their_intervals_are_too_narrow(
    review: Review, reviewer: Person, signed_in_as: As, estimator: str, said: bool
) -> None:
    Run.objects.update(parameters={**review.run.parameters, "estimator": estimator})
    client = signed_in_as(reviewer)
    for page in ("rules", "rules/1"):
        assert ("the intervals of its rules are too narrow" in shown(client, desk(page))) is said


def test_wherever_a_rule_was_found_again_it_says_what_that_does_not_mean(
    run: Run, reviewer: Person, owner: Person, signed_in_as: As
) -> None:
    publishing.add_finished_runs(NOW)
    review = Review.objects.with_surveys().get()
    made.backtest(run, {"0": 0.815})
    accept(review, reviewer, 1, 2)
    publishing.publish(review, reviewer, [], "", NOW)
    for client, address in ((signed_in_as(owner), reader), (signed_in_as(reviewer), desk)):
        for page in ("rules", "rules/1"):
            text = shown(client, address(page))
            assert "82 %" in text
            assert text.count("10 to 25 percentage points less in practice") == 1
            assert text.count("This is not the probability that a rule is true.") == 1
        assert "This is not the probability" not in shown(client, address("rules/2"))


def test_published_pages_say_of_being_found_again_what_was_published(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    made.backtest(published.run, {"0": 0.815})
    for page in ("rules", "rules/1", "pictures"):
        text = shown(signed_in_as(owner), reader(page))
        assert "82 %" not in text
        assert "simulated surveys" not in text


def test_what_cannot_be_estimated_is_said_and_noise_is_marked(
    review: Review, reviewer: Person, signed_in_as: As
) -> None:
    page = shown(signed_in_as(reviewer), desk("rules?verdict=any"))
    assert "104.0 % noise cannot be estimated" in page


def test_htmx_gets_the_list_alone(published: Review, owner: Person, signed_in_as: As) -> None:
    answer = signed_in_as(owner).get(reader("rules"), headers={"HX-Request": "true"})
    assert answer.content.decode().strip().startswith('<div id="rules"')
    assert b"<html" not in answer.content
