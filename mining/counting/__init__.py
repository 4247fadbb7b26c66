"""Counts records: by a histogram of answer patterns where the design is small, else by bitmaps."""

from mining.counting.answer_pattern_histogram import (
    HistogramCounter,
    PatternHistogram,
    UnreadableHistogram,
    fits_in_histogram,
)
from mining.counting.bitmap_counter import BitmapCounter
from mining.counting.mined_records import (
    MinedRecords,
    SummedCounter,
    make_counter,
    read_record_csv,
    read_record_file,
)

__all__ = [
    "BitmapCounter",
    "HistogramCounter",
    "MinedRecords",
    "PatternHistogram",
    "SummedCounter",
    "UnreadableHistogram",
    "fits_in_histogram",
    "load_counting_loop",
    "make_counter",
    "read_record_csv",
    "read_record_file",
]


def load_counting_loop(*, by_code: bool = False) -> None:
    """Loads the compiled loop that counts records, in a fraction of a second; compiles it first, in some seconds, if no
    process has yet."""
    # Estimates need it; loaded here, no run waits for it.
    import scipy.special  # noqa: F401  # late for cost

    from mining.counting.counting_kernel import compile_counting_loop  # late for cost

    compile_counting_loop(by_code=by_code)
