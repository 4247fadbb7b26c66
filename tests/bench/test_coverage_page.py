"""What bench/figures/coverage.md says: every section of the bench stands on it, and none misses its bar."""

import inspect
import json
import pkgutil
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from bench.coverage.__main__ import NUMBERS, PAGE, SECTIONS
from bench.coverage.page import page
from bench.coverage.section import NEARLY, Bar, Value, summary
from bench.coverage.section_by_interval import MEASURED as BY_NODE, NOT_MEASURED, intervals_without_section
from mining import nodes as report

ROOT = Path(__file__).parents[2]
MEASURED: dict[str, Any] = json.loads((ROOT / NUMBERS).read_text(encoding="utf-8"))


def test_coverage_page_holds_the_numbers_of_all_sections() -> None:
    written = (ROOT / PAGE).read_text(encoding="utf-8")
    assert written == page(written, MEASURED, SECTIONS)
    assert list(MEASURED) == [section.name for section in SECTIONS]


def test_every_coverage_figure_reaches_its_limit(subtests: pytest.Subtests) -> None:
    """Those of the code, not those that the page was made with."""
    for section in SECTIONS:
        with subtests.test(f"{section.name}"):
            measured = MEASURED[section.name]
            assert (measured["draws"], measured["again"]) == (section.draws, section.again)
            rows = {row["measure"]: row for row in measured["measures"]}
            assert set(rows) == set(section.bars)
            for name, bar in section.bars.items():
                row = rows[name]
                assert row["cells"] > 0, name
                assert bar.missed_by(row["worst"]) <= (NEARLY if bar.but else 0), (name, row["listed"][:1])
                assert row["beyond"] <= bar.but, name


def test_coverage_figure_below_its_limit_is_counted() -> None:
    values = [Value("covered", str(at), at, 100) for at in (0.96, 0.91, 0.94)]
    of = summary("covered", Bar(0.93), values)
    assert (of.worst, of.median, of.best, of.beyond) == (0.91, 0.94, 0.96, 1)
    assert of.listed[0] == ("0.91", 0.91, 100)
    of = summary("missed", Bar(0.95, most=True), values)
    assert (of.worst, of.beyond) == (0.96, 1)
    # Three standard errors of .05 in 200 searches are .046.
    assert summary("missed", Bar(0.87, most=True, by_chance=0.046), values).beyond == 2
    heads = next(section for section in SECTIONS if section.name == "heads")
    assert {round(bar.by_chance, 4) for bar in heads.bars.values()} == {0.0462}
    assert summary("mean", Bar(0.94, mean=True), values).beyond == 1
    assert summary("mean", Bar(0.93, mean=True), values).beyond == 0


def test_every_interval_of_a_report_names_its_section() -> None:
    names = [module.name for module in pkgutil.iter_modules(report.__path__, f"{report.__name__}.")]
    members = [member for name in names for member in vars(import_module(name)).values()]
    classes = [member for member in members if inspect.isclass(member) and is_dataclass(member)]
    nodes = [node for node in classes if node.__module__.startswith(report.__name__)]
    assert list(intervals_without_section(nodes)) == []


def test_an_interval_without_a_section_is_refused() -> None:
    @dataclass
    class Ratio:
        share: float
        share_low: float | None
        share_high: float | None
        below: float

    assert list(intervals_without_section([Ratio])) == ["Ratio.share_low"]


def test_sections_that_intervals_name_are_on_the_page_and_their_fields_exist() -> None:
    for node, by_end in [*BY_NODE.items(), *NOT_MEASURED.items()]:
        assert set(by_end) <= {column.name for column in fields(node)}, node
    assert {section for by_end in BY_NODE.values() for section in by_end.values()} <= set(MEASURED)
