"""The tables that the scripts of a record file write, and the numbers of a report that they must have."""

import csv
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from math import isfinite
from pathlib import Path
from typing import Any

import pytest

from intake.recordfiles.analysis import PYTHON, ScriptLanguage
from mining.document.models import ModelResult
from mining.document.numbers import NumberEstimates, NumberNode
from mining.document.places import PlaceNode
from mining.document.report import Estimate, GroupTable, GroupTest, Report
from mining.document.study import Arms
from mining.truth import AMONG
from privacy.designs import Design
from privacy.kinds.place.section import PlaceSection

Tables = dict[str, list[dict[str, str]]]
Expected = tuple[str, Mapping[str, str], Mapping[str, float | None]]
"""A table, the cells that name its row, and numbers of this row."""

SHARE = (
    *("n_asked", "n_open", "shown", "observed", "support", "se", "low", "high", "pooled", "expected_w"),
    *("share_shown", "low_shown", "high_shown", "forged_low", "forged_high"),
)
CELL = ("share", "low", "high", "share_shown", "low_shown", "high_shown")
ARM = (
    *("direct", "disguised", "difference", "low", "high", "p", "smallest_more", "smallest_fewer"),
    *("n_direct", "direct_low", "direct_high", "n_disguised", "disguised_low", "disguised_high", "holm"),
)


