"""The model of tokens, by which a program asks in a person's name."""

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar, Self, cast

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from people.guarded import Guarded

if TYPE_CHECKING:
    from people.models import Person


class Scope(models.TextChoices):
    """What a token may be used for, of what its person may do."""

    READ_SURVEYS = "read:surveys", _("read surveys, drafts, counts and the state of runs")
    WRITE_SURVEYS = "write:surveys", _("create surveys and change drafts")
    OPEN = "open", _("open and close surveys")
    RUN = "run", _("start runs")
    READ_REPORTS = "read:reports", _("read published reports")
    READ_RELEASES = "read:releases", _("list and download approved releases")


class TokenQuerySet(models.QuerySet["Token"]):
    def visible_to(self, person: AbstractUser) -> Self:
        return self.filter(person=cast("Person", person))

    def usable(self, now: datetime) -> Self:
        return self.filter(expires__gt=now, ended=None)


class Token(Guarded):
    """The SHA-256 of 256 random bits, which only its person has. `expires`: its end date; `ended`: when its person
    ended it before; `used`: the last use, to a few minutes."""

    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tokens")
    name = models.CharField(_("name"), max_length=60)
    digest = models.CharField(max_length=64, unique=True, editable=False)
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
