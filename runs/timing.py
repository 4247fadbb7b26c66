"""Times the steps of a run, for the worker's log and the benchmarks."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mining.counts import CounterWrapper, Counts, Queries, Query


@dataclass
class Clock:
    last: float = field(default_factory=time.perf_counter)
    seconds: dict[str, float] = field(default_factory=dict)

    def lap(self, name: str) -> None:
        """Add the time since the last lap to this step."""
        now = time.perf_counter()
        self.seconds[name] = self.seconds.get(name, 0.0) + now - self.last
        self.last = now

    def __str__(self) -> str:
        return ", ".join(f"{name} {seconds:.2f} s" for name, seconds in self.seconds.items())


@dataclass(frozen=True)
class TimedCounter(CounterWrapper):
    """A counter whose time is measured apart from the time of estimating; `watch` is called before each count."""

    clock: Clock
    watch: Callable[[], object]

    def count(self, queries: Sequence[Query] | Queries) -> Counts:
        self.clock.lap("estimating")
        self.watch()
        try:
            return self.counter.count(queries)
        finally:
            self.clock.lap("counting")
