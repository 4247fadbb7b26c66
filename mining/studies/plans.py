"""Decides the hypotheses of a plan (docs/mathematics.md, Hypotheses)."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mining.finite_numbers import finite
from mining.inference.selection import LEVEL, holm


@dataclass(frozen=True)
class PlanDecision:
    """`p` is None where the hypothesis could not be computed; it counts as 1. `met`: p after Holm is at most .05."""

    p: float | None
    holm: float
    met: bool


def decide(p: Sequence[float | None]) -> tuple[PlanDecision, ...]:
    """From the two-sided p of all hypotheses of a plan, failed ones included, in their order."""
    known = [None if one is None else finite(one) for one in p]
    adjusted = holm(np.array([1.0 if one is None else one for one in known])).tolist()
    return tuple(PlanDecision(one, after, after <= LEVEL) for one, after in zip(known, adjusted, strict=True))
