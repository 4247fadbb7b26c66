"""Destruction: runs, their results and histograms are deleted with the batches that they were counted from."""

from typing import Any

from intake.batches.sweeping import schedule
from jobs.models import Job
from runs.models import EngineCheck, Histogram, Model, ModelJob, Run
from surveys.models import Survey


def on_destruction(survey: Survey, **kwargs: Any) -> None:
    """Inside the transaction that destroys the batches; the sweep after them covers these tables too."""
    # Lock the runs first: a DELETE collects the rows that depend on a run before it waits for a worker that is
    # inserting such rows, and would miss them.
    list(Run.objects.select_for_update(of=("self",)).filter(survey=survey).order_by("pk").values_list("pk"))
    Histogram.objects.filter(survey=survey).delete()
    Run.objects.filter(survey=survey).delete()
    schedule(EngineCheck, Histogram, Job, Model, ModelJob, Run)
