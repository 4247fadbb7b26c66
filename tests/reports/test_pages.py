"""What reviewers and researchers read of shares, groups, itemsets and rules; nothing unpublished reaches one."""

import re
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from accounts.models import Person
from intake.rehearsal import true_counts
from mining.nodes.regression_nodes import ModelFit
from mining.nodes.report_nodes import Estimate, Pair
from reports import estimate_texts
from reports.answer_labels import Labels
from reports.models import Review
from reports.pages.heat_map import heat_map, lift_tint
from reports.pages.regression_models.model_rows import fit_test_text
from reports.pages.row_evidence import share_evidence
from reports.review.question_shares import QuestionShares
from reports.texts import report_facts
from reports.texts.design_sentences import true_sentences
from runs.models import Rule, Run
from surveys.models import Survey
from tests.cast import As
from tests.mining.inference.test_sums_of_shares import VECTORS
from tests.reports import made, made_nodes
from tests.reports.conftest import PUBLISHED, desk_page, from_json, page_text, reader
from tests.reports.sentences.test_fixed_sentences import with_usual_spaces
from ui.number_format import format_percent

pytestmark = pytest.mark.page


def test_no_page_and_no_file_holds_an_unpublished_number(published_review: Review, reading: Client) -> None:
    # A curve of errors holds every number between: it is of the design and the published shares alone.
    for page in (page for page in PUBLISHED if "error" not in page):
        text = reading.get(reader(page)).content.decode(errors="replace")
        for unpublished in ("45.0", "45 %", "104.0 %", "1.04", "11.0 %"):
            assert unpublished not in text, page
        # An end of an interval may begin as the confidence of the rule does.
        assert not re.search(r"0\.45\b", text), page


def test_the_front_page_says_what_was_asked(published_review: Review, owner: Person, reading: Client) -> None:
    page = page_text(reading, reader(""))
    for said in (
        "From 800 people who chose disguise and 200 who did not.",
        "1,000, sealed by 1 December 2026",
        "200 (20.0 %)",
        "questions not disguised: 1, sensitive: 3",
        "stratified: the two groups",
        published_review.run.design,
        "by Ruth Reviewer",
        "0 rejected, 0 need more data, 3 undecided",
        "who took part and who stayed away",
        # A share below nothing is marked as noise and not cut off.
        "Estimate −1.2 % 95 % interval −5.2 % to 2.8 %",
        # The test that the groups are alike speaks in words.
        "People who chose no disguise are not like the others",
        "10 % of the answers not disguised, 30 % of the disguised ones",
    ):
        assert said in page
    assert not re.search(r"-\d+\s%", page)  # a hyphen is no minus
    # Every share stands with its interval.
    asked = r"Have you taken something home\? Yes Asked 1,000 "
    assert re.search(asked + r".*?Estimate 25\.0 % 95 % interval 21\.0 % to 29\.0 % Pooled 26\.0 %", page)
    assert re.search(r"18 to 39 Asked 1,000 .*?Estimate 40\.0 % 95 % interval 36\.0 % to 44\.0 %", page)
    # A rule that was not accepted is not found.
    statuses = [reading.get(reader(f"rules/{number}")).status_code for number in (1, 2, 3, 4)]
    assert statuses == [200, 404, 404, 404]
    owner.language = "zh-hans"
    owner.save()
    assert "计入的回答" in page_text(reading, reader(""))


