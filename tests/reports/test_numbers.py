"""Numbers in a report: what a publication says of them and withholds, on the page, in pictures and in files."""

import json
import re
from dataclasses import replace
from html import unescape
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from django.template.loader import render_to_string
from django.test import Client

from accounts.models import Person
from intake.disclosure.models import Disclosure, DisclosureKind
from intake.rehearsal import true_counts
from mining.findings.remove_withheld_numbers import withhold_node
from mining.itemsets.answer_names import AnswerNames
from mining.json_codec import node_to_json
from mining.kinds.number.report_node_from_counts import estimate_number
from mining.nodes.number_nodes import (
    MeanEstimate,
    NumberClasses,
    NumberEstimates,
    NumberNode,
    QuantileStatement,
)
from mining.nodes.report_nodes import report_from_json, report_to_json
from privacy.designs import Design
from privacy.kinds.number.classes.section import ClassesQuestion, ClassesSection
from privacy.kinds.simulation import TrueNumber
from reports.answer_labels import Labels
from reports.kinds.number import mean_and_quantile_texts
from reports.kinds.number.shown_number import ShownNumber
from reports.models import Publication, Review
from reports.review import build_content, read_published_content
from runs.models import Run
from surveys.models import Survey
from tests.cast import As
from tests.intake import asked
from tests.reports import made, made_nodes
from tests.reports.conftest import desk_page, page_text, reader
from tests.reports.made import published_content

pytestmark = pytest.mark.page


@pytest.fixture
def survey(owner: Person) -> Survey:
    return made_nodes.numbers_survey(owner)


@pytest.fixture
def run(survey: Survey) -> Run:
    return made_nodes.numbers_run(survey)


def number_page_text(client: Client, number: int | str) -> str:
    """The page of the number that was asked as the first, second or third."""
    return page_text(client, desk_page(f"numbers?question={number}"))


def test_a_mean_and_a_quantile_are_said_with_as_many_places_as_their_error_lets_them() -> None:
    design = made_nodes.numbers_design()
    question: Any = design.questions[2]
    debt = ShownNumber(1, question, Labels(design.mined), made_nodes.number_nodes()[0])
    for numbers, ends, estimate in (
        ((1834.56, 83.2, 1671.49, 1997.63), "1,670 and 2,000", "1,830"),
        ((7.126, 0.31, 6.5184, 7.7336), "6.52 and 7.73", "7.13"),
    ):
        said = f"The average lies between {ends} euros (95 % interval; the estimate is {estimate})."
        assert mean_and_quantile_texts.mean_text(debt, MeanEstimate(*numbers)) == said
    beyond = mean_and_quantile_texts.mean_text(debt, MeanEstimate(-900.0, 83.2, 0.0, 0.0))
    assert beyond.startswith("No average can be given")
    for q, low, high, said in (
        (0.5, 500, 2000, (
            "At least 500 euros and below 2,000 euros: for at least half of the people it is 500 euros or more, for at "
            "least half below 2,000 euros.")),
        (0.25, None, 500, "Below 500 euros: for at least a quarter of the people it is less than that."),
        (0.25, 500, None, "500 euros or more: for at least three quarters of the people it is that much or more."),
        (0.9, 5000, None, "5,000 euros or more: for at least 10 % of the people it is that much or more."),
        (0.5, None, None, "Nothing can be said of it from these answers."),
    ):  # fmt: skip
        assert mean_and_quantile_texts.quantile_text(debt, QuantileStatement(q, low, high)) == said


DREW = "Each device drew some of the limits at random"
VALUES = "Each value is a class. Each device sent, in disguise, "


@pytest.mark.parametrize(
    ("design", "said"),
    [
        (made_nodes.numbers_design(debt={"cuts": 4}), DREW),
        (made_nodes.numbers_design(debt={"cuts": 5}), "All limits divide the numbers into classes."),
        (made_nodes.scale(cuts=3), f"{VALUES}between which values"),
        (made_nodes.scale(cuts=4), f"{VALUES}which of them"),
    ],
)
def test_that_devices_drew_limits_is_said_only_where_they_do_not_use_all(design: Design, said: str) -> None:
    question = next(each for each in design.questions if isinstance(each, ClassesQuestion))
    node = NumberNode(question.name, "classes", NumberEstimates(None, None))
    number = ShownNumber(1, question, Labels(design.mined), node)
    report = SimpleNamespace(design=design, mined_design=design.mined)
    page = unescape(render_to_string("reports/number-classes.html", {"number": number, "report": report}))
    assert said in page
    assert (DREW in page) == (said == DREW)


