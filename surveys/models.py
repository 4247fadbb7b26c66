"""Surveys with their drafts, frozen designs and plans, and the people who work on them and review them."""

import secrets
from base64 import b64encode
from collections.abc import Collection, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import get_language, gettext, gettext_lazy as _, pgettext_lazy

from accounts.insert_only_tables import InsertOnly, InsertOnlyQuerySet
from accounts.models import REVIEWERS
from accounts.permission_model_base_classes import Guarded
from privacy import designs
from privacy.designs.design import LEAST
from surveys import draft_json
from surveys.permission import EDITOR, OWNER, REVIEWER, SUPERUSER, VIEWER, Basis, Role, is_action_allowed
from surveys.questionnaire.closing_settings import EndSettings
from ui.cookie_and_log_paths import RESPONDENTS

if TYPE_CHECKING:
    from accounts.models import Person


BASES = [(basis.value, basis.value) for basis in Basis]
LOGO_TYPE = "image/webp"


def random_slug() -> str:
    """Returns 96 random bits as text for the survey's address, so that nobody can guess an open link.

    The first character is no hyphen, since a command line would take the slug for an option.
    """
    while (slug := secrets.token_urlsafe(12)).startswith("-"):
        pass
    return slug


class DesignChanged(Exception):
    """Raised if a stored design does not match its fingerprint; the design must not be used then."""

    def __init__(self, fingerprint: str) -> None:
        self.fingerprint = fingerprint
        super().__init__(
            f"the stored design {fingerprint} was changed after the survey was opened: restore it from a backup"
        )


@lru_cache(maxsize=64)
def _parse_design(fingerprint: str, json: str) -> designs.Design:
    return designs.parse_design(json)


class Design(InsertOnly):
    """Row that stores a frozen design, shared by opened surveys with identical designs.

    Rows are only added; each is checked against its SHA-256 whenever it is loaded.
    """

    fingerprint = models.CharField(_("fingerprint"), primary_key=True, max_length=64)
    json = models.TextField()

    objects: ClassVar[InsertOnlyQuerySet["Design"]] = InsertOnlyQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("design")
        verbose_name_plural = _("designs")

    def __str__(self) -> str:
        return self.fingerprint[:12]

    @classmethod
    def from_db(
        cls, db: str | None, field_names: Collection[str], values: Collection[Any], **options: Any
    ) -> "Design":
        """Loads a row from the database; raises DesignChanged if its JSON does not match its fingerprint."""
        design = super().from_db(db, field_names, values, **options)
        if "json" in field_names and sha256(design.json.encode()).hexdigest() != design.fingerprint:
            raise DesignChanged(design.fingerprint)
        return design

    @staticmethod
    @lru_cache(maxsize=64)
    def load_parsed(fingerprint: str) -> designs.Design:
        """Returns the parsed design with this fingerprint. Cached, since rows never change and are checked when they
        are loaded."""
        return Design.objects.get(pk=fingerprint).content

    @property
    def content(self) -> designs.Design:
        """The parsed design."""
        return _parse_design(self.fingerprint, self.json)


class Logo(models.Model):
    """A picture for respondents' pages, encoded by `importing.logo_reencoding`; drafts and designs name it by its
    SHA-256.

    It is public once a survey opens with it, and is kept as long as the design. An unused picture is deleted after a
    day; `unused_since` is when it was first found unused.
    """

    sha256 = models.CharField(primary_key=True, max_length=64)
    content = models.BinaryField()
    is_public = models.BooleanField(default=False)
    unused_since = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("logo")
        verbose_name_plural = _("logos")

    def __str__(self) -> str:
        return self.sha256[:12]

    @classmethod
    def store_picture(cls, content: bytes) -> str:
        """Stores the picture, once, and returns its SHA-256."""
        fingerprint = sha256(content).hexdigest()
        Logo.objects.bulk_create(
            [Logo(sha256=fingerprint, content=content)],
            update_conflicts=True,
            unique_fields=["sha256"],
            update_fields=["unused_since"],
        )
        return fingerprint

    @property
    def picture(self) -> bytes:
        """The bytes of the picture; empty if they do not match the SHA-256."""
        content = bytes(self.content)
        return content if sha256(content).hexdigest() == self.sha256 else b""

    @classmethod
    def data_url(cls, fingerprint: str) -> str:
        """Returns the picture as a `data:` URL, for people who may see the draft; empty if the picture is not
        stored."""
        row = cls.objects.filter(pk=fingerprint).first()
        return f"data:{LOGO_TYPE};base64,{b64encode(row.picture).decode()}" if row else ""


