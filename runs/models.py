"""Models of mining: runs and other jobs, cached histograms, results, margins."""

from copy import copy
from datetime import date
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, cast

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy as _, gettext_noop

from accounts.insert_only_tables import InsertOnly, InsertOnlyQuerySet, refuse_change
from accounts.permission_model_base_classes import Guarded
from jobs.models import JobKind, State
from jobs.progress_messages import Message
from mining.disclosure.verdict import Verdict, read_verdict
from mining.findings.result_row_conversion import item_numbers
from mining.parameters import Parameters
from privacy.designs import Design
from surveys.lockable_rows import LockableQuerySet
from surveys.models import Design as DesignRow, Survey

if TYPE_CHECKING:
    from accounts.models import Person

ACTIONS = {
    "see": "see",
    "cancel": "run",
    "repeat": "run",
    "check": "check",
    "model": "run",
    "numbers": "review",
}
"""The permission on the survey that each action on a run needs (surveys/permission.py)."""

UNMET_MARGINS = "unmet_margins"
"""Name of the finding that says why the records of a run cannot be weighted to its margins: a message with numbers."""


class MlxtendCheck(models.TextChoices):
    """When mlxtend checks a run: automatically (on all records if that is cheap, else on a sample), always on all, or
    never."""

    AUTOMATIC = "automatic", _("automatic")
    ALWAYS = "always", _("always")
    NEVER = "never", _("never")


class RunQuerySet(LockableQuerySet["Run"]):
    def visible_to(self, person: AbstractUser) -> Self:
        return self.filter(survey__in=Survey.objects.visible_to(cast("Person", person)).values("pk"))


