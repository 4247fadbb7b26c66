"""A deposit of a version whose rules of two and of three answers are one list is read and checked as it was then.

`older/one_list.zip` holds its records, design and report, and its program of analysis.
"""

import json
from pathlib import Path
from zipfile import ZipFile

import jsonschema
import pytest

from deposits.bundle import library_zip
from mining.nodes.report_nodes import Report, report_from_json, sort_rules
from mining.nodes.rule_lists import PAIRS, places_in_lists
from reports.estimate_texts import search_size_text
from tests.deposits.conftest import list_files
from tests.deposits.test_check import CHECK, Check, check

__all__ = ["check"]
OLDER = Path(__file__).parent / "older/one_list.zip"
SCHEMA = Path("mining/nodes/candor-report-1.schema.json")


@pytest.fixture
def deposit(tmp_path: Path) -> Path:
    """The older deposit with today's check."""
    with ZipFile(OLDER) as archive:
        archive.extractall(tmp_path)
    (tmp_path / "library.zip").write_bytes(library_zip())
    (tmp_path / "check.py").write_text(CHECK.read_text())
    list_files(tmp_path)
    return tmp_path


@pytest.fixture
def report() -> Report:
    with ZipFile(OLDER) as archive:
        return report_from_json(json.loads(archive.read("report.json"))["report"])


def test_todays_check_recomputes_it_as_one_list(
    check: Check, deposit: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """All numbers, q and heads among them, but ten counts of what is in no file; its analysis.py agrees."""
    assert check(deposit) == 0, capsys.readouterr().out
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "1330 of 1340 numbers recomputed and equal: nothing that could be checked is wrong"


def test_its_report_is_of_the_schema() -> None:
    with ZipFile(OLDER) as archive:
        content = json.loads(archive.read("report.json"))["report"]
    assert "larger" not in content["about"]["statements"]
    jsonschema.validate(content, json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_its_rules_stand_in_one_list_with_the_intervals_of_its_heads(report: Report) -> None:
    sizes = [len(rule.items) for rule in report.rules]
    assert (len(sizes), set(sizes)) == (15, {2, 3})
    places = list(places_in_lists(sizes, report.about.statements))
    assert places == [(PAIRS, number) for number in range(1, 16)]
    assert sort_rules(report.rules, report.about.statements) == report.rules


def test_it_says_how_many_ways_to_divide_answers_were_tested(report: Report) -> None:
    assert search_size_text(report.about) == "62 ways to divide two or more answers"
