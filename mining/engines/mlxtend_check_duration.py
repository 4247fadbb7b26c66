"""Predicts how long checking a run by mlxtend takes, from the run's levels and this machine's measured speed."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, inf
from time import process_time

import numpy as np

from mining.counting import HistogramCounter, MinedRecords, PatternHistogram
from mining.itemsets.frequent import Level
from mining.parameters import Parameters
from privacy.designs import Design, parse_design
from privacy.records.batch_bit_columns import columns_from_bytes, pack_batch
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Independent, Population

MOST_SECONDS, MOST_BYTES = 60.0, 2e9
"""Largest cost of a check of all records, in seconds and bytes; a costlier check uses a sample of the records."""
LEAST_SAMPLE = 1_000
"""Smallest useful number of records of a sample."""
BYTES_OF_ITEM, BYTES_OF_QUESTION, BYTES_OF_RECORD = 4, 4, 200
"""Memory of a check in bytes per record: for each item, for each question, and in addition; it holds the table, the
copies of pandas and mlxtend, and the scores."""


@dataclass(frozen=True)
class CheckCost:
    """Predicted cost of a check by mlxtend: seconds of processor time and bytes of memory."""

    seconds: float
    bytes: float

    @property
    def is_low(self) -> bool:
        return self.seconds <= MOST_SECONDS and self.bytes <= MOST_BYTES


@dataclass(frozen=True)
class CheckSpeed:
    """Seconds that a unit of work (see `count_work`) takes on this machine: `fixed`, plus an amount for each record."""

    fixed: float
    per_record: float


def count_work(levels: Sequence[Level]) -> float:
    """Returns how much work a check of these search levels is, in units of one inversion of a part.

    A candidate of k items costs 2^k, and a reported itemset of k items another 3^k for its subsets.
    """
    return float(
        sum(level.candidates * 2**level.size + (level.reported or 0) * 3**level.size for level in levels)
    )


def predict_cost(speed: CheckSpeed, design: Design, records: int, levels: Sequence[Level]) -> CheckCost:
    """Predicts the cost of a check of so many `records`.

    `levels` are those of a search that prunes by proof, as mlxtend does.
    """
    return CheckCost(
        count_work(levels) * (speed.fixed + speed.per_record * records),
        float(records * _record_bytes(design)),
    )


def affordable_sample_size(speed: CheckSpeed, design: Design, levels: Sequence[Level]) -> int:
    """Returns the largest number of records that can be checked at low cost; 0 if even the smallest useful sample costs
    too much."""
    fixed, per_record = count_work(levels) * speed.fixed, count_work(levels) * speed.per_record
    if fixed >= MOST_SECONDS:
        return 0
    in_time = (MOST_SECONDS - fixed) / per_record if per_record else inf
    most = int(min(in_time, MOST_BYTES / _record_bytes(design)))
    return most if most >= LEAST_SAMPLE else 0


def _record_bytes(design: Design) -> int:
    items = sum(len(question.choices) for question in design.questions)
    return items * BYTES_OF_ITEM + len(design.questions) * BYTES_OF_QUESTION + BYTES_OF_RECORD


def round_to_minutes(seconds: float) -> int:
    """Rounds seconds to whole minutes, as a page shows them."""
    return max(1, ceil(seconds / 60))


# --- how fast this machine is ---


FEW, MANY = 500, 100_000


def measure_speed(clock: Callable[[], float] = process_time) -> CheckSpeed:
    """Measures the speed of this machine by checks of two small sets of simulated records; takes some seconds.

    Measures processor time: a busy machine is no reason to leave out a check.
    """
    _seconds_per_work_unit(FEW, clock)  # Of everything that is loaded at its first use.
    few, many = (_seconds_per_work_unit(records, clock) for records in (FEW, MANY))
    per_record = max(many - few, 0.0) / (MANY - FEW)
    return CheckSpeed(max(few - per_record * FEW, 0.0), per_record)


def _seconds_per_work_unit(n: int, clock: Callable[[], float]) -> float:
    """Returns the seconds that a unit of work takes in a check of `n` records."""
    from mining.engines import mlxtend_engine  # late for cost

    design, records = _simulate_records(n)
    counter = HistogramCounter(PatternHistogram.count_records(design, records.complete))
    levels: list[Level] = []
    begin = clock()
    mlxtend_engine.mine_without_standard_errors(records, counter, Parameters(0.05, 0.5), levels.append)
    seconds = clock() - begin
    return seconds / count_work([level for level in levels if level.survivors is not None])


def _simulate_records(n: int) -> tuple[Design, MinedRecords]:
    questions = [{"name": f"q{index}", "choices": ["no", "yes"]} for index in range(6)]
    sections = [
        {"kind": "unrelated-question", "keep": "0.5", "questions": part}
        for part in (questions[:2], questions[2:4], questions[4:])
    ]
    text = {"format": "candor-design/1", "title": {"en": "speed"}, "open_answers": True, "least": 20}
    design = parse_design(json.dumps({**text, "sections": sections}))
    rng = np.random.default_rng(0)
    people = Independent(((0.5, 0.5),) * 6)
    group, truth = Population(people, people, 0.3).draw(design, n, rng)
    columns = columns_from_bytes(design, pack_batch(design, group, disguise(design, group, truth, rng)))
    return design, MinedRecords(design.mined, [columns])
