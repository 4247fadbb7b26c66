"""The product's worker, for `celery -A tests.jobs.unwatched`: nobody notices for it that it takes no job."""

from typing import Any

from celery import bootsteps

from tests.jobs.light import app


class Unwatched(bootsteps.StartStopStep):
    requires = ("jobs.celery_steps:PrefetchLimit",)

    def start(self, parent: Any) -> None:
        from jobs.listening import ListeningAction, ListeningWatch

        ListeningWatch.look = lambda *_asked: ListeningAction.NONE  # type: ignore[method-assign]


app.steps["consumer"].add(Unwatched)
