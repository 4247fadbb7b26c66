"""From records to counts, by whichever way is shorter; only counts leave this room."""

from pathlib import Path

from mining.counting.bitmaps import BitmapCounter
from mining.counting.files import read_file
from mining.counting.histogram import PatternHistogram, Unreadable, fits
from mining.counting.histogram_counter import HistogramCounter
from mining.counting.records import MinedRecords, SummedCounter, counter_of

__all__ = [
    "BitmapCounter",
    "HistogramCounter",
    "MinedRecords",
    "PatternHistogram",
    "SummedCounter",
    "Unreadable",
    "counter_of",
    "fits",
    "read_file",
    "warm",
]


def warm(cache: Path) -> None:
    """Compile the loop, or load it: seconds the first time, and then a fraction of one."""
    # What estimates are made with, so that no run waits for it.
    import scipy.special  # noqa: F401  # late for cost

    from mining.counting.kernel import compiled  # late for cost

    compiled(cache)
