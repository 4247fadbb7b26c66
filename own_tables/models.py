"""Tables of true answers that people upload, and experiments with them; both are deleted after a day."""

import zlib
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy as _

from accounts.permission_model_base_classes import Guarded
from jobs.models import JobKind
from mining.json_codec import node_from_json, node_to_json
from mining.own_table.experiment import ExperimentResult
from mining.own_table.settings import Settings
from mining.own_table.table import Column, OmittedColumn, OwnTable as Table

if TYPE_CHECKING:
    from accounts.models import Person


class OwnTableQuerySet(models.QuerySet["OwnTable"]):
    def visible_to(self, person: AbstractUser) -> Self:
        return self.filter(person=person)


class OwnTable(Guarded):
    """A table of true answers that a person uploaded, for that person alone; only columns with few values are stored.

    `codes` has one byte per answer, column by column, compressed. No backup contains it
    (config/backup/saved_tables.py).
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    name = models.CharField(max_length=200)
    created = models.DateTimeField()
    columns = models.JSONField()
    omitted = models.JSONField()
    incomplete = models.PositiveIntegerField()
    rows = models.PositiveIntegerField()
    codes = models.BinaryField()

    objects: ClassVar[OwnTableQuerySet] = OwnTableQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("own table")
        verbose_name_plural = _("own tables")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.name

    @classmethod
    def from_table(cls, table: Table, **fields: Any) -> "OwnTable":
        return cls(
            columns=[node_to_json(column) for column in table.columns],
            omitted=[node_to_json(column) for column in table.omitted],
            incomplete=table.incomplete,
            rows=table.rows,
            codes=zlib.compress(table.codes.tobytes()),
            **fields,
        )

    def as_table(self) -> Table:
        codes = np.frombuffer(zlib.decompress(bytes(self.codes)), np.uint8)
        return Table(
            tuple(node_from_json(Column, column) for column in self.columns),
            codes.reshape(len(self.columns), self.rows),
            self.omitted_columns(),
            self.incomplete,
        )

    def omitted_columns(self) -> tuple[OmittedColumn, ...]:
        return tuple(node_from_json(OmittedColumn, column) for column in self.omitted)

    def may(self, person: AbstractUser, action: str) -> bool:
        return {"see": True, "use": True}[action] and self.person_id == person.pk

    @property
    def last_experiment(self) -> "Experiment | None":
        return self.experiments.order_by("-pk").first()


class ExperimentQuerySet(models.QuerySet["Experiment"]):
    def visible_to(self, person: AbstractUser) -> Self:
        return self.filter(table__person=person)


class Experiment(JobKind):
    """A job that disguises and mines a table with these settings; `seed` makes it repeatable.

    `result` is `mining.own_table.experiment.ExperimentResult` as JSON; `pictures` are its curves as SVG, by name.
    """

    performer = "own_tables.experiments.perform"

    table = models.ForeignKey(OwnTable, models.CASCADE, related_name="experiments")
    settings = models.JSONField(editable=False)
    seed = models.PositiveIntegerField(editable=False)
    result = models.JSONField(default=dict, editable=False)
    pictures = models.JSONField(default=dict, editable=False)

    objects: ClassVar[ExperimentQuerySet] = ExperimentQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("experiment with an own table")
        verbose_name_plural = _("experiments with own tables")

    def title(self) -> str:
        return gettext("Experiment with “%(table)s”") % {"table": self.table}

    def title_among_all(self) -> str:
        """Returns a title without the name of the file, which only its owner may see."""
        return gettext("Experiment with an own table")

    def get_absolute_url(self) -> str:
        return reverse("own_tables:own_table", args=[self.table_id])

    def may(self, person: "Person", action: str) -> bool:
        return {"see": True, "cancel": True}[action] and self.table.person_id == person.pk

    def read_settings(self) -> Settings:
        return node_from_json(Settings, self.settings)

    def read_result(self) -> ExperimentResult:
        return node_from_json(ExperimentResult, self.result)