def test_where_too_many_itemsets_stopped_the_run_a_threshold_that_would_fit_is_said(
    survey: Survey, review: Review, reviewer: Person, reading: Client, judging: Client
) -> None:
    """To readers only one of a short list, since the exact one would tell of what is not published."""
    said = "3 or more answers together: there were too many to count at these thresholds. "
    least = "A minimum support of {} % would be high enough."
    higher = "Ask for a higher minimum support, or for smaller"
    for fits, to_reviewer, to_reader, in_file in (
        (0.9, least.format("90"), higher, None),
        (None, "No minimum support is high enough: ask for smaller", higher, None),
        (0.0213, least.format("2.13"), f"{said}A minimum support of 5 % would be", 0.05),
    ):
        of = made.waiting_review(made.run(survey))
        Run.objects.filter(pk=of.pk).update(stopped={"size": 3, "most": 200_000, "fits": fits})
        assert said + to_reviewer in page_text(judging, desk_page("report", of))
        made.publish(Review.objects.with_surveys().get(pk=of.pk), reviewer)
        assert to_reader in page_text(reading, reader("", of))
        file = from_json(reading, of)
        assert (file["stopped_at"], file["fits"]) == (3, in_file)


def test_report_page_joins_chinese_sentences_without_a_space() -> None:
    rehearsal, real = (
        made_nodes.page_about(n_open=9, rehearsal=simulated, left_out=5) for simulated in (True, False)
    )
    stopped: Any = SimpleNamespace(about=made_nodes.about_run(stopped_at=3), whole=True)
    labels, fit = Labels(made.design().mined), ModelFit(1, 0.5, ("age*late", "age*cash"), ())
    with translation.override("zh-hans"):
        for said in (
            [*true_sentences("not-covered", made_nodes.page_about(family=3))][-1],
            report_facts.records_used_text(rehearsal),
            report_facts.records_used_text(real),
            report_facts.uncounted_sizes_text(stopped),
            fit_test_text(labels, fit),
        ):
            assert re.fullmatch(r"[^。]+。[^。 ][^。]+。", said), said


def test_too_few_records_give_no_estimate(survey: Survey, reviewer: Person, reading: Client) -> None:
    few = [made.answer(item, None) for item in range(8)]
    made.publish(made.waiting_review(made.run(survey, findings={**made.FINDINGS, "answers": few})), reviewer)
    page = page_text(reading, reader(""))
    assert "withheld, or too few records" in page
    assert "Nothing is estimated from fewer than 50 records" in page
    assert "No shares by group were published" in page_text(reading, reader("groups"))


def test_of_a_share_that_is_withheld_nobody_is_told_that_few_were_asked() -> None:
    withheld = Estimate(("age=18-39",))
    (fact,) = share_evidence(withheld, QuestionShares("age", (withheld,), False, False, False))
    assert (fact.label, fact.value) == ("Estimate", "withheld, or too few records")


def test_shares_by_group_stand_side_by_side_with_a_test(published_review: Review, reading: Client) -> None:
    page = page_text(reading, reader("groups"))
    # The moments of these shares are made up, and so are p and the ends of all.
    assert re.search(
        r"classes together 24\.8 % \(18\.7 % to 30\.7 %\) · p 0\.013 Class [0-9 %]+Estimate, 95 % interval "
        r"18 to 39 35\.0 % 29\.0 % to 41\.0 % 40 or older 18\.0 % 13\.0 % to 23\.0 %",
        page,
    )
    assert re.search(r"18 to 39 −5\.0 % −12\.0 % to 2\.0 % 40 or older withheld, or too few records", page)


def test_the_page_of_groups_shows_one_question_and_links_to_others(review: Review, judging: Client) -> None:
    address = f"/app/admin/reports/review/{review.pk}/groups"
    alone = judging.get(address).content.decode()
    assert (alone.count("<h3>"), "?question=" in alone) == (1, False)
    review.run.findings["groups"] *= 3
    review.run.save()
    for number, wanted in {1: "", 2: "?question=2", 3: "?question=99"}.items():
        page = judging.get(address + wanted).content.decode()
        assert page.count("<h3>") == 1, wanted
        assert f'<a href="{address}?question={number}" aria-current="page">' in page
        assert page.count(f'href="{address}?question=') == 3


