"""Stores reviews of runs, front tests, decisions on rules and models, and publications."""

from typing import TYPE_CHECKING, ClassVar, Self

from django.conf import settings
from django.db import models
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy as _

from accounts.insert_only_tables import InsertOnly, InsertOnlyQuerySet
from accounts.permission_model_base_classes import Guarded
from runs.models import Model, Rule, Run, RunJob
from surveys.models import BASES, Survey
from surveys.permission import Basis
from surveys.questionnaire.problems_and_refusals import NotAllowed

if TYPE_CHECKING:
    from accounts.models import Person

ACTIONS = {action: action for action in ("see", "read", "read-undecided", "share", "review")}
"""The permission on the survey that each action on a report needs (surveys/permission.py)."""


class ReviewQuerySet(models.QuerySet["Review"]):
    def visible_to(self, person: "Person") -> Self:
        return self.filter(run__survey__in=Survey.objects.visible_to(person).values("pk"))

    def to_review_by(self, person: "Person") -> Self:
        """Selects reports of surveys that this person may review, by the same rule as `Review.may`."""
        return self.filter(run__survey__in=Survey.objects.reviewable_by(person).values("pk"))

    def to_decide(self) -> Self:
        """Selects reports that are neither published nor withdrawn."""
        return self.filter(state__in=Review.TO_DECIDE)

    def at_public_link(self, token: str) -> Self:
        """Selects the published report whose public page has this token in its address."""
        return self.filter(public_token=token, state=Review.State.PUBLISHED)

    def with_surveys(self) -> Self:
        """Joins the surveys, and defers the findings of runs, which may be long."""
        surveys = self.select_related("run__survey__owner", "run__survey__design")
        return surveys.defer("run__findings", "run__levels")

    def with_permissions(self) -> Self:
        """Prefetches the rows that `Review.may` reads, for lists."""
        return self.with_surveys().prefetch_related("run__survey__collaborators", "run__survey__involvements")

    def get_locked(self, run: int) -> "Review":
        """Locks the report's run until the transaction ends, and returns the report as it is stored.

        Needs a transaction. Raises NotAllowed if the run was deleted. Decisions, publication, withdrawal and the
        destruction of the survey wait for the same lock.
        """
        review = self.filter(run=run).first() if Run.objects.lock(run) else None
        if review is None:
            raise NotAllowed(gettext("The answers of this survey have been deleted."))
        return review


class Review(Guarded):
    """The review of a finished run; its primary key is that of the run.

    Only the modules of reports.review change the state, and only while they hold the lock of `get_locked`.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waits for a reviewer")
        IN_REVIEW = "in-review", _("in review")
        PUBLISHED = "published", _("published")
        WITHDRAWN = "withdrawn", _("withdrawn")

    TO_DECIDE = (State.WAITING, State.IN_REVIEW)

    run = models.OneToOneField(Run, models.CASCADE, primary_key=True, related_name="review")
    state = models.CharField(_("state"), max_length=9, choices=State, default=State.WAITING)
    since = models.DateTimeField(_("since"))
    reason = models.TextField(_("reason"), blank=True)
    # 128 random bits: whoever has them reads the public page. None while there is no such page.
    public_token = models.CharField(max_length=22, null=True, unique=True, editable=False)

    objects: ClassVar[ReviewQuerySet] = ReviewQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("report")
        verbose_name_plural = _("reports")
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(state__in=["waiting", "in-review", "published", "withdrawn"]),
                name="reports_review_states",
            )
        ]

    def __str__(self) -> str:
        return str(self.run)

    def get_absolute_url(self) -> str:
        return reverse("reports:shares", args=[self.pk])

    @property
    def survey(self) -> Survey:
        return self.run.survey

    @property
    def is_open(self) -> bool:
        """True if a reviewer can still decide."""
        return self.state in self.TO_DECIDE

    @property
    def reviewer_url(self) -> str:
        """Address of the page a reviewer begins at: the rules to decide on, or the shares if the run has no rules."""
        page = "rules" if self.run.rule_count else "shares"
        return reverse(f"admin:reports_review_{page}", args=[self.pk])

    def may(self, person: "Person", action: str) -> bool:
        if not self.survey.may(person, ACTIONS[action]):
            return False
        if action == "read-undecided":
            return self.is_open
        return action not in ("read", "share") or self.state == self.State.PUBLISHED

    def require_reviewer(self, person: "Person") -> Basis:
        """Returns the right by which this person reviews the report; raises NotAllowed if they may not."""
        if basis := self.survey.review_basis(person):
            return basis
        raise NotAllowed(gettext("Nobody reviews a survey that they own, work on or have worked on."))


class FrontTest(RunJob):
    """A job of a rehearsal: simulates surveys, and counts how many of their reports begin with a false sentence.

    `result` has two kinds of simulated people: `alike`, who all answer by the same probabilities, and `simulated`,
    those of the rehearsal. For each: how many `surveys` were simulated, how many reports begin with a `false` sentence,
    and how many state a `true` finding.
    """

    performer = "reports.simulated_reports.first_finding_test_job.perform"
    permissions: ClassVar[dict[str, str]] = {"see": "review", "cancel": "review"}

    run = models.OneToOneField(Run, models.CASCADE, related_name="front_test")
    result = models.JSONField(default=dict, editable=False)

    class Meta:
        verbose_name = _("test of the front")
        verbose_name_plural = _("tests of the front")

    def title(self) -> str:
        return gettext("How often %(run)s would say something false") % {"run": self.run}

    def title_among_all(self) -> str:
        """Returns the title with the survey's, for lists of jobs of all surveys."""
        return gettext("How often %(run)s would say something false") % {"run": self.run.title_among_all()}

    def get_absolute_url(self) -> str:
        return f"{reverse('admin:reports_review_shares', args=[self.run_id])}#front-test"


