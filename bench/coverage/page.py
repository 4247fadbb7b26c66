"""The page of coverage, made of its numbers."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

from bench.coverage.section import Section
from mining.document.coverage import NOT_MEASURED

NOT_HERE = "## Not measured here"
LISTED = 5
"""Of the ten worst cells; all are among the numbers."""


def page(before: str, measured: Mapping[str, Any], sections: Iterable[Section]) -> str:
    """With the introduction of the page before."""
    introduction = before.partition("\n## ")[0]
    of_sections = (
        _section(section, measured[section.name]) for section in sections if section.name in measured
    )
    lines = [introduction, *chain.from_iterable(of_sections), NOT_HERE, ""]
    for node, reasons in NOT_MEASURED.items():
        lines += [f"* `{node.__name__}.{end}`: {reason}." for end, reason in reasons.items()]
    return "\n".join([*lines, ""])


def _section(section: Section, measured: Mapping[str, Any]) -> Iterator[str]:
    again = f", the worst {measured['again']:,}" if measured["again"] else ""
    yield f"## {section.title}\n"
    yield f"{section.says} {measured['draws']:,} surveys a cell{again}; seed {measured['seed']}.\n"
    yield "| measure | cells | worst | median | bar | beyond it | no interval |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for one in measured["measures"]:
        sign = "at most" if one["most"] else "at least"
        worst = f"{figure(one['worst'])}{' (mean)' if one['mean'] else ''}"
        bar = f"{sign} {figure(one['at'])}"
        none = figure(one["none"]) if one["none"] else "–"
        yield (
            f"| {one['measure']} | {one['cells']:,} | {worst} | {figure(one['median'])} | {bar} | {one['beyond']} "
            f"| {none} |"
        )
    yield ""
    for one in measured["measures"]:
        if one["listed"]:
            yield f"<details><summary>The worst of {one['measure']}</summary>\n"
            yield "| cell | value | surveys |"
            yield "|---|--:|--:|"
            for cell, value, used in one["listed"][:LISTED]:
                yield f"| {cell} | {figure(value)} | {used:,} |"
            yield "\n</details>\n"


def figure(value: float) -> str:
    return f"{value:.4f}" if abs(value) < 0.01 and value else f"{value:.3f}"
