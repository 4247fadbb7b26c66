"""Every page, for whom it is and for whom it is not; and that nothing unpublished reaches a researcher."""

import json
import re
from typing import Any

import pytest
from django.test import Client

from mining.models import Run
from mining.reports import deciding, publishing
from mining.reports.deciding import with_verdicts
from mining.reports.models import Decision, Review
from people.models import Person
from surveys.intake import truth
from surveys.models import Survey
from tests.cast import As
from tests.mining.reports import made
from tests.surveys.conftest import NOW

PAGES = [
    "",
    "groups",
    "itemsets",
    "rules",
    "rules/1",
    "pictures",
    "pictures/shares.json",
    "pictures/shares.csv",
]
PUBLISHED = [*PAGES, "files", "files/json", "files/csv", "files/excel", "files/parquet"]
WHOLE = ["report", *PAGES[1:], "publish", "withdraw"]
POSTS = ["rules/decide", "rules/1/decide", "publish", "withdraw", "backtest"]


def reader(page: str) -> str:
    return f"/reports/{Review.objects.get().pk}/{page}"


def desk(page: str) -> str:
    """Where a reviewer works."""
    return f"/admin/reports/review/{Review.objects.get().pk}/{page}"


def accept(review: Review, reviewer: Person, *numbers: int) -> None:
    rules = with_verdicts(review.run).filter(place__in=[number - 1 for number in numbers])
    deciding.decide(review, reviewer, rules, Decision.Verdict.ACCEPT, "", NOW)


@pytest.fixture
def published(review: Review, reviewer: Person) -> Review:
    """With rule 1 and the shares within the classes of age."""
    accept(review, reviewer, 1)
    publishing.publish(review, reviewer, ["age"], "", NOW)
    return review


def shown(client: Client, address: str, status: int = 200) -> str:
    answer = client.get(address)
    assert answer.status_code == status, address
    return words(answer)


