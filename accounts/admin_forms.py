from typing import Any

from django import forms
from django.contrib.auth.forms import AdminPasswordChangeForm, AdminUserCreationForm, UserChangeForm
from django.utils.translation import gettext as _, gettext_lazy

from accounts.models import RESEARCHERS, REVIEWERS, Person, languages

FIELDS = {RESEARCHERS: "researcher", REVIEWERS: "reviewer"}


class WithRoles(forms.Form):
    """Two plain questions in place of a list of groups and permissions."""

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


class NewPersonForm(WithRoles, AdminUserCreationForm):  # type: ignore[type-arg]
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


class PersonForm(WithRoles, UserChangeForm):  # type: ignore[type-arg]
    class Meta:
        model = Person
        fields = ("username", "name", "email", "language", "is_active", "is_superuser", "password")
        field_classes = UserChangeForm.Meta.field_classes

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for role, field in FIELDS.items():
            self.initial[field] = role in self.instance.roles


class StaffPasswordForm(AdminPasswordChangeForm):  # type: ignore[type-arg]
    """Without the choice of no password: to lock a person out, deactivate the account."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields.pop("usable_password", None)
        self.fields["password1"].required = self.fields["password2"].required = True
