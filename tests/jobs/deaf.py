"""The product's worker, for `celery -A tests.jobs.deaf`: it does not listen on its first connection to the queue.

With DEAF=always it never listens.
"""

import itertools
import os
from typing import Any

from celery import bootsteps

from tests.jobs.light import app

connections = itertools.count()


class Deaf(bootsteps.StartStopStep):
    requires = ("jobs.celery_steps:PrefetchLimit",)

    def start(self, parent: Any) -> None:
        if next(connections) == 0 or os.environ["DEAF"] == "always":
            parent.task_consumer.channel.qos.can_consume = lambda: False


app.steps["consumer"].add(Deaf)
