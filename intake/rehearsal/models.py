"""Tables of simulated respondents and their true answers; they belong to the app `intake`."""

from typing import ClassVar, Self

from django.db import models
from django.utils.translation import gettext, gettext_lazy as _

from accounts.models import Person
from jobs.models import JobKind
from surveys.models import Survey
from ui.number_format import format_count


class Truth(models.Model):
    """Counts of the true answers of a rehearsal's simulated respondents, by itemset and never as rows.

    Of the `n` respondents, `disguised` chose disguise, with the counts `disguised_counts`. `numbers` are sums and
    counts of numbers by group ("all", "disguised") and question (`TrueNumber`); null if the survey has none.
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
    """Job that lets simulated respondents answer a rehearsal until it has `until` of them in all.

    `then_run`: a run of mining starts afterwards, unless the rehearsal has one.
    """

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+")
    n = models.PositiveIntegerField()
    until = models.PositiveIntegerField()
    then_run = models.BooleanField(default=False)

    performer = "intake.rehearsal.respondent_simulation.perform"
    objects: ClassVar[SimulationQuerySet] = SimulationQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        app_label = "intake"
        verbose_name = _("simulated respondents")
        verbose_name_plural = _("simulated respondents")

    def title(self) -> str:
        return gettext("%(n)s simulated respondents") % {"n": format_count(self.n)}

    def get_absolute_url(self) -> str:
        return self.survey.get_absolute_url()

    def may(self, person: Person, action: str) -> bool:
        return self.survey.may(person, {"see": "see", "cancel": "run"}[action])