class Run(JobKind, Guarded):
    """A mining run: the job that finds frequent itemsets and rules in the batches 1..`through` with `parameters`.

    `population`: whose records are used (intake/disclosure/record_selection.py). `margins`: known shares of the
    population, to which single answers are also weighted. `number` counts the runs of a survey from 1, for people;
    addresses use the primary key, in which PostgreSQL leaves gaps.

    Results and their counts are written once, when the run is done; `coherent`, the coherent supports of itemsets,
    right after that, or when a page needs them before (`runs.result_storage`). `verdict`: which results may be
    disclosed, as `mining.disclosure.verdict.Decision` writes it, and its digest. `head`: the last row of the disclosure
    ledger when the verdict was made. `mlxtend`: whether mlxtend mines the same records for comparison
    (`runs.mlxtend_check`). `row_check`: the last comparison of its rows with means over the records (`runs.row_check`).
    `repeats`: number of the earlier run whose reviewers' decisions are taken over. `copies`: lower bound of copied
    records (`runs.copied_record_detection`).
    """

    performer = "runs.run_job.perform"

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="runs")
    number = models.PositiveIntegerField(_("number"), editable=False)
    through = models.PositiveIntegerField(_("batches"))
    records = models.PositiveBigIntegerField(_("records"))
    design = models.CharField(_("design"), max_length=64)
    parameters = models.JSONField(default=dict)
    population = models.CharField(max_length=10)
    margins = models.ForeignKey("Margins", models.RESTRICT, null=True, related_name="runs")
    mlxtend = models.CharField(max_length=9, choices=MlxtendCheck, default=MlxtendCheck.AUTOMATIC)
    version = models.CharField(_("version"), max_length=100, blank=True)

    n_open = models.PositiveBigIntegerField(null=True, editable=False)
    disguised = models.PositiveBigIntegerField(null=True, editable=False)
    copies = models.PositiveBigIntegerField(null=True, editable=False)
    levels = models.JSONField(default=list, editable=False)
    stopped = models.JSONField(null=True, editable=False)
    findings = models.JSONField(default=dict, editable=False)
    coherent = models.JSONField(null=True, editable=False)
    row_check = models.JSONField(null=True, editable=False)
    itemset_count = models.PositiveIntegerField(null=True, editable=False)
    rule_count = models.PositiveIntegerField(null=True, editable=False)
    digest = models.CharField(max_length=64, default="", editable=False)
    verdict = models.JSONField(null=True, editable=False)
    verdict_digest = models.CharField(max_length=64, default="", editable=False)
    head = models.PositiveBigIntegerField(default=0, editable=False)
    repeats = models.PositiveIntegerField(null=True, editable=False)

    objects: ClassVar[RunQuerySet] = RunQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("mining run")
        verbose_name_plural = _("mining runs")
        constraints = [
            models.UniqueConstraint(fields=["survey", "number"], name="run_number"),
        ]

    def __str__(self) -> str:
        return self.title()

    @property
    def used_records(self) -> int | None:
        """The number of records that the results are about; None before they are counted."""
        return None if self.disguised is None else self.disguised + (self.n_open or 0)

    @property
    def day(self) -> date:
        """The day on which the run was started, in the site's time zone; its batches were sealed by then.

        Readers see it instead of batch numbers, which reveal the number of records.
        """
        return timezone.localdate(self.created)

    def title(self) -> str:
        return gettext("Run %(number)s") % {"number": self.number}

    def title_among_all(self) -> str:
        """Returns the title with the survey's, for lists of jobs of all surveys."""
        return gettext("%(run)s of “%(survey)s”") % {"run": self, "survey": self.survey}

    def get_absolute_url(self) -> str:
        return reverse("runs:run", args=[self.pk])

    def may(self, person: AbstractUser, action: str) -> bool:
        return self.survey.may(cast("Person", person), ACTIONS[action])

    def shown_to(self, person: AbstractUser) -> "Run":
        """Returns the run as this person may see it: with its progress in numbers, or a copy without."""
        # Most runs of a list have nothing to redact: no permission need be read for them.
        silent = not self.live and not self.words
        return self if silent or self.may(person, "numbers") else self.redacted_copy()

    def redacted_copy(self) -> "Run":
        """Returns a copy of the run for people who may not see its numbers: it says only whether the run waits, runs or
        is over.

        Progress reveals results: a size is counted only if smaller itemsets were frequent, so that a person who chooses
        the thresholds could infer every support. So the message and the fraction are the same for all runs.
        """
        shown = copy(self)
        shown.fraction, shown.words = None, {}
        if shown.state == State.RUNNING:
            shown.words = Message(gettext_noop("The records are being counted")).as_json()
        return shown

    def lock_parents(self) -> None:
        # PostgreSQL locks the survey's row too, at the end, in a transaction that changes one of its runs twice.
        Survey.objects.get_locked_while_records_arrive(self.survey_id)

    @property
    def search_parameters(self) -> Parameters:
        """The parameters of the search."""
        return Parameters(**self.parameters)

    @property
    def stored_verdict(self) -> Verdict:
        """The disclosure verdict with which the run was made; without one everything is allowed, since nobody can
        publish such a run."""
        return read_verdict(self.verdict, self.mined_design) if self.verdict else Verdict(self.mined_design)

    @property
    def content(self) -> Design:
        """The design (questionnaire) with which the survey was opened; its hash is checked."""
        return DesignRow.load_parsed(self.design)

    @property
    def mined_design(self) -> Design:
        """The design as mining sees it; all results refer to its questions and items."""
        return self.content.mined


class Histogram(models.Model):
    """A cached histogram of the used records of the batches 1..`through`, with the counts of codes if the design has
    numbers or places (`runs.histogram_cache`)."""

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="+", db_index=False)
    through = models.PositiveIntegerField()
    population = models.CharField(max_length=10)
    data = models.BinaryField()
    numbers = models.BinaryField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["survey", "through", "population"], name="one_histogram")
        ]


class ResultQuerySet(models.QuerySet[Any]):
    update = aupdate = bulk_update = abulk_update = refuse_change


class ResultRow(models.Model):
    """Base of result rows, which are written once when their run is done, and deleted with it.

    The order of the fields must stay: the digest of a run hashes the floats of its rows in this order.
    """

    objects = ResultQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> NoReturn:
        # `runs.result_storage` inserts all rows of a run at once.
        refuse_change()

    @classmethod
    def float_fields(cls) -> tuple[str, ...]:
        """Returns the names of the model's float fields: estimates, errors and tests, named as in `Supports` and
        `Rules`."""
        return tuple(field.name for field in cls._meta.fields if isinstance(field, models.FloatField))


