"""Predicts how long mlxtend's search of a run takes, by inverting some of its itemsets in a few of its records."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import ceil, inf
from time import process_time

import numpy as np

from mining.counting import MinedRecords
from mining.disclosure.verdict import Verdict
from mining.engines.comparison import without_scores
from mining.itemsets.candidates import single_items
from mining.itemsets.frequent import Level
from mining.parameters import Parameters
from mining.queries_and_counters import Numbers
from mining.reconstruction import CachedCounter
from privacy.designs import Design

MOST_SECONDS, MOST_BYTES = 60.0, 2e9
"""Largest cost of a search of all records, in seconds and bytes; a costlier search uses a sample of the records."""
LEAST_SAMPLE = 1_000
"""Smallest useful number of records of a sample."""
BYTES_OF_ITEM, BYTES_OF_QUESTION, BYTES_OF_RECORD = 4, 4, 200
"""Memory of a search in bytes per record: for each item, for each question, and in addition; it holds the table, the
copies of pandas and mlxtend, and the scores."""
FEW, MANY = 500, 100_000
"""Numbers of records in which itemsets are inverted for the prediction, or as many as there are."""
TRIED = 24
"""Number of itemsets of each size that are inverted for it."""


@dataclass(frozen=True)
class Line:
    """Seconds as a function of the number of records."""

    fixed: float
    per_record: float

    def __call__(self, records: int) -> float:
        return self.fixed + self.per_record * records

    def times(self, many: float) -> "Line":
        return Line(self.fixed * many, self.per_record * many)

    def plus(self, other: "Line") -> "Line":
        return Line(self.fixed + other.fixed, self.per_record + other.per_record)


@dataclass(frozen=True)
class CheckCost:
    """Predicted cost of a search by mlxtend: processor time by the number of records, and bytes of memory a record."""

    seconds: Line
    record_bytes: float

    def is_low(self, records: int) -> bool:
        return self.seconds(records) <= MOST_SECONDS and self.record_bytes * records <= MOST_BYTES

    def affordable_sample_size(self) -> int:
        """Returns the largest number of records that can be searched at low cost; 0 if even the smallest useful sample
        costs too much."""
        left = MOST_SECONDS - self.seconds.fixed
        in_time = left / self.seconds.per_record if self.seconds.per_record else inf
        most = int(min(in_time, MOST_BYTES / self.record_bytes)) if left > 0 else 0
        return most if most >= LEAST_SAMPLE else 0


@dataclass(frozen=True)
class CheckSpeed:
    """How long one inversion of an itemset takes, by its size from 1 on, and how long apriori takes for a candidate."""

    inversions: tuple[Line, ...]
    candidate: Line


def predict_cost(
    speed: CheckSpeed, design: Design, searched: Sequence[Level], proved: Sequence[Level]
) -> CheckCost:
    """Predicts the cost of mlxtend's search.

    `searched`: the levels of the run, whose candidates may be inverted. `proved`: those of a search that prunes by
    proof, as mlxtend does: of its survivors alone come candidates, and apriori begins anew for each size.
    """
    seconds = Line(0.0, 0.0)
    made = accumulate(level.candidates for level in proved)
    for level, proof, candidates, inversion in zip(searched, proved, made, speed.inversions, strict=False):
        inverted = min(level.candidates, proof.candidates if proof.survivors is None else proof.survivors)
        seconds = seconds.plus(inversion.times(inverted)).plus(speed.candidate.times(candidates))
    items = sum(len(question.choices) for question in design.questions)
    per_record = items * BYTES_OF_ITEM + len(design.questions) * BYTES_OF_QUESTION + BYTES_OF_RECORD
    return CheckCost(seconds, float(per_record))


def round_to_minutes(seconds: float) -> int:
    """Rounds seconds to whole minutes, as a page shows them."""
    return max(1, ceil(seconds / 60))


# --- how fast this machine is ---


def measure_speed(
    records: MinedRecords,
    counter: CachedCounter,
    parameters: Parameters,
    verdict: Verdict,
    clock: Callable[[], float] = process_time,
) -> CheckSpeed:
    """Measures mlxtend's search on some itemsets in few and in many of the `records`; takes about a second.

    Measures processor time: a busy machine is no reason to leave out a check.
    """
    from mining.engines.mlxtend_engine import Trial, make_search  # late for cost

    singles = single_items(counter.design, counter.numbering, absences=parameters.absences, verdict=verdict)
    items = np.array([min(one) for one in without_scores(singles, np.zeros(len(singles)), counter.numbering)])
    search = make_search(records, counter, parameters, verdict)
    tables = [Trial.of_some(search, items, most) for most in (FEW, MANY)]
    tables[0].seconds_of_candidate(clock)  # Of everything that is loaded at its first use.
    rng = np.random.default_rng(0)
    drawn = [
        _draw(items, counter.numbering.question, size, rng) for size in range(1, parameters.max_size + 1)
    ]
    return CheckSpeed(
        tuple(_line([(of.records, of.seconds_of_inversion(rows, clock)) for of in tables]) for rows in drawn),
        _line([(of.records, of.seconds_of_candidate(clock)) for of in tables]),
    )


def _draw(items: Numbers, question: Numbers, size: int, rng: "np.random.Generator") -> list[list[int]]:
    """Draws itemsets of items of different questions; those of all questions where there are fewer."""
    rows = []
    for _try in range(TRIED):
        order = rng.permutation(items)
        _questions, first = np.unique(question[order], return_index=True)
        rows.append(sorted(order[np.sort(first)][:size].tolist()))
    return rows


def _line(points: Sequence[tuple[int, float]]) -> Line:
    (few, short), (many, long) = points
    per_record = max(long - short, 0.0) / (many - few) if many > few else 0.0
    return Line(max(long - per_record * many, 0.0), per_record)
