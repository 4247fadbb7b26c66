"""The models of releases: sources, uploads, releases, their tables, and the jobs that make, compare and attack them."""

from collections.abc import Iterable
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy as _, gettext_noop

from accounts.insert_only_tables import InsertOnly, InsertOnlyQuerySet
from accounts.permission_model_base_classes import Guarded
from jobs.models import JobKind, State as JobState
from jobs.progress_messages import Message
from releases.permissions import MADE, TABLE, UNMADE
from surveys.lockable_rows import LockableQuerySet
from surveys.models import Survey
from ui.sentence_joining import join_sentences

if TYPE_CHECKING:
    from accounts.models import Person


class Source(models.Model):
    """What a release is made from: the batches 1..`through` of a survey, or an uploaded table.

    `name`: file name of the upload. `deleted`: when the upload was deleted; the row remains. `before`: the owner's
    answer whether an earlier release had the same people.
    """

    class Before(models.TextChoices):
        NO = "no", _("No")
        YES = "yes", _("Yes")
        UNKNOWN = "unknown", _("I do not know")

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    survey = models.ForeignKey(Survey, models.CASCADE, null=True, related_name="+")
    through = models.PositiveIntegerField(null=True)
    with_sensitive = models.BooleanField(default=False)
    name = models.CharField(_("file"), max_length=200, blank=True)
    before = models.CharField(max_length=10, choices=Before.choices, blank=True)
    created = models.DateTimeField(_("created"))
    deleted = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(survey__isnull=False, through__isnull=False, name="", deleted=None)
                | Q(survey=None, through=None, with_sensitive=False) & ~Q(name=""),
                name="releases_survey_or_upload",
            )
        ]

    def __str__(self) -> str:
        return str(self.survey) if self.survey else self.name

    @property
    def is_upload(self) -> bool:
        return self.survey_id is None


class Upload(models.Model):
    """Bytes of an uploaded table: personal data that nobody disguised, readable by its owner alone.

    `columns`: the profile of each column (releases/specification/table_profile.py), which quotes values. `records`: the
    number of records. Uploads have a table of their own, so that no page reads one by chance and no backup holds one
    (config/backup/saved_tables.py). When an upload is deleted, its bytes are swept from the files of the database too.
    """

    source = models.OneToOneField(Source, models.CASCADE, primary_key=True, related_name="upload")
    content = models.BinaryField()
    columns = models.JSONField()
    records = models.PositiveIntegerField()

    def __str__(self) -> str:
        return str(self.pk)


def problem_json(words: Iterable[Message], path: str = "") -> dict[str, Any]:
    """Returns why a release could not be made or published, as its row stores it: the messages, and the path in its
    specification."""
    return {"place": path, "words": [message.as_json() for message in words]}


class ReleaseQuerySet(LockableQuerySet["Release"]):
    def visible_to(self, person: AbstractUser) -> Self:
        reader = cast("Person", person)
        visible = Q(source__survey__in=Survey.objects.visible_to(reader).values("pk"))
        visible |= Q(source__survey=None, source__owner=reader)
        if reader.is_reviewer:
            visible |= Q(source__survey=None, state__in=MADE)
        return self.filter(visible)

    def with_permissions(self) -> Self:
        """Loads the related rows that `Release.may()` reads, for lists."""
        return self.select_related(
            "source__owner", "source__survey__owner", "source__survey__design"
        ).prefetch_related("source__survey__collaborators", "source__survey__involvements")

    def waiting(self) -> Self:
        """Selects the releases that wait for a reviewer: checked, or of a survey and not made (`Release.stage`).

        Among them are refused releases of rehearsals, which wait for nobody.
        """
        unmade = Q(state=Release.State.REFUSED, by=None, source__survey__isnull=False)
        return self.filter(Q(state=Release.State.CHECKED) | unmade)

    def to_review_by(self, person: "Person") -> list["Release"]:
        """Returns the waiting releases on which this person may decide as a reviewer."""
        waiting = self.visible_to(person).with_permissions().waiting()
        return [one for one in waiting if one.may(person, "review" if one.stage != UNMADE else "refuse")]


