"""The same run whole and in shards, in turns: seconds from the button to the stored report, and the largest process.

./run bench shards [--records 8000000] [--shard 2000000] [--workers 2] [--times 5] [--embedded] [--alone]

Two databases hold the same records, each with a queue and a worker of its own; only the size of their shards differs.
Both workers run all the time and one of them is asked at a time, so that whatever else the machine does meets both. The
ratio is the median of the ratios of all pairs. `--embedded`: SQLite and a folder in the place of PostgreSQL and Redis.
`--alone`: no whole run beside it. The memory of a process is the most that it ever held (Linux); that of a PostgreSQL
process includes the buffers that all of them share.
"""

import argparse
import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from bench.run import Stage, staged, working

SUPPORT, SIZE = 0.1, 3
WATCHED = 0.1
"""Seconds between two looks at all processes."""


@dataclass
class Memory:
    """The most that any of the processes called so ever held, in megabytes."""

    most: dict[str, float] = field(default_factory=dict)

    def look(self) -> None:
        for folder in Path("/proc").glob("[0-9]*"):
            # A process may end while it is looked at.
            with suppress(OSError, KeyError):
                name = named((folder / "cmdline").read_text())
                if name:
                    status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
                    held = int(status["VmHWM"].split()[0]) / 1e3
                    self.most[name] = max(self.most.get(name, 0.0), round(held, 1))

    @contextmanager
    def watched(self) -> Iterator[None]:
        over = threading.Event()

        def look() -> None:
            while not over.wait(WATCHED):
                self.look()

        thread = threading.Thread(target=look)
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()


def named(words: str) -> str:
    """What a process is to us; empty where it is nothing."""
    if words.startswith("postgres: ") and " bench" in words:
        return "database"
    return "worker" if "celery\0-A\0config\0worker" in words else ""


def measured(
    records: int, shard: int, workers: int, times: int, *, embedded: bool = False, alone: bool = False
) -> dict[str, Any]:
    """Medians of `times` pairs after one that warms up, and the largest process."""
    memory, took = Memory(), []
    with ExitStack() as stack:
        sizes = (shard,) if alone else (shard, records)
        stages = stack.enter_context(staged(records, *sizes, embedded=embedded))
        for stage in stages:
            stack.enter_context(working(stage, workers))
        for turn in range(times + 1):
            with memory.watched():
                pair = [told(stage) for stage in (stages if turn % 2 else stages[::-1])]
            if turn:
                took.append(pair if turn % 2 else pair[::-1])
    figures: dict[str, Any] = {"records": records, "shards": -(-records // shard), "workers": workers}
    figures["seconds"] = round(median(pair[0] for pair in took), 2)
    if not alone:
        figures["whole"] = round(median(pair[1] for pair in took), 2)
        figures["ratio"] = round(median(pair[0] / pair[1] for pair in took), 2)
    return figures | {f"{name}_mb": most for name, most in sorted(memory.most.items())}


def told(stage: Stage) -> float:
    figures = stage.run(SUPPORT, SIZE)
    print(json.dumps({"shard": stage.env["SHARD_RECORDS"], **figures}), flush=True)
    return float(figures["button to report"])


def main() -> None:
    parser = argparse.ArgumentParser(prog="./run bench shards", description=__doc__)
    parser.add_argument("--records", type=int, default=8_000_000)
    parser.add_argument("--shard", type=int, default=2_000_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--embedded", action="store_true")
    parser.add_argument("--alone", action="store_true")
    asked = parser.parse_args()
    figures = measured(
        asked.records,
        asked.shard,
        asked.workers,
        asked.times,
        embedded=asked.embedded,
        alone=asked.alone,
    )
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
