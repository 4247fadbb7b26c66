"""A small survey with plain covariates, for counts by pattern: its design, and records written out."""

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mining.studies.answer_counts_by_plain_pattern import PatternScores, scores_from_counts
from mining.studies.single_answer_estimates import AnswerLaw
from tests.privacy.questionnaires import HALF, design, plain, question, sensitive

AGE = {"name": "age", "choices": ["18-39", "40-59", "60+"], "form": "scale"}
SEX = {"name": "sex", "choices": ["f", "m"]}
WORK = {"name": "work", "choices": ["employed", "not"]}
YEARS = {"name": "years", "choices": ["few", "some", "many"], "show_if": {"work": ["employed"]}}

STUDY = design(
    plain(AGE, SEX, WORK, YEARS),
    sensitive(
        "0.6923",
        question("theft", *HALF),
        question("sick", *HALF, show_if={"work": ["employed"]}),
        question("drugs", *HALF),
        asked=2,
    ),
)
LAW = AnswerLaw(0.6923, (1 - 0.6923) * 0.5)


def scores(records: list[int], having: list[int], law: AnswerLaw = LAW) -> PatternScores:
    """Of patterns that the item always applies to."""
    n, yes = np.array(records), np.array(having)
    counts: NDArray[np.int64] = np.stack([n - yes, yes, 0 * yes], axis=1)
    return scores_from_counts(counts, law)


# Numbers worked out elsewhere for the formulas of docs/mathematics.md, Studies.

FILE = Path(__file__).parents[2] / "vectors" / "studies.json"
REFERENCE = Path(__file__).with_name("reference.json")
"""Made by reference.R beside it, which says with which packages."""


def vectors(formula: str) -> list[dict[str, Any]]:
    every = json.loads(FILE.read_text(encoding="utf-8"))["vectors"]
    found = [vector for vector in every if vector["formula"] == formula]
    assert found, formula
    return found


def reference_settings() -> list[dict[str, Any]]:
    """Counts by age and sex with the shares and coefficients that other people's methods give."""
    settings: list[dict[str, Any]] = json.loads(REFERENCE.read_text(encoding="utf-8"))["settings"]
    return settings
