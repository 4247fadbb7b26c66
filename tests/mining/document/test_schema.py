"""The JSON Schema of a report: made of its nodes, and kept with the documents."""

from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from mining.report.json_schema import report_schema, schema_text
from mining.report.report_nodes import FORMAT

STORED = Path(__file__).parents[3] / "mining/report/candor-report-1.schema.json"
ABOUT: dict[str, Any] = {
    "run": 1,
    "fingerprint": "0" * 64,
    "rehearsal": False,
    "day": "2026-07-01",
    "records": 9,
    "n_open": 4,
    "disguised": 5,
    "estimator": "stratified",
    "engine": "bitmap",
    "exact": False,
    "version": "1",
    "statements": {},
    "min_support": 0.1,
    "min_confidence": 0.5,
    "max_size": 3,
    "absences": False,
}
REPORT: dict[str, Any] = {
    "format": FORMAT,
    "about": ABOUT,
    **{name: [] for name in ("shares", "compared", "groups", "itemsets", "pairs")},
}


def is_valid(**members: Any) -> bool:
    return bool(Draft202012Validator(report_schema()).is_valid(REPORT | members))


def test_the_stored_schema_is_that_of_the_nodes() -> None:
    """`python -m mining.report.json_schema > mining/report/candor-report-1.schema.json` makes it again."""
    assert STORED.read_text() == schema_text()


def test_it_is_a_schema() -> None:
    Draft202012Validator.check_schema(report_schema())


def test_it_tells_reports_from_other_objects(subtests: pytest.Subtests) -> None:
    cases: list[tuple[dict[str, Any], bool]] = [
        ({}, True),
        ({"later": 1}, True),
        ({"shares": [{"items": ["theft=yes"], "support": None}]}, True),
        ({"left_out": None}, True),
        ({"weighted": {"margins": "Census", "shares": []}}, True),
        ({"format": "candor-report/2"}, False),
        ({"about": {**ABOUT, "run": "first"}}, False),
        ({"about": {}}, False),
        ({"shares": [{"support": 0.5}]}, False),
        ({"shares": [{"items": ["theft=yes"], "support": "half"}]}, False),
        ({"study": {"plan": {"sha256": "0", "hypotheses": [{"name": 1}]}}}, False),
    ]
    for members, expected in cases:
        with subtests.test(f"{members!r:.60} {expected!r:.60}"):
            assert is_valid(**members) is expected


def test_what_no_publication_has_is_not_in_it() -> None:
    nodes = report_schema()["$defs"]
    assert "slope" not in nodes["Cell"]["properties"]
    assert "place" not in nodes["Estimate"]["properties"]
