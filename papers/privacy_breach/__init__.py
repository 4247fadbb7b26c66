"""The system of the paper on privacy breaches: what records reveal under three laws, and a law for given conditions.

Everything is computed, nothing drawn.
"""

import json
from dataclasses import asdict, astuple, fields
from fractions import Fraction
from pathlib import Path
from typing import Any

from papers.drawing import Curve, Figure, Point, svg
from papers.privacy_breach.breaches import Extremes, age_example, extremes, of_the_paper, with_background
from papers.privacy_breach.constructed import Constructed, constructed, mean_errors
from papers.privacy_breach.settings import LAWS, R3
from papers.privacy_breach.text import text
from papers.tables import csv_text, rounded
from privacy.guarantee.amplification import worst_posterior
from privacy.kinds.number.circular_law import CircularLaw


def reproduce(folder: Path) -> None:
    """Write a text, a figure as SVG, and all numbers as CSV and JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    table, found, known = of_the_paper(), extremes(), with_background()
    ages, laws, errors = age_example(), list(constructed()), list(mean_errors())
    whole = {
        "paper": "privacy-breach",
        "table": [
            {"property": row.name, "before": float(row.before)}
            | {law: float(after) for law, after in row.after.items()}
            for row in table
        ],
        "extremes": [asdict(row) for row in found],
        "background": [asdict(row) for row in known],
        "age_example": ages,
        "constructed": [_constructed(row) for row in laws],
        "mean_errors": [asdict(row) for row in errors],
    }
    written = {
        "privacy-breach.md": text(table, found, known, ages, laws, errors),
        "privacy-breach.json": json.dumps(rounded(whole), indent=1) + "\n",
        "posteriors.csv": csv_text(
            [field.name for field in fields(Extremes)], [rounded(astuple(row)) for row in (*found, *known)]
        ),
        "posterior.svg": svg(figure()),
    }
    for name, content in written.items():
        (folder / name).write_text(content, encoding="utf-8", newline="")


def figure() -> Figure:
    curves = [Curve(name, (), (), (), _line(law)) for name, law in LAWS.items()]
    bound = [(float(prior), float(worst_posterior(R3.gamma, prior))) for prior in PRIORS]
    return Figure(
        "What the record 0 says about X = 0",
        "P(X = 0) before",
        "P(X = 0) after",
        (),
        [*curves, Curve("most under R3's gamma", (), (), (), bound)],
        note="all other numbers are equally likely",
    )


PRIORS = [Fraction(step, 100) for step in range(101)]


def _line(law: CircularLaw) -> list[Point]:
    """P(X=0 | R=0) = z f(0) / ( z f(0) + (1-z) (1-f(0)) / (V-1) )."""
    kept = law.weights[0]
    others = (1 - kept) / (law.values - 1)
    return [(float(z), float(z * kept / (z * kept + (1 - z) * others))) for z in PRIORS]


def _constructed(row: Constructed) -> dict[str, Any]:
    return {
        "rho1": str(row.rho1),
        "rho2": str(row.rho2),
        "gamma_below": str(row.limit),
        "window": row.law.half,
        "uniform": str(1 - row.law.windowed),
        "gamma": str(row.law.gamma),
        "error": row.error,
    }