def test_stratified_or_too_narrow_interval_is_marked(review: Review, judging: Client) -> None:
    said, errors = "These are stratified estimates, unlike", "These are errors of the stratified estimator"
    narrow = "the intervals of its rules are too narrow"
    for page in ("groups", "report", "itemsets", "rules", "rules/1"):
        text = page_text(judging, desk_page(page))
        assert not any(words in text for words in (said, errors, narrow)), page
    for estimator, page, of_rules in (("pooled", "groups", "rules"), ("combined", "report", "rules/1")):
        Run.objects.update(parameters={**review.run.parameters, "estimator": estimator})
        assert said in page_text(judging, desk_page(page)), estimator
        assert narrow in page_text(judging, desk_page(of_rules)), estimator
    assert page_text(judging, desk_page("itemsets")).count(errors) == 2


def test_the_list_takes_in_what_is_done_and_names_each_report_with_its_state(
    run: Run, reviewer: Person, partial: Person, stranger: Person, signed_in_as: As, reading: Client,
    judging: Client,
) -> None:  # fmt: skip
    page = judging.get("/app/reports/").content.decode()
    assert desk_page("rules") in page
    assert desk_page("rules") not in signed_in_as(partial).get("/app/reports/").content.decode()
    made.publish(Review.objects.with_surveys().get(), reviewer, ["age"], 1)
    assert re.search(rf"Work &amp; health Run {run.number} published", page_text(reading, "/app/reports/"))
    assert "No report yet" in page_text(signed_in_as(stranger), "/app/reports/")
    assert Client().get("/app/reports/").status_code == 302
    assert reading.post("/app/reports/").status_code == 405
    # The old page of all charts leads to the table of most, and a picture is an SVG file with its title.
    for client, address in ((reading, reader), (judging, desk_page)):
        assert client.get(address("pictures")).headers["Location"] == address("itemsets")
    answer = reading.get(reader("pictures/error-keep.svg"))
    assert answer.headers["Content-Type"] == "image/svg+xml"
    assert "error-keep.svg" in answer.headers["Content-Disposition"]
    assert b"<title>Margin of error by probability" in answer.content
    # htmx gets the list alone.
    answer = reading.get(reader("rules"), headers={"HX-Request": "true"})
    assert answer.content.decode().strip().startswith('<div id="rules"')
    assert b"<html" not in answer.content


def test_the_report_says_that_it_is_not_published_and_names_its_marks(
    review: Review, reviewer: Person, judging: Client
) -> None:
    page = page_text(judging, desk_page("report"))
    assert "Not published. Only reviewers can see this." in page
    assert "dotted line: observed (disguised)" in page
    made.publish(review, reviewer)
    assert "Not published." not in page_text(judging, desk_page("report"))


def test_an_itemset_has_its_interval(published_review: Review, reading: Client, judging: Client) -> None:
    page = page_text(judging, desk_page("itemsets"))
    for said in (
        "1,000 29.0 % 18.0 % 12.0 % to 24.0 % 19.0 % 17.5 % 1.5 %",
        "1,000 25.5 % 11.0 % 5.0 % to 17.0 % 12.0 % – 1.5 %",
        "Choose how many rows you will read before you look.",
        "Of the intervals in these first rows, at most 5 % are expected to miss.",
        "Answers whose estimated support is at least 10.0 %, alone or together.",
        "A single answer keeps its interval, since every report states it.",
    ):
        assert said in page
    assert "Compared with the true values (simulated)" not in page
    for text in (page, page_text(reading, reader("itemsets"))):
        assert "Pooled Adjusted Expected error" in text
        assert "never replaces the estimate" in text
        assert "18.0 % 12.0 % to 24.0 % 19.0 % 17.5 %" in text
    # Itemsets are by support and filtered by the address.
    for query, shares in (
        ("", [40.0, 25.0, 18.0, 11.0]),
        ("?size=2", [18.0, 11.0]),
        ("?size=1", [40.0, 25.0]),
        ("?size=x&sort=nothing", [40.0, 25.0, 18.0, 11.0]),
    ):
        page = judging.get(desk_page("itemsets") + query).content.decode()
        assert [float(share) for share in re.findall(r"<strong>([\d.]+) %</strong>", page)] == shares, query
    # Where nothing was adjusted no column says so.
    Run.objects.update(coherent=[])
    assert "Adjusted" not in page_text(judging, desk_page("itemsets"))