def test_a_reviewer_reads_each_number_and_what_it_does_not_promise(review: Review, judging: Client) -> None:
    debt, overtime, income = (number_page_text(judging, number) for number in (1, 2, 3))
    for said in (
        "How much do you owe? debt",
        "From 1,656 records, 150 of them without disguise.",
        "The average lies between 1,670 and 2,000 euros",
        "0 euros means “or less” and 10,000 euros “or more”",
        "Median At least 500 euros and below 2,000 euros",
        "500 euros or more 1,490 70.0 % 65.0 % to 75.0 %",
    ):
        assert said in debt
    assert page_text(judging, desk_page("numbers")) == debt
    # Only a number with a mean has one.
    assert "verage" not in overtime
    said = "10 hours or more 700 cannot be said: the counts contradict each other cannot be estimated"
    assert said in overtime
    assert "20 hours or more – too few asked" in overtime
    assert "All numbers here are of the respondents who were shown it" in overtime
    # Of a window everything that it does not promise is said.
    for said in (
        "everything narrower than about 842 euros smoothed away",
        "at each number by itself, not for the whole line at once",
        "It wraps round",
        "Illustration",
        "Average, quartiles Not given.",
    ):
        assert said in income
    assert "From 0 euros" not in income
    # Classes stand beside each other.
    by_age = debt.split("By group: How old are you?")[1].split("By group", maxsplit=1)[0]
    assert "Of people who chose disguise." in by_age
    assert "18-39 1,000 1,500 1,481 to 1,519 – – –" in by_age
    assert "40-59 withheld, or too few records 60+ withheld, or too few records" in by_age
    # A distribution has a picture of everybody and one by group.
    for words in ("Distribution · What do you earn?", "Distribution · What do you earn? · How old are you?"):
        assert f"{words} One" in income or f"{words} Dotted" in income
    # The share of each class of the number stands by age with its interval.
    estimates = r"under 500 euros Class [0-9 %]+ Estimate, 95 % interval 18-39 30\.0 % 26\.0 % to 34\.0 %"
    assert re.search(estimates, debt)


