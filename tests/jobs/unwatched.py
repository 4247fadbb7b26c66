"""The product's worker, for `celery -A tests.jobs.unwatched`: nobody notices for it that it takes no job."""

from typing import Any

from celery import bootsteps

from tests.jobs.light import app


class Unwatched(bootsteps.StartStopStep):
    requires = ("jobs.worker:PrefetchLimit",)

    def start(self, parent: Any) -> None:
        from jobs.worker import IdleWatch

        IdleWatch.must_end = lambda *_args, **_given: False  # type: ignore[method-assign]


app.steps["consumer"].add(Unwatched)