@pytest.fixture
def rehearsal_review(owner: Person, monkeypatch: pytest.MonkeyPatch) -> Review:
    """1,000 respondents, of whom 240 truly said yes to theft, 410 to late and 90 to both, 130 to late and cash, 200 to
    cash; those who are young are 400."""
    counts: dict[true_counts.Itemset, int] = {((1, 1), (2, 1)): 90, ((2, 1), (3, 1)): 130}
    for question, yes in enumerate((600, 240, 410, 200)):
        counts |= {((question, 0),): 1000 - yes, ((question, 1),): yes}
    counted = true_counts.CountedTruth(1000, counts)
    stored = true_counts.StoredTruth(counted, counted)
    monkeypatch.setattr(true_counts, "read_true_counts", lambda survey: stored)
    return made.waiting_review(made.run(made.survey(owner, rehearsal=True)))


def test_truth_is_summarised_by_itemset_size(
    rehearsal_review: Review, reviewer: Person, reading: Client, judging: Client
) -> None:
    """By hand, of what 10 % and more gave: theft .25 for .24, late .4 for .41; both .18 for .09, late and cash .11 for
    .13. Neither the two ages nor cash were found. Readers are not told what was missed."""
    page = page_text(judging, desk_page("itemsets"))
    assert "Truly rarer Missed 1 2 1.00 % 3.3 % 0 3 2 2 5.50 % 15.4 % 1 0 W is" in page
    made.publish(rehearsal_review, reviewer, (), 1)
    page = page_text(reading, reader("itemsets"))
    assert "Truly rarer 1 2 1.00 % 3.3 % 0 2 1 9.00 % – 1 W is" in page
    assert "Missed" not in page
    # Without an accepted rule there is nothing to compare.
    again = made.waiting_review(made.run(rehearsal_review.survey))
    made.publish(again, reviewer)
    page = page_text(reading, reader("itemsets", again))
    assert "There are no itemsets" in page
    assert "Compared with the true values (simulated)" not in page


def test_a_rule_is_said_in_words_with_all_its_numbers(published_review: Review, reading: Client) -> None:
    page = page_text(reading, reader("rules"))
    assert "1 rule" in page
    # Each question is said once, above the list.
    assert page.index("Theft Have you taken something home?") < page.index("Of people who answered")
    text = with_usual_spaces(page)
    for part in (
        "Of people who answered “Theft: Yes”, 72 % (55–89)",
        "answered “Late: Yes”.",
        "Of people who answered “Late: Yes”, 30 % (20–40)",
        "Estimated from 1,000 answers. Among all: 40 % (30–50)",
        "1.80 1.35 to 2.35",
    ):
        assert part in text
    # No interval of a rule chosen before the survey stands in a list.
    assert "60.0 % to 84.0 %" not in page
    alone = page_text(reading, reader("rules/1"))
    assert "Kulczynski" not in alone
    assert "Among 1,000 records of people who were shown these questions." in alone
    assert "As in the list, place 1" in alone
    assert "“As in the list” allows for the place of the rule" in alone
    assert re.search(
        r"Confidence of people matching “if”.* 72\.0 % 60\.0 % to 84\.0 % 55\.0 % to 89\.0 %", alone
    )
    assert re.search(r"other way round of people .* 30\.0 % 22\.0 % to 38\.0 % 20\.0 % to 40\.0 %", alone)
    assert re.search(r"“Then” among all .* 40\.0 % 30\.0 % to 50\.0 %", alone)
    # No list selects a base rate.
    assert "25.0 % to 55.0 %" not in alone
    assert "q, over the whole list upper bound" in alone
    assert "Shown to of these, records to which no rule hides any of it" in alone