class PageFolder(models.Model):
    """The folder of files that another host serves as the page of a survey, fixed before the survey opens.

    `basis`: SHA-256 of what it was made of; while the draft differs from it, the folder is of no use. `design`: the
    JSON of the design that the survey opens with. `content`: the files as a ZIP archive. `sums_sha256`: SHA-256 of its
    list of files. `tried`: when the host was last asked; `seen`: when it served every file, byte for byte, and at which
    `address`; null: never.
    """

    survey = models.OneToOneField("Survey", models.CASCADE, primary_key=True, related_name="+")
    basis = models.CharField(max_length=64)
    design = models.TextField()
    content = models.BinaryField()
    sums_sha256 = models.CharField(max_length=64)
    frozen = models.DateTimeField()
    tried = models.DateTimeField(null=True)
    seen = models.DateTimeField(null=True)
    address = models.CharField(max_length=500, default="")

    def __str__(self) -> str:
        return self.sums_sha256[:12]


class SurveyQuerySet(models.QuerySet["Survey"]):
    """Queries of surveys: locked rows, and the surveys that a person may see or review."""

    def get_locked(self, pk: int) -> "Survey":
        """Returns the survey's row, locked until the transaction ends."""
        return self.select_for_update().get(pk=pk)

    def get_locked_while_records_arrive(self, pk: int) -> "Survey":
        """Returns the survey's row, locked until the transaction ends, while new records of the survey can
        still be stored.

        Used to seal and merge batches, and to fix the batches of a run. Only a deletion of the row or a
        change of its key waits for the lock.
        """
        return self.select_for_update(no_key=True).get(pk=pk)

    def visible_to(self, person: "Person") -> "SurveyQuerySet":
        """Returns the surveys that this person may see, with the rows that `may` reads prefetched."""
        surveys = self.prefetch_related("collaborators")
        if person.is_reviewer:
            surveys = surveys.prefetch_related("involvements")
        if person.is_superuser:
            return surveys
        theirs = Q(owner=person) | Q(pk__in=Collaborator.objects.filter(person=person).values("survey"))
        return surveys.filter(theirs | _may_review_condition(person))

    def reviewable_by(self, person: "Person") -> "SurveyQuerySet":
        """Selects the surveys that this person may review, by the rules of `Survey.review_basis`."""
        return self.filter(_may_review_condition(person))


def _may_review_condition(person: "Person") -> Q:
    """Builds the query condition for the surveys that this person may review, by the rules of `Survey.review_basis`."""
    if not person.is_active:
        return Q(pk__in=[])
    uninvolved = ~Q(pk__in=Involvement.survey_ids_involving(person))
    named = NamedReviewer.objects.filter(person=person).values("survey")
    reviewed = uninvolved if person.is_reviewer else Q(pk__in=[])
    if settings.OWNERS_NAME_REVIEWERS:
        reviewed |= uninvolved & Q(pk__in=named)
    if settings.ONE_PERSON_DOES_BOTH:
        reviewed |= Q(owner=person)
    return reviewed


