"""Itemsets and rules, as reviewers and researchers read them."""

import re

import pytest
from django.test import Client

from accounts.models import Person
from intake.rehearsal import true_counts
from reports import estimate_texts
from reports.models import Review
from reports.review import publishing
from runs.models import Rule, Run
from tests.mining.inference.test_sums_of_shares import VECTORS
from tests.reports import made
from tests.reports.paged import desk, reader, shown
from tests.reports.sentences.test_fixed_sentences import with_usual_spaces
from tests.surveys.conftest import NOW
from ui.number_format import format_percent

pytestmark = pytest.mark.page


def test_an_itemset_has_its_interval_and_adjusted_share_beside_the_raw_one_in_the_list(
    published: Review, reading: Client, judging: Client
) -> None:
    page = shown(judging, desk("itemsets"))
    assert "1,000 29.0 % 18.0 % 12.0 % to 24.0 % 19.0 % 17.5 % 1.5 %" in page
    assert "1,000 25.5 % 11.0 % 5.0 % to 17.0 % 12.0 % – 1.5 %" in page
    assert "Choose how many rows you will read before you look." in page
    assert "Of the intervals in these first rows, at most 5 % are expected to miss." in page
    assert "Answers whose estimated support is at least 10.0 %, alone or together." in page
    assert "Compared with the true values (simulated)" not in page
    for text in (page, shown(reading, reader("itemsets"))):
        assert "Pooled Adjusted Expected error" in text
        assert "never replaces the estimate" in text
        assert "18.0 % 12.0 % to 24.0 % 19.0 % 17.5 %" in text


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
    pairs: dict[true_counts.Itemset, int] = {((1, 1), (2, 1)): 90, ((2, 1), (3, 1)): 130}
    counts: dict[true_counts.Itemset, int] = {(item,): many for item, many in singles.items()}
    counts |= pairs
    counted = true_counts.CountedTruth(1000, counts)
    monkeypatch.setattr(true_counts, "read_truth", lambda survey: true_counts.StoredTruth(counted, counted))
    made.run(made.survey(owner, rehearsal=True))
    publishing.create_reviews_of_finished_runs(NOW)
    return Review.objects.with_surveys().get()


def test_a_rehearsal_says_by_size_how_far_it_is_from_the_truth(
    rehearsed: Review, reviewer: Person, reading: Client, judging: Client
) -> None:
    """By hand, of what 10 % and more gave: theft .25 for .24, late .4 for .41; both .18 for .09, late and cash .11 for
    .13. Neither the two ages nor cash were found. Readers are not told what was missed."""
    page = shown(judging, desk("itemsets"))
    assert "Truly rarer Missed 1 2 1.00 % 3.3 % 0 3 2 2 5.50 % 15.4 % 1 0 W is" in page
    made.publish(rehearsed, reviewer, (), 1)
    page = shown(reading, reader("itemsets"))
    assert "Truly rarer 1 2 1.00 % 3.3 % 0 2 1 9.00 % – 1 W is" in page
    assert "Missed" not in page


def test_a_rehearsal_without_an_accepted_rule_has_nothing_to_compare(
    rehearsed: Review, reviewer: Person, reading: Client
) -> None:
    made.publish(rehearsed, reviewer)
    page = shown(reading, reader("itemsets"))
    assert "There are no itemsets" in page
    assert "Compared with the true values (simulated)" not in page


def test_where_nothing_was_adjusted_no_column_says_so(review: Review, judging: Client) -> None:
    Run.objects.update(coherent=[])
    assert "Adjusted" not in shown(judging, desk("itemsets"))


def test_itemsets_are_by_support_and_filtered_by_the_address(review: Review, judging: Client) -> None:
    for query, shares in (
        ("", [40.0, 25.0, 18.0, 11.0]),
        ("?size=2", [18.0, 11.0]),
        ("?size=1", [40.0, 25.0]),
        ("?size=x&sort=nothing", [40.0, 25.0, 18.0, 11.0]),
    ):
        page = judging.get(desk("itemsets") + query).content.decode()
        assert [float(share) for share in re.findall(r"<strong>([\d.]+) %</strong>", page)] == shares, query