def test_rule_omits_unknown_numbers(review: Review, judging: Client) -> None:
    page = page_text(judging, desk_page("rules/4"))
    assert "No association is shown here. This does not show that there is none." in page
    assert "more often together" not in page
    kept = list(review.run.itemsets.order_by("place"))
    unlimited, outside = (made.rule(review.run, place, kept, **made.RULES[0]) for place in (4, 5))
    unlimited.p, unlimited.q, unlimited.lift_high = 1e-9, 0.000999, None
    outside.confidence, outside.confidence_low_listed, outside.confidence_high_listed = 1.139, 0.449, 1.0
    Rule.objects.bulk_create([unlimited, outside])
    # A lift without an upper end says so, and a tiny chance is not nothing.
    page = page_text(judging, desk_page("rules/5"))
    assert page.count("&lt; 0.001") == 2
    assert "1.80 1.40 or more 1.35 to 2.35" in page
    assert "0.000" not in page
    # An estimate outside of its interval is folded away on the page of the rule.
    page = page_text(judging, desk_page("rules?verdict=any"))
    assert "too noisy to say: at least 44.9 %" in page
    assert "113.9 %" not in page
    assert "The estimated confidence is 113.9 %" in page_text(judging, desk_page("rules/6"))
    assert "cannot be said: the counts contradict each other cannot be estimated" in page
    assert "104.0 %" not in page


def test_shown_rule_numbers_match_the_vectors(subtests: pytest.Subtests) -> None:
    begins = {"above": "too noisy to say: at least", "below": "too noisy to say: at most"}
    for vector in VECTORS["shown"]:
        with subtests.test(estimate=vector["estimate"]):
            said = estimate_texts.share_text(vector["estimate"], vector["low"], vector["high"])
            if vector["words"] == "number":
                assert said == format_percent(vector["estimate"])
            else:
                assert said.startswith(begins.get(vector["words"], "cannot be said"))


THEFT, LATE, CASH = "theft=yes", "late=yes", "cash=yes"


def test_a_cell_of_the_heat_map_has_its_figure_and_is_tinted_where_the_list_shows_an_association() -> None:
    """Its own interval, which excludes 1 of a third pair too, decides on nothing: the pairs are many."""
    labels = Labels(made.design())
    pairs = [
        Pair((LATE, THEFT), 4.0, 2.0, 8.0, 1000),
        Pair((LATE, CASH), 0.5, 0.2, 0.9, 1000),
        Pair((THEFT, CASH), -0.9, None, None, 1000),
    ]
    drawn = heat_map(pairs, labels, {frozenset((LATE, THEFT)), frozenset((THEFT, CASH))})
    assert drawn
    assert list(drawn.columns) == ["Yes · Theft", "Yes · Late"]
    found = {
        (label, column): cell[:2]
        for label, cells in drawn.rows
        for column, cell in zip(drawn.columns, cells, strict=True)
        if cell
    }
    assert found == {
        ("Yes · Late", "Yes · Theft"): ("more-3", "4.0"),
        ("Yes · Cash", "Yes · Late"): ("untold", "0.50"),
        ("Yes · Cash", "Yes · Theft"): ("untold", ""),
    }
    # A tint is the deeper the further from 1, and without a lift there is no heat map.
    tints = ["less-3", "less-2", "less-1", "more-1", "more-2", "more-3"]
    assert [lift_tint(lift) for lift in (0.3, 0.5, 0.9, 1.0, 1.3, 8.0)] == tints
    assert heat_map([Pair((THEFT, LATE), None, None, None, 1000)], labels, ()) is None


def test_every_cell_of_the_page_says_its_interval(review: Review, judging: Client) -> None:
    page = judging.get(desk_page("itemsets")).content.decode()
    cells = re.findall(r'<td class="heat [a-z0-9-]+"><b>([^<]+)</b><span class="unseen"> \(([^)]+)\)', page)
    assert cells
    assert all(" to " in interval or interval == "cannot be estimated" for _figure, interval in cells)