def words(answer: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


# --- who may see what -----------------------------------------------------------------------------------


def answers(client: Client, pages: list[str], address: Any = reader, **post: Any) -> dict[str, int]:
    """Each page's status, to a GET or, where there is something to post, to a POST."""
    found = {}
    for page in pages:
        answer = client.post(address(page), post) if post else client.get(address(page))
        found[page] = answer.status_code
    return found


def all_say(status: int, found: dict[str, int]) -> bool:
    return set(found.values()) == {status}


def test_nobody_is_sent_to_the_sign_in_page(published: Review) -> None:
    assert all_say(302, answers(Client(), PUBLISHED))
    assert Client().get(reader("rules"))["Location"].startswith("/account/sign-in?next=")


def test_another_researcher_finds_no_such_page(published: Review, stranger: Person, signed_in_as: As) -> None:
    assert all_say(404, answers(signed_in_as(stranger), PUBLISHED))


def test_whoever_may_see_the_survey_reads_what_is_published(
    published: Review, viewer: Person, signed_in_as: As
) -> None:
    assert all_say(200, answers(signed_in_as(viewer), PUBLISHED))


def test_a_page_takes_no_other_method(published: Review, owner: Person, signed_in_as: As) -> None:
    assert all_say(405, answers(signed_in_as(owner), PUBLISHED, some="thing"))


@pytest.mark.parametrize("state", ["waiting", "in-review", "withdrawn"])
def test_what_is_not_published_is_refused(
    published: Review, owner: Person, superuser: Person, signed_in_as: As, state: str
) -> None:
    Review.objects.update(state=state)
    for person in (owner, superuser):
        assert all_say(403, answers(signed_in_as(person), PUBLISHED[1:]))


def test_before_publication_the_front_page_says_where_it_is_and_no_number(
    review: Review, owner: Person, signed_in_as: As
) -> None:
    page = shown(signed_in_as(owner), reader(""))
    assert "waits for a reviewer" in page
    assert "%" not in page


def test_a_withdrawn_report_shows_the_reason_and_no_number(
    published: Review, reviewer: Person, owner: Person, signed_in_as: As
) -> None:
    publishing.withdraw(published, reviewer, "Forged records.", "", NOW)
    page = shown(signed_in_as(owner), reader(""))
    assert "Forged records." in page
    assert "%" not in page


def test_a_reviewer_is_led_from_the_waiting_page_to_the_report(
    review: Review, reviewer: Person, partial: Person, signed_in_as: As
) -> None:
    assert desk("report") in signed_in_as(reviewer).get(reader("")).content.decode()
    assert desk("report") not in signed_in_as(partial).get(reader("")).content.decode()


def test_nobody_gets_to_the_reviewers_desk(review: Review) -> None:
    assert all_say(302, answers(Client(), WHOLE, desk))
    assert Client().get(desk("report"))["Location"].startswith("/admin/login/?next=")


def test_neither_researchers_nor_those_with_a_share_in_it_get_there(
    review: Review, owner: Person, partial: Person, superuser: Person, signed_in_as: As
) -> None:
    assert all_say(403, answers(signed_in_as(partial), WHOLE, desk))
    assert all_say(403, answers(signed_in_as(superuser), WHOLE, desk))
    assert all_say(302, answers(signed_in_as(owner), WHOLE, desk))
    assert signed_in_as(owner).get(desk("report"), follow=True).status_code == 403


def test_a_reviewer_sees_the_whole_run(review: Review, reviewer: Person, signed_in_as: As) -> None:
    assert all_say(200, answers(signed_in_as(reviewer), WHOLE, desk))


def test_what_changes_something_takes_only_a_post(review: Review, reviewer: Person, signed_in_as: As) -> None:
    changing = ["rules/decide", "rules/1/decide", "backtest"]
    assert all_say(405, answers(signed_in_as(reviewer), changing, desk))


def test_what_only_shows_takes_no_post(review: Review, reviewer: Person, signed_in_as: As) -> None:
    assert all_say(405, answers(signed_in_as(reviewer), WHOLE[:-2], desk, some="thing"))


def test_only_a_reviewer_without_a_share_in_it_changes_something(
    review: Review, owner: Person, partial: Person, superuser: Person, signed_in_as: As
) -> None:
    data = {"verdict": "accept", "which": "fitting", "fitting": "4", "reason": "No."}
    assert all_say(302, answers(Client(), POSTS, desk, **data))
    assert all_say(302, answers(signed_in_as(owner), POSTS, desk, **data))
    for person in (partial, superuser):
        assert all_say(403, answers(signed_in_as(person), POSTS, desk, **data))
    assert Review.objects.get().state == "waiting"
    assert not Decision.objects.exists()


def test_what_does_not_exist_is_not_found(
    published: Review, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    nothing = ["rules/9", "rules/0", "pictures/nothing.json", "pictures/nothing.csv"]
    assert all_say(404, answers(signed_in_as(owner), [*nothing, "files/exe"]))
    assert all_say(404, answers(signed_in_as(reviewer), nothing, desk))


# --- what a researcher reads ----------------------------------------------------------------------------


def test_no_page_and_no_file_holds_an_unpublished_number(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    for page in PUBLISHED:
        text = client.get(reader(page)).content.decode(errors="replace")
        for unpublished in ("45.0", "45 %", "104.0 %", "1.04", "0.45", "11.0 %"):
            assert unpublished not in text, page


def test_a_rule_that_was_not_accepted_is_not_found(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    assert client.get(reader("rules/1")).status_code == 200
    for number in (2, 3, 4):
        assert client.get(reader(f"rules/{number}")).status_code == 404


def test_the_front_page_says_what_was_asked_of_how_many_and_how(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    page = shown(signed_in_as(owner), reader(""))
    for said in (
        "The answers of 1,000 people",
        "1,000, sealed in batches 1 to 2",
        "200 (20.0 %)",
        "1 plain and 3 sensitive questions",
        "stratified: open and disguised",
        published.run.design,
        "by Ruth Reviewer",
        "0 rejected, 0 need more data, 3 undecided",
        "who took part and who stayed away",
    ):
        assert said in page


@pytest.mark.parametrize(
    ("fits", "of_the_run", "of_what_is_published"),
    [
        (0.0213, "A smallest support of 0.0213 would fit.", "A smallest support of 0.05 would fit."),
        (0.9, "A smallest support of 0.9 would fit.", "Ask for a higher smallest support, or for smaller"),
        (None, "No smallest support would fit: ask for smaller", "Ask for a higher smallest support, or for"),
    ],
)
def test_where_too_many_itemsets_stopped_the_run_a_threshold_that_would_fit_is_said(
    review: Review,
    reviewer: Person,
    owner: Person,
    signed_in_as: As,
    fits: float | None,
    of_the_run: str,
    of_what_is_published: str,
) -> None:
    """To readers only one of a short list, since the exact one would tell of what is not published."""
    Run.objects.update(stopped={"size": 3, "most": 200_000, "fits": fits})
    said = "3 or more answers together: there were too many to count at these thresholds. "
    assert said + of_the_run in shown(signed_in_as(reviewer), desk("report"))
    publishing.publish(Review.objects.with_surveys().get(), reviewer, [], "", NOW)
    client = signed_in_as(owner)
    assert said + of_what_is_published in shown(client, reader(""))
    file = json.loads(client.get(reader("files/json")).content)
    assert file["stopped_at"] == 3
    assert file["fits"] == {0.0213: 0.05}.get(fits or 0)


def test_every_share_stands_with_its_interval(published: Review, owner: Person, signed_in_as: As) -> None:
    page = shown(signed_in_as(owner), reader(""))
    assert re.search(r"Have you taken something home\? theft .* 25\.0 % 21\.0 % to 29\.0 % 26\.0 %", page)
    assert re.search(r"18 to 39 1,000 40\.0 % 36\.0 % to 44\.0 %", page)


def test_a_share_below_nothing_is_marked_as_noise_and_not_cut_off(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    page = shown(signed_in_as(owner), reader(""))
    assert "−1.2 % noise −5.2 % to 2.8 %" in page
    assert page.count(" noise ") >= 1


def test_the_test_that_the_groups_are_alike_speaks_in_words(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    page = shown(signed_in_as(owner), reader(""))
    assert "Those who answered openly are not like the others" in page
    assert "10 % of the open answers, 30 % of the disguised ones" in page


def test_where_too_few_were_asked_nothing_is_estimated(
    survey: Survey, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    few = [made.answer(item, None) for item in range(8)]
    made.run(survey, findings={**made.FINDINGS, "answers": few})
    publishing.take_in(NOW)
    publishing.publish(Review.objects.with_surveys().get(), reviewer, [], "", NOW)
    client = signed_in_as(owner)
    page = shown(client, reader(""))
    assert "too few asked" in page
    assert "Nothing is estimated from fewer than 50 records" in page
    assert client.get(reader("pictures")).status_code == 200


def test_shares_by_group_stand_side_by_side_with_a_test(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    page = shown(signed_in_as(owner), reader("groups"))
    assert "18 to 39 40 or older All p" in page
    assert re.search(r"35\.0 % 29\.0 % to 41\.0 % 18\.0 % 13\.0 % to 23\.0 % 24\.8 % 0\.000", page)
    assert re.search(r"−5\.0 % noise −12\.0 % to 2\.0 % too few", page)


@pytest.mark.parametrize(("estimator", "said"), [("stratified", False), ("pooled", True), ("combined", True)])
def test_what_is_stratified_whatever_the_run_was_says_so(
    review: Review, reviewer: Person, signed_in_as: As, estimator: str, said: bool
) -> None:
    Run.objects.update(parameters={**review.run.parameters, "estimator": estimator})
    client = signed_in_as(reviewer)
    for page in ("groups", "report"):
        assert ("These are stratified estimates, unlike" in shown(client, desk(page))) is said
    pictures = shown(client, desk("pictures"))
    assert pictures.count("These are errors of the stratified estimator") == (2 if said else 0)


def test_without_a_published_group_the_page_says_so(
    review: Review, reviewer: Person, owner: Person, signed_in_as: As
) -> None:
    publishing.publish(review, reviewer, [], "", NOW)
    assert "No shares by group were published" in shown(signed_in_as(owner), reader("groups"))


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


def test_what_cannot_be_estimated_is_said_and_noise_is_marked(
    review: Review, reviewer: Person, signed_in_as: As
) -> None:
    page = shown(signed_in_as(reviewer), desk("rules"))
    assert "104.0 % noise cannot be estimated" in page


def test_htmx_gets_the_list_alone(published: Review, owner: Person, signed_in_as: As) -> None:
    answer = signed_in_as(owner).get(reader("rules"), headers={"HX-Request": "true"})
    assert answer.content.decode().strip().startswith('<div id="rules"')
    assert b"<html" not in answer.content


def test_a_report_speaks_the_readers_language(published: Review, owner: Person, signed_in_as: As) -> None:
    owner.language = "zh-hans"
    owner.save()
    assert "您带走过东西吗？" in shown(signed_in_as(owner), reader(""))


def test_the_list_names_each_report_with_its_state(
    published: Review, owner: Person, stranger: Person, signed_in_as: As
) -> None:
    page = shown(signed_in_as(owner), "/reports/")
    assert re.search(rf"Work &amp; health Run {published.pk} published", page)
    assert "No report yet" in shown(signed_in_as(stranger), "/reports/")
    assert Client().get("/reports/").status_code == 302
    assert signed_in_as(owner).post("/reports/").status_code == 405


def test_the_list_takes_in_what_is_done_and_offers_it_to_reviewers(
    run: Run, reviewer: Person, partial: Person, signed_in_as: As
) -> None:
    page = signed_in_as(reviewer).get("/reports/").content.decode()
    assert desk("report") in page
    assert desk("report") not in signed_in_as(partial).get("/reports/").content.decode()


# --- pictures -------------------------------------------------------------------------------------------


def test_a_picture_is_drawn_as_wide_as_asked_within_bounds(
    published: Review, owner: Person, signed_in_as: As
) -> None:
    client = signed_in_as(owner)
    for asked, drawn in (("500", 500), ("7", 240), ("99999", 1200), ("wide", 640), ("", 640)):
        answer = client.get(reader("pictures/shares.json"), {"width": asked})
        assert json.loads(answer.content)["width"] == drawn


def test_the_pictures_of_a_published_report_show_published_rules_only(
    published: Review, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    theirs = json.loads(signed_in_as(owner).get(reader("pictures/rules.json")).content)
    every = json.loads(signed_in_as(reviewer).get(desk("pictures/rules.json")).content)
    assert numbers_in(theirs) == {1}
    assert numbers_in(every) == {1, 2, 3, 4}


def numbers_in(specification: dict[str, Any]) -> set[int]:
    return {row["number"] for rows in specification["datasets"].values() for row in rows if "number" in row}
