"""What the pictures of numbers are drawn from, how reports say the items of a number, and their files."""

from dataclasses import replace
from typing import Any

import pytest
from django.test import Client
from django.utils import translation

from accounts.models import Person
from mining.json_codec import node_to_json
from mining.nodes.number_nodes import NumberDistribution, NumberNode, NumberTruth
from mining.nodes.report_nodes import report_from_json
from privacy.designs import Design
from privacy.kinds.number.number_question import NumberQuestion
from privacy.kinds.number.window.section import WindowQuestion
from reports.answer_labels import Labels
from reports.kinds.number import window_disguised_number_picture as distribution
from reports.kinds.number.distribution_cells import DistributionCell, distribution_cells, merge_cells
from reports.kinds.number.shown_number import ShownNumber
from reports.models import Review
from reports.pages import named_pictures
from reports.pictures.picture import Picture
from reports.pictures.plot import (
    Axis,
    Band,
    Dots,
    Drawing,
    Line,
    Mark,
    Steps,
    percent_decimal_places,
    round_steps,
)
from reports.review import read_published_content
from reports.review.question_shares import question_shares
from reports.review.report_page_data import ReportPage
from tests.reports import made, made_nodes
from tests.reports.conftest import from_csv, from_excel, from_json, parquet_table, workbook
from tests.reports.test_exports import FORMULA, formula_cells, texts
from ui.quantity_format import decimal_places_for, format_quantity, format_rounded

pytestmark = pytest.mark.page
DEBT, OVERTIME, INCOME = range(3)


def shown_number(place: int, finding: NumberNode | None = None, design: Design | None = None) -> ShownNumber:
    design = design or made_nodes.numbers_design()
    finding = finding or made_nodes.number_nodes()[place]
    question = next(one for one in design.questions if one.name == finding.question)
    assert isinstance(question, NumberQuestion)
    return ShownNumber(place + 1, question, Labels(design.mined), finding)


def require_picture(picture: Picture | None) -> Picture:
    assert picture is not None
    return picture


def marks(picture: Picture, plot: int = 0) -> list[Mark]:
    return list(picture.drawing.plots[plot][1])


def line(picture: Picture, kind: str) -> Line:
    return next(mark for mark in marks(picture) if isinstance(mark, Line) and mark.kind == kind)