class Survey(Guarded):
    """A survey: its draft, the frozen design that it was opened with, its state, and when it ends."""

    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        OPEN = "open", _("open")
        CLOSED = "closed", _("closed")
        FINISHED = "finished", pgettext_lazy("state of a survey", "finished")
        DESTROYED = "destroyed", _("deleted")

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="surveys", verbose_name=_("owner")
    )
    draft = models.JSONField(default=dict)
    design = models.ForeignKey(Design, models.PROTECT, null=True, blank=True, related_name="surveys")
    state = models.CharField(_("state"), max_length=10, choices=State, default=State.DRAFT)
    invited = models.BooleanField(default=False)
    opens = models.DateTimeField(_("opens"), null=True, blank=True)
    closes = models.DateTimeField(_("closes"), null=True, blank=True)
    closed_at = models.DateTimeField(_("closed"), null=True, blank=True)
    paused = models.DateTimeField(_("paused"), null=True, blank=True)
    cap = models.PositiveIntegerField(_("cap"), null=True, blank=True)
    at_once = models.PositiveIntegerField(_("answers expected at once"), null=True, blank=True)
    destroy_on = models.DateField(_("answers are deleted on"), null=True, blank=True)
    # Counts alone: no time, no address and no token stands beside them.
    invitations_made = models.PositiveIntegerField(_("invitation links made"), null=True, blank=True)
    invitations_sent = models.PositiveIntegerField(_("invitation emails sent"), null=True, blank=True)
    # One code or address for everybody, set once with the design; null: none. A respondent gets it with the answer
    # to a record, and no page holds it before (surveys.lifecycle.completion_code).
    completion = models.CharField(_("completion code or address"), max_length=160, null=True, blank=True)
    slug = models.CharField(max_length=16, unique=True, default=random_slug)

    objects: ClassVar[SurveyQuerySet] = SurveyQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("survey")
        verbose_name_plural = _("surveys")
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state="draft", design=None)
                | Q(state__in=["open", "closed", "finished"], design__isnull=False)
                | Q(state="destroyed"),
                name="surveys_opened_with_a_design",
            )
        ]
        # Lists count and sort by it alone: the row's state stands behind its draft, which may be long.
        indexes = [models.Index(fields=["owner", "state"], name="surveys_owner_and_state")]

    def __str__(self) -> str:
        return self.title_with_fallback(get_language())

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Saves the row and records its owner as involved, so that this person never reviews the survey."""
        super().save(*args, **kwargs)
        Involvement.record_involvement(self.pk, self.owner_id)

    def get_absolute_url(self) -> str:
        return reverse("surveys:survey", args=[self.pk])

    @property
    def questionnaire(self) -> draft_json.Draft:
        """The draft; the design's JSON if the draft has been deleted."""
        draft: draft_json.Draft = self.draft
        if draft or self.design is None:
            return draft
        return self.design.content.as_json()

    @property
    def host(self) -> str:
        """Origin of the host that serves the survey's page, perhaps of a draft; empty if this site does."""
        return str(draft_json.read_asked_at(self.questionnaire).get("host") or "")

    @property
    def tools(self) -> list[str]:
        """Origins of the tools that show the survey's page and get its records, perhaps of a draft."""
        given = draft_json.read_asked_at(self.questionnaire).get("inside")
        return [str(origin) for origin in given] if isinstance(given, list) else []

    def title_with_fallback(self, language: str | None) -> str:
        """Returns the title in this language, else in another language of the survey; never empty."""
        title = draft_json.read_text_with_fallback(self.questionnaire, "title", language)
        if not title and self.state == self.State.DESTROYED:
            return gettext("Deleted draft")
        return title or gettext("Survey without a title")

    @property
    def languages(self) -> Sequence[str]:
        return draft_json.read_languages(self.questionnaire)

    @property
    def is_rehearsal(self) -> bool:
        return self.questionnaire.get("rehearsal") is True

    @property
    def is_rehearsal_by_design(self) -> bool:
        """True for a rehearsal, whose answers are simulated and no secret.

        What was opened decides: a draft that calls itself a rehearsal does not make its design one.
        """
        return self.is_rehearsal and (self.design is None or self.design.content.rehearsal)

    @property
    def hides_outcomes(self) -> bool:
        """True if only reviewers may know whether a model or a table could be made of the answers, since that says
        something about them; false for a rehearsal."""
        return not self.is_rehearsal_by_design

    @property
    def is_paused(self) -> bool:
        """True if the survey is open but accepts no answers for now.

        Answers waiting in browsers are lost if the survey closes meanwhile.
        """
        return self.state == self.State.OPEN and self.paused is not None

    @property
    def expected(self) -> int:
        """Number of answers that the researchers expect; 0 if they have not stated it."""
        return draft_json.read_number(self.questionnaire, "expected", 0)

    @property
    def least(self) -> int:
        """Smallest number of records in a sealed batch."""
        return draft_json.read_number(self.questionnaire, "least", LEAST)

    @property
    def has_usable_design(self) -> bool:
        """True if the survey has been opened, so that it has a design, and is not destroyed."""
        return self.design_id is not None and self.state != self.State.DESTROYED

    @property
    def has_rounded_counts(self) -> bool:
        """True if pages show the number of records only rounded down, since some answers may be sent without disguise.

        A report tells how many answers are disguised, so an exact total would reveal the number of the others.
        """
        if self.design_id is None or self.is_rehearsal:
            return False
        return self.questionnaire.get("open_answers") is True or bool(self.questionnaire.get("direct"))

    @property
    def end_settings(self) -> EndSettings:
        return EndSettings(self.closes, self.cap, self.destroy_on, self.at_once)

    @property
    def address(self) -> str:
        """Path of the page where respondents answer."""
        return f"{RESPONDENTS}{self.slug}"

    def roles_of_person(self, person: "Person") -> frozenset[Role]:
        """Returns the roles that this person has on the survey now."""
        roles = set()
        if self.owner_id == person.pk:
            roles.add(OWNER)
        for collaborator in self.collaborators.all():
            if collaborator.person_id == person.pk:
                roles.add(EDITOR if collaborator.may_edit else VIEWER)
        if self.review_basis(person):
            roles.add(REVIEWER)
        if person.is_superuser:
            roles.add(SUPERUSER)
        return frozenset(roles)

    def review_basis(self, person: "Person") -> Basis | None:
        """Returns by what right this person may review the survey now: the role, the owner's choice, or as its owner;
        None if they may not.

        Nobody reviews a survey that they work on or once worked on, except the owner where ONE_PERSON_DOES_BOTH is set.
        """
        if not person.is_active:
            return None
        if self.owner_id == person.pk:
            return Basis.OWNER if settings.ONE_PERSON_DOES_BOTH else None
        is_named = settings.OWNERS_NAME_REVIEWERS and any(
            row.person_id == person.pk for row in self.named_reviewers.all()
        )
        if not (person.is_reviewer or is_named) or self.has_ever_involved(person):
            return None
        if any(row.person_id == person.pk for row in self.collaborators.all()):
            return None
        return Basis.ROLE if person.is_reviewer else Basis.NAMED

    def reviewers(self) -> "models.QuerySet[Person]":
        """Returns all people who may review the survey, by the rules of `Survey.review_basis`."""
        people = get_user_model().objects.filter(is_active=True)
        may = Q(groups__name=REVIEWERS)
        if settings.OWNERS_NAME_REVIEWERS:
            may |= Q(pk__in=self.named_reviewers.values("person"))
        may &= ~Q(pk__in=self.involvements.values("person"))
        if settings.ONE_PERSON_DOES_BOTH:
            may |= Q(pk=self.owner_id)
        return people.filter(may).distinct()

    def has_ever_involved(self, person: "Person") -> bool:
        """True if this person owns the survey or works on it, or ever did."""
        return any(involvement.person_id == person.pk for involvement in self.involvements.all())

    def may(self, person: "Person", action: str) -> bool:
        """True if the person's roles permit the action, and reviewers have given the approval that a download or
        deposit needs.

        The action `read-undecided` is for rehearsals only, `review-release` for reviewers with the role only.
        """
        if not is_action_allowed(self.roles_of_person(person), action):
            return False
        if action == "read-undecided":
            return self.is_rehearsal_by_design
        if action == "review-release":
            return self.review_basis(person) is Basis.ROLE
        records, deposit = Approval.Matter.RECORDS, Approval.Matter.DEPOSIT
        needed = {"download": [records], "deposit": [records, deposit]}
        return all(map(self.is_approved, needed.get(action, [])))

    def may_know_outcomes(self, person: "Person") -> bool:
        """True for those who may know all numbers of a run, and whether a model or a table could be made: reviewers,
        and in a rehearsal everybody who works on it."""
        return self.may(person, "review") or self.may(person, "read-undecided")

    @property
    def are_record_files_approved(self) -> bool:
        """True if a reviewer has approved the download of record files."""
        return self.is_approved(Approval.Matter.RECORDS)

    def is_approved(self, matter: "Approval.Matter") -> bool:
        """True if a reviewer has approved a matter, such as record files, for the opened design.

        A rehearsal needs no approval.
        """
        if self.is_rehearsal:
            return True
        last = Approval.objects.last_request_or_decision(self, matter, self.design_id or "")
        return last is not None and last.verdict == Approval.Verdict.ALLOWED and not self.is_void(last)

    def is_void(self, approval: "Approval") -> bool:
        """True if whoever gave this approval has worked on the survey since; an approval as its owner stays
        (ONE_PERSON_DOES_BOTH)."""
        return approval.basis != Basis.OWNER and self.has_ever_involved(approval.by)


