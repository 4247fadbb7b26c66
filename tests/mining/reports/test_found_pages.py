"""Itemsets and rules, as reviewers and researchers read them."""

import re

import pytest

from mining.models import Run
from mining.reports import publishing
from mining.reports.models import Review
from people.models import Person
from surveys.intake import truth
from tests.cast import As
from tests.mining.reports import made
from tests.mining.reports.paged import accept, desk, reader, shown
from tests.surveys.conftest import NOW


def test_an_itemset_is_certain_or_borderline(review: Review, reviewer: Person, signed_in_as: As) -> None:
    page = shown(signed_in_as(reviewer), desk("itemsets"))
    assert re.search(r"certain 1,000 29\.0 % 18\.0 % 14\.0 % to 22\.0 % 19\.0 % 17\.5 % 1\.5 %", page)
    assert re.search(r"borderline 1,000 25\.5 % 11\.0 % 7\.0 % to 15\.0 % 12\.0 % – 1\.5 %", page)


def test_adjusted_shares_stand_beside_the_raw_ones_and_say_what_they_are(
    review: Review, reviewer: Person, owner: Person, signed_in_as: As
) -> None:
    accept(review, reviewer, 1)
    publishing.publish(review, reviewer, [], "", NOW)
    for client, address in ((signed_in_as(reviewer), desk), (signed_in_as(owner), reader)):
        page = shown(client, address("itemsets"))
        assert "Pooled Adjusted Expected error" in page
        assert "never replaces the reconstructed share" in page
        assert re.search(r"18\.0 % 14\.0 % to 22\.0 % 19\.0 % 17\.5 %", page)


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
    monkeypatch.setattr(truth, "read", lambda survey: truth.Known(1000, counts))
    made.run(made.survey(owner, rehearsal=True))
    publishing.take_in(NOW)
    return Review.objects.with_surveys().get()


def test_a_rehearsal_says_by_size_how_far_it_is_from_the_truth(
    rehearsed: Review, reviewer: Person, owner: Person, signed_in_as: As
) -> None:
    """By hand, of what 10 % and more gave: theft .25 for .24, late .4 for .41; both .18 for .09, late and cash .11 for
    .13. Neither the two ages nor cash were found. Readers are not told what was missed."""
    page = shown(signed_in_as(reviewer), desk("itemsets"))
    assert "In truth rarer Missed 1 2 1.00 % 3.3 % 0 3 2 2 5.50 % 15.4 % 1 0 W is" in page
    accept(rehearsed, reviewer, 1)
    publishing.publish(rehearsed, reviewer, [], "", NOW)
    page = shown(signed_in_as(owner), reader("itemsets"))
    assert "In truth rarer 1 2 1.00 % 3.3 % 0 2 1 9.00 % – 1 W is" in page
    assert "Missed" not in page


def test_a_rehearsal_without_an_accepted_rule_has_nothing_to_compare(
    rehearsed: Review, reviewer: Person, owner: Person, signed_in_as: As
) -> None:
    publishing.publish(rehearsed, reviewer, [], "", NOW)
    page = shown(signed_in_as(owner), reader("itemsets"))
    assert "There are no itemsets" in page
    assert "Against the truth" not in page


def test_without_a_known_truth_nothing_is_compared_with_it(
    review: Review, reviewer: Person, signed_in_as: As
) -> None:
    assert "Against the truth" not in shown(signed_in_as(reviewer), desk("itemsets"))


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
        ("?certain=no", [11.0]),
        ("?certain=yes&size=1&sort=-support", [40.0, 25.0]),
        ("?size=x&certain=maybe&sort=nothing", [40.0, 25.0, 18.0, 11.0]),
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
    assert "1 rule fits." in page
    assert "if Yes Have you taken something home? then Yes Do you come late certain" in page
    assert "18.0 % 14.0 % to 22.0 % 72.0 % 60.0 % to 84.0 % 1.80 1.40 to 2.30 0.010" in page
    assert "Kulczynski" in shown(signed_in_as(owner), reader("rules/1"))


def test_wherever_a_rule_was_found_again_it_says_what_that_does_not_mean(
    run: Run, reviewer: Person, owner: Person, signed_in_as: As
) -> None:
    publishing.take_in(NOW)
    review = Review.objects.with_surveys().get()
    made.backtest(run, {"0": 0.815})
    accept(review, reviewer, 1, 2)
    publishing.publish(review, reviewer, [], "", NOW)
    for client, address in ((signed_in_as(owner), reader), (signed_in_as(reviewer), desk)):
        for page in ("rules", "rules/1"):
            text = shown(client, address(page))
            assert "82 %" in text
            assert text.count("by 10 to 25 percentage points in simulation") == 1
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
    page = shown(signed_in_as(reviewer), desk("rules"))
    assert "104.0 % noise cannot be estimated" in page


def test_htmx_gets_the_list_alone(published: Review, owner: Person, signed_in_as: As) -> None:
    answer = signed_in_as(owner).get(reader("rules"), headers={"HX-Request": "true"})
    assert answer.content.decode().strip().startswith('<div id="rules"')
    assert b"<html" not in answer.content
