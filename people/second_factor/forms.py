from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_variables

from people import passwords
from people.forms import is_password_of
from people.models import Person
from people.second_factor import factors

WRONG_CODE = _(
    "This code is not right, was used already, or is too old. Enter the next one that your app shows."
)


def code_field(**more: Any) -> forms.CharField:
    widget = forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"})
    return forms.CharField(label=_("Code"), max_length=20, widget=widget, **more)


class CodeForm(forms.Form):
    """The second step of a sign-in."""

    code = code_field(help_text=_("Six digits from your authenticator app, or one of your recovery codes."))

    def __init__(self, request: HttpRequest, person: Person, *args: Any) -> None:
        super().__init__(*args)
        self.request, self.person = request, person

    @sensitive_variables("code")
    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"]
        if not factors.is_code_right(self.request, self.person, code):
            raise ValidationError(WRONG_CODE)
        return code


class NewAppForm(forms.Form):
    """The first code of a new authenticator app, which shows that it has the secret."""

    code = code_field(help_text=_("Six digits that the app shows now."))

    def __init__(self, secret: str, *args: Any) -> None:
        super().__init__(*args)
        self.secret = secret

    @sensitive_variables("code")
    def clean_code(self) -> str:
        code: str = self.cleaned_data["code"]
        if not factors.is_code_of_secret(self.secret, code):
            raise ValidationError(WRONG_CODE)
        return code


class ConfirmForm(forms.Form):
    """Shows again who is at the keyboard: by the password or by a second factor, whichever the person has."""

    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    code = code_field(required=False)

    def __init__(self, request: HttpRequest, person: Person, *args: Any) -> None:
        super().__init__(*args)
        self.request, self.person = request, person
        if not person.has_usable_password() or not passwords.may_be_used(person.username):
            del self.fields["password"]
        if not factors.has_factor(person):
            del self.fields["code"]
        if len(self.fields) == 1:
            next(iter(self.fields.values())).required = True
        if len(self.fields) == 2:
            self.fields["code"].help_text = _("Either your password or a code is enough.")

    @sensitive_variables()
    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("code"):
            if not factors.is_code_right(self.request, self.person, given["code"]):
                self.add_error("code", WRONG_CODE)
        elif given.get("password"):
            if not is_password_of(self.request, self.person, given["password"]):
                self.add_error("password", _("This is not your password."))
        elif not self.errors:
            raise ValidationError(_("Enter what this page asks for."))
        return given
