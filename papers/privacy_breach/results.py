"""All that is computed for the text, the tables and the figure."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from papers.privacy_breach.beside_classes import Errors, beside_classes
from papers.privacy_breach.breaches import (
    Extremes,
    Posteriors,
    age_example,
    extremes,
    of_the_paper,
    with_background,
)
from papers.privacy_breach.constructed import Constructed, MeanErrors, constructed, mean_errors
from papers.privacy_breach.worst_properties import WorstProperties, worst_properties


@dataclass(frozen=True)
class Results:
    table: Sequence[Posteriors]
    extremes: Sequence[Extremes]
    breaches: Sequence[WorstProperties]
    background: Sequence[Extremes]
    ages: tuple[int, int]
    constructed: Sequence[Constructed]
    mean_errors: Sequence[MeanErrors]
    beside: Sequence[Errors]

    def as_json(self) -> dict[str, Any]:
        return {
            "paper": "privacy-breach",
            "table": [
                {"property": row.name, "before": float(row.before)}
                | {law: float(after) for law, after in row.after.items()}
                for row in self.table
            ],
            "extremes": [asdict(row) for row in self.extremes],
            "breaches": [_breach(row) for row in self.breaches],
            "background": [asdict(row) for row in self.background],
            "age_example": self.ages,
            "constructed": [_constructed(row) for row in self.constructed],
            "mean_errors": [asdict(row) for row in self.mean_errors],
            "beside_classes": [asdict(row) for row in self.beside],
        }


def results() -> Results:
    return Results(
        of_the_paper(),
        extremes(),
        list(worst_properties()),
        with_background(),
        age_example(),
        list(constructed()),
        list(mean_errors()),
        list(beside_classes()),
    )


def _breach(row: WorstProperties) -> dict[str, Any]:
    return {
        "law": row.law,
        "known": row.known,
        "raised": [float(row.raised_from), float(row.raised_to)],
        "positive": row.positive,
        "lowered": [float(row.lowered_from), float(row.lowered_to)],
        "negative": row.negative,
    }


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
