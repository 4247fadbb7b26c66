"""Cuts the estimated distribution of a sensitive number into cells of neighbouring numbers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mining.nodes.number_nodes import NumberDistribution, NumberTruth
from privacy.kinds.number.window.section import WindowQuestion


@dataclass(frozen=True)
class DistributionCell:
    """A cell of `size` neighbouring numbers from `first` to `last`, with its shares."""

    first: int
    last: int
    size: int
    blurred: float
    low: float | None
    high: float | None
    received: float | None
    illustration: float | None
    truth: float | None
    truth_blurred: float | None


SHARES = ("low", "high", "received", "illustration", "truth", "truth_blurred")


def distribution_cells(
    question: WindowQuestion, distribution: NumberDistribution, truth: NumberTruth | None = None
) -> Iterator[DistributionCell]:
    """Yields the cells of a distribution with all its shares; `truth` adds the true shares of a rehearsal's simulated
    people."""
    for place, blurred in enumerate(distribution.blurred):
        first = place * distribution.width
        last = min(first + distribution.width, question.values) - 1
        true = (truth.distribution, truth.blurred) if truth else (None, None)
        columns = (
            distribution.low,
            distribution.high,
            distribution.received,
            distribution.illustration,
            *true,
        )
        values = [column[place] if column else None for column in columns]
        yield DistributionCell(
            question.number(first), question.number(last), last - first + 1, blurred, *values
        )


def merge_cells(cells: Sequence[DistributionCell], most: int) -> list[DistributionCell]:
    """Merges neighbouring cells so that at most `most` remain.

    The 95 % band of a merged cell is the sum of the bands of its cells, so it is never too narrow.
    """
    many = -(-len(cells) // most)

    def total(values: Sequence[float | None]) -> float | None:
        return sum(value for value in values if value is not None) if None not in values else None

    return [
        DistributionCell(
            some[0].first,
            some[-1].last,
            sum(one.size for one in some),
            sum(one.blurred for one in some),
            *(total([getattr(one, name) for one in some]) for name in SHARES),
        )
        for some in (cells[start : start + many] for start in range(0, len(cells), many))
    ]
