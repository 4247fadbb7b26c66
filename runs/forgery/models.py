"""How many forged copies were found in each batch; see `mining.error.identical`."""

from django.db import models
from django.db.models import F, Q

from surveys.models import Survey


class Measured(models.Model):
    """Of the `disguised` records in the batches first..last at least `excess` are forged.

    Written once for each batch, before it is merged (merged batches that are older than this table have one row), and
    as `pooled` for all batches up to `last`. Deleted with the answers.
    """

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+", db_index=False)
    first = models.PositiveIntegerField()
    last = models.PositiveIntegerField()
    pooled = models.BooleanField(default=False)
    disguised = models.PositiveBigIntegerField()
    excess = models.PositiveBigIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["survey", "pooled", "last"], name="measured_once"),
            models.CheckConstraint(
                condition=Q(last__gte=F("first"), excess__lte=F("disguised")), name="measured_of_batches"
            ),
        ]