class Release(Guarded):
    """A release: its specification (JSON format candor-release/1), and the state of the anonymised table made from it.

    `joined`: records in one class of an earlier release of the survey stay in one class, so that both tables together
    reveal no more than one. Only releases.lifecycle.making_job, releases.lifecycle.release_decisions and
    releases.uploads change the state, by a conditional UPDATE on the previous state. `reason`: what a reviewer wrote.
    `problem`: what Candor found. `by`: who changed the state last; None means Candor itself.
    """

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        RUNNING = "running", _("being made")
        CHECKED = "checked", _("waits for a reviewer")
        APPROVED = "approved", _("approved")
        WITHDRAWN = "withdrawn", _("withdrawn")
        REFUSED = "refused", _("refused")

    source = models.OneToOneField(Source, models.CASCADE, related_name="release")
    specification = models.TextField()
    joined = models.BooleanField(default=False)
    state = models.CharField(_("state"), max_length=9, choices=State, default=State.DRAFT)
    since = models.DateTimeField(_("since"))
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+")
    reason = models.TextField(_("reason"), blank=True)
    problem = models.JSONField(default=dict)

    objects: ClassVar[ReleaseQuerySet] = ReleaseQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("release")
        verbose_name_plural = _("releases")
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["draft", "running", "checked", "approved", "withdrawn", "refused"]),
                name="releases_release_states",
            )
        ]

    def __str__(self) -> str:
        return gettext("Release %(number)s") % {"number": self.pk}

    def title(self) -> str:
        return gettext("%(release)s of “%(source)s”") % {"release": self, "source": self.source}

    def get_absolute_url(self) -> str:
        return reverse("releases:release", args=[self.pk])

    @property
    def survey(self) -> Survey | None:
        return self.source.survey

    @property
    def history_subject(self) -> models.Model:
        """The object whose history records the release: its survey, or the release itself for an upload."""
        return self.source.survey or self

    @property
    def history_subject_of_review(self) -> models.Model:
        """The object whose history records what a reviewer does with the table.

        Before the decision neither its survey nor the release: the editors would read there that the table was made.
        """
        is_hidden = self.state == self.State.CHECKED and self.hides_outcome
        return ReleasedTable.objects.get(making__release=self) if is_hidden else self.history_subject

    @property
    def reason_text(self) -> str:
        """The reason why the release was refused, withdrawn or not made, in the reader's language; empty if there is
        none."""
        if self.reason or not self.problem:
            return self.reason
        path, messages = self.problem["place"], map(Message.from_json, self.problem["words"])
        words = join_sentences(map(str, messages))
        return f"{path}: {words}" if path else words

    @property
    def making(self) -> "Making | None":
        """The newest job that makes or made the release's table; None before the first."""
        return self.makings.order_by("-pk").first()

    @property
    def report(self) -> dict[str, Any]:
        """The report on the released table (docs/formats.md, Releases); empty before the table is made."""
        document = ReleasedTable.objects.filter(making__release=self).values_list("report", flat=True).first()
        return document or {}

    @property
    def hides_outcome(self) -> bool:
        """True if only reviewers may know whether the table can be made: for surveys that are no rehearsals."""
        survey = self.source.survey
        return survey is not None and survey.hides_outcomes

    @property
    def stage(self) -> str:
        """The state by which permissions go: *unmade* if Candor refused the table of a survey's release and no reviewer
        has refused it; else the state."""
        is_unmade = self.state == self.State.REFUSED and self.by_id is None and self.hides_outcome
        return UNMADE if is_unmade else self.state

    def may(self, person: AbstractUser, action: str) -> bool:
        reader, survey = cast("Person", person), self.source.survey
        rules = [rule for rule in TABLE[action] if self.stage in rule.stages]
        if survey:
            return any(rule.survey is not None and survey.may(reader, rule.survey) for rule in rules)
        if self.source.owner_id == reader.pk:
            return any(rule.owner for rule in rules)
        return reader.is_reviewer and any(rule.reviewer for rule in rules)


class ReleaseJobQuerySet(models.QuerySet[Any]):
    def visible_to(self, person: AbstractUser) -> Self:
        return self.filter(release__in=Release.objects.visible_to(person).values("pk"))


class AttackQuerySet(ReleaseJobQuerySet):
    def visible_to(self, person: AbstractUser) -> Self:
        """Selects the attacks that this person may see: of a survey's table, which may not be known, by a reviewer."""
        visible = super().visible_to(person)
        return visible if cast("Person", person).is_reviewer else visible.filter(release__source__survey=None)


class ReleaseJob(JobKind):
    """Base class of the jobs that make, compare or attack one release.

    `title_text`: title with a gap for the release. `permissions`: by action on the job, the action on the release that
    must be permitted.
    """

    title_text: ClassVar[str]
    permissions: ClassVar[dict[str, str]] = {"see": "see", "cancel": "cancel"}
    if TYPE_CHECKING:
        release: Release
        release_id: int

    objects: ClassVar[ReleaseJobQuerySet] = ReleaseJobQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        abstract = True

    def __str__(self) -> str:
        return self.title()

    def title(self) -> str:
        return gettext(self.title_text) % {"release": self.release}

    def title_among_all(self) -> str:
        return gettext(self.title_text) % {"release": self.release.title()}

    def get_absolute_url(self) -> str:
        return self.release.get_absolute_url()

    def may(self, person: AbstractUser, action: str) -> bool:
        return self.release.may(person, self.permissions[action])

    def lock_parents(self) -> None:
        Release.objects.lock(self.release_id)


