"""Rounds numbers before a review: precise enough to choose a threshold, too coarse to infer supports from."""

FEW = 10

THRESHOLDS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
"""The only thresholds for which numbers are shown."""


def rounded(number: int) -> int:
    """To one digit; 0 below `FEW`, where one digit would be exact."""
    if number < FEW:
        return 0
    unit: int = 10 ** (len(str(number)) - 1)
    return (number + unit // 2) // unit * unit


def lowest_threshold(least: float | None) -> float | None:
    """The lowest of `THRESHOLDS` that is at least this; the exact one would reveal unpublished itemsets."""
    return min((one for one in THRESHOLDS if least is not None and one >= least), default=None)
