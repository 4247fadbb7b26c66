"""Numbers rounded before a review: enough to choose a threshold by, too little to tell supports from."""

FEW = 10

THRESHOLDS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
"""The only thresholds of which anything is told."""


def rounded(number: int) -> int:
    """How many, to one digit; 0 where there are fewer than `FEW`: one digit of those would be all there is to know."""
    if number < FEW:
        return 0
    unit: int = 10 ** (len(str(number)) - 1)
    return (number + unit // 2) // unit * unit


def lowest_threshold(least: float | None) -> float | None:
    """The lowest of `THRESHOLDS` that is at least this; the exact one would tell of itemsets that nobody published."""
    return min((one for one in THRESHOLDS if least is not None and one >= least), default=None)