class Making(ReleaseJob):
    """One attempt at making the table of a release. `stop_asked`: end the search with the best result so far."""

    performer = "releases.lifecycle.making_job.perform"
    title_text = gettext_noop("Making of %(release)s")

    release = models.ForeignKey(Release, models.CASCADE, related_name="makings")
    stop_asked = models.BooleanField(default=False, editable=False)

    class Meta:
        verbose_name = _("making of a release")
        verbose_name_plural = _("makings of releases")

    def shown_to(self, person: "Person") -> "Making":
        """Returns the job as this person may see it.

        How far the making of a survey's table came, and whether it failed, tells whether the table can be made; so who
        may not know it sees only that it waits, runs or is over.
        """
        survey = self.release.survey
        if survey is None or survey.may_know_outcomes(person):
            return self
        shown = copy(self)
        shown.fraction, shown.words, shown.error, shown.started = None, {}, {}, None
        shown.attempts = min(1, shown.attempts)
        if shown.state == JobState.RUNNING:
            shown.words = Message(gettext_noop("The table is being made")).as_json()
        elif not shown.live:
            shown.state = JobState.DONE
        return shown

    def lock_parents(self) -> None:
        if self.release.source.survey_id:
            Survey.objects.get_locked_while_records_arrive(self.release.source.survey_id)
        super().lock_parents()


class Comparison(ReleaseJob):
    """A comparison of methods and values of k for a release. `rows`: see `releases.lifecycle.method_comparison_job`."""

    performer = "releases.lifecycle.method_comparison_job.perform"
    title_text = gettext_noop("Comparison for %(release)s")

    release = models.ForeignKey(Release, models.CASCADE, related_name="comparisons")
    rows = models.JSONField(default=list, editable=False)

    class Meta:
        verbose_name = _("comparison")
        verbose_name_plural = _("comparisons")


class Attack(ReleaseJob):
    """An attack on a release.

    `of_source`: True if it attacks the uploaded table and not the published file; then `answer` is about rows of the
    upload. `others`: names of other files about the same people. `ruled_out`: number of sensitive values of a person
    that the attacker rules out. `answer`: see `privacy.anonymity.risk.attacks`, without names and values of people.
    """

    performer = "releases.lifecycle.attack_job.perform"
    title_text = gettext_noop("Attack on %(release)s")
    permissions: ClassVar[dict[str, str]] = {"see": "attack", "cancel": "attack"}

    release = models.ForeignKey(Release, models.CASCADE, related_name="attacks")
    of_source = models.BooleanField(editable=False)
    with_register = models.BooleanField(editable=False)
    others = models.JSONField(default=list, editable=False)
    ruled_out = models.PositiveSmallIntegerField(default=1, editable=False)
    answer = models.JSONField(default=dict, editable=False)

    objects: ClassVar[AttackQuerySet] = AttackQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("attack")
        verbose_name_plural = _("attacks")


class Register(models.Model):
    """A file that an attacker uses, stored until a worker takes it (`releases.lifecycle.attack_job`).

    `name`: name of another file about the same people; empty for the register of people. No backup holds these rows.
    """

    attack = models.ForeignKey(Attack, models.CASCADE, related_name="files")
    name = models.CharField(max_length=250, blank=True)
    content = models.BinaryField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["attack", "name"], name="releases_register_names")]

    def __str__(self) -> str:
        return str(self.pk)


class ReleasedUpload(InsertOnly):
    """Keyed digests by which an uploaded table is recognised after its release was approved; no value is stored
    (`releases.lifecycle.upload_digests`)."""

    release = models.OneToOneField(Release, models.CASCADE, related_name="upload_digest")
    when = models.DateTimeField()
    file = models.CharField(max_length=64)
    columns = models.JSONField()
    records = models.PositiveIntegerField(db_index=True)
    classes = models.BinaryField()

    goes_with_others = True
    objects: ClassVar[InsertOnlyQuerySet["ReleasedUpload"]] = InsertOnlyQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("digest of an upload")
        verbose_name_plural = _("digests of uploads")

    def __str__(self) -> str:
        return str(self.release_id)


class ReleasedTableQuerySet(InsertOnlyQuerySet["ReleasedTable"]):
    def visible_to(self, person: AbstractUser) -> Self:
        """Returns the tables of which this person may know that they were made."""
        reviewed = Survey.objects.reviewable_by(cast("Person", person)).values("pk")
        return self.filter(making__release__source__survey__in=reviewed)


class ReleasedTable(InsertOnly):
    """The table of a release, written once when it was made and checked; deleted with its making.

    `file`: the CSV, gzip. `report`: the full report (docs/formats.md, Releases). `classes`: the class of each record,
    for a survey in canonical order (intake/disclosure/canonical_order.py), for an upload in the order of the file.
    """

    making = models.OneToOneField(Making, models.CASCADE, related_name="table")
    file = models.BinaryField()
    report = models.JSONField()
    classes = models.BinaryField()

    goes_with_others = True
    objects: ClassVar[ReleasedTableQuerySet] = ReleasedTableQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("released table")
        verbose_name_plural = _("released tables")

    def __str__(self) -> str:
        return str(self.making.release)