def run(
    language: ScriptLanguage, design: Design, folder: Path, kind: str = "csv", more: str = "", **env: str
) -> Tables:
    """What the script writes next to the record file; `more` is run behind it."""
    (folder / language.file).write_text(language.script(design, f"records.{kind}", "Work 工作") + more)
    program = [sys.executable] if language is PYTHON else ["Rscript", "--vanilla"]
    done = subprocess.run(
        [*program, language.file],
        cwd=folder,
        env=os.environ | env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr, done.stderr
    tables = {}
    for path in sorted(folder.glob("analysis-*.csv")):
        with path.open() as file:
            tables[path.stem.removeprefix("analysis-")] = list(csv.DictReader(file))
        path.unlink()
    return tables


def differences(tables: Tables, expected: Iterable[Expected], *, published: bool = False) -> list[str]:
    """Every number that no row has, or that its row has otherwise; a publication withholds some numbers."""
    wrong: list[str] = []
    for name, key, numbers in expected:
        rows = [row for row in tables.get(name, []) if all(row[part] == cell for part, cell in key.items())]
        if len(rows) != 1:
            wrong.append(f"{name} {dict(key)}: {len(rows)} rows")
            continue
        wrong += [
            f"{name} {dict(key)}: {member} is {rows[0][member]}, not {number}"
            for member, number in numbers.items()
            if not (published and number is None) and not same(rows[0][member], number)
        ]
    return wrong


def same(cell: str, number: float | None) -> bool:
    """An empty cell is None."""
    if number is None or not isfinite(number):
        return cell == ""
    return cell != "" and float(cell) == pytest.approx(number, abs=1e-6, rel=1e-6)


def members(node: Any, *names: str) -> dict[str, float | None]:
    return {name: getattr(node, name) for name in names}


def of_report(report: Report, design: Design) -> Iterator[Expected]:
    yield from of_shares(report.shares)
    yield from of_groups(report.groups)
    yield from of_compared(report.compared, design)
    for number in report.numbers:
        yield from of_number(number, design)
    for place in report.places:
        yield from of_place(place, design)
    if report.study.arms:
        yield from of_arms(report.study.arms, design)


def of_shares(shares: tuple[Estimate, ...]) -> Iterator[Expected]:
    for share in shares:
        among = AMONG if share.disguised_only else ""
        yield "shares", {"item": share.item, "among": among}, members(share, *SHARE)


def of_groups(groups: tuple[GroupTable, ...]) -> Iterator[Expected]:
    for table in groups:
        for row in table.rows:
            together = {"together": row.together, "low_together": row.low, "high_together": row.high}
            for name, cell in zip(table.classes, row.cells, strict=True):
                key = {"question": table.question, "class": name, "item": row.item}
                yield "groups", key, {**members(cell, *CELL), **together, "p": row.p}
                if cell.share is not None:
                    yield "groups", key, members(cell, "n_asked", "shown")


def of_compared(compared: tuple[GroupTest, ...], design: Design) -> Iterator[Expected]:
    """The plain answers and the places of open records are withheld, and Holm's p is over these too."""
    for test in compared:
        question = next(one for one in design.questions if one.name == test.item.partition("=")[0])
        if not question.withheld_if_open:
            key = {"item": test.item}
            yield "compared", key, members(test, "opened", "disguised", "more", "fewer")


def of_number(node: NumberNode, design: Design) -> Iterator[Expected]:
    yield from _of_estimates(node, "", node.all_records)
    for group in node.groups:
        question = next(question for question in design.questions if question.name == group.question)
        for choice, estimates in zip(question.choices, group.classes, strict=True):
            yield from _of_estimates(node, f"{group.question}={choice.name}", estimates)


def _of_estimates(node: NumberNode, name: str, estimates: NumberEstimates) -> Iterator[Expected]:
    key = {"question": node.question, "class": name}
    for share in (*estimates.shares, *estimates.classes[:-1]):
        ends = {
            part: "" if end is None else str(end) for part, end in members(share, "at_least", "below").items()
        }
        yield "numbers", {**key, **ends}, members(share, "n_asked", "share", "se", "low", "high")
    for stated in estimates.quantiles:
        yield "quantiles", {**key, "q": f"{stated.q:g}"}, members(stated, "at_least", "below")
    if estimates.mean:
        means = members(estimates.mean, "value", "se", "low", "high")
        yield "means", key, {"n_asked": estimates.n_asked, **means}
    curve = estimates.distribution
    for cell, blurred in enumerate(curve.blurred if curve else ()):
        assert curve
        columns = {"low": curve.low, "high": curve.high, "received": curve.received}
        numbers = {part: column[cell] if column else None for part, column in columns.items()}
        yield (
            "distributions",
            {**key, "cell": str(cell + 1)},
            {"n_asked": estimates.n_asked, "modes": curve.modes, "blurred": blurred, **numbers},
        )


def of_place(node: PlaceNode, design: Design) -> Iterator[Expected]:
    """A report withholds more than a holder of the records needs to: what it says is compared."""
    section = next(section for section in design.sections if section.questions[0].name == node.question)
    assert isinstance(section, PlaceSection)
    names = section.question.code_names
    for name, received in zip(names, node.received, strict=False):
        if received is not None:
            yield (
                "places",
                {"question": node.question, "cell": name},
                {"n_asked": node.n_asked, "received": received},
            )
    for cell, outside in zip(section.law.outside, node.outside, strict=False):
        if outside:
            yield (
                "places",
                {"question": node.question, "cell": names[cell]},
                members(outside, "share", "low", "high"),
            )


def of_arms(arms: Arms, design: Design) -> Iterator[Expected]:
    completion = members(arms.completion, "completion", "low", "high", "p")
    yield "completion", {}, {**members(arms, "direct", "disguised"), **completion}
    places = {section.questions[0].name for section in design.sections if isinstance(section, PlaceSection)}
    for item in arms.items:
        # Direct records withhold their places, so Holm's p of all answers cannot be had either.
        if item.item.partition("=")[0] not in places:
            bounds = dict(zip(("bound_low", "bound_high"), item.bounds, strict=True))
            numbers = members(item, *ARM[: len(ARM) - bool(places)])
            yield "arms", {"item": item.item}, {**numbers, **bounds}


def of_model(model: ModelResult) -> Iterator[Expected]:
    fit = {"fit_df": model.fit.df if model.fit else None, "fit_p": model.fit.p if model.fit else None}
    for coefficient in model.coefficients:
        numbers = members(coefficient, "b", "se", "low", "high", "p")
        yield "model", {"of": coefficient.of}, {"n": model.n, **numbers, **fit}
    for term in model.terms:
        columns = [one.of for one in model.coefficients if one.of.count("*") == term.of.count("*")]
        for name in columns:
            if [part.partition("=")[0] for part in name.split("*")] == term.of.split("*"):
                yield "model", {"of": name}, {"term_df": term.df, "term_p": term.p}