class Decision(InsertOnly):
    """A reviewer's verdict on one rule; the last one counts. Deleted with its run when the survey is destroyed.

    It is about the rule and its converse (C -> A), unless `direction` names one of them: then only that one is
    accepted. An undo adds a row with the verdict from before: `undecided` where there was none.
    """

    class Verdict(models.TextChoices):
        ACCEPT = "accept", _("accepted")
        REJECT = "reject", _("rejected")
        MORE_DATA = "more-data", _("needs more data")
        UNDECIDED = "undecided", _("undecided")

    class Direction(models.TextChoices):
        RULE = "rule", _("only this way round")
        CONVERSE = "converse", _("only the other way round")

    rule = models.ForeignKey(Rule, models.CASCADE, related_name="decisions", db_index=False)
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    verdict = models.CharField(_("verdict"), max_length=9, choices=Verdict)
    direction = models.CharField(_("which way round"), max_length=8, choices=Direction, blank=True)
    note = models.TextField(_("note"), blank=True)
    when = models.DateTimeField(_("when"))
    # The reviewer's right at that moment; null: the role.
    basis = models.CharField(max_length=5, choices=BASES, null=True)

    goes_with_others = True
    objects: ClassVar[InsertOnlyQuerySet["Decision"]] = InsertOnlyQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("decision")
        verbose_name_plural = _("decisions")
        indexes = [models.Index(fields=["rule", "-id"], name="reports_last_decision")]

    def __str__(self) -> str:
        return f"{self.rule_id}: {self.verdict}"


class ModelDecision(InsertOnly):
    """A reviewer's verdict on one model; the last one counts. Deleted with its run when the survey is destroyed."""

    model = models.ForeignKey(Model, models.CASCADE, related_name="decisions", db_index=False)
    reviewer = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    verdict = models.CharField(_("verdict"), max_length=9, choices=Decision.Verdict)
    note = models.TextField(_("note"), blank=True)
    when = models.DateTimeField(_("when"))
    # The reviewer's right at that moment; null: the role.
    basis = models.CharField(max_length=5, choices=BASES, null=True)

    goes_with_others = True
    objects: ClassVar[InsertOnlyQuerySet["ModelDecision"]] = InsertOnlyQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        indexes = [models.Index(fields=["model", "-id"], name="reports_last_model_decision")]

    def __str__(self) -> str:
        return f"{self.model_id}: {self.verdict}"


class ModelPublication(InsertOnly):
    """The publication of a model, with the report of its run or later. Deleted with its run."""

    model = models.OneToOneField(Model, models.CASCADE, related_name="publication")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    when = models.DateTimeField(_("when"))
    # The reviewer's right at that moment; null: the role.
    basis = models.CharField(max_length=5, choices=BASES, null=True)

    goes_with_others = True
    objects: ClassVar[InsertOnlyQuerySet["ModelPublication"]] = InsertOnlyQuerySet.as_manager()  # type: ignore[assignment]

    def __str__(self) -> str:
        return str(self.model)


class Publication(InsertOnly):
    """The published content of a run in the format candor-report/1 (`mining.nodes.report_nodes`).

    Its rules are in a column of their own, so that pages without rules do not read them. Deleted with its run when the
    survey is destroyed.
    """

    run = models.OneToOneField(Run, models.CASCADE, related_name="publication")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    when = models.DateTimeField(_("when"))
    # The reviewer's right at that moment; null: the role.
    basis = models.CharField(max_length=5, choices=BASES, null=True)
    content = models.JSONField()
    rules = models.JSONField()

    goes_with_others = True
    objects: ClassVar[InsertOnlyQuerySet["Publication"]] = InsertOnlyQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("publication")
        verbose_name_plural = _("publications")

    def __str__(self) -> str:
        return str(self.run)
