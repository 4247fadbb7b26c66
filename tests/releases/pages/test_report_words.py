"""The report of a release in words, of numbers written by hand."""

from typing import Any

import pytest
from django.template.loader import render_to_string

from accounts.models import Person
from releases.pages.report_sentences import ReleaseReport, rounded_bits_text
from releases.pages.tabs_and_next_step import ReleasePage
from tests.releases.conftest import draft_of_patients

pytestmark = [pytest.mark.django_db, pytest.mark.page]
VALUE = {
    "information": 1.0, "odds_shift": None, "worst": 1.0, "mean": 0.5, "informed_worst": 1.0, "informed_mean": 0.6,
}  # fmt: skip
RISK: dict[str, Any] = {
    "hasr": 1.0,
    "prosecutor": {"worst": 1.0, "mean": 0.9},
    "uniqueness": 0.8,
    "sensitive": {"illness": VALUE},
}
SAFER: dict[str, Any] = {
    "hasr": 0.0,
    "prosecutor": {"worst": 0.125, "mean": 0.1},
    "uniqueness": 0.0,
    "sensitive": {"illness": {**VALUE, "information": 0.25, "odds_shift": 2.0, "worst": 0.5}},
}
REPORT: dict[str, Any] = {
    "criteria": {
        "k": {"asked": 8, "reached": 9},
        "l": {"kind": "entropy", "asked": 2, "reached": 3},
        "t": {"asked": 0.2, "reached": 0.15},
        "max_frequency": {"asked": None, "reached": 0.4},
        "rho": {"asked": [0.05, 0.5]},
    },
    "losses": {"ncp": 0.1, "hasr": 0.0, "discernibility": 1234, "columns": {"age": 0.1, "town": 0.3}},
    "classes": 4, "records": 50, "published": 48, "falsified": 3, "seconds": 1.0,
    "left": ["Release 1", "a record file"],
    "left_out": 7, "joined": True, "method": "tree",
    "risks": {
        "before": {**RISK, "population": [{"model": "pitman", "population": 0.034, "sample": 0.27}]},
        "after": {**SAFER, "journalist": {"worst": 0.0175, "mean": 0.01, "population": 400}},
    },
    "special": {"records": 21, "largest": 3, "columns": {"age": 0.25, "town": 0.9, "sex": 0.0}},
    "ends": {"age": 7, "wage": 0},
    "suppressed_cells": 12, "tries": 1337, "seed": 42,
}  # fmt: skip


def test_report_words_match_the_numbers(owner: Person) -> None:
    release = draft_of_patients(owner)
    said = ReleaseReport(REPORT, knows_source=True)
    context = {"release": release, "shown": ReleasePage(release, owner), "said": said, "tabs": []}
    page = " ".join(render_to_string("releases/report.html", context).split())
    assert "at least 8 others" in page
    for words in (
        "2 of 50 records were left out.", "3 records have a sensitive value that is not theirs.",
        "The classes of earlier releases stayed together.", "no limit", "5.0 % → 50.0 %", "without limit", "2.0 times",
        "Risk for the value of illness", "1,234", "12.5 %", "1.8 %", "3.4 %", "27 %",
        "21 records were unique by at most 3 columns", "Most depends on: town (90 %), age (25 %).",
        "12 cells (12.5 %) were suppressed.", "1,337", ">42<",
    ):  # fmt: skip
        assert words in page, words
    assert page.index(">town</th>") < page.index(">age</th>")


def test_report_counts_ends_of_one_person_and_release_risk_has_no_before(owner: Person) -> None:
    release = draft_of_patients(owner)
    said = ReleaseReport(REPORT, knows_source=True)
    assert said.ends == [("age", "7")]
    without = ReleaseReport({**REPORT, "ends": {"age": 0}}, knows_source=True)
    context = {"release": release, "shown": ReleasePage(release, owner), "said": without, "tabs": []}
    page = " ".join(render_to_string("releases/report.html", context).split())
    assert "No end of a class is the value of one person." in page
    before = {row.after: row.before for row in said.risks}
    assert before["1.8 %"] == "–"


@pytest.mark.parametrize(("bits", "text"), [(2.0, "2"), (0.25, "0.25"), (0.00005, "0.00"), (0.0, "0.00")])
def test_bits_are_written_without_an_exponent(bits: float, text: str) -> None:
    assert rounded_bits_text(bits) == text
