"""What is kept beside the batches, what of theirs must stay for it, and how all of it ends with them."""

import logging
from collections.abc import Collection
from pathlib import Path
from typing import Any

from django.conf import settings

from mining.counting import PatternHistogram, Unreadable, warm
from mining.models import Histogram as HistogramRow, Run, Shard
from privacy.designs import Design
from surveys.intake.sweeping import schedule
from surveys.models import Survey

logger = logging.getLogger(__name__)


def kernels() -> Path:
    """Where the compiled counting loop is kept."""
    folder: Path = settings.VAR / "numba"
    return folder


def warm_up() -> None:
    warm(kernels())


def kept(survey: int) -> Collection[int]:
    """The batches that no merging may reach across: the last of each run, and both ends of each shard."""
    ends = set(Run.objects.filter(survey=survey).values_list("through", flat=True))
    for first, last in Shard.objects.filter(run__survey=survey).values_list("first", "last"):
        ends |= {first - 1, last}
    return ends


def histogram(survey: int, through: int, design: Design) -> PatternHistogram | None:
    """Of the batches 1..through, where a run has counted them before and what it kept can be read."""
    row = HistogramRow.objects.filter(survey=survey, through=through).first()
    if row is None:
        return None
    try:
        return PatternHistogram.from_bytes(design, bytes(row.data))
    except Unreadable as why:
        logger.warning("the histogram of survey %s up to batch %s is counted anew: %s", survey, through, why)
        return None


def keep(survey: int, through: int, histogram: PatternHistogram) -> None:
    """In the place of one that could not be read, or of the same one from another run."""
    row = HistogramRow(survey_id=survey, through=through, data=histogram.to_bytes())
    HistogramRow.objects.bulk_create(
        [row], update_conflicts=True, unique_fields=["survey", "through"], update_fields=["data"]
    )


def on_destruction(survey: Survey, **kwargs: Any) -> None:
    """Inside the transaction that destroys the batches; whoever sweeps after them sweeps here too."""
    # Held first: a delete looks for what hangs from a run before it waits for whoever is storing just that.
    list(Run.objects.select_for_update().filter(survey=survey).order_by("pk").values_list("pk"))
    HistogramRow.objects.filter(survey=survey).delete()
    Run.objects.filter(survey=survey).delete()
    schedule(HistogramRow, Run, Shard)
