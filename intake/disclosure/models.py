"""The ledger of disclosures: one row for each publication about a survey's records."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.insert_only_tables import InsertOnly, InsertOnlyQuerySet
from surveys.models import Survey


class Population(models.TextChoices):
    """Which sealed records a result covers: the disguised ones, the disguised and the selected open ones (`used`), or
    all."""

    DISGUISED = "disguised", _("disguised")
    USED = "used", _("used")
    SEALED = "sealed", _("sealed")


class DisclosureKind(models.TextChoices):
    """What a ledger row is about: a kind of disclosure, the finishing of the survey, or a refusal."""

    FINISHING = "finishing", _("finishing")
    REPORT = "report", _("report")
    MODEL = "model", _("model")
    RECORDS = "records", _("record file")
    RELEASE = "release", _("release")
    REFUSAL = "refusal", _("refusal")
    QUOTA = "quota", _("quota")


class Disclosure(InsertOnly):
    """One row of the ledger: what was disclosed of the records in the batches 1..last_batch, through which
    channel (`door`).

    `number` counts a survey's rows. `key` identifies the thing ("run 12", "release 3"), `title` names it for
    people. `tables`: the disclosed tables of plain answers of disguised records, with their counts and, by
    question, the withheld classes; of a quota, which quota is full. `records`: bounds on the number of all
    records, as readers know them; not of a quota. `classes` (of a release): the class of each disguised
    record in the canonical order (`intake.disclosure.canonical_order`). `kept` (of finishing): the choice of
    open records. `digest`: the SHA-256 of the published file.

    A row stays when its report is withdrawn or its file deleted, and is deleted with its survey.
    """

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="disclosures")
    number = models.PositiveIntegerField()
    door = models.CharField(max_length=10, choices=DisclosureKind.choices)
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


class QuotaCell(models.Model):
    """The number of sealed records whose answers belong to a quota (intake.disclosure.count_and_publish_full_quotas).

    `quota`: its number in the design. `bar`: the secret noise of the count, which no page and no file shows.
    `full_after`: the number of the batch after which the page showed the quota as full; 0 until then. Once the survey
    is finished, only `full_after` is left.
    """

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+")
    quota = models.PositiveIntegerField()
    bar = models.SmallIntegerField()
    count = models.PositiveIntegerField(default=0)
    full_after = models.PositiveIntegerField(default=0)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["survey", "quota"], name="one_cell_a_quota")]