class InvitationKey(models.Model):
    """The private half of the RSA key that signs blinded tokens of invited people, stored as its two primes.

    The design holds the public half. The row is deleted when the survey is finished or destroyed
    (intake.batches.automatic_sealing). Somebody who knows it could forge tokens, but not link a token to an invitation.
    """

    survey = models.OneToOneField(Survey, models.CASCADE, primary_key=True, related_name="+")
    primes = models.BinaryField()

    def __str__(self) -> str:
        return str(self.survey_id)


class FieldKeys(models.Model):
    """The private halves of a survey's two keys for field devices: the key that signs their tokens, as its
    primes, and the key that decrypts their records.

    The design holds the public halves. The row is deleted when the survey is finished or destroyed
    (intake.field_devices), and stays in backups until these are deleted (the page /limits, field-keys-in-backups).
    """

    survey = models.OneToOneField(Survey, models.CASCADE, primary_key=True, related_name="+")
    primes = models.BinaryField()
    sealing = models.BinaryField()

    def __str__(self) -> str:
        return str(self.survey_id)


class Collaborator(models.Model):
    """A person who works on a survey besides its owner; `may_edit` is False for one who only reads."""

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="collaborators")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="collaborations")
    may_edit = models.BooleanField(default=False)
    # That which the owner invited, who knows of no other address of the account; empty: added by username.
    address = models.EmailField(_("email address"), blank=True)

    class Meta:
        verbose_name = _("collaborator")
        verbose_name_plural = _("collaborators")
        constraints = [models.UniqueConstraint(fields=["survey", "person"], name="once_per_survey")]

    def __str__(self) -> str:
        return f"{self.person} on {self.survey}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Saves the row and records the person as involved, so that they never review this survey."""
        super().save(*args, **kwargs)
        Involvement.record_involvement(self.survey_id, self.person_id)


