"""Django administration of accounts, where superusers create people and give them roles; reviewers may only
read."""

from functools import partial
from typing import TYPE_CHECKING, Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialApp, SocialToken
from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.utils import unquote
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm, AdminUserCreationForm, UserChangeForm
from django.contrib.auth.models import Group
from django.core.exceptions import BadRequest
from django.db import transaction
from django.db.models import QuerySet
from django.forms import ModelForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _, gettext_lazy, ngettext

from accounts import deactivated_account_activities, password_links, role_assignment, sessions
from accounts.activity_log import log_activity, renaming_note
from accounts.models import RESEARCHERS, REVIEWERS, Person
from accounts.second_factor import factors
from ui.context_processors import languages

if TYPE_CHECKING:
    Base = UserAdmin[Person]
else:
    Base = UserAdmin

# The roles are fixed: what each may do is decided in the code, not by a list that somebody edits here.
admin.site.unregister(Group)
# Second factors are secrets; addresses and tokens of django-allauth are not used here.
for model in (Authenticator, EmailAddress, SocialToken):
    admin.site.unregister(model)
admin.site.unregister(SocialAccount)
if not settings.SIGN_IN_PROTOCOLS:
    admin.site.unregister(SocialApp)

ROLES = {RESEARCHERS: gettext_lazy("researcher"), REVIEWERS: gettext_lazy("reviewer")}
LOGGED_FIELDS = ("username", "name", "email", "language")
SWITCHES = {
    "is_active": {True: "accounts.reactivated", False: "accounts.deactivated"},
    "is_superuser": {True: "accounts.made-superuser", False: "accounts.no-longer-superuser"},
}


ROLE_FIELDS = {RESEARCHERS: "researcher", REVIEWERS: "reviewer"}


