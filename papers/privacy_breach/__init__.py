"""The system of the paper on privacy breaches: what records reveal under three laws, and a law for given conditions.

All of it is computed; errors are simulated too, with a fixed seed.
"""

import json
from dataclasses import astuple, fields
from fractions import Fraction
from pathlib import Path

from papers.drawing import Curve, Figure, Point, svg
from papers.privacy_breach.breaches import Extremes
from papers.privacy_breach.results import results
from papers.privacy_breach.settings import LAWS, R3
from papers.privacy_breach.text import text
from papers.tables import csv_text, rounded
from privacy.guarantee.amplification import worst_posterior
from privacy.kinds.number.circular_law import CircularLaw


def reproduce(folder: Path) -> None:
    """Write a text, a figure as SVG, and all numbers as CSV and JSON."""
    folder.mkdir(parents=True, exist_ok=True)
    found = results()
    posteriors = [rounded(astuple(row)) for row in (*found.extremes, *found.background)]
    written = {
        "privacy-breach.md": text(found),
        "privacy-breach.json": json.dumps(rounded(found.as_json()), indent=1) + "\n",
        "posteriors.csv": csv_text([field.name for field in fields(Extremes)], posteriors),
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
