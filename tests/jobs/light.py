"""The product's worker, for `celery -A tests.jobs.light`, without the compiled code that takes most of its start.

The variable UNLIKE makes it another one: `deaf` never listens to the queue; nobody notices for `unwatched` that it
takes no job; the tick of `slow_tick` takes longer than any test.
"""

import os
import sys
import time
from datetime import datetime
from typing import Any

from celery import bootsteps

from config.celery import app
from mining import compile_kernels

__all__ = ["app"]

compile_kernels.KERNELS.clear()


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


match os.environ.get("UNLIKE"):
    case "deaf":
        app.steps["consumer"].add(Deaf)
    case "unwatched":
        app.steps["consumer"].add(Unwatched)
    case "slow_tick":
        app.on_after_finalize.connect(register_sleep, weak=False)
