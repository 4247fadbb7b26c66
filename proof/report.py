"""The report of a proof (the checks of a deployed site), as JSON, Markdown and HTML."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.template.loader import render_to_string

from mining.json_codec import node_to_json
from proof.outcome import EXIT_STATUS, Result

FORMAT = "candor-proof/1"
NEVER_CHECKED = (
    "whether this machine runs only this program: an operator who changes the program can change this proof too",
    "what another site, another server name or another day serves: compare the hash on the start page yourself",
    "proxies, load balancers and hosts in front of the site, and the logs that they keep",
    "backups and copies of the database that were made before",
    "your own device: its keyboard, its browser extensions, and who looks over your shoulder",
    "whether the people who answered told the truth",
)
"""Statements that no proof can check."""


@dataclass(frozen=True, slots=True)
class CheckLine:
    name: str
    result: Result
    seen: str
    means: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Report:
    """The report of a proof; `facts`: versions and hashes, by title."""

    survey: str
    address: str
    made: datetime
    checks: Sequence[CheckLine]
    facts: Mapping[str, Mapping[str, str]]

    @property
    def result(self) -> Result:
        """The overall result: failed if a check failed, else not checked if one was not checked, else held."""
        results = {check.result for check in self.checks}
        return next(result for result in (Result.FAILED, Result.UNCHECKED, Result.HELD) if result in results)

    @property
    def exit_status(self) -> int:
        return EXIT_STATUS[self.result]

    @property
    def counts(self) -> dict[str, int]:
        counter = Counter(check.result for check in self.checks)
        return {result.value: counter[result] for result in Result}

    @property
    def verdict(self) -> str:
        return ", ".join(f"{count} {result}" for result, count in self.counts.items() if count)

    def as_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "survey": self.survey,
            "address": self.address,
            "made": self.made.isoformat(timespec="seconds"),
            "result": self.result.value,
            "counts": self.counts,
            "checks": [*map(node_to_json, self.checks)],
            **{title: dict(values) for title, values in self.facts.items()},
            "never checked": list(NEVER_CHECKED),
        }

    def as_html(self) -> str:
        context = {"report": self.as_json(), "verdict": self.verdict, "never_checked": NEVER_CHECKED}
        return render_to_string("proof/report.html", context)


def as_markdown(report: Mapping[str, Any]) -> str:
    """Converts a report's JSON to Markdown."""
    lines = [
        f"# Proof of the survey {report['survey']}",
        "",
        f"Made {report['made']} of {report['address']}: **{report['result']}**.",
        "",
        "| check | result | what was seen | what it means for you |",
        "|---|---|---|---|",
    ]
    rows = ([check[key] for key in ("name", "result", "seen", "means")] for check in report["checks"])
    lines += [f"| {' | '.join(map(_escape_cell, row))} |" for row in rows]
    lines += ["", "## What is never checked", "", *(f"* {line}" for line in report["never checked"])]
    for title in ("versions", "hashes"):
        if title in report:
            lines += ["", f"## {title.capitalize()}", ""]
            lines += [f"* {name}: `{value}`" for name, value in report[title].items()]
    return "\n".join([*lines, ""])


def _escape_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def as_json_text(content: dict[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"
