"""The product's worker, for `celery -A tests.jobs.deaf`: it never listens to the queue."""

from typing import Any

from celery import bootsteps

from tests.jobs.light import app


class Deaf(bootsteps.StartStopStep):
    requires = ("jobs.worker:PrefetchLimit",)

    def start(self, parent: Any) -> None:
        parent.task_consumer.channel.qos.can_consume = lambda: False


app.steps["consumer"].add(Deaf)
