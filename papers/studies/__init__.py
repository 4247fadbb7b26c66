"""Published studies of sensitive questions, estimated again from their counts: shares, errors, differences, lifts."""

import json
from collections.abc import Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import Any

from papers.drawing import svg
from papers.studies.figure import figure
from papers.studies.replayed import replayed
from papers.studies.text import text
from papers.tables import csv_text, rounded


def reproduce(folder: Path) -> None:
    """Write a text, a figure as SVG, and all numbers as CSV and JSON; within a second."""
    folder.mkdir(parents=True, exist_ok=True)
    found = replayed()
    written = {
        "studies.md": text(found),
        "studies.json": json.dumps(rounded(found.as_json()), indent=1) + "\n",
        "shares.csv": _csv(found.shares),
        "differences.csv": _csv(found.differences),
        "pairs.csv": _csv(found.pairs),
        "shares.svg": svg(figure(found)),
    }
    for name, content in written.items():
        (folder / name).write_text(content, encoding="utf-8", newline="")


def _csv(rows: Sequence[Any]) -> str:
    return csv_text([field.name for field in fields(rows[0])], [rounded(astuple(row)) for row in rows])
