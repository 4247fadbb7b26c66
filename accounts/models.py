from typing import ClassVar

from django.apps import apps
from django.contrib.auth.models import AbstractUser, UserManager
from django.db import models
from django.db.models import Q
from django.db.models.functions import Cast, Lower
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _

from accounts.history_texts import action_text
from accounts.insert_only_tables import InsertOnly, InsertOnlyQuerySet
from accounts.permission_model_base_classes import Guarded, Visible
from ui import context_processors

RESEARCHERS, REVIEWERS = "Researchers", "Reviewers"
languages = context_processors.languages  # the initial migration finds it here


class Theme(models.TextChoices):
    SYSTEM = "system", _("Same as device")
    LIGHT = "light", _("Light")
    DARK = "dark", _("Dark")


class PersonQuerySet(models.QuerySet["Person"]):
    def visible_to(self, person: "Person") -> "PersonQuerySet":
        return self if person.is_staff else self.filter(pk=person.pk)


class PersonManager(UserManager["Person"]):
    use_in_migrations = False

    def get_queryset(self) -> PersonQuerySet:
        return PersonQuerySet(self.model, using=self._db)

    def visible_to(self, person: "Person") -> PersonQuerySet:
        return self.get_queryset().visible_to(person)


class Person(Guarded, AbstractUser):
    """An account of a researcher, reviewer or operator; never a respondent.

    `email` was set by an administrator or a trusted provider, or confirmed by its owner. `new_email` is
    unconfirmed: only the confirmation email is sent there, and no provider's sign-in is matched with it.
    """

    first_name = last_name = None  # type: ignore[assignment]
    name = models.CharField(_("name"), max_length=150, blank=True)
    email = models.EmailField(_("email address"), blank=True)
    new_email = models.EmailField(_("email address to confirm"), blank=True)
    language = models.CharField(_("language"), max_length=10, choices=languages, blank=True)
    theme = models.CharField(_("appearance"), max_length=6, choices=Theme, default=Theme.SYSTEM)

    objects: ClassVar[PersonManager] = PersonManager()

    class Meta:
        verbose_name = _("person")
        verbose_name_plural = _("people")
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                condition=~Q(email=""),
                name="accounts_email_once",
                violation_error_message=_("Another account has this email address."),
            )
        ]

    def __str__(self) -> str:
        return self.get_full_name()

    def get_full_name(self) -> str:
        return self.name or self.username

    get_short_name = get_full_name

    @property
    def name_with_username(self) -> str:
        """The name with the username, since two people may have the same name."""
        return f"{self.name} ({self.username})" if self.name else self.username

    @cached_property
    def roles(self) -> frozenset[str]:
        """Names of the person's groups, cached per object; changed by `accounts.role_assignment`."""
        return frozenset(self.groups.values_list("name", flat=True))

    @property
    def is_researcher(self) -> bool:
        return RESEARCHERS in self.roles

    @property
    def is_reviewer(self) -> bool:
        return REVIEWERS in self.roles

    def may(self, person: "Person", action: str) -> bool:
        oneself = self.pk == person.pk
        return {"see": oneself or person.is_staff, "edit": oneself, "manage": person.is_superuser}[action]


class HistoryQuerySet(InsertOnlyQuerySet["History"]):
    def about(self, thing: models.Model) -> "HistoryQuerySet":
        return self.filter(
            thing_app=thing._meta.app_label, thing_model=thing._meta.model_name, thing_id=str(thing.pk)
        )

    def visible_to(self, person: Person) -> "HistoryQuerySet":
        """Returns the acts that this person may see: their own and those on things that they may see; superusers see
        all, other staff also those on things of which no model says who may see them."""
        if person.is_superuser:
            return self
        seen, guarded = Q(who=person), Q()
        for app, model in self.order_by().values_list("thing_app", "thing_model").distinct():
            try:
                things = apps.get_model(app, model)._default_manager
            except LookupError:
                continue
            if isinstance(things, Visible):
                keys = things.visible_to(person).order_by().values_list(Cast("pk", models.CharField()))
                seen |= Q(thing_app=app, thing_model=model, thing_id__in=keys)
                guarded |= Q(thing_app=app, thing_model=model)
        return self.filter(seen | ~guarded if person.is_staff else seen)


class History(Guarded, InsertOnly):
    """One act of one person, in the activity log.

    The thing's name is stored as it was then, and stays after the thing is deleted.
    """

    # Refused rather than set to null: accounts in the history stay, deactivated at most.
    who = models.ForeignKey(Person, models.PROTECT, null=True, related_name="acts", verbose_name=_("who"))
    when = models.DateTimeField(_("when"), default=timezone.now, db_index=True)
    what = models.CharField(_("what"), max_length=80)
    thing_app = models.CharField(max_length=60)
    thing_model = models.CharField(max_length=60)
    thing_id = models.CharField(max_length=64)
    thing_name = models.CharField(_("on what"), max_length=200)
    note = models.TextField(_("note"), blank=True)

    objects = HistoryQuerySet.as_manager()

    class Meta:
        verbose_name = _("activity log entry")
        verbose_name_plural = _("activity log")
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["thing_app", "thing_model", "thing_id"], name="accounts_history_thing")
        ]

    def __str__(self) -> str:
        return f"{self.when:%Y-%m-%d %H:%M} {self.what} {self.thing_name}"

    def may(self, person: Person, action: str) -> bool:
        return {"see": type(self).objects.visible_to(person).filter(pk=self.pk).exists()}[action]

    @property
    def who_text(self) -> str:
        """The person's name of today with the username; empty for Candor itself."""
        return self.who.name_with_username if self.who else ""

    @property
    def words(self) -> str:
        """The text of the action, in the reader's language."""
        return action_text(self.what)

    @property
    def kind(self) -> str:
        """Type of the thing, in the reader's language if its model still exists."""
        try:
            return str(apps.get_model(self.thing_app, self.thing_model)._meta.verbose_name)
        except LookupError:
            return self.thing_model


class Lockout(models.Model):
    """Cache table with the counts of failed sign-ins under hashed keys, which expire; used if there is no Redis."""

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "accounts_lockout"

    def __str__(self) -> str:
        return self.cache_key
