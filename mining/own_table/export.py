"""Writes the files of an experiment with one's own table: everything as JSON, the rules and the curves as CSV."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from mining.json_codec import node_to_json
from mining.own_table.experiment import MEASURES, ComparedRule, ExperimentResult
from mining.own_table.settings import Settings
from privacy.designs.formula_escape import escape_formula

FORMAT = "candor-own-table/1"


def result_json(settings: Settings, seed: int, result: ExperimentResult) -> str:
    content = {"format": FORMAT, "settings": asdict(settings), "seed": seed, **node_to_json(result)}
    return json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def rules_csv(rules: Iterable[ComparedRule]) -> str:
    head = ["antecedent", "consequent", "outcome", "true_support", "true_confidence"]
    head += ["support", "confidence", "low", "high"]
    rows = []
    for rule in rules:
        cells = asdict(rule)
        cells |= {side: " & ".join(cells[side]) for side in ("antecedent", "consequent")}
        rows.append([cells[name] for name in head])
    return _csv(head, rows)


def curves_csv(result: ExperimentResult) -> str:
    """Returns CSV with a line for each point of each curve: the mean of every measure, and the ends between which 90 %
    of the repetitions lie."""
    ends = ("mean", "low", "high")
    head = ["varied", "value", *(f"{name}_{end}" for name in MEASURES for end in ends)]
    rows = [
        [curve.varied, point.value]
        + [getattr(getattr(point.measures, name), end) for name in MEASURES for end in ends]
        for curve in result.curves
        for point in curve.points
    ]
    return _csv(head, rows)


def _csv(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(head)
    writer.writerows(
        [escape_formula(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
    )
    return text.getvalue()