class Itemset(ResultRow):
    """An itemset of a run.

    `items`: in order. `base`: number of records asked all of them; `n_open`: open records among these; `shown`: records
    shown all of them. See `mining.reconstruction.Supports`. Estimates are not clipped; null means not estimated, or
    only for itemsets behind a show-if rule. `heads`: for k = 1, 2, 4, … below its rank, the interval ends that it has
    in the first k rows of a list, packed by `result_row_conversion.pack_heads`.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="itemsets", db_index=False)
    place = models.PositiveIntegerField()
    items = models.TextField()
    size = models.PositiveSmallIntegerField()
    base = models.PositiveBigIntegerField()
    n_open = models.PositiveBigIntegerField()
    observed = models.FloatField()
    support = models.FloatField(null=True)
    se = models.FloatField(null=True)
    low = models.FloatField(null=True)
    high = models.FloatField(null=True)
    low_listed = models.FloatField(null=True)
    high_listed = models.FloatField(null=True)
    pooled = models.FloatField(null=True)
    expected_w = models.FloatField(null=True)
    shown = models.PositiveBigIntegerField(null=True)
    share_shown = models.FloatField(null=True)
    low_shown = models.FloatField(null=True)
    high_shown = models.FloatField(null=True)
    heads = models.BinaryField(default=b"")

    class Meta:
        ordering = ["run", "place"]
        constraints = [models.UniqueConstraint(fields=["run", "place"], name="itemset_place")]

    def __str__(self) -> str:
        return self.items.strip()

    @property
    def item_numbers(self) -> tuple[int, ...]:
        return item_numbers(self.items)


class Rule(ResultRow):
    """A rule `antecedent` -> `consequent` and its converse in one row; together the sides are the items of `itemset`.

    Rows are ordered by p, and `place` is the rank in the whole list, from 0. The rule reaches the confidence that the
    run asked for; `both`: the converse does too. `_listed`: intervals that allow for this rank. `heads`: for k = 1, 2,
    4, … below it, `association` and the intervals of `HEAD_ENDS` in the first k rows of a list.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="rules", db_index=False)
    place = models.PositiveIntegerField()
    itemset = models.ForeignKey(Itemset, models.CASCADE, related_name="rules")
    items = models.TextField()
    antecedent = models.TextField()
    consequent = models.TextField()
    base = models.PositiveBigIntegerField()
    eligible = models.PositiveBigIntegerField()
    antecedent_support = models.FloatField(null=True)
    antecedent_low = models.FloatField(null=True)
    antecedent_high = models.FloatField(null=True)
    consequent_support = models.FloatField(null=True)
    consequent_low = models.FloatField(null=True)
    consequent_high = models.FloatField(null=True)
    support = models.FloatField(null=True)
    confidence = models.FloatField(null=True)
    confidence_low = models.FloatField(null=True)
    confidence_high = models.FloatField(null=True)
    confidence_low_listed = models.FloatField(null=True)
    confidence_high_listed = models.FloatField(null=True)
    converse = models.FloatField(null=True)
    converse_low = models.FloatField(null=True)
    converse_high = models.FloatField(null=True)
    converse_low_listed = models.FloatField(null=True)
    converse_high_listed = models.FloatField(null=True)
    lift = models.FloatField(null=True)
    lift_low = models.FloatField(null=True)
    lift_high = models.FloatField(null=True)
    lift_low_listed = models.FloatField(null=True)
    lift_high_listed = models.FloatField(null=True)
    p = models.FloatField(null=True)
    q = models.FloatField(null=True)
    association = models.SmallIntegerField()
    both = models.BooleanField()
    under = models.PositiveIntegerField(null=True)
    heads = models.BinaryField(default=b"")

    class Meta:
        ordering = ["run", "place"]
        constraints = [models.UniqueConstraint(fields=["run", "place"], name="rule_place")]

    def __str__(self) -> str:
        return f"{self.antecedent.strip()} → {self.consequent.strip()}"

    @property
    def sides(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        return item_numbers(self.antecedent), item_numbers(self.consequent)


class Margins(InsertOnly):
    """Known shares of the population as CSV (`mining.studies.population_margins_csv`); no row is about one person."""

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="margins")
    name = models.CharField(_("name"), max_length=100)
    csv = models.TextField()

    goes_with_others = True
    objects: ClassVar[InsertOnlyQuerySet["Margins"]] = InsertOnlyQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [models.UniqueConstraint(fields=["survey", "name"], name="margins_name")]

    def __str__(self) -> str:
        return self.name