def test_an_axis_begins_and_ends_at_round_values_and_its_labels_are_at_equal_distances() -> None:
    for low, high, most, values in (
        (0.0, 1.0, 5, [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.0, 0.043, 5, [0.0, 0.01, 0.02, 0.03, 0.04, 0.05]),
        (-0.1, 1.0, 2, [-1.0, 0.0, 1.0]),
        (-0.01, 0.09, 2, [-0.05, 0.0, 0.05, 0.1]),
        (0.0, 0.0008, 2, [0.0, 0.0005, 0.001]),
    ):
        assert round_steps(low, high, most) == pytest.approx(values)
    # Its values have as many places as they differ in.
    ticks = ([0.0, 0.2], [0.0, 0.01], [0.0, 0.0005], [0.0])
    assert [percent_decimal_places(values) for values in ticks] == [0, 0, 2, 0]
    # A position is a percentage of the axis, and what is outside lies at its end.
    share = Axis("", 0.0, 0.5, [])
    assert [share.percent(value) for value in (0.0, 0.125, 0.5, 0.9, -1.0)] == [0, 25, 100, 100, 0]
    people = Axis("", 10, 1_000, [], logarithmic=True)
    assert [people.percent(value) for value in (10, 100, 1_000)] == [0, 50, 100]
    y = Axis("", 0.0, 0.2, [(0.0, "0 %"), (0.1, "10 %"), (0.2, "20 %")])
    drawing = Drawing(Axis("", 0, 1, []), y, [("a", []), ("b", [])])
    assert drawing.y_labels == ["20 %", "10 %", "0 %"]
    assert [drawing.y_pixels(value) for value, _label in y.ticks] == [88, 44, 0]


def window(values: int, width: int) -> tuple[WindowQuestion, NumberDistribution]:
    """Every number is equally likely."""
    question = WindowQuestion("q", lowest=10, step=5, values=values, half=1)
    sizes = [min(width, values - start) / values for start in range(0, values, width)]
    even = tuple(sizes)
    return question, NumberDistribution(width, even, even, even, 3, even, even)


def test_a_distribution_is_drawn_as_its_table_lists_it() -> None:
    # A cell says its numbers and the last may have fewer.
    found = list(distribution_cells(*window(10, 4)))
    assert [(one.first, one.last, one.size) for one in found] == [(10, 25, 4), (30, 45, 4), (50, 55, 2)]
    assert sum(one.blurred for one in found) == pytest.approx(1)
    # Cells are joined until there are few enough.
    found = merge_cells(list(distribution_cells(*window(10, 1))), 4)
    cells = [(10, 20, 3), (25, 35, 3), (40, 50, 3), (55, 55, 1)]
    assert [(one.first, one.last, one.size) for one in found] == cells
    assert [one.received for one in found] == pytest.approx([0.3, 0.3, 0.3, 0.1])
    assert [one.truth for one in found] == [None] * 4
    # A last cell with fewer numbers is drawn as high as equally likely ones.
    question, of = window(10, 4)
    found_marks = distribution.distribution_marks(list(distribution_cells(question, of)), 4, 2.5)
    (blurred,) = (mark for mark in found_marks if isinstance(mark, Line) and mark.kind == "line")
    assert {y for _x, y in blurred.points} == {0.4}
    # The illustration is cut off where it would flatten all else.
    tall = [DistributionCell(0, 0, 1, 0.1, 0.05, 0.15, 0.2, share, None, None) for share in (0.1, 0.9)]
    assert distribution.share_range([tall], 1) == (0, 0.2)
    # Noise below zero lies inside the plot.
    one = DistributionCell(0, 0, 1, 0.1, -0.05, 0.15, 0.2, 0.1, None, None)
    assert distribution.share_range([[one]], 1)[0] == -0.05


def test_without_a_band_none_is_drawn_and_all_pictures_of_a_number_have_one_scale() -> None:
    found = made_nodes.number_nodes()[INCOME]
    bare = replace(
        found.all_records, distribution=replace(made_nodes.triangular_distribution(), low=None, high=None)
    )
    picture = require_picture(
        distribution.distribution_picture(shown_number(INCOME, replace(found, all_records=bare)))
    )
    names = [column.name for column in picture.columns]
    assert names == ["from", "to", "received", "blurred", "illustration"]
    assert not any(isinstance(mark, Band) for mark in marks(picture))
    assert "95 %" not in str(picture.drawing.key)
    number = shown_number(INCOME)
    pictures = [require_picture(distribution.distribution_picture(number))]
    pictures += [require_picture(distribution.class_distributions_picture(group)) for group in number.groups]
    assert len(pictures) > 1
    axes = {(picture.drawing.x.ticks[0], tuple(picture.drawing.y.ticks)) for picture in pictures}
    assert len(axes) == 1


def test_every_cell_that_is_drawn_is_one_of_the_table() -> None:
    picture = require_picture(distribution.distribution_picture(shown_number(INCOME)))
    assert len(picture.rows) == len(line(picture, "line").points) == 101
    (steps,) = (mark for mark in marks(picture) if isinstance(mark, Steps))
    assert [share for _first, _last, share in steps.steps] == [row[2] for row in picture.rows]
    # The truth of a distribution is listed as it is and blurred and drawn blurred.
    even = (1 / 101,) * 101
    truth = NumberTruth(None, (1.0,) + (0.0,) * 100, even)
    income = shown_number(INCOME, replace(made_nodes.number_nodes()[INCOME], truth=truth))
    picture = require_picture(distribution.distribution_picture(income))
    assert [column.name for column in picture.columns][-2:] == ["truth", "truth_blurred"]
    assert picture.rows[0][-2:] == [1.0, 1 / 101]
    (diamonds,) = (mark for mark in marks(picture) if isinstance(mark, Dots))
    assert diamonds.is_truth
    assert distribution.DIAMONDS <= len(diamonds.points) <= 2 * distribution.DIAMONDS
    assert "Diamonds" in picture.about
    # Every class with a distribution has a panel of one scale.
    picture = require_picture(distribution.class_distributions_picture(shown_number(INCOME).groups[0]))
    assert [label for label, _marks in picture.drawing.plots] == ["18-39", "40-59"]
    assert len(picture.rows) == 202
    assert {row[0] for row in picture.rows} == {"18-39", "40-59"}


def test_an_item_of_a_number_is_said_with_its_unit_and_a_class_of_a_scale_as_its_value() -> None:
    labels = Labels(made_nodes.numbers_design().mined)
    for name, short, marked in (
        ("debt=>=500", "Debt: 500 euros or more", "500 euros or more · Debt"),
        ("debt=<10000", "Debt: under 10,000 euros", "under 10,000 euros · Debt"),
        ("debt=>=500 <1000", "Debt: 500 to under 1,000 euros", "500 to under 1,000 euros · Debt"),
        ("overtime=>=5", "Overtime: 5 hours or more", "5 hours or more · Overtime"),
        ("overtime=<20", "Overtime: under 20 hours", "under 20 hours · Overtime"),
    ):
        answer = labels.answer(name)
        assert (answer.short, answer.marked) == (short, marked)
    scale = Labels(made_nodes.scale().mined)
    names = ["mood=<2", "mood=>=3 <4", "mood=>=5", "mood=>=3", "mood=<4"]
    said = ["1", "3", "5", "3 points or more", "under 4 points"]
    assert [scale.answer(name).choice for name in names] == said
    # A limit is said in the reader's language.
    with translation.override("zh-hans"):
        answer = Labels(made_nodes.numbers_design().mined).answer("debt=>=10000")
        assert answer.question == "您欠多少钱？"
        assert "10,000 欧元" in answer.choice
        assert "euros" not in answer.choice
    # A number has items by name and a place.
    assert labels.names[5:8] == ["debt=>=500", "debt=>=1000", "debt=>=2000"]
    assert "income" not in "".join(labels.names)
    assert [labels.question_index(name) for name in ("age", "debt", "overtime", "income")] == [0, 2, 3, 4]
    assert labels.is_asked_if_shown("debt=>=500")
    assert not labels.is_asked_if_shown("works=yes")


def test_numbers_have_separators_and_estimates_as_many_places_as_their_error_lets_them() -> None:
    for number, unit, said in (
        (1000, "euros", "1,000 euros"), (-2500, "", "−2,500"), (0, "°C", "0 °C"), (1, "hours", "1 hour"),
        (1, "hours a week", "1 hour a week"), (1, "Stunden", "1 Stunde"), (1, "drinks", "1 (drinks)"),
    ):  # fmt: skip
        assert format_quantity(number, unit) == said
    for value, se, said in (
        (1834.56, 83.2, "1,830"), (1834.56, 830.0, "1,800"), (12.3456, 0.83, "12.3"), (5.2, 0.3, "5.20"),
        (-0.001, 0.02, "0.001"), (-12.3456, 3.1, "−12.3"), (7.5, 0.0, "8"),
    ):  # fmt: skip
        assert format_rounded(value, decimal_places_for(se)).replace("−0.001", "0.001") == said


def test_the_answers_page_lists_classes_and_limits_of_a_number_under_one_heading(owner: Person) -> None:
    review = made.waiting_review(made_nodes.numbers_run(made_nodes.numbers_survey(owner)))
    found = question_shares(ReportPage(review, whole=True), sensitive=True)
    assert [
        (one.name, len(one.shares), len(one.above), one.is_asked_if_shown, one.may_be_hidden) for one in found
    ] == [("debt", 6, 5, True, False), ("overtime", 5, 0, True, True)]
    labels = Labels(review.run.mined_design)
    choices = [labels.answer(share.item).choice for share in found[1].shares]
    assert choices == [
        *("5 hours or more", "10 hours or more", "20 hours or more"),
        *("5 to under 10 hours", "10 to under 20 hours"),
    ]


TABLES = ["numbers", "number_shares", "distribution"]


@pytest.fixture
def of_owner(owner: Person, reviewer: Person, reading: Client) -> Client:
    """Who may read the numbers, and those by age."""
    run = made_nodes.numbers_run(made_nodes.numbers_survey(owner))
    made.publish(made.waiting_review(run), reviewer, ["age"])
    return reading


def test_sheet_of_shares_has_a_number_as_the_page_has_it(of_owner: Client) -> None:
    """The shares of all answers have 0.3 of those above the first limit; its distribution, which falls, has 0.7."""
    shown = {row[0]: row[1:4] for row in workbook(of_owner)["Shares"].iter_rows(values_only=True)}
    assert shown["How much do you owe? 500 euros or more"] == (0.7, 0.65, 0.75)
    assert shown["How much do you owe? 500 to under 1,000 euros"][0] == 0.18


def test_number_tables_are_exact(of_owner: Client) -> None:
    # Means and quantiles stand in one table of everybody and of classes.
    found = from_csv(of_owner, "numbers")
    assert [(row["question"], row["class"]) for row in found] == [
        ("debt", ""),
        *(("debt", f"age={age}") for age in made_nodes.AGES),
        ("overtime", ""),
        ("income", ""),
        *(("income", f"age={age}") for age in made_nodes.AGES),
    ]
    debt, young, middle, _old, overtime, income = found[:6]
    assert (debt["base"], debt["opened"], debt["law"], debt["unit"]) == ("1656", "150", "classes", "euros")
    assert (debt["mean"], debt["mean_se"], debt["mean_low"]) == ("1834.56", "83.2", "1671.49")
    assert (debt["quantile_0.5_at_least"], debt["quantile_0.5_below"]) == ("500", "2000")
    assert (debt["among"], young["among"]) == ("", "of people who chose disguise")
    assert (young["by"], young["class_in_words"], young["mean"]) == ("age", "18-39", "1500.0")
    assert {middle[name] for name in ("base", "opened", "mean", "mean_low", "quantile_0.5_below")} == {""}
    quantiles = [overtime[name] for name in ("mean", "quantile_0.5_below", "quantile_0.25_below")]
    assert quantiles == ["", "5", ""]
    assert (income["mean"], income["law"]) == ("", "window")
    # Every limit has its share and interval.
    found = from_csv(of_owner, "number_shares")
    assert len(found) == 10 + 10 + 3
    first = found[0]
    assert (first["item"], first["at_least"], first["below"]) == ("debt=>=500", "500", "")
    assert first["item_in_words"] == "How much do you owe? 500 euros or more"
    assert (first["base"], first["share"], first["low"], first["high"]) == ("1490", "0.7", "0.65", "0.75")
    assert {row["class"] for row in found} == {"", "age=18-39"}
    # The last class is the share above the last limit.
    assert [(row["at_least"], row["below"], row["share"]) for row in found[4:7]] == [
        ("10000", "", "0.045"),
        ("", "500", "0.3"),
        ("500", "1000", "0.18"),
    ]
    last = found[-1]
    assert (last["item"], last["base"], last["share"]) == ("overtime=>=20", "", "")
    # A distribution has a row for every cell.
    found = from_csv(of_owner, "distribution")
    assert [row["class"] for row in found] == [""] * 101 + ["age=18-39"] * 101
    middle = found[50]
    assert (middle["from"], middle["to"], middle["modes"]) == ("5000", "5000", "11")
    assert (middle["blurred"], middle["low"], middle["high"]) == ("0.02", "0.018", "0.022")
    assert found[101 + 50]["received"] == ""
    # The questions of numbers are listed with their words.
    found = [row for row in from_csv(of_owner, "questions") if row["kind"] == "number"]
    assert [(row["question"], row["choice"]) for row in found][:2] == [("debt", ">=500"), ("debt", ">=1000")]
    assert [row["section"] for row in found] == ["2"] * 14 + ["3"] * 8 + ["4"]
    assert (found[0]["keep"], found[0]["choice_text"]) == ("0.7000", "500 euros or more")
    income = found[-1]
    said = [income[name] for name in ("question", "choice", "choice_text")]
    assert said == ["income", "", "0 to 10,000 euros"]
    # Excel and parquet have the same tables.
    assert workbook(of_owner).sheetnames[-3:] == [f"Data {table}" for table in TABLES]
    assert from_excel(of_owner, "numbers")[0]["mean"] == 1834.56
    table = parquet_table(of_owner, "number_shares")
    assert table["at_least"].to_pylist()[:2] == [500, 1000]
    assert str(table.schema.field("share").type) == "double"


def test_json_has_the_numbers_of_the_publication_and_every_file_their_formulas(of_owner: Client) -> None:
    whole = from_json(of_owner)
    stored = read_published_content.published_report_without_rules(Review.objects.get()).numbers
    assert report_from_json(whole["report"]).numbers == stored
    assert [section["kind"] for section in whole["design"]["sections"]] == ["plain", *["number"] * 3]
    for name in ("number_shares", "mean", "quantiles", "blurred", "band", "illustration"):
        assert whole["formulas"][f"numbers_{name}"]
    # No column of truth stands in the files of a real survey.
    for table in TABLES:
        assert not [name for name in from_csv(of_owner, table)[0] if "truth" in name]


def test_no_cell_of_a_tempting_number_is_computed(owner: Person, reviewer: Person, reading: Client) -> None:
    tempting = {"name": "-debt", "text": {"en": FORMULA}, "unit": {"en": "=1+1"}}
    survey = made_nodes.numbers_survey(owner, debt=tempting)
    nodes: list[dict[str, Any]] = [node_to_json(one) for one in made_nodes.number_nodes()]
    nodes[0]["question"] = "-debt"
    made.publish(made.waiting_review(made_nodes.numbers_run(survey, numbers=nodes)), reviewer, ["age"])
    review = Review.objects.get()
    found = texts(reading, review.pk, named_pictures.picture_makers(ReportPage(review, whole=False)))
    assert {f"{table}.csv" for table in TABLES} | {"picture number-3"} <= set(found)
    assert {name: formula_cells(text) for name, text in found.items() if formula_cells(text)} == {}
    assert f"'{FORMULA[:10]}" in found["numbers.csv"]
    assert "'-debt=>=500" in found["number_shares.csv"]