def test_a_rule_is_said_in_words_with_all_its_numbers(published: Review, reading: Client) -> None:
    page = shown(reading, reader("rules"))
    assert "1 rule" in page
    # Each question is said once, above the list.
    questions, rules = (
        page.index("Theft Have you taken something home?"),
        page.index("Of people who answered"),
    )
    assert questions < rules
    text = with_usual_spaces(page)
    for part in (
        "Of people who answered “Theft: Yes”, 72 % (55–89)",
        "answered “Late: Yes”;",
        "of all, 40 % did",
        "Of people who answered “Late: Yes”, 30 % (20–40)",
        "of all, 25 % did",
        "Of 1,000 people who were shown these questions: 40 % (30–50)",
        "1.80 1.35 to 2.35",
    ):
        assert part in text
    # No interval of a rule chosen before the survey stands in a list.
    assert "60.0 % to 84.0 %" not in page
    alone = shown(reading, reader("rules/1"))
    assert "Kulczynski" not in alone
    assert "Among the 1,000 who were shown these questions." in alone
    assert "As in the list, place 1" in alone
    assert re.search(
        r"Confidence of people matching “if”.* 72\.0 % 60\.0 % to 84\.0 % 55\.0 % to 89\.0 %", alone
    )
    assert re.search(r"other way round of people .* 30\.0 % 22\.0 % to 38\.0 % 20\.0 % to 40\.0 %", alone)
    assert re.search(r"“Then” among all .* 40\.0 % 30\.0 % to 50\.0 %", alone)
    # No list selects a base rate.
    assert "25.0 % to 55.0 %" not in alone
    assert "q, over all pairs upper bound" in alone
    assert "Shown to of these, records to which no rule hides any of it" in alone


def test_what_a_rule_cannot_say_it_does_not_print(review: Review, judging: Client) -> None:
    page = shown(judging, desk("rules/4"))
    assert "No association is shown here. This does not show that there is none." in page
    assert "more often together" not in page
    kept = list(review.run.itemsets.order_by("place"))
    unlimited, outside = (made.rule(review.run, place, kept, **made.RULES[0]) for place in (4, 5))
    unlimited.p, unlimited.q, unlimited.lift_high = 1e-9, 0.000999, None
    outside.confidence, outside.confidence_low_listed, outside.confidence_high_listed = 1.139, 0.449, 1.0
    Rule.objects.bulk_create([unlimited, outside])
    # A lift without an upper end says so, and a tiny chance is not nothing.
    page = shown(judging, desk("rules/5"))
    assert page.count("&lt; 0.001") == 2
    assert "1.80 1.40 or more 1.35 to 2.35" in page
    assert "0.000" not in page
    # An estimate outside of its interval is folded away on the page of the rule.
    page = shown(judging, desk("rules?verdict=any"))
    assert "too noisy to say: at least 44.9 %" in page
    assert "113.9 %" not in page
    assert "The estimated confidence is 113.9 %" in shown(judging, desk("rules/6"))
    assert "cannot be said: the counts contradict each other cannot be estimated" in page
    assert "104.0 %" not in page


def test_the_vectors_of_what_is_shown(subtests: pytest.Subtests) -> None:
    begins = {"above": "too noisy to say: at least", "below": "too noisy to say: at most"}
    for vector in VECTORS["shown"]:
        with subtests.test(estimate=vector["estimate"]):
            said = estimate_texts.share_text(vector["estimate"], vector["low"], vector["high"])
            if vector["words"] == "number":
                assert said == format_percent(vector["estimate"])
            else:
                assert said.startswith(begins.get(vector["words"], "cannot be said"))


def test_rules_of_other_estimators_say_where_their_intervals_are_too_narrow(
    review: Review, judging: Client
) -> None:
    said = "the intervals of its rules are too narrow"
    for page in ("rules", "rules/1"):
        assert said not in shown(judging, desk(page))
    for estimator, page in (("pooled", "rules"), ("combined", "rules/1")):
        Run.objects.update(parameters={**review.run.parameters, "estimator": estimator})
        assert said in shown(judging, desk(page)), estimator


def test_wherever_a_rule_was_found_again_it_says_what_that_does_not_mean(
    run: Run, reviewer: Person, reading: Client, judging: Client
) -> None:
    review = made.waiting(run)
    made.backtest(run, {"0": 0.815})
    rules = shown(judging, desk("rules"))
    assert "found again in 82 % of simulated surveys" in rules
    assert "Done, for 1 rule over 200 simulated surveys." in rules
    pages = [rules, shown(judging, desk("rules/1"))]
    assert "This is not the probability" not in shown(judging, desk("rules/2"))
    made.publish(review, reviewer, (), 1, 2)
    pages += [shown(reading, reader("rules")), shown(reading, reader("rules/1"))]
    assert "This is not the probability" not in shown(reading, reader("rules/2"))
    for text in pages:
        assert "82 %" in text
        assert text.count("10 to 25 percentage points less in practice") == 1
        assert text.count("This is not the probability that a rule is true.") == 1


def test_published_pages_say_of_being_found_again_what_was_published(
    published: Review, reading: Client
) -> None:
    made.backtest(published.run, {"0": 0.815})
    for page in ("rules", "rules/1", "itemsets"):
        text = shown(reading, reader(page))
        assert "82 %" not in text
        assert "simulated surveys" not in text


def test_htmx_gets_the_list_alone(published: Review, reading: Client) -> None:
    answer = reading.get(reader("rules"), headers={"HX-Request": "true"})
    assert answer.content.decode().strip().startswith('<div id="rules"')
    assert b"<html" not in answer.content
