import secrets

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


def random_slug() -> str:
    """96 bits: an open link cannot be guessed."""
    return secrets.token_urlsafe(12)


class Design(models.Model):
    """What an opened survey is frozen into; rows are only ever added."""

    fingerprint = models.CharField(primary_key=True, max_length=64)
    json = models.TextField()

    def __str__(self) -> str:
        return self.fingerprint[:12]


class Survey(models.Model):
    class State(models.TextChoices):
        DRAFT = "draft", _("draft")
        OPEN = "open", _("open")
        CLOSED = "closed", _("closed")
        ARCHIVED = "archived", _("archived")
        DESTROYED = "destroyed", _("destroyed")

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="surveys")
    draft = models.JSONField(default=dict)
    design = models.ForeignKey(Design, models.PROTECT, null=True, blank=True, related_name="surveys")
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    invited = models.BooleanField(default=False)
    opens = models.DateTimeField(null=True, blank=True)
    closes = models.DateTimeField(null=True, blank=True)
    closed_at = models.DateTimeField(null=True, blank=True)
    cap = models.PositiveIntegerField(null=True, blank=True)
    destroy_on = models.DateField(null=True, blank=True)
    slug = models.CharField(max_length=16, unique=True, default=random_slug)

    def __str__(self) -> str:
        return self.slug


class Collaborator(models.Model):
    survey = models.ForeignKey(Survey, models.CASCADE, related_name="collaborators")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="collaborations")
    may_edit = models.BooleanField(default=False)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["survey", "person"], name="once_per_survey")]

    def __str__(self) -> str:
        return f"{self.person} on {self.survey}"
