"""What is true, where a simulation or a test knows it, and how far from it the mined numbers are."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from mining.counting.files import Packed
from mining.counting.records import counter_of
from mining.counts import NONE, Counter, Numbering, Numbers, Queries, stacked
from mining.itemsets.candidates import joined, single_items
from mining.itemsets.frequent import Frequent
from mining.itemsets.keeping import ROUNDING
from mining.parameters import Parameters
from privacy.designs import Design, Refusal, Row, read_truth
from privacy.designs.refusal import marked as _

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Truth:
    """`withheld`: open records told no plain answers, so itemsets with plain items are about the others only."""

    counter: Counter
    withheld: bool = False

    def shares(self, itemsets: Numbers) -> Floats:
        """Of all respondents, those whose true answers contain each itemset; hidden answers are in none."""
        design = self.counter.design
        none = np.empty((len(itemsets), 0), np.int32)
        counts = self.counter.count(Queries(itemsets, none, none)).astype(np.float64)
        n = np.array(self.counter.n, np.float64)
        shares: Floats = counts.sum(axis=1) / max(n.sum(), 1)
        if self.withheld:
            plain = with_plain_items(design, itemsets)
            shares[plain] = counts[plain, 1] / max(n[1], 1)
        return shares

    def frequent(self, wanted: Parameters) -> Numbers:
        """What is truly as frequent as a run asks for; no further than the run would look."""
        design = self.counter.design
        levels = [single_items(design, absences=wanted.absences)]
        while True:
            levels[-1] = levels[-1][self.shares(levels[-1]) >= wanted.min_support - ROUNDING]
            if len(levels) == wanted.max_size or not len(levels[-1]):
                return stacked(levels)
            larger = joined(levels[-1], Numbering(design), wanted.most)
            if larger is None:
                return stacked(levels)
            levels.append(larger)


def with_plain_items(design: Design, itemsets: Numbers) -> NDArray[np.bool_]:
    plain = np.array([not section.sensitive for section in design.sections for _ in section.questions])
    questions = Numbering(design).questions_of(itemsets)
    return np.asarray(((questions != NONE) & plain[questions]).any(axis=1), np.bool_)


@dataclass(frozen=True)
class Compared:
    """`w` is |S - S'| of each reported itemset. `rho_by_size` is the mean of |S - S'|/S in percent, over what is
    both reported and truly frequent; None where nothing of that size is.
    """

    w: Floats
    false_positives: int
    false_negatives: int
    rho_by_size: dict[int, float | None]


def compared(found: Frequent, truth: Truth, wanted: Parameters) -> Compared:
    supports = found.supports
    shares = truth.shares(supports.itemsets)
    w = np.abs(supports.support - shares)
    right = shares >= wanted.min_support - ROUNDING
    sizes = (supports.itemsets != NONE).sum(axis=1)
    rho: dict[int, float | None] = {}
    for size in range(1, wanted.max_size + 1):
        both = right & (sizes == size)
        rho[size] = float((100 * w[both] / shares[both]).mean()) if both.any() else None
    reported = set(_sets(supports.itemsets))
    missed = sum(itemset not in reported for itemset in _sets(truth.frequent(wanted)))
    return Compared(w, int((~right).sum()), missed, rho)


def _sets(itemsets: Numbers) -> Sequence[tuple[int, ...]]:
    return [tuple(number for number in row if number != NONE) for row in itemsets.tolist()]


def read(design: Design, file: BinaryIO, name: str, respondents: int, cache: Path) -> Counter:
    """Counts the true answers in a file, which are those of so many respondents, in any order."""
    packed = Packed(design)
    for group, answers in read_truth(file, name, design):
        codes = (
            question.not_applicable if code is None else code
            for question, code in zip(design.questions, answers, strict=True)
        )
        packed.add(Row(group, tuple(codes)))
    packed.finish()
    rows = sum(part.n for part in packed.columns)
    if rows != respondents:
        raise Refusal(
            name, _("%(rows)s respondents, but %(records)s records"), rows=rows, records=respondents
        )
    return counter_of(design, packed.columns, cache)
