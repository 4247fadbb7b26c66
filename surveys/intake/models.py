"""What arrives, and nothing that could tie it together: see the design, section 7.

Keys and records point at their survey without a constraint in the database: the row of a survey that was once
open stays (surveys.triggers), so nothing would be checked, and that row would be locked for every record.
"""

import uuid
from typing import TYPE_CHECKING, Any, Self

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext, gettext_lazy as _

from jobs.models import Job, Write
from surveys.models import Survey

if TYPE_CHECKING:
    from jobs.progress import Progress


class Token(models.Model):
    """An invitation not yet used. Spending deletes the row, so spent and never made look alike."""

    hash = models.CharField(primary_key=True, max_length=64)
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+")


class FreshKey(models.Model):
    """The submission key of a record that came in since the last sealing."""

    hash = models.CharField(primary_key=True, max_length=64)
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+", db_constraint=False)


class SeenKey(models.Model):
    """A submission key from before the last sealing; moved here in hash order, so no order of arrival is left."""

    hash = models.CharField(primary_key=True, max_length=64)
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+", db_constraint=False, db_index=False)


class Inbox(models.Model):
    """A record that waits. Its id is random and it shares no column with keys or tokens."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+", db_constraint=False)
    record = models.BinaryField()


class Batch(models.Model):
    """At least `least` records, shuffled, as columns of bits. A merged batch covers the numbers first..last."""

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+", db_index=False)
    first = models.PositiveIntegerField()
    last = models.PositiveIntegerField()
    n = models.PositiveIntegerField()
    columns = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["survey", "first"], name="one_batch_per_number"),
            models.CheckConstraint(condition=Q(first__gte=1, last__gte=F("first")), name="batch_of_numbers"),
            models.CheckConstraint(condition=Q(n__gte=20), name="batch_of_many"),
        ]


class Sweep(models.Model):
    """Rows of this table were deleted, but their bytes may still lie in the database's files."""

    table = models.CharField(max_length=40)


class Truth(models.Model):
    """What simulated respondents of a rehearsal truly answered, as counts of itemsets and never as rows."""

    survey = models.OneToOneField(Survey, models.CASCADE, related_name="+")
    n = models.PositiveIntegerField()
    size = models.PositiveSmallIntegerField()
    counts = models.BinaryField()


class SimulationQuerySet(models.QuerySet["Simulation"]):
    def visible_to(self, person: Any) -> Self:
        return self.filter(survey__in=Survey.objects.visible_to(person))


class Simulation(Job):
    """Lets simulated respondents answer a rehearsal until there have been `until` of them in all."""

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+")
    n = models.PositiveIntegerField()
    until = models.PositiveIntegerField()

    objects = SimulationQuerySet.as_manager()

    class Meta(Job.Meta):
        verbose_name = _("simulated respondents")
        verbose_name_plural = _("simulated respondents")

    def title(self) -> str:
        return gettext("%(n)s simulated respondents") % {"n": self.n}

    def may(self, person: AbstractUser, action: str) -> bool:
        return self.survey.may(person, {"see": "see", "cancel": "run"}[action])  # type: ignore[arg-type]

    def perform(self, progress: "Progress") -> Write:
        from surveys.intake import rehearsing

        return rehearsing.perform(self, progress)
