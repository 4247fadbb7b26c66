"""Digests of downloaded deposits, by which anybody can recognise a deposit."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from reports.models import Review


class DepositDigest(models.Model):
    """The SHA-256 of SHA256SUMS in a downloaded deposit of a report, and the time of its last download."""

    review = models.ForeignKey(Review, models.CASCADE, related_name="+", db_index=False)
    digest = models.CharField(max_length=64)
    when = models.DateTimeField()

    class Meta:
        verbose_name = _("digest of a deposit")
        verbose_name_plural = _("digests of deposits")
        constraints = [models.UniqueConstraint(fields=["review", "digest"], name="deposit_digest_once")]

    def __str__(self) -> str:
        return self.digest
