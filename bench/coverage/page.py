"""The page of coverage, made of its numbers."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bench.coverage.section import WORST, Section
from bench.coverage.section_by_interval import NOT_MEASURED
from bench.markdown import line

NOT_HERE = "## Not measured here"
LISTED = 5
"""Of the ten worst cells, which are among the numbers; if more stand there, all."""


def page(before: str, measured: Mapping[str, Any], sections: Iterable[Section]) -> str:
    """With the introduction of the page before."""
    lines = [before.partition("\n## ")[0]]
    for section in sections:
        lines += _section(section, measured[section.name]) if section.name in measured else ()
    lines += [NOT_HERE, ""]
    for node, reasons in NOT_MEASURED.items():
        lines += [f"* `{node.__name__}.{end}`: {reason}." for end, reason in reasons.items()]
    return "\n".join([*lines, ""])


def _section(section: Section, measured: Mapping[str, Any]) -> Iterator[str]:
    again = f", the worst {measured['again']:,}" if measured["again"] else ""
    yield f"## {section.title}\n"
    yield f"{section.says} {measured['draws']:,} surveys a cell{again}; seed {measured['seed']}.\n"
    yield "| measure | cells | worst | median | bar | beyond it | no interval |"
    yield "|---|--:|--:|--:|--:|--:|--:|"
    for row in measured["measures"]:
        worst = f"{figure(row['worst'])}{' (mean)' if row['mean'] else ''}"
        bar = f"{'at most' if row['most'] else 'at least'} {figure(row['at'])}"
        none = figure(row["none"]) if row["none"] else "–"
        cells, median = f"{row['cells']:,}", figure(row["median"])
        yield line([row["measure"], cells, worst, median, bar, row["beyond"], none])
    yield ""
    for row in measured["measures"]:
        if row["listed"]:
            yield f"<details><summary>The worst of {row['measure']}</summary>\n"
            yield "| cell | value | surveys |\n|---|--:|--:|"
            listed = row["listed"]
            for cell, value, used in listed if len(listed) > WORST else listed[:LISTED]:
                yield line([cell, figure(value), f"{used:,}"])
            yield "\n</details>\n"


def figure(value: float) -> str:
    return f"{value:.4f}" if abs(value) < 0.01 and value else f"{value:.3f}"
