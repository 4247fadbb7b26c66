"""Numbers in the files of a published report, read back by programs that did not write them."""

from typing import Any

import pytest
from django.test import Client

from accounts.models import Person
from mining.report.json_codec import dump
from mining.report.report_nodes import report_from_json
from reports.models import Review
from reports.pages import named_pictures
from reports.review import read_published_content
from reports.review.report_page_data import ReportPage
from surveys.models import Survey
from tests.reports import made, made_nodes
from tests.reports.paged import book, bundle, from_csv, from_excel, from_json, parquet_table, reader
from tests.reports.test_spreadsheets import FORMULA, computed

pytestmark = pytest.mark.page
TABLES = ["numbers", "number_shares", "distribution"]


@pytest.fixture
def survey(owner: Person) -> Survey:
    return made_nodes.numbers_survey(owner)


@pytest.fixture
def client(survey: Survey, reviewer: Person, reading: Client) -> Client:
    made.publish(made.waiting(made_nodes.numbers_run(survey)), reviewer, ["age"])
    return reading


def test_every_table_of_numbers(client: Client) -> None:
    # Means and quantiles stand in one table of everybody and of classes.
    found = from_csv(client, "numbers")
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
    assert (overtime["mean"], overtime["quantile_0.5_below"], overtime["quantile_0.25_below"]) == (
        "",
        "5",
        "",
    )
    assert (income["mean"], income["law"]) == ("", "window")
    # Every limit has its share and interval.
    found = from_csv(client, "number_shares")
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
    found = from_csv(client, "distribution")
    assert [row["class"] for row in found] == [""] * 101 + ["age=18-39"] * 101
    middle = found[50]
    assert (middle["from"], middle["to"], middle["modes"]) == ("5000", "5000", "11")
    assert (middle["blurred"], middle["low"], middle["high"]) == ("0.02", "0.018", "0.022")
    assert found[101 + 50]["received"] == ""
    # The questions of numbers are listed with their words.
    found = [row for row in from_csv(client, "questions") if row["kind"] == "number"]
    assert [(row["question"], row["choice"]) for row in found][:2] == [("debt", ">=500"), ("debt", ">=1000")]
    assert [row["section"] for row in found] == ["2"] * 14 + ["3"] * 8 + ["4"]
    assert (found[0]["keep"], found[0]["choice_text"]) == ("0.7000", "500 euros or more")
    income = found[-1]
    assert (income["question"], income["choice"], income["choice_text"]) == (
        "income",
        "",
        "0 to 10,000 euros",
    )
    # Excel and parquet have the same tables.
    assert book(client).sheetnames[-3:] == TABLES
    assert from_excel(client, "numbers")[0]["mean"] == 1834.56
    table = parquet_table(client, "number_shares")
    assert table["at_least"].to_pylist()[:2] == [500, 1000]
    assert str(table.schema.field("share").type) == "double"


def test_json_has_the_numbers_of_the_publication_and_every_file_their_formulas(client: Client) -> None:
    whole = from_json(client)
    assert (
        report_from_json(whole["report"]).numbers
        == read_published_content.published_report(Review.objects.get()).numbers
    )
    assert [section["kind"] for section in whole["design"]["sections"]] == ["plain", *["number"] * 3]
    for name in ("number_shares", "mean", "quantiles", "blurred", "band", "illustration"):
        assert whole["formulas"][f"numbers_{name}"]


def test_no_column_of_truth_stands_in_the_files_of_a_real_survey(client: Client) -> None:
    for table in TABLES:
        assert not [name for name in from_csv(client, table)[0] if "truth" in name]


def test_no_cell_of_a_tempting_number_is_computed(owner: Person, reviewer: Person, reading: Client) -> None:
    tempting = {"name": "-debt", "text": {"en": FORMULA}, "unit": {"en": "=1+1"}}
    survey = made_nodes.numbers_survey(owner, debt=tempting)
    found: list[dict[str, Any]] = [dump(one) for one in made_nodes.numbers()]
    found[0]["question"] = "-debt"
    made.publish(made.waiting(made_nodes.numbers_run(survey, numbers=found)), reviewer, ["age"])
    with bundle(reading, "csv") as files:
        texts = {name: files.read(name).decode() for name in files.namelist() if name.endswith(".csv")}
    for name in named_pictures.picture_makers(ReportPage(Review.objects.get(), whole=False)):
        answer = reading.get(reader(f"pictures/{name}.csv"))
        if answer.status_code == 200:
            texts[f"picture {name}"] = answer.content.decode()
    assert {f"{table}.csv" for table in TABLES} | {"picture number-3"} <= set(texts)
    assert {name: computed(text) for name, text in texts.items() if computed(text)} == {}
    assert f"'{FORMULA[:10]}" in texts["numbers.csv"]
    assert "'-debt=>=500" in texts["number_shares.csv"]
