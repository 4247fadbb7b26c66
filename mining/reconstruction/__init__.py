"""Reconstruction: estimates of true shares from counts of disguised records, their errors and tests."""

from mining.reconstruction.cached_counter import CachedCounter
from mining.reconstruction.least_count_for_support import least_count
from mining.reconstruction.supports import (
    ESTIMATORS,
    Estimator,
    Supports,
    estimate_supports_without_intervals,
    reconstruct_supports,
)

__all__ = [
    "ESTIMATORS",
    "CachedCounter",
    "Estimator",
    "Supports",
    "estimate_supports_without_intervals",
    "least_count",
    "reconstruct_supports",
]
