"""The product's worker as tests start it: `celery -A tests.jobs.worker`.

It is without the compiled code that takes most of its start. The variable UNLIKE makes it another one: `deaf` never
listens to the queue; nobody notices for `unwatched` that it takes no job; the tick of `slow_tick` takes longer than any
test; `slow_count` has the compiled code and counts slowly, so that a run can be disturbed.
"""

import os
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from celery import bootsteps

from config.celery import app
from mining import compile_kernels

__all__ = ["app"]

MANY, SECONDS = 100, 0.7
"""So long it takes to count many queries, as those of a size are: longer than between two words of its progress."""
CHECK_SECONDS = 3
"""So long a check waits before mlxtend begins."""


class Deaf(bootsteps.StartStopStep):
    requires = ("jobs.worker:PrefetchLimit",)

    def start(self, parent: Any) -> None:
        parent.task_consumer.channel.qos.can_consume = lambda: False


class Unwatched(bootsteps.StartStopStep):
    requires = ("jobs.worker:PrefetchLimit",)

    def start(self, parent: Any) -> None:
        from jobs.worker import IdleWatch

        IdleWatch.must_end = lambda *_args, **_given: False  # type: ignore[method-assign]


def sleep(now: datetime) -> None:
    print("the tick sleeps", file=sys.stderr, flush=True)
    time.sleep(3600)


def register_sleep(**_given: object) -> None:
    from jobs import tick

    tick.register_periodic_function("sleep", sleep)


class SlowCounting(bootsteps.StartStopStep):
    requires = ("jobs.worker:WorkerStep",)

    def create(self, parent: Any) -> None:
        """Before any child is forked."""
        from mining.queries_and_counters import Counts, Queries, Query
        from runs import mlxtend_check
        from runs.run_job import TimedCounter

        count = TimedCounter.count

        def slow_count(self: TimedCounter, queries: Sequence[Query] | Queries) -> Counts:
            time.sleep(SECONDS if len(queries) > MANY else 0)
            return count(self, queries)

        compare_search = mlxtend_check.compare_search

        def slow_compare(*args: Any) -> mlxtend_check.CheckResult:
            time.sleep(CHECK_SECONDS)
            return compare_search(*args)

        TimedCounter.count = slow_count  # type: ignore[method-assign]
        mlxtend_check.compare_search = slow_compare  # type: ignore[assignment]


unlike = os.environ.get("UNLIKE")
if unlike != "slow_count":
    compile_kernels.KERNELS.clear()
match unlike:
    case "deaf":
        app.steps["consumer"].add(Deaf)
    case "unwatched":
        app.steps["consumer"].add(Unwatched)
    case "slow_tick":
        app.on_after_finalize.connect(register_sleep, weak=False)
    case "slow_count":
        app.steps["worker"].add(SlowCounting)
