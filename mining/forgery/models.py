"""How many forged copies each batch was found to hold; see `mining.error.identical`."""

from django.db import models
from django.db.models import F, Q

from surveys.models import Survey


class Measured(models.Model):
    """Of the `disguised` records in the batches first..last at least `excess` are forged.

    Written once for every batch, while it stands as it was sealed (larger where it was merged before there was this
    table); and, as `pooled`, for all batches up to some. Gone with the answers.
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
