"""D and D*: the true data of simulated respondents, and their records as received.

privacy.simulation draws and disguises; both data sets are packed like sealed batches and counted. D is counted as if
everybody had answered openly, so that its itemsets and rules are exact.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mining.counting import counter_of
from mining.reconstruction import CachedCounter
from privacy.designs import Design
from privacy.kinds.codes import Codes
from privacy.records.columns import pack, read
from privacy.records.record import OPEN
from privacy.simulation.disguise import disguise
from privacy.simulation.population import Population


class SimulatedRecords(NamedTuple):
    """Questions x respondents; `group` says who answered openly."""

    group: NDArray[np.uint8]
    true: Codes
    received: Codes


@dataclass(frozen=True)
class Data:
    true: CachedCounter
    received: CachedCounter


def drawn(design: Design, population: Population, n: int, rng: np.random.Generator) -> SimulatedRecords:
    group, true = population.draw(design, n, rng)
    return SimulatedRecords(group, true, disguise(design, group, true, rng))


def data(design: Design, records: SimulatedRecords, cache: Path) -> Data:
    """`cache` is the folder of the compiled counting kernel, as in `mining.counting`."""
    everybody_open = np.full_like(records.group, OPEN)
    return Data(
        _counter(design, everybody_open, records.true, cache),
        _counter(design, records.group, records.received, cache),
    )


def repeated(
    design: Design,
    population: Population,
    n: int,
    repetitions: int,
    rng: np.random.Generator,
    cache: Path,
) -> Iterator[Data]:
    for _ in range(repetitions):
        yield data(design, drawn(design, population, n, rng), cache)


def _counter(design: Design, group: NDArray[np.uint8], codes: Codes, cache: Path) -> CachedCounter:
    return CachedCounter(counter_of(design, [read(design, pack(design, group, codes))], cache))
