"""Estimates of sensitive numbers, from counts of records by group (0 open, 1 disguised) and code.

Functions of arrays and of laws. All counts are of the records to which the number applies; where the open records may
not be used, their counts are 0.
"""

from mining.kinds.number.classes import (
    ItemShares,
    MeanEstimate,
    QuantileStatement,
    estimate_mean,
    item_shares,
    quantile_statement,
)
from mining.kinds.number.window import (
    LikeliestDistribution,
    WindowEstimate,
    estimate_window,
    likeliest_distribution,
)

__all__ = [
    "ItemShares",
    "LikeliestDistribution",
    "MeanEstimate",
    "QuantileStatement",
    "WindowEstimate",
    "estimate_mean",
    "estimate_window",
    "item_shares",
    "likeliest_distribution",
    "quantile_statement",
]
