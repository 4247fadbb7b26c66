"""The product's worker, for `celery -A tests.runs.shortsighted`: its samples foresee hardly anything.

So runs in shards need several levels.
"""

from typing import Any

from celery import bootsteps

from config.celery import app


class Shortsighted(bootsteps.StartStopStep):
    requires = ("jobs.worker:WorkerStep",)

    def create(self, parent: Any) -> None:
        """Before any child is forked."""
        from runs.shards import predicted_queries

        predicted_queries.RECORDS = 40


app.steps["worker"].add(Shortsighted)
