"""Seconds to count a million records by pattern, and to fit models to the counts."""

import time
from collections.abc import Sequence

import numpy as np

from mining.studies.answer_scores import AnswerLaw
from mining.studies.covariates import read_request
from mining.studies.models import fit_model
from mining.studies.pattern_counts import PatternCounts
from privacy.records.columns import pack, read
from tests.privacy.questionnaires import HALF, design, plain, question, sensitive

TIMES = 5


def seconds(
    choices: Sequence[int], products: Sequence[str], records: int, rng: np.random.Generator, *, logit: bool
) -> tuple[float, float]:
    """To count, and at best to fit with all tests, covariates q0, q1, ... with so many choices."""
    asked = [
        {"name": f"q{index}", "choices": [f"c{code}" for code in range(size)]}
        for index, size in enumerate(choices)
    ]
    survey_design = design(plain(*asked), sensitive("0.6923", question("theft", *HALF)))
    request = read_request(
        survey_design, "theft=yes", [str(one["name"]) for one in asked], products=products, logit=logit
    )
    codes = np.stack([*(rng.integers(0, size, records) for size in choices), rng.random(records) < 0.4])
    part = read(survey_design, pack(survey_design, np.ones(records, np.uint8), codes.astype(np.uint8)))
    started = time.perf_counter()
    counts = PatternCounts.of(survey_design, [part], request.item, request.questions)
    counted = time.perf_counter() - started
    fits = []
    for _time in range(TIMES):
        started = time.perf_counter()
        fit_model(request, counts, AnswerLaw(0.6923, 0.15385))
        fits.append(time.perf_counter() - started)
    return counted, min(fits)
