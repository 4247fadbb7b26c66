"""The product's worker, for `celery -A tests.jobs.slow_tick`: its tick takes longer than any test."""

import sys
import time
from datetime import datetime

from tests.jobs.light import app

__all__ = ["app"]


def sleep(now: datetime) -> None:
    print("the tick sleeps", file=sys.stderr, flush=True)
    time.sleep(3600)


def register() -> None:
    from jobs import tick

    tick.register("sleep", sleep)


app.on_after_finalize.connect(lambda **_given: register(), weak=False)
