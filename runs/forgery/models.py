"""How many forged copies were found in each batch, and the job that looks; see `mining.error.identical`."""

from typing import ClassVar, Self

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext, gettext_lazy as _

from accounts.models import Person
from jobs.models import JobKind, State
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


class ForgeryCheckQuerySet(models.QuerySet["ForgeryCheck"]):
    def visible_to(self, person: Person) -> Self:
        """Operators see those that need them: records come all the time, and most checks end well."""
        return self.exclude(state=State.DONE) if person.is_staff else self.none()


class ForgeryCheck(JobKind):
    """The last check of a survey's batches for copied records."""

    performer = "runs.forgery.measuring.perform"

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+", db_index=False)

    objects: ClassVar[ForgeryCheckQuerySet] = ForgeryCheckQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("check for forged records")
        verbose_name_plural = _("checks for forged records")
        constraints = [
            models.UniqueConstraint(fields=["survey"], name="forgery_one_check"),
        ]

    def lock_parents(self) -> None:
        Survey.objects.locked_beside_records(self.survey_id)

    def title(self) -> str:
        return gettext("Check of survey %(number)s for forged records") % {"number": self.survey_id}

    def may(self, person: Person, action: str) -> bool:
        return {"see": person.is_staff, "cancel": person.is_staff}[action]
