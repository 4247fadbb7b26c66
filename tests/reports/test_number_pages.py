"""The page of numbers: for reviewers, and as it was published."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from django.test import Client

from accounts.models import Person
from mining.kinds.number.report_node import estimate_number
from mining.report.json_codec import dump
from mining.report.number_nodes import MeanEstimate, NumberEstimates, NumberNode, QuantileStatement
from privacy.kinds.number.classes.section import ClassesSection
from reports.answer_labels import Labels
from reports.kinds.number import number_texts
from reports.kinds.number.shown_number import ShownNumber
from reports.models import Review
from reports.review import publishing
from runs.models import Run
from surveys.models import Survey
from tests.cast import As
from tests.intake import asked
from tests.reports import made, made_nodes
from tests.reports.paged import desk, reader, shown
from tests.surveys.conftest import NOW

pytestmark = pytest.mark.page


@pytest.fixture
def survey(owner: Person) -> Survey:
    return made_nodes.numbers_survey(owner)


@pytest.fixture
def run(survey: Survey) -> Run:
    return made_nodes.numbers_run(survey)


@pytest.fixture
def page(review: Review, judging: Client) -> str:
    return shown(judging, desk("numbers"))


@pytest.fixture
def of_owner(review: Review, reviewer: Person, reading: Client) -> Client:
    made.publish(review, reviewer, ["age"])
    return reading


def debt() -> ShownNumber:
    design = made_nodes.numbers_design()
    question = design.questions[2]
    assert question.name == "debt"
    return ShownNumber(1, question, Labels(design.mined), made_nodes.numbers()[0])  # type: ignore[arg-type]


# --- texts ----------------------------------------------------------------------------------------------


def test_a_mean_is_an_interval_with_as_many_places_as_its_error_lets_it() -> None:
    text = number_texts.mean_text(debt(), MeanEstimate(1834.56, 83.2, 1671.49, 1997.63))
    assert text == "The average lies between 1,671 and 1,998 euros (95 % interval; the estimate is 1,835)."
    text = number_texts.mean_text(debt(), MeanEstimate(7.126, 0.31, 6.5184, 7.7336))
    assert text == "The average lies between 6.52 and 7.73 euros (95 % interval; the estimate is 7.13)."


def test_a_mean_beyond_the_ends_is_said_to_be_none() -> None:
    text = number_texts.mean_text(debt(), MeanEstimate(-900.0, 83.2, 0.0, 0.0))
    assert text.startswith("No average can be given")


def test_a_quantile_is_said_as_the_limits_between_which_it_lies() -> None:
    for statement, said in (
        (
            QuantileStatement(0.5, 500, 2000),
            (
                "At least 500 euros and below 2,000 euros: "
                "for at least half of the people it is 500 euros or more, for at least half below 2,000 euros."
            ),
        ),
        (
            QuantileStatement(0.25, None, 500),
            "Below 500 euros: for at least a quarter of the people it is less than that.",
        ),
        (
            QuantileStatement(0.25, 500, None),
            "500 euros or more: for at least three quarters of the people it is that much or more.",
        ),
        (
            QuantileStatement(0.9, 5000, None),
            "5,000 euros or more: for at least 10 % of the people it is that much or more.",
        ),
        (QuantileStatement(0.5, None, None), "Nothing can be said of it from these answers."),
    ):
        assert number_texts.quantile_text(debt(), statement) == said


# --- the page -------------------------------------------------------------------------------------------


def test_a_reviewer_reads_each_number_and_what_it_does_not_promise(page: str) -> None:
    # A reviewer reads mean quartiles and shares.
    assert "How much do you owe? debt" in page
    assert "From 1,656 records, 150 of them open." in page
    assert "The average lies between 1,671 and 1,998 euros" in page
    assert "0 euros means “or less” and 10,000 euros “or more”" in page
    assert "Median At least 500 euros and below 2,000 euros" in page
    assert "500 euros or more 1,490 70.0 % 65.0 % to 75.0 %" in page
    # Only a number with a mean has one.
    overtime = page.split("Overtime overtime")[1].split("What do you earn?", maxsplit=1)[0]
    assert "verage" not in overtime
    assert (
        "10 hours or more 700 cannot be said: the counts contradict each other cannot be estimated"
        in overtime
    )
    assert "20 hours or more – too few asked" in overtime
    assert "All numbers here are of the respondents who were shown it" in overtime
    # Of a window everything that it does not promise is said.
    income = page.split("What do you earn? income")[1]
    assert "everything narrower than about 842 euros smoothed away" in income
    assert "at each number by itself, not for the whole line at once" in income
    assert "It wraps round" in income
    assert "Illustration" in income
    assert "Average, quartiles Not given." in income
    assert "From 0 euros" not in income
    # Classes stand beside each other.
    by_age = page.split("By group: How old are you?")[1].split("By group", maxsplit=1)[0]
    assert "Of people who chose disguise." in by_age
    assert "18-39 1,000 1,500.0 1,481.4 to 1,518.6 – – –" in by_age
    assert "40-59 too few 60+ too few" in by_age


def test_without_a_band_it_is_said_from_how_many_records_on_there_is_one(run: Run, judging: Client) -> None:
    few = replace(made_nodes.shape(), low=None, high=None)
    found = replace(
        made_nodes.numbers()[2], all_records=NumberEstimates(640, 40, distribution=few), groups=()
    )
    run.findings["numbers"] = json.loads(json.dumps([dump(found)]))
    run.save(update_fields=["findings"])
    publishing.create_reviews_of_finished_runs(NOW)
    text = shown(judging, desk("numbers"))
    assert "The 95 % band can be given from 1,000 records on; these are 640." in text
    assert "The band around it" not in text


def test_what_the_estimator_leaves_to_the_stratified_one_is_said(review: Review, judging: Client) -> None:
    said = "estimated by the stratified estimator, whatever the run’s"
    assert said not in shown(judging, desk("report"))
    for estimator in ("pooled", "combined"):
        Run.objects.update(parameters={**review.run.parameters, "estimator": estimator})
        assert said in shown(judging, desk("report")), estimator


def test_a_mean_that_too_few_records_hold_is_said_to_be_withheld(run: Run, judging: Client) -> None:
    found = made_nodes.numbers()[0]
    run.findings["numbers"] = [dump(replace(found, all_records=replace(found.all_records, mean=None)))]
    run.save(update_fields=["findings"])
    publishing.create_reviews_of_finished_runs(NOW)
    text = shown(judging, desk("numbers"))
    assert "No average is given from fewer than 200 records with a class, or fewer than ten with" in text


def test_a_scale_is_shown_as_its_distribution_and_its_mean(owner: Person, judging: Client) -> None:
    design = made_nodes.scale()
    section = design.sections[1]
    assert isinstance(section, ClassesSection)
    rng = np.random.default_rng(1)
    counts = np.stack([np.zeros(15, np.int64), made_nodes.counted(section, rng.integers(0, 5, 2000), rng)])
    found = NumberNode("mood", "classes", estimate_number(section, counts))
    findings = {
        **{key: [] for key in ("answers", "alike", "groups", "coherent", "pairs", "plain_tables")},
        "forged": {},
        "numbers": [dump(found)],
    }
    made.run_of_1656(asked.survey(design, owner=owner), findings)
    publishing.create_reviews_of_finished_runs(NOW)
    text = shown(judging, desk("numbers"))
    assert "5 2,000 23.9 % 20.4 % to 27.7 %" in text
    assert "Shares above limits" not in text
    assert "The average lies between 2." in text
    assert "“or less”" not in text
    assert "Median 3 points" in text
    assert "3 points or more" not in text


def test_a_reader_sees_what_is_published_and_not_the_withheld_class(of_owner: Client) -> None:
    page = shown(of_owner, reader("numbers"))
    assert "The average lies between 1,671 and 1,998 euros" in page
    by_age = page.split("By group: How old are you?")[1]
    assert "18-39 1,000 1,500.0" in by_age
    assert "40-59 too few" in by_age
    assert "60+ too few" in by_age


def test_the_tab_stands_only_where_a_survey_asks_numbers(
    of_owner: Client, owner: Person, reviewer: Person
) -> None:
    assert "By group Numbers" in shown(of_owner, reader(""))
    made.run(made.survey(owner))
    publishing.create_reviews_of_finished_runs(NOW)
    other = Review.objects.order_by("pk").last()
    assert other
    made.publish(other, reviewer)
    assert 'href="#numbers"' not in of_owner.get(f"/app/reports/{other.pk}/").content.decode()
    assert of_owner.get(f"/app/reports/{other.pk}/numbers").status_code == 404


def test_a_stranger_does_not_read_them(review: Review, stranger: Person, signed_in_as: As) -> None:
    client = signed_in_as(stranger)
    assert client.get(reader("numbers")).status_code == 404
    assert client.get(desk("numbers")).status_code in (302, 403)


def test_numbers_are_read_only_after_publication(review: Review, reading: Client) -> None:
    assert reading.get(reader("numbers")).status_code == 403
    assert reading.post(reader("numbers")).status_code == 405


# --- pictures -------------------------------------------------------------------------------------------


def test_a_distribution_has_a_picture_of_everybody_and_one_by_group(page: str) -> None:
    for words in ("Distribution · What do you earn?", "Distribution · What do you earn? · How old are you?"):
        assert f"{words} One" in page or f"{words} Dotted" in page
    # The shares of each limit stand by class with their intervals.
    assert re.search(
        r"500 euros or more Class [0-9 %]+ Estimate, 95 % interval 18-39 70\.0 % 65\.0 % to 75\.0 %", page
    )


def test_every_picture_is_drawn_and_has_its_numbers_as_csv(of_owner: Client) -> None:
    for name in ("number-3", "number-3-1"):
        drawing = of_owner.get(reader(f"pictures/{name}.svg"))
        assert drawing.content.startswith(b"<svg")
        assert b"60+" not in drawing.content
        answer = of_owner.get(reader(f"pictures/{name}.csv"))
        assert answer.status_code == 200
        text = answer.content.decode()
        assert len(text.splitlines()) > 2
        assert "60+" not in text
    # The table of a distribution has every cell.
    lines = of_owner.get(reader("pictures/number-3.csv")).content.decode().splitlines()
    assert lines[0] == "from,to,received,blurred,low,high,illustration"
    assert len(lines) == 102
    assert lines[51] == "5000,5000,0.009900990099009901,0.02,0.018,0.022,0.0"
    # What nothing is known for is not found.
    for name in ("number-1", "number-4", "number-2-1", "number-0", "number"):
        assert of_owner.get(reader(f"pictures/{name}.svg")).status_code == 404
