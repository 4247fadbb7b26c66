"""What the stratified estimator costs where both groups are alike (docs/mathematics.md, Estimators)."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from mining.studies.answer_counts import law_of
from privacy.designs.design import Design

SHARE = 0.1
"""The share of the answer whose errors are compared."""


@dataclass(frozen=True)
class EstimatorErrors:
    """Standard errors of a share of SHARE by the estimator `stratified` and by the document's `pooled` formula."""

    stratified: float
    pooled: float


def estimator_errors(design: Design, n: int, k: float) -> EstimatorErrors | None:
    """Of the sensitive answer with the largest error, asked of all `n`; None where no answer is an item of one law.

    With a share k open, lambda = c + p s and both groups alike, the received answers have the variance
    V = k s(1-s) + (1-k) lambda (1-lambda)/p^2 by scores; pooled, where all are divided by k + (1-k) p, it is
    (k s(1-s) + (1-k) lambda (1-lambda)) / (k + (1-k) p)^2.
    """
    items = [
        (index, code)
        for index, question in enumerate(design.questions)
        if not question.scored
        for code in question.listed
    ]
    if not items or not n:
        return None
    law = law_of(design, items)
    keep, chance = np.asarray(law.keep, np.float64), np.asarray(law.chance, np.float64)
    if keep.min() == 1:
        return None
    received = chance + keep * SHARE
    of_open, of_disguised = k * SHARE * (1 - SHARE), (1 - k) * received * (1 - received)
    stratified = of_open + of_disguised / keep**2
    pooled = (of_open + of_disguised) / (k + (1 - k) * keep) ** 2
    worst = int(np.argmax(np.where(keep < 1, stratified, 0.0)))
    return EstimatorErrors(sqrt(stratified[worst] / n), sqrt(pooled[worst] / n))