class NamedReviewer(models.Model):
    """A person whom the owner proposed as a reviewer of the survey, and who accepted.

    They review it once an administrator has given them the role of reviewer, or at once where OWNERS_NAME_REVIEWERS is
    set; never if they work on it or ever did (`Survey.review_basis`).
    """

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="named_reviewers")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    address = models.EmailField(_("email address"))
    when = models.DateTimeField(_("when"))

    class Meta:
        verbose_name = _("proposed reviewer")
        verbose_name_plural = _("proposed reviewers")
        constraints = [models.UniqueConstraint(fields=["survey", "person"], name="named_once")]

    def __str__(self) -> str:
        return f"{self.person} for {self.survey}"


class PeopleInvitation(models.Model):
    """Invitation of an email address to work on a survey or to review it; deleted when it is accepted,
    declined or expired.

    `address` is in lower case. `token` is the SHA-256 of the secret in the emailed link.
    """

    class InvitedRole(models.TextChoices):
        """The role of the invited person: reader, editor or reviewer of the survey."""

        VIEWER = "viewer", _("reads")
        EDITOR = "editor", _("edits the draft, invites, starts runs")
        REVIEWER = "reviewer", _("reviews")

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="people_invitations")
    address = models.EmailField(_("email address"))
    part = models.CharField(max_length=8, choices=InvitedRole)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    when = models.DateTimeField(_("when"))
    token = models.CharField(max_length=64, unique=True)

    class Meta:
        verbose_name = _("invitation to a survey’s people")
        verbose_name_plural = _("invitations to a survey’s people")
        constraints = [models.UniqueConstraint(fields=["survey", "address"], name="invited_once")]

    def __str__(self) -> str:
        return f"{self.part} of {self.survey_id}"


class ReadyMade(models.Model):
    """Mark of a survey whose questionnaire everybody may copy into a survey of their own; only an administrator sets
    it."""

    survey = models.OneToOneField(Survey, models.CASCADE, related_name="ready_made")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    when = models.DateTimeField()

    class Meta:
        verbose_name = _("ready-made questionnaire")
        verbose_name_plural = _("ready-made questionnaires")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return str(self.survey)


