"""The ledger of disclosures: one row for each thing that was told of a survey's records."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.insert_only import InsertOnly, InsertOnlyQuerySet
from surveys.models import Survey


class Population(models.TextChoices):
    """Whose records something is made of: those of people who chose disguise, or the open ones that are used too."""

    DISGUISED = "disguised", _("disguised")
    USED = "used", _("used")


class Door(models.TextChoices):
    FINISHING = "finishing", _("finishing")
    REPORT = "report", _("report")
    MODEL = "model", _("model")
    RECORDS = "records", _("record file")
    RELEASE = "release", _("release")
    REFUSAL = "refusal", _("refusal")


class Disclosure(InsertOnly):
    """What one door told: of the batches 1..last_batch, of this population, to readers or to holders of a file.

    `number` counts the rows of a survey. `key` names the thing ("run 12", "release 3"), `title` is its name for people.
    `tables`: the plain tables of the disguised that its numbers are made of, their counts, and by question the classes
    that were withheld; `records`: between how many and how many records in all the batches hold, as far as readers
    know. `classes`: of a release the class of each disguised record in the canonical order
    (`intake.disclosure.canonical`). `kept`: of finishing the choice of open records. `digest`: the SHA-256 of what
    left.

    A row outlives what it is about: a withdrawn report, a deleted file. It goes with its survey.
    """

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="disclosures")
    number = models.PositiveIntegerField()
    door = models.CharField(max_length=10, choices=Door.choices)
    key = models.CharField(max_length=100)
    title = models.CharField(max_length=200)
    when = models.DateTimeField()
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    last_batch = models.PositiveIntegerField()
    population = models.CharField(max_length=10, choices=Population.choices)
    to_holders = models.BooleanField(default=False)
    tables = models.JSONField(default=dict)
    classes = models.BinaryField(default=b"")
    kept = models.JSONField(default=dict)
    digest = models.CharField(max_length=64, default="")

    goes_with_others = True
    objects: ClassVar[InsertOnlyQuerySet["Disclosure"]] = InsertOnlyQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        ordering = ["survey", "number"]
        verbose_name = _("disclosure")
        verbose_name_plural = _("disclosures")
        constraints = [
            models.UniqueConstraint(fields=["survey", "number"], name="disclosure_number"),
            models.UniqueConstraint(fields=["survey", "door", "key", "digest"], name="disclosure_once"),
        ]

    def __str__(self) -> str:
        return self.title