def test_a_rehearsal_adds_the_true_numbers_by_their_question(
    owner: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = made_nodes.numbers_run(made_nodes.numbers_survey(owner, rehearsal=True))
    true = {"debt": TrueNumber(1000, 1_800_000), "income": TrueNumber(3, 0, (0,) * 50 + (1, 2) + (0,) * 49)}
    monkeypatch.setattr(true_counts, "read_true_sums_and_counts", lambda *_survey, disguised: true)
    debt, overtime, income = build_content.number_nodes(run)
    assert debt.truth
    assert debt.truth.mean == 1800
    assert overtime.truth is None
    assert income.truth
    assert sum(income.truth.distribution or ()) == pytest.approx(1)


def test_the_classes_of_one_plain_question_are_shown_and_the_others_are_a_link_away(
    survey: Survey, judging: Client
) -> None:
    debt, *others = made_nodes.number_nodes()
    by_work = NumberClasses("works", debt.groups[0].classes[:2])
    made.waiting_review(
        made_nodes.numbers_run(survey, (replace(debt, groups=(*debt.groups, by_work)), *others))
    )
    for by, questions in (
        ("", ["How old are you?"]),
        ("&by=2", ["Do you work?"]),
        ("&by=9", ["Do you work?"]),
        ("&by=x", ["How old are you?"]),
    ):
        page = number_page_text(judging, f"1{by}")
        assert re.findall(r"By group: ([^?]+\?)", page) == questions, by
    first = judging.get(desk_page("numbers")).text
    assert 'numbers?question=1&amp;by=2#by">Do you work?</a>' in first
    assert 'by=1#by" aria-current="page">How old are you?</a>' in first
    # A number with one set of classes needs no links.
    assert "&amp;by=" not in judging.get(desk_page("numbers?question=3")).text


def test_without_a_band_or_a_mean_it_is_said_when_there_is_one(survey: Survey, judging: Client) -> None:
    few = replace(made_nodes.triangular_distribution(), low=None, high=None)
    debt, _, income = made_nodes.number_nodes()
    found = (
        replace(debt, all_records=replace(debt.all_records, mean=None)),
        replace(income, all_records=NumberEstimates(640, 40, distribution=few), groups=()),
    )
    made.waiting_review(made_nodes.numbers_run(survey, found))
    text = number_page_text(judging, 2)
    assert "The 95 % band can be given from 1,000 records on; these are 640." in text
    assert "The band around it" not in text
    said = "No average is given from fewer than 200 records with a class, or fewer than ten with"
    assert said in number_page_text(judging, 1)


def test_what_the_estimator_leaves_to_the_stratified_one_is_said(review: Review, judging: Client) -> None:
    said = "estimated by the stratified estimator, whatever the run’s"
    assert said not in page_text(judging, desk_page("report"))
    for estimator in ("pooled", "combined"):
        Run.objects.update(parameters={**review.run.parameters, "estimator": estimator})
        assert said in page_text(judging, desk_page("report")), estimator


def test_a_scale_is_shown_as_its_distribution_and_its_mean(owner: Person, judging: Client) -> None:
    design = made_nodes.scale()
    section = design.sections[1]
    assert isinstance(section, ClassesSection)
    rng = np.random.default_rng(1)
    counts = np.stack(
        [np.zeros(15, np.int64), made_nodes.random_code_counts(section, rng.integers(0, 5, 2000), rng)]
    )
    found = NumberNode("mood", "classes", estimate_number(section, counts))
    findings = made_nodes.NO_FINDINGS | {"numbers": [node_to_json(found)]}
    made.waiting_review(made.run_of_1656(asked.survey(design, owner=owner), findings))
    text = page_text(judging, desk_page("numbers"))
    assert "5 2,000 23.9 % 20.4 % to 27.7 %" in text
    assert "Shares above limits" not in text
    assert "The average lies between 2." in text
    assert "“or less”" not in text
    assert "Median 3 points" in text
    assert "3 points or more" not in text


def test_a_reader_sees_what_is_published_without_the_withheld_class_and_no_tab_without_numbers(
    of_owner: Client, owner: Person, reviewer: Person
) -> None:
    page = page_text(of_owner, reader("numbers"))
    assert "The average lies between 1,670 and 2,000 euros" in page
    by_age = page.split("By group: How old are you?")[1]
    assert "18-39 1,000 1,500 1,481 to" in by_age
    assert "40-59 withheld, or too few records" in by_age
    assert "60+ withheld, or too few records" in by_age
    assert "By group Numbers" in page_text(of_owner, reader(""))
    other = made.waiting_review(made.run(made.survey(owner)))
    made.publish(other, reviewer)
    assert 'href="#numbers"' not in of_owner.get(f"/app/reports/{other.pk}/").content.decode()
    assert of_owner.get(f"/app/reports/{other.pk}/numbers").status_code == 404


def test_number_pages_are_for_permitted_people(
    review: Review, stranger: Person, signed_in_as: As, reading: Client
) -> None:
    assert reading.get(reader("numbers")).status_code == 403
    assert reading.post(reader("numbers")).status_code == 405
    client = signed_in_as(stranger)
    assert client.get(reader("numbers")).status_code == 404
    assert client.get(desk_page("numbers")).status_code in (302, 403)


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


WITHHELD = NumberEstimates(None, None)
WITHHELD_CLASS = NumberEstimates(None, None, disguised_only=True)
DEBT, OVERTIME, INCOME = range(3)


def test_numbers_come_back_whole_from_json(run: Run, owner: Person) -> None:
    labels = Labels(run.content.mined)
    true = build_content.true_shares(run, labels)
    found = build_content.content_without_itemsets_and_rules(run, labels, true)
    names = AnswerNames(run.mined_design)
    expected = [withhold_node(one, names, run.stored_verdict) for one in made_nodes.number_nodes()]
    assert found.numbers == tuple(expected)
    assert report_from_json(json.loads(json.dumps(report_to_json(found), allow_nan=False))) == found
    plain = made.run(made.survey(owner))
    labels = Labels(plain.content)
    true = build_content.true_shares(plain, labels)
    content = build_content.content_without_itemsets_and_rules(plain, labels, true)
    written = report_to_json(content)
    assert not {"numbers", "places"} & set(written)
    assert (report_from_json(written).numbers, report_from_json(written).places) == ((), ())


def test_a_publication_divides_numbers_by_the_chosen_questions_alone(run: Run, reviewer: Person) -> None:
    assert [one.groups for one in published_content(run).numbers] == [(), (), ()]
    assert [len(one.groups) for one in published_content(run, "age").numbers] == [1, 0, 1]
    review = made.waiting_review(run)
    made.publish(review, reviewer, ["age"])
    found = read_published_content.published_report_without_rules(review).numbers
    assert [one.question for one in found] == ["debt", "overtime", "income"]
    assert found[DEBT].all_records == made_nodes.OF_DEBT
    assert Publication.objects.get().content["numbers"][INCOME]["all_records"]["distribution"]["modes"] == 11


def test_a_small_class_and_the_next_smallest_have_no_estimates_and_no_counts(run: Run) -> None:
    """Six people of 60+ chose disguise, so 40-59, the next smallest, is withheld too."""
    content = published_content(run, "age")
    for found in (content.numbers[place] for place in (DEBT, INCOME)):
        young, middle, old = found.groups[0].classes
        assert young.n_asked == 1000
        assert (middle, old) == (WITHHELD_CLASS, WITHHELD_CLASS)
    # What is withheld cannot be found anywhere in the publication.
    written = report_to_json(content)
    assert "1481.4" in json.dumps(written)
    nothing = dict.fromkeys(("n_asked", "n_open", "mean", "distribution"))
    nothing |= {name: [] for name in ("quantiles", "shares", "classes")}
    middle = written["numbers"][DEBT]["groups"][0]["classes"][1]
    assert middle == nothing | {"disguised_only": True}


def with_tables(run: Run, tables: list[dict[str, Any]]) -> Run:
    return made.decide_again(run, {"plain_tables": tables})


def test_a_number_behind_a_rule_that_would_reveal_a_small_class_is_withheld_with_its_items(run: Run) -> None:
    """Three people who chose disguise do not work: how many were shown overtime would tell, less the open ones too."""
    assert published_content(run).numbers[OVERTIME].all_records.n_asked == 700
    few = {"questions": [1], "counts": [3, 1503]}
    found = published_content(with_tables(run, [made_nodes.PLAIN_TABLES[0], few, made_nodes.PLAIN_TABLES[2]]))
    assert found.numbers[OVERTIME].all_records == WITHHELD
    assert found.numbers[DEBT].all_records == made_nodes.OF_DEBT
    overtime = [share for share in found.shares if share.items[0].startswith("overtime")]
    assert len(overtime) == 8
    told = {(share.n_asked, share.n_open, share.shown, share.support) for share in overtime}
    assert told == {(None, None, None, None)}


def hidden_in_a_class(*, works: int = 3) -> list[dict[str, Any]]:
    """In 18-39 so many people do not work."""
    both = {"questions": [0, 1], "counts": [[works, 1000 - works], [303, 197], [100, 100]]}
    ages = {"questions": [0], "counts": [1000, 500, 200]}
    return [ages, made_nodes.PLAIN_TABLES[1], both]


def test_a_number_behind_a_rule_is_withheld_in_the_classes_where_its_base_would_tell(run: Run) -> None:
    hidden = made_nodes.number_nodes()[OVERTIME]
    divided = replace(hidden, groups=(NumberClasses("age", (made_nodes.OF_OVERTIME,) * 3),))
    made.decide_again(run, {"numbers": [node_to_json(divided)]})
    safe = published_content(with_tables(run, hidden_in_a_class(works=503)), "age")
    assert [one.n_asked for one in safe.numbers[0].groups[0].classes] == [700, 700, 700]
    told = published_content(with_tables(run, hidden_in_a_class()), "age")
    assert told.numbers[0].groups[0].classes == (WITHHELD,) * 3
    cells = [row.cells for row in told.groups[0].rows if row.item.startswith("overtime")]
    assert {(cell.n_asked, cell.share, cell.shown) for row in cells for cell in row} == {(None, None, None)}
    others = [row.cells[0].n_asked for row in told.groups[0].rows if row.item.startswith("debt")]
    assert set(others) == {200}


def test_classes_are_in_the_ledger_without_everybody_too(run: Run, reviewer: Person) -> None:
    """Fewer than ten answered openly, so that only the classes of age are told, which hold the disguised alone; how
    many of them were shown overtime depends on who works."""
    divided = replace(
        made_nodes.number_nodes()[OVERTIME],
        all_records=NumberEstimates(1509, 3),
        groups=(NumberClasses("age", (made_nodes.OF_OVERTIME,) * 3),),
    )
    made.decide_again(run, {"numbers": [node_to_json(divided)], "groups": []})
    review = made.waiting_review(with_tables(run, hidden_in_a_class(works=503)))
    made.publish(review, reviewer, ["age"])
    (number,) = read_published_content.published_report_without_rules(review).numbers
    assert (number.all_records, number.groups[0].classes[0].n_asked) == (WITHHELD, 700)
    assert [0, 1] in Disclosure.objects.get(door=DisclosureKind.REPORT).tables["told"]


def test_counts_without_an_estimate_and_numbers_of_few_are_withheld(run: Run) -> None:
    content = published_content(run)
    # The records of an item of a number are scores, whose mean is the estimate: no share is said to be observed.
    told = {share.items[0]: share.observed for share in content.shares}
    assert told["debt=>=500"] is None
    assert told["works=yes"] is not None
    shares = content.numbers[OVERTIME].all_records.shares
    assert [(one.n_asked, one.share) for one in shares] == [(700, 0.4), (700, 0.2), (None, None)]
    few = NumberNode("income", "window", NumberEstimates(40, 0))
    made.decide_again(run, {"numbers": [node_to_json(few)]})
    assert published_content(run).numbers[0].all_records == WITHHELD


def test_small_differences_of_publications_are_withheld(survey: Survey, run: Run, reviewer: Person) -> None:
    """Three of 18-39 are new among those who chose disguise: the class is withheld now, for numbers as for shares."""
    made.publish(made.waiting_review(run), reviewer, ["age"])
    later = made_nodes.numbers_run(survey)
    tables = json.loads(json.dumps(made_nodes.PLAIN_TABLES))
    tables[0]["counts"][0] += 3
    Run.objects.filter(pk=later.pk).update(through=3)
    later.refresh_from_db()
    found = published_content(with_tables(later, tables), "age")
    assert found.numbers[DEBT].groups[0].classes[0] == WITHHELD_CLASS


def test_a_reviewer_sees_before_publishing_what_was_not_looked_at(run: Run, judging: Client) -> None:
    made.waiting_review(run)
    page = page_text(judging, desk_page("publish"))
    assert "Not looked at" in page
    assert ": 40-59, 60+" in page
    with_tables(run, hidden_in_a_class(works=503))
    assert "Not looked at" not in page_text(judging, desk_page("publish"))


def test_the_classes_of_windows_alone_can_be_chosen(run: Run, judging: Client) -> None:
    """Such a survey has no shares by group."""
    run.findings["groups"] = []
    run.save(update_fields=["findings"])
    made.waiting_review(run)
    assert "Break down by" in page_text(judging, desk_page("publish"))
    assert judging.post(desk_page("publish"), {"groups": ["age"]}).status_code == 302
    found = read_published_content.published_report_without_rules(Review.objects.get()).numbers
    assert [len(one.groups) for one in found] == [1, 0, 1]
