"""From records to counts, by whichever way is shorter; only counts leave this room."""

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

from mining.counting.bitmaps import BitmapCounter
from mining.counting.files import read_file
from mining.counting.histogram import Histogram, Unreadable, fits
from mining.counting.summed import SummedCounter
from mining.counting.tables import HistogramCounter
from mining.counts import Counter
from privacy.designs import Design
from surveys.intake.columns import Columns

__all__ = [
    "BitmapCounter",
    "Histogram",
    "HistogramCounter",
    "SummedCounter",
    "Unreadable",
    "counter_of",
    "counter_of_file",
    "fits",
    "warm",
]


def counter_of(design: Design, parts: Sequence[Columns], cache: Path, *, withheld: bool = False) -> Counter:
    """A counter over these columns; `cache` is where the compiled loop is kept.

    `withheld`: what the columns hold of plain answers means nothing.
    """
    if fits(design, sum(part.n for part in parts)):
        return HistogramCounter(Histogram.of(design, parts), withheld)
    return BitmapCounter(design, parts, cache, withheld)


def counter_of_file(design: Design, file: BinaryIO, name: str, cache: Path) -> Counter:
    """A counter over the records of a file; what is wrong with it is a `Refusal` that names the line."""
    told, untold = read_file(design, file, name)
    counter = counter_of(design, told, cache)
    if not untold:
        return counter
    return SummedCounter(design, [counter, counter_of(design, untold, cache, withheld=True)])


def warm(cache: Path) -> None:
    """Compile the loop, or load it: seconds the first time, and then a fraction of one."""
    from mining.counting.kernel import compiled

    compiled(cache)
