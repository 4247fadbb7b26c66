"""What arrives, and nothing that could tie it together: see the design, section 7."""

import uuid

from django.db import models

from surveys.models import Survey


class Token(models.Model):
    """An invitation not yet used. Spending deletes the row, so spent and never made look alike."""

    hash = models.CharField(primary_key=True, max_length=64)
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="tokens")


class FreshKey(models.Model):
    """The submission key of a record that may still wait in the inbox."""

    hash = models.CharField(primary_key=True, max_length=64)
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+")


class SeenKey(models.Model):
    """The submission key of a sealed record; moved here in hash order, so that no order of arrival is left."""

    hash = models.CharField(primary_key=True, max_length=64)
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+")


class Inbox(models.Model):
    """A record that waits. Its id is random and it shares no column with keys or tokens."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="inbox")
    record = models.BinaryField()


class Batch(models.Model):
    """At least `least` records, shuffled, as columns of bits. A merged batch covers the numbers first..last."""

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="batches")
    first = models.PositiveIntegerField()
    last = models.PositiveIntegerField()
    n = models.PositiveIntegerField()
    columns = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["survey", "first"], name="one_batch_per_number")]
