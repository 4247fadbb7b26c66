"""What a researcher reads, and that nothing unpublished reaches one."""

import json
import re

import pytest
from django.test import Client

from accounts.models import Person
from reports.models import Review
from reports.review import publishing
from runs.models import Run
from surveys.models import Survey
from tests.cast import As
from tests.reports import made
from tests.reports.paged import PUBLISHED, desk, reader, shown
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


def test_no_page_and_no_file_holds_an_unpublished_number(published: Review, reading: Client) -> None:
    # A curve of errors holds every number between: it is of the design and the published shares alone.
    for page in (page for page in PUBLISHED if "error" not in page):
        text = reading.get(reader(page)).content.decode(errors="replace")
        for unpublished in ("45.0", "45 %", "104.0 %", "1.04", "11.0 %"):
            assert unpublished not in text, page
        # An end of an interval may begin as the confidence of the rule does.
        assert not re.search(r"0\.45\b", text), page


def test_a_rule_that_was_not_accepted_is_not_found(published: Review, reading: Client) -> None:
    assert reading.get(reader("rules/1")).status_code == 200
    for number in (2, 3, 4):
        assert reading.get(reader(f"rules/{number}")).status_code == 404


def test_the_front_page_says_what_was_asked_of_how_many_and_how(published: Review, reading: Client) -> None:
    page = shown(reading, reader(""))
    for said in (
        "From 800 people who chose disguise and 200 who did not.",
        "1,000, sealed by 1 December 2026",
        "200 (20.0 %)",
        "questions not disguised: 1, sensitive: 3",
        "stratified: the two groups",
        published.run.design,
        "by Ruth Reviewer",
        "0 rejected, 0 need more data, 3 undecided",
        "who took part and who stayed away",
    ):
        assert said in page


def test_where_too_many_itemsets_stopped_the_run_a_threshold_that_would_fit_is_said(
    review: Review, reviewer: Person, reading: Client, judging: Client
) -> None:
    """To readers only one of a short list, since the exact one would tell of what is not published."""
    said = "3 or more answers together: there were too many to count at these thresholds. "
    for fits, of_the_run in (
        (0.9, "A minimum support of 90 % would be high enough."),
        (None, "No minimum support is high enough: ask for smaller"),
        (0.0213, "A minimum support of 2.13 % would be high enough."),
    ):
        Run.objects.update(stopped={"size": 3, "most": 200_000, "fits": fits})
        assert said + of_the_run in shown(judging, desk("report"))
    made.publish(Review.objects.with_surveys().get(), reviewer)
    assert f"{said}A minimum support of 5 % would be high enough." in shown(reading, reader(""))
    file = json.loads(reading.get(reader("files/json")).content)
    assert (file["stopped_at"], file["fits"]) == (3, 0.05)


@pytest.mark.parametrize("fits", [0.9, pytest.param(None, marks=pytest.mark.night)])
def test_where_no_threshold_of_the_short_list_would_fit_readers_are_told_none(
    review: Review, reviewer: Person, fits: float | None, reading: Client
) -> None:
    Run.objects.update(stopped={"size": 3, "most": 200_000, "fits": fits})
    made.publish(Review.objects.with_surveys().get(), reviewer)
    assert "Ask for a higher minimum support, or for smaller" in shown(reading, reader(""))
    assert json.loads(reading.get(reader("files/json")).content)["fits"] is None


def test_shares_and_tests_stand_on_the_front_page(published: Review, reading: Client) -> None:
    # Every share stands with its interval.
    page = shown(reading, reader(""))
    asked = r"Have you taken something home\? Yes Asked 1,000 "
    assert re.search(asked + r".*?Estimate 25\.0 % 95 % interval 21\.0 % to 29\.0 % Pooled 26\.0 %", page)
    assert re.search(r"18 to 39 Asked 1,000 .*?Estimate 40\.0 % 95 % interval 36\.0 % to 44\.0 %", page)
    # A share below nothing is marked as noise and not cut off.
    assert "Estimate −1.2 % 95 % interval −5.2 % to 2.8 %" in page
    # The test that the groups are alike speaks in words.
    assert "People who chose no disguise are not like the others" in page
    assert "10 % of the answers not disguised, 30 % of the disguised ones" in page


