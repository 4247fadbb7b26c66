"""From counts of disguised records to what the answers were: estimates, their errors and their tests."""

from mining.reconstruction.counter_cache import CachedCounter
from mining.reconstruction.supports import ESTIMATORS, Estimator, Supports, estimated, reconstruct
from mining.reconstruction.thresholds import least_count

__all__ = ["ESTIMATORS", "CachedCounter", "Estimator", "Supports", "estimated", "least_count", "reconstruct"]
