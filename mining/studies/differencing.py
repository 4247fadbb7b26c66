"""Which estimates of one answer may be published together (docs/mathematics.md, Differencing of models).

Whoever subtracts two estimates learns of the records that are in one alone: none, or a batch of them.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from mining.counts import Item
from mining.studies.pattern_counts import used_records
from privacy.records.columns import Columns, Words


@dataclass(frozen=True)
class EstimateRecords:
    """The records of an estimate of `item`: those to which the `applying` questions apply, with the items of `among`.

    Questions are given by their places in the mined design. `item_applies`: without those to whom the item does not
    apply. `everybody`: open or direct records too, else the disguised alone.
    """

    item: Item
    applying: frozenset[int] = frozenset()
    among: frozenset[Item] = frozenset()
    item_applies: bool = True
    everybody: bool = False

    def of(self, part: Columns) -> Words:
        used = used_records(part, self.item, sorted(self.applying), sorted(self.among))
        if self.item_applies:
            used = used & part.answered(self.item[0])
        return used if self.everybody else used & part.disguised


@dataclass(frozen=True)
class RecordsApart:
    """`more` records are in the new estimate alone, `fewer` in the published one alone."""

    more: int
    fewer: int

    def __add__(self, other: "RecordsApart") -> "RecordsApart":
        return RecordsApart(self.more + other.more, self.fewer + other.fewer)

    @property
    def reversed(self) -> "RecordsApart":
        return RecordsApart(self.fewer, self.more)

    def may_be_published(self, least: int) -> bool:
        """In each direction none, or at least the design's `least`."""
        return all(count == 0 or count >= least for count in (self.more, self.fewer))


def records_apart(
    new: EstimateRecords, published: EstimateRecords, common: Iterable[Columns], later: Iterable[Columns] = ()
) -> RecordsApart:
    """`common` are the batches of both estimates, `later` those that were sealed after the published one."""
    more = fewer = 0
    for part in common:
        ours, theirs = new.of(part), published.of(part)
        more += _ones(ours & ~theirs)
        fewer += _ones(theirs & ~ours)
    return RecordsApart(more + sum(_ones(new.of(part)) for part in later), fewer)


def _ones(words: Words) -> int:
    return int(np.bitwise_count(words).sum())
