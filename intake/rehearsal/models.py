"""Simulated respondents and their truth. Their tables are those of the app `intake`, where they began."""

from typing import ClassVar, Self

from django.db import models
from django.utils.translation import gettext, gettext_lazy as _

from accounts.models import Person
from jobs.models import JobKind
from surveys.models import Survey
from ui.numbers import format_count


class Truth(models.Model):
    """Counts of what a rehearsal's simulated respondents truly answered, by itemset and never as rows.

    `disguised` of the `n` chose disguise; `disguised_counts` are theirs. `numbers` are sums and counts of numbers by
    group ("all", "disguised") and question (`TrueNumber`); null if the survey has none.
    """

    survey = models.OneToOneField(Survey, models.CASCADE, related_name="+")
    n = models.PositiveIntegerField()
    size = models.PositiveSmallIntegerField()
    counts = models.BinaryField()
    disguised = models.PositiveIntegerField()
    disguised_counts = models.BinaryField()
    numbers = models.JSONField(null=True)

    class Meta:
        app_label = "intake"


class SimulationQuerySet(models.QuerySet["Simulation"]):
    def visible_to(self, person: Person) -> Self:
        return self.filter(survey__in=Survey.objects.visible_to(person))


class Simulation(JobKind):
    """Lets simulated respondents answer a rehearsal until there have been `until` of them in all.

    `then_run`: the usual run of mining follows, unless the rehearsal has one.
    """

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+")
    n = models.PositiveIntegerField()
    until = models.PositiveIntegerField()
    then_run = models.BooleanField(default=False)

    performer = "intake.rehearsal.simulating.perform"
    objects: ClassVar[SimulationQuerySet] = SimulationQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        app_label = "intake"
        verbose_name = _("simulated respondents")
        verbose_name_plural = _("simulated respondents")

    def title(self) -> str:
        return gettext("%(n)s simulated respondents") % {"n": format_count(self.n)}

    def may(self, person: Person, action: str) -> bool:
        return self.survey.may(person, {"see": "see", "cancel": "run"}[action])