class RunJobQuerySet(models.QuerySet[Any]):
    """Query set of jobs that belong to a run."""

    def visible_to(self, person: AbstractUser) -> Self:
        return self.filter(run__in=Run.objects.visible_to(person).values("pk"))


class RunJob(JobKind, Guarded):
    """Base class of the jobs of one finished run.

    `permissions`: by action on the job, the permission on the survey that it needs (surveys/permission.py).
    """

    permissions: ClassVar[dict[str, str]] = {"see": "see", "cancel": "run"}
    if TYPE_CHECKING:
        run: Run
        run_id: int

    objects: ClassVar[RunJobQuerySet] = RunJobQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        abstract = True

    def title_among_all(self) -> str:
        """Returns the title with the survey's, for lists of jobs of all surveys."""
        return gettext("%(run)s of “%(survey)s”") % {"run": self, "survey": self.run.survey}

    def may(self, person: AbstractUser, action: str) -> bool:
        return self.run.survey.may(cast("Person", person), self.permissions[action])

    def lock_parents(self) -> None:
        """Locks the run until the transaction ends."""
        Run.objects.lock(self.run_id)


class ModelJob(RunJob):
    """Job that fits a model to the records of a finished run.

    `number` counts the models of a run from 1. `specification`: see `runs.regression_job.Specification`. `told`:
    whether people who work on the survey may know if it is published; before, to them it waits for a reviewer
    (`reports.review.regression_decisions.tell_decided_models`).
    """

    performer = "runs.regression_job.perform"

    run = models.ForeignKey(Run, models.CASCADE, related_name="model_jobs")
    number = models.PositiveIntegerField(editable=False)
    specification = models.JSONField()
    told = models.BooleanField(default=False, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="model_number"),
        ]

    def may(self, person: AbstractUser, action: str) -> bool:
        # How far it is, how long it takes and how it ends depends on the records.
        return super().may(person, action) and self.run.survey.may_know_outcomes(cast("Person", person))

    def title(self) -> str:
        return gettext("Model %(number)s of %(run)s") % {"number": self.number, "run": self.run}

    def get_absolute_url(self) -> str:
        return reverse("models:model", args=[self.run_id, self.number])


class EngineCheck(RunJob):
    """Job that searches the records of a finished run again and compares; the last check counts.

    `always`: on all records, whatever it costs, and the rows too; a person asked for it. `result`: a
    `runs.mlxtend_check.CheckResult`, once it is done.
    """

    performer = "runs.mlxtend_check.perform"
    is_spare = True

    run = models.ForeignKey(Run, models.CASCADE, related_name="checks")
    always = models.BooleanField(default=False)
    result = models.JSONField(null=True, editable=False)

    def title(self) -> str:
        return gettext("Check of %(run)s by mlxtend") % {"run": self.run}

    def get_absolute_url(self) -> str:
        return self.run.get_absolute_url()


class Model(InsertOnly):
    """A model, which a reviewer accepts or rejects like a rule.

    `numbers`: the JSON of the command `model`. `problem`: the message why the model could not be fitted; then it has no
    numbers, and is rejected.
    """

    job = models.OneToOneField(ModelJob, models.CASCADE, related_name="model")
    run = models.ForeignKey(Run, models.CASCADE, related_name="models")
    specification = models.JSONField()
    numbers = models.JSONField()
    problem = models.JSONField(null=True)

    goes_with_others = True
    objects: ClassVar[InsertOnlyQuerySet["Model"]] = InsertOnlyQuerySet.as_manager()  # type: ignore[assignment]

    def __str__(self) -> str:
        return str(self.job)