class RolesForm(forms.Form):
    """Form for a person's roles: two yes/no questions in place of a list of groups and permissions."""

    researcher = forms.BooleanField(
        label=gettext_lazy("Researcher"),
        required=False,
        help_text=gettext_lazy("Writes and runs surveys. A change ends the person’s tokens for programs."),
    )
    reviewer = forms.BooleanField(
        label=gettext_lazy("Reviewer"),
        required=False,
        help_text=gettext_lazy(
            "Decides which findings others may see, and may read in this administration. A change ends the person’s "
            "tokens for programs."
        ),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "language" in self.fields:
            choices = [("", _("As the browser says")), *languages()]
            self.fields["language"].choices = choices  # type: ignore[attr-defined]


class NewPersonForm(RolesForm, AdminUserCreationForm):  # type: ignore[type-arg]
    usable_password = None  # type: ignore[assignment]

    class Meta:
        model = Person
        fields = ("username", "name", "email", "language")
        field_classes = AdminUserCreationForm.Meta.field_classes

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["email"].help_text = _(
            "Unless you set a password below, an invitation goes to this address."
        )

    def clean(self) -> dict[str, Any]:
        given = self.cleaned_data
        if not given.get("password1") and not given.get("password2"):
            # The parent's word for an account that has no password yet.
            given["usable_password"] = "false"  # noqa: S105
            if not given.get("email") and "email" not in self.errors:
                self.add_error("email", _("Give an address to send an invitation to, or set a password."))
        return super().clean() or given


class PersonForm(RolesForm, UserChangeForm):  # type: ignore[type-arg]
    class Meta:
        model = Person
        fields = ("username", "name", "email", "language", "is_active", "is_superuser", "password")
        field_classes = UserChangeForm.Meta.field_classes

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for role, field in ROLE_FIELDS.items():
            self.initial[field] = role in self.instance.roles


class StaffPasswordForm(AdminPasswordChangeForm):  # type: ignore[type-arg]
    """Password form of the administration, without the choice of no password: an account is locked by
    deactivating it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields.pop("usable_password", None)
        self.fields["password1"].required = self.fields["password2"].required = True


class RoleFilter(admin.SimpleListFilter):
    title = gettext_lazy("role")
    parameter_name = "role"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return list(ROLES.items())

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(groups__name=self.value()) if self.value() else queryset


class ListFiltersAdmin(admin.ModelAdmin):  # type: ignore[type-arg]
    """By other filters than those of its list, an address could ask any column what it begins with."""

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest) -> bool:
        return lookup.partition("__")[0] in {
            getattr(each, "parameter_name", each) for each in self.list_filter
        }


@admin.register(Person)
class PersonAdmin(ListFiltersAdmin, Base):
    form = PersonForm
    add_form = NewPersonForm
    add_form_template = None
    change_password_form = StaffPasswordForm
    fieldsets = (
        (None, {"fields": ("username", "password", "name", "email", "new_email", "language")}),
        (gettext_lazy("What they may do"), {"fields": ("is_active", *ROLE_FIELDS.values(), "is_superuser")}),
        (gettext_lazy("Dates"), {"fields": ("last_login", "date_joined")}),
    )
    add_fieldsets = (
        (None, {"fields": ("username", "name", "email", "language", *ROLE_FIELDS.values())}),
        (gettext_lazy("A password instead of an invitation"), {"fields": ("password1", "password2")}),
    )
    reader_fieldsets = (
        (None, {"fields": ("username", "name", "email", "their_roles", "is_active", "last_login")}),
    )
    list_display = ("username", "name", "email", "their_roles", "is_active", "last_login")
    list_filter = (RoleFilter, "is_active", "is_superuser")
    search_fields = ("username", "name", "email")
    filter_horizontal = ()
    actions = ["invite", "remove_factor"]

    @admin.display(description=gettext_lazy("roles"))
    def their_roles(self, person: Person) -> str:
        names = [str(words) for role, words in ROLES.items() if role in person.roles]
        return ", ".join([*names, _("superuser")] if person.is_superuser else names)

    def get_fieldsets(self, request: HttpRequest, obj: Person | None = None) -> Any:
        if obj is not None and not self.has_change_permission(request, obj):
            return self.reader_fieldsets
        return super().get_fieldsets(request, obj)

    def get_readonly_fields(self, request: HttpRequest, obj: Person | None = None) -> tuple[str, ...]:
        # Nobody locks themselves out: another superuser has to do it.
        oneself = obj is not None and obj.pk == request.user.pk
        return ("new_email", "last_login", "date_joined", *(SWITCHES if oneself else ()))

    def has_delete_permission(self, request: HttpRequest, obj: Person | None = None) -> bool:
        # The history refers to the account; it is deactivated instead.
        return False

    def save_model(self, request: Any, obj: Person, form: "ModelForm[Person]", change: bool) -> None:
        """Saves the account and logs each change; ends the sessions of a person who is now deactivated."""
        if "email" in form.changed_data:
            obj.new_email = ""
        super().save_model(request, obj, form, change)
        if not change:
            log_activity(request.user, "accounts.created", obj)
            if obj.email:
                log_activity(request.user, "accounts.email-changed", obj)
            return
        for field in form.changed_data:
            if field in LOGGED_FIELDS:
                is_name = field in ("username", "name")
                note = renaming_note(form.initial[field], getattr(obj, field)) if is_name else ""
                log_activity(request.user, f"accounts.{field}-changed", obj, note=note)
            elif field in SWITCHES:
                log_activity(request.user, SWITCHES[field][getattr(obj, field)], obj)
        if "is_active" in form.changed_data and not obj.is_active:
            # They stay ended where it is taken back.
            sessions.end_all_sessions(obj)

    def save_related(self, request: Any, form: "ModelForm[Person]", formsets: Any, change: bool) -> None:
        """Gives and removes roles as the form says; a new person without a password is sent an invitation."""
        super().save_related(request, form, formsets, change)
        for role, field in ROLE_FIELDS.items():
            (role_assignment.give_role if form.cleaned_data.get(field) else role_assignment.remove_role)(
                form.instance, role, request.user
            )
        role_assignment.update_staff_flag(form.instance)
        needs_letter = password_links.may_use_password(form.instance.username)
        if not change and needs_letter and not form.instance.has_usable_password():
            # A letter cannot be taken back, so it waits until the account is certain to stay.
            transaction.on_commit(partial(self.send_invitation, request, form.instance))

    def response_change(self, request: HttpRequest, obj: Person) -> HttpResponse:
        """Redirects to the continuing activities of a deactivated person if nobody has decided about them yet."""
        response = super().response_change(request, obj)
        return (
            redirect("accounts:left-behind", pk=obj.pk)
            if deactivated_account_activities.has_undecided_activities(obj)
            else response
        )

    def send_invitation(self, request: Any, person: Person) -> None:
        try:
            password_links.send_invitation(person, request.user)
        except OSError as failure:
            messages.error(
                request,
                _(
                    "The invitation for %(person)s could not be sent (%(reason)s). Send it again from the list."
                )
                % {"person": person, "reason": type(failure).__name__},
            )
        else:
            messages.success(request, _("%(person)s was sent an invitation.") % {"person": person})

    def response_action(self, request: Any, queryset: QuerySet[Any]) -> Any:  # type: ignore[override]
        """Refuses an action whose selected rows have malformed keys."""
        chosen = request.POST.getlist(ACTION_CHECKBOX_NAME)
        if not all(key.isascii() and key.isdigit() and len(key) < 19 for key in chosen):
            raise BadRequest
        return super().response_action(request, queryset)

    @admin.action(description=gettext_lazy("Send an invitation to set a password"), permissions=["change"])
    def invite(self, request: HttpRequest, queryset: QuerySet[Person]) -> None:
        """Sends an invitation to each selected person who is active and has an address but no password."""
        left_out = 0
        for person in queryset:
            has_none = not person.has_usable_password() and password_links.may_use_password(person.username)
            if person.is_active and person.email and has_none:
                self.send_invitation(request, person)
            else:
                left_out += 1
        if left_out:
            words = ngettext(
                "%(count)s person was left out: deactivated, without an address, or with a password already.",
                "%(count)s people were left out: deactivated, without an address, or with a password already.",
                left_out,
            )
            messages.warning(request, words % {"count": left_out})

    @admin.action(description=gettext_lazy("Remove the second factor"), permissions=["change"])
    def remove_factor(self, request: Any, queryset: QuerySet[Person]) -> None:
        for person in queryset:
            if factors.has_factor(person):
                factors.remove_all_factors(person, request.user)
                messages.success(
                    request,
                    _("%(person)s signs in without a second factor now. Their sessions have ended.")
                    % {"person": person},
                )

    def user_change_password(self, request: Any, id: str, form_url: str = "") -> HttpResponse:  # noqa: A002
        """Changes the person's password, and logs it."""
        with transaction.atomic():
            person = self.get_object(request, unquote(id))
            before = person and person.password
            response = super().user_change_password(request, id, form_url)
            if person is not None:
                person.refresh_from_db(fields=["password"])
                if person.password != before:
                    log_activity(request.user, "accounts.password-set", person)
        return response
