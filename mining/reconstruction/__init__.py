"""From counts of disguised records to what the answers were: estimates, their errors and their tests."""

from mining.reconstruction.counted import Counted
from mining.reconstruction.supports import ESTIMATORS, Estimator, Supports, reconstruct
from mining.reconstruction.thresholds import least_count

__all__ = ["ESTIMATORS", "Counted", "Estimator", "Supports", "least_count", "reconstruct"]
