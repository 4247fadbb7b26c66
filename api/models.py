"""API tokens, with which programs act for a person, and webhooks, which report events to programs."""

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Self, cast

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from accounts.permission_model_base_classes import Guarded
from jobs.models import JobKind

if TYPE_CHECKING:
    from accounts.models import Person


class Scope(models.TextChoices):
    """The kinds of actions that a token allows, among those that its person may do."""

    READ_SURVEYS = "read:surveys", _("read surveys, drafts, counts and the state of runs")
    WRITE_SURVEYS = "write:surveys", _("create surveys and change drafts")
    OPEN = "open", _("open and close surveys")
    INVITE = "invite", _("make invitation links")
    RUN = "run", _("start rehearsals and runs")
    READ_REPORTS = "read:reports", _("read published reports")
    READ_RELEASES = "read:releases", _("list and download approved releases")
    READ_RECORDS = "read:records", _("download approved record files and deposits")


class TokenQuerySet(models.QuerySet["Token"]):
    def visible_to(self, person: AbstractUser) -> Self:
        return self.filter(person=cast("Person", person))

    def valid_at(self, now: datetime) -> Self:
        return self.filter(expires__gt=now, ended=None)


class Token(Guarded):
    """An API token of a person. `digest`: SHA-256 of the secret's 256 random bits.

    `ended`: when the person ended it early, or a change of credentials or roles ended it; `credentials`:
    fingerprint of these at its creation; `used`: the last use, accurate to minutes.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens")
    name = models.CharField(_("name"), max_length=60)
    digest = models.CharField(max_length=64, unique=True, editable=False)
    credentials = models.CharField(max_length=64, editable=False)
    scopes = models.JSONField(default=list)
    created = models.DateTimeField()
    expires = models.DateTimeField()
    ended = models.DateTimeField(null=True)
    used = models.DateTimeField(null=True)

    objects: ClassVar[TokenQuerySet] = TokenQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("token")
        verbose_name_plural = _("tokens")
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(expires__gt=models.F("created")), name="api_token_expires")
        ]

    def __str__(self) -> str:
        return self.name

    def may(self, person: "Person", action: str) -> bool:
        oneself = self.person_id == person.pk
        return {"see": oneself, "end": oneself}[action]

    @property
    def scope_labels(self) -> list[str]:
        return [str(Scope(scope).label) for scope in self.scopes]


class Reply(models.Model):
    """The reply to a request with an Idempotency-Key, kept for a day to be repeated (`api.idempotency`).

    `name`: keyed hash of path and key, different for another token or path; `request`: keyed hash of the request.
    `content` is encrypted, and empty while the first request runs. The token's secret keys all three.
    """

    name = models.CharField(max_length=64, primary_key=True)
    token = models.ForeignKey(Token, models.CASCADE, related_name="+")
    request = models.CharField(max_length=64)
    created = models.DateTimeField(db_index=True)
    content = models.BinaryField(default=b"")


class EventKind(models.TextChoices):
    """Events that webhooks report, with their labels."""

    REPORT_PUBLISHED = "report.published", _("report published")
    RELEASE_APPROVED = "release.approved", _("release approved")
    SURVEY_CLOSED = "survey.closed", _("survey closed")
    RUN_FINISHED = "run.finished", _("run finished")
    TEST = "webhook.test", _("test")


class WebhookQuerySet(models.QuerySet["Webhook"]):
    def visible_to(self, person: AbstractUser) -> Self:
        return self.filter(person=cast("Person", person))


class Webhook(Guarded):
    """An address to which events are sent for a person.

    Its secret is stored, since it signs each delivery.
    """

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="webhooks")
    address = models.CharField(_("address"), max_length=500)
    secret = models.CharField(max_length=60, editable=False)
    events = models.JSONField(default=list)
    created = models.DateTimeField()

    objects: ClassVar[WebhookQuerySet] = WebhookQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.address

    def get_absolute_url(self) -> str:
        return reverse("api:webhook", args=[self.pk])

    def may(self, person: "Person", action: str) -> bool:
        oneself = self.person_id == person.pk
        return {"see": oneself, "end": oneself, "test": oneself}[action]

    @property
    def event_labels(self) -> list[str]:
        return [str(EventKind(event).label) for event in self.events]


class Event(models.Model):
    """An event for webhooks, written in the same transaction as the change that it reports (an outbox).

    `thing`: primary key of the report, release, survey, run or webhook; `expanded`: when its deliveries were written.
    """

    kind = models.CharField(max_length=20, choices=EventKind)
    thing = models.BigIntegerField()
    happened = models.DateTimeField()
    expanded = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["happened"], name="api_event_happened")]

    def __str__(self) -> str:
        label = self.get_kind_display()
        return label if self.kind == EventKind.TEST else f"{label} {self.thing}"


class DeliveryProblem(models.TextChoices):
    """Reasons why a try to deliver an event to a webhook got no answer."""

    REFUSED = "refused", _("the address is not allowed")
    TLS = "tls", _("the certificate is not valid for the address")
    TIME = "time", _("no answer within the time")
    CONNECTION = "connection", _("no connection, or no HTTP")


class DeliveryQuerySet(models.QuerySet["Delivery"]):
    def visible_to(self, person: AbstractUser) -> Self:
        return self.filter(webhook__person=cast("Person", person))


class Delivery(Guarded):
    """The delivery of one event to one webhook.

    `message`: id by which the receiver recognises a repeated delivery; `claimed`: when a worker began the current try;
    `status`: HTTP status of the last answer, null if there was none.
    """

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        DELIVERED = "delivered", _("delivered")
        FAILED = "failed", _("failed")
        DROPPED = "dropped", _("not sent")

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    event = models.ForeignKey(Event, models.CASCADE, related_name="deliveries")
    message = models.CharField(max_length=40, unique=True)
    state = models.CharField(_("state"), max_length=9, choices=State, default=State.WAITING)
    tries = models.PositiveSmallIntegerField(default=0)
    next_try = models.DateTimeField(null=True)
    claimed = models.DateTimeField(null=True)
    last_try = models.DateTimeField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    problem = models.CharField(max_length=10, blank=True, choices=DeliveryProblem)

    objects: ClassVar[DeliveryQuerySet] = DeliveryQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["event", "webhook"], name="api_delivery_once")]
        indexes = [models.Index(fields=["state", "next_try"], name="api_delivery_due")]

    def __str__(self) -> str:
        return self.message

    def may(self, person: "Person", action: str) -> bool:
        oneself = self.webhook.person_id == person.pk
        return {"see": oneself, "send": oneself}[action]

    @property
    def badge(self) -> str:
        return {"waiting": "waiting", "delivered": "done", "failed": "wrong", "dropped": "stopped"}[
            self.state
        ]


class DispatchQuerySet(models.QuerySet["Dispatch"]):
    def visible_to(self, person: AbstractUser) -> Self:
        return self if person.is_staff else self.none()


class Dispatch(JobKind):
    """Job that sends due webhook deliveries.

    It names no receiver and no event, and is deleted a day after its end.
    """

    performer = "api.webhooks.outbox.perform"

    objects: ClassVar[DispatchQuerySet] = DispatchQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("delivery of webhooks")
        verbose_name_plural = _("deliveries of webhooks")

    def may(self, person: "Person", action: str) -> bool:
        return {"see": person.is_staff, "cancel": person.is_staff}[action]
