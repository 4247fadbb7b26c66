from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth import authenticate
from django.contrib.auth.forms import PasswordChangeForm
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_variables

from accounts import history_texts, lockout
from accounts.models import HistoryQuerySet, Person
from ui.context_processors import languages

if TYPE_CHECKING:
    PersonModelForm = forms.ModelForm[Person]
else:
    PersonModelForm = forms.ModelForm


@sensitive_variables("password")
def is_password_of(request: HttpRequest, person: Person, password: str) -> bool:
    """Returns True if this is the person's password; failures are counted and delayed as at a sign-in."""
    right = authenticate(request, username=person.get_username(), password=password) == person
    if right:
        lockout.on_right_password(request)
    return right


class LanguageSelect(forms.Select):
    """Select field for languages, each named in its own language and marked with it for screen readers."""

    def create_option(self, name: str, value: Any, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(name, value, *args, **kwargs)
        if value:
            option["attrs"]["lang"] = value
        return option


class AccountForm(PersonModelForm):
    password = forms.CharField(
        label=_("Your password"),
        help_text=_(
            "Needed only to change the email address: anyone who can read its mailbox can set a new password. A new "
            "address counts once you follow the link that is sent to it."
        ),
        required=False,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    class Meta:
        model = Person
        fields = ["name", "language", "theme", "email"]
        widgets = {
            "name": forms.TextInput(attrs={"autocomplete": "name"}),
            "email": forms.EmailInput(attrs={"autocomplete": "email"}),
            "language": LanguageSelect,
            "theme": forms.RadioSelect,
        }

    def __init__(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.request = request
        self.fields["language"].choices = [("", _("As the browser says")), *languages()]  # type: ignore[attr-defined]

    @sensitive_variables()
    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if "email" in self.changed_data and "email" in given:
            # The instance is changed only after this, so its username is still the one on record.
            if not given.get("password"):
                self.add_error("password", _("Enter your password to change the email address."))
            elif not is_password_of(self.request, self.instance, given["password"]):
                self.add_error("password", _("This is not your password."))
        return given

    def save(self, commit: bool = True) -> Person:
        """Stores the account; a new email address stays unconfirmed until the person follows its link."""
        if "email" in self.changed_data:
            self.instance.new_email = self.cleaned_data["email"]
            self.instance.email = self.initial["email"] if self.instance.new_email else ""
        return super().save(commit)


class ChangePasswordForm(PasswordChangeForm):
    def __init__(self, request: HttpRequest, person: Person, *args: Any, **kwargs: Any) -> None:
        super().__init__(person, *args, **kwargs)
        self.request = request

    @sensitive_variables("given")
    def clean_old_password(self) -> str:
        given: str = self.cleaned_data["old_password"]
        if not is_password_of(self.request, self.user, given):
            raise ValidationError(self.error_messages["password_incorrect"], code="password_incorrect")
        return given


class ForgottenPasswordForm(forms.Form):
    email = forms.EmailField(
        label=_("Email address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


class HistoryFilter(forms.Form):
    what = forms.ChoiceField(label=_("What"), required=False)
    who = forms.ModelChoiceField(
        Person.objects.none(), label=_("Who"), required=False, empty_label=_("Anybody")
    )
    since = forms.DateField(
        label=_("From"), required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )
    until = forms.DateField(
        label=_("To"), required=False, widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    )

    def __init__(self, acts: HistoryQuerySet, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.acts = acts
        self.fields["what"].choices = [("", _("Anything")), *history_texts.action_choices()]  # type: ignore[attr-defined]
        actors = Person.objects.filter(pk__in=acts.order_by().values("who")).order_by("username")
        self.fields["who"].queryset = actors  # type: ignore[attr-defined]

    def filtered_rows_or_all(self) -> HistoryQuerySet:
        """Returns the filtered rows of the history; all rows if a filter is invalid, which the form then reports."""
        if not self.is_valid():
            return self.acts
        lookups = {"what": "what", "who": "who", "since": "when__date__gte", "until": "when__date__lte"}
        given = {lookups[name]: value for name, value in self.cleaned_data.items() if value}
        return self.acts.filter(**given)
