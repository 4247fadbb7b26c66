"""The product's worker, for `celery -A tests.runs.slow_counting`: it takes its time, so that a run can be disturbed."""

import time
from collections.abc import Sequence
from typing import Any

from celery import bootsteps

from config.celery import app
from mining.counts import Counts, Queries, Query

SECONDS = 0.3


class SlowCounting(bootsteps.StartStopStep):
    requires = ("jobs.worker:WorkerStep",)

    def create(self, parent: Any) -> None:
        """Before any child is forked."""
        from runs.timing import TimedCounter

        count = TimedCounter.count

        def slow_count(self: TimedCounter, queries: Sequence[Query] | Queries) -> Counts:
            time.sleep(SECONDS)
            return count(self, queries)

        TimedCounter.count = slow_count  # type: ignore[method-assign]


app.steps["worker"].add(SlowCounting)
