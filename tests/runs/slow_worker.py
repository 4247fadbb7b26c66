"""The product's worker, for `celery -A tests.runs.slow_worker`: it counts slowly, so that a run can be disturbed."""

import time
from collections.abc import Sequence
from typing import Any

from celery import bootsteps

from config.celery import app
from mining.queries_and_counters import Counts, Queries, Query

__all__ = ["app"]

MANY, SECONDS = 100, 0.7
"""So long it takes to count many queries, as those of a size are: longer than between two words of its progress."""
CHECK_SECONDS = 3
"""So long a check waits before mlxtend begins."""


class SlowCounting(bootsteps.StartStopStep):
    requires = ("jobs.worker:WorkerStep",)

    def create(self, parent: Any) -> None:
        """Before any child is forked."""
        from runs import mlxtend_check
        from runs.run_job import TimedCounter

        count = TimedCounter.count

        def slow_count(self: TimedCounter, queries: Sequence[Query] | Queries) -> Counts:
            time.sleep(SECONDS if len(queries) > MANY else 0)
            return count(self, queries)

        compare_engines = mlxtend_check.compare_engines

        def slow_compare(*args: Any) -> mlxtend_check.CheckResult:
            time.sleep(CHECK_SECONDS)
            return compare_engines(*args)

        TimedCounter.count = slow_count  # type: ignore[method-assign]
        mlxtend_check.compare_engines = slow_compare  # type: ignore[assignment]


app.steps["worker"].add(SlowCounting)