def test_where_too_few_were_asked_nothing_is_estimated(
    survey: Survey, reviewer: Person, reading: Client
) -> None:
    few = [made.answer(item, None) for item in range(8)]
    made.run(survey, findings={**made.FINDINGS, "answers": few})
    publishing.create_reviews_of_finished_runs(NOW)
    made.publish(Review.objects.with_surveys().get(), reviewer)
    page = shown(reading, reader(""))
    assert "too few asked" in page
    assert "Nothing is estimated from fewer than 50 records" in page


def test_shares_by_group_stand_side_by_side_with_a_test(published: Review, reading: Client) -> None:
    page = shown(reading, reader("groups"))
    # The moments of these shares are made up, and so are p and the ends of all.
    assert re.search(
        r"of all 24\.8 % 18\.7 % to 30\.7 % · p 0\.013 Class [0-9 %]+Estimate, 95 % interval "
        r"18 to 39 35\.0 % 29\.0 % to 41\.0 % 40 or older 18\.0 % 13\.0 % to 23\.0 %",
        page,
    )
    assert re.search(r"18 to 39 −5\.0 % −12\.0 % to 2\.0 % 40 or older too few", page)


def test_what_is_stratified_whatever_the_run_was_says_so(review: Review, judging: Client) -> None:
    said, errors = "These are stratified estimates, unlike", "These are errors of the stratified estimator"
    for page in ("groups", "report", "itemsets"):
        text = shown(judging, desk(page))
        assert said not in text
        assert errors not in text
    for estimator, page in (("pooled", "groups"), ("combined", "report")):
        Run.objects.update(parameters={**review.run.parameters, "estimator": estimator})
        assert said in shown(judging, desk(page)), estimator
    assert shown(judging, desk("itemsets")).count(errors) == 2


def test_without_a_published_group_the_page_says_so(
    review: Review, reviewer: Person, reading: Client
) -> None:
    made.publish(review, reviewer)
    assert "No shares by group were published" in shown(reading, reader("groups"))


def test_a_report_speaks_the_readers_language(published: Review, owner: Person, reading: Client) -> None:
    owner.language = "zh-hans"
    owner.save()
    assert "计入的回答" in shown(reading, reader(""))


def test_the_list_names_each_report_with_its_state(
    published: Review, stranger: Person, signed_in_as: As, reading: Client
) -> None:
    page = shown(reading, "/app/reports/")
    assert re.search(rf"Work &amp; health Run {published.run.number} published", page)
    assert "No report yet" in shown(signed_in_as(stranger), "/app/reports/")
    assert Client().get("/app/reports/").status_code == 302
    assert reading.post("/app/reports/").status_code == 405


def test_the_list_takes_in_what_is_done_and_offers_it_to_reviewers(
    run: Run, partial: Person, signed_in_as: As, judging: Client
) -> None:
    page = judging.get("/app/reports/").content.decode()
    assert desk("rules") in page
    assert desk("rules") not in signed_in_as(partial).get("/app/reports/").content.decode()


def test_a_picture_is_an_svg_file_with_its_title(published: Review, reading: Client) -> None:
    answer = reading.get(reader("pictures/error-keep.svg"))
    assert answer.headers["Content-Type"] == "image/svg+xml"
    assert "error-keep.svg" in answer.headers["Content-Disposition"]
    assert b"<title>Margin of error by probability" in answer.content


def test_the_old_page_of_all_charts_leads_to_the_table_of_most(
    published: Review, owner: Person, reviewer: Person, signed_in_as: As
) -> None:
    for person, address in ((owner, reader), (reviewer, desk)):
        assert signed_in_as(person).get(address("pictures")).headers["Location"] == address("itemsets")