class Involvement(InsertOnly):
    """Records that a person owns or works on a survey, or once did, so that they never review it."""

    survey = models.ForeignKey(Survey, models.PROTECT, related_name="involvements")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")

    objects: ClassVar[InsertOnlyQuerySet["Involvement"]] = InsertOnlyQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [models.UniqueConstraint(fields=["survey", "person"], name="involved_once")]

    @classmethod
    def record_involvement(cls, survey: int, person: int) -> None:
        """Records that this person works on the survey; does nothing if that is recorded already."""
        cls.objects.bulk_create([cls(survey_id=survey, person_id=person)], ignore_conflicts=True)

    @classmethod
    def survey_ids_involving(cls, person: "Person") -> "models.QuerySet[Involvement, Any]":
        """Returns the ids of surveys that this person has worked on, as a subquery."""
        return cls.objects.filter(person=person).values("survey")


class DraftCommand(models.Model):
    """A command that changed a draft, stored so that a repeat with the same idempotency key gets the same response.

    `key` is the idempotency key, `removed` is what undo restores. Rows are deleted when the survey is opened or
    destroyed.
    """

    survey = models.ForeignKey(Survey, models.CASCADE, related_name="commands")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    key = models.CharField(max_length=32)
    said = models.TextField()
    shown = models.TextField()
    shows_form = models.BooleanField()
    focus = models.TextField()
    removed = models.JSONField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["survey", "person", "key"], name="done_once")]

    def __str__(self) -> str:
        return f"{self.person} on {self.survey}"


class ApprovalQuerySet(InsertOnlyQuerySet["Approval"]):
    def last_request_or_decision(self, survey: Survey, matter: str, fingerprint: str) -> "Approval | None":
        """Returns the last request or decision on this matter for exactly this design; None without any."""
        approvals = self.filter(survey=survey, what=matter, fingerprint=fingerprint)
        return approvals.select_related("by").order_by("-pk").first() if fingerprint else None


class Approval(InsertOnly):
    """A request that reviewers approve one matter of one design, or a reviewer's decision on it."""

    class Matter(models.TextChoices):
        """The subject of an approval: weak settings of a draft, record files, or records in a public deposit."""

        WEAK = "weak", _("weak settings")
        RECORDS = "records", _("record files")
        DEPOSIT = "deposit", _("records in a deposit")

    class Verdict(models.TextChoices):
        """State of an approval: asked for by the owner, or allowed or refused by a reviewer."""

        ASKED = "asked", _("asked")
        ALLOWED = "allowed", _("approved")
        REFUSED = "refused", _("refused")

    survey = models.ForeignKey(Survey, models.PROTECT, related_name="approvals", verbose_name=_("survey"))
    what = models.CharField(_("what"), max_length=10, choices=Matter)
    fingerprint = models.CharField(_("fingerprint"), max_length=64)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", verbose_name=_("by"))
    verdict = models.CharField(_("verdict"), max_length=10, choices=Verdict)
    note = models.TextField(_("note"), blank=True)
    when = models.DateTimeField(_("when"))
    # Of an answer the reviewer's right at that moment; null: a request, or the role.
    basis = models.CharField(max_length=5, choices=BASES, null=True)

    objects = ApprovalQuerySet.as_manager()

    class Meta:
        verbose_name = _("approval")
        verbose_name_plural = _("approvals")

    def __str__(self) -> str:
        return f"{self.survey}: {self.what} {self.verdict}"


class Plan(InsertOnly):
    """The plan of hypotheses of a survey, frozen when it opens (privacy.designs.hypothesis_plan); the design holds only
    its SHA-256.

    Owner and reviewers can read the plan. Respondents, who can read the design, cannot.
    """

    survey = models.OneToOneField(
        Survey, models.PROTECT, primary_key=True, related_name="plan", verbose_name=_("survey")
    )
    json = models.TextField()

    objects: ClassVar[InsertOnlyQuerySet["Plan"]] = InsertOnlyQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("plan of hypotheses")
        verbose_name_plural = _("plans of hypotheses")

    def __str__(self) -> str:
        return f"{self.survey}: plan"
