import json
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_variables

from accounts import passwords
from accounts.forms import is_password_of
from accounts.models import Person
from accounts.second_factor import factors, passkeys

WRONG_CODE = _(
    "This code is not right, was used already, or is too old. Enter the next one that your app shows."
)

NOT_SHOWN = _("No passkey was shown. Try again, or enter a code.")
NOT_MADE = _("No passkey was made. Try again, perhaps on another device or in another browser.")
WRONG_PASSKEY = _("This passkey is not one of your account's, or its answer came too late. Try again.")


class CredentialField(forms.JSONField):
    """What the browser answers for a passkey; the script accounts/passkeys.js fills it in and sends its form."""

    def __init__(self) -> None:
        super().__init__(required=False, widget=forms.HiddenInput)

    def offer(self, options: dict[str, Any], **texts: object) -> None:
        """The challenge for the script, and what it says."""
        words = {f"data-{name}": str(text) for name, text in texts.items()}
        self.widget.attrs = {"data-passkey": json.dumps(options["publicKey"]), **words}


def code_field(**more: Any) -> forms.CharField:
    widget = forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"})
    return forms.CharField(label=_("Code"), max_length=20, widget=widget, **more)


class CodeForm(forms.Form):
    """The second step of a sign-in: a code, or a passkey of a person who has one."""

    code = code_field(help_text=_("Six digits from your authenticator app, or one of your recovery codes."))
    credential = CredentialField()

    def __init__(self, request: HttpRequest, person: Person, *args: Any) -> None:
        super().__init__(*args)
        self.request, self.person = request, person
        if not passkeys.of_person(person):
            del self.fields["credential"]
        self.fields["code"].required = not self.data.get("credential")

    def offer_passkey(self) -> None:
        """Each page that shows the form has a challenge of its own."""
        field = self.fields.get("credential")
        if isinstance(field, CredentialField):
            field.offer(passkeys.request_options(self.person), label=_("Use a passkey"), failed=NOT_SHOWN)

    @sensitive_variables()
    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if values.get("credential"):
            if not passkeys.is_right(self.person, values["credential"]):
                self.add_error(None, WRONG_PASSKEY)
        elif values.get("code") and not factors.is_code_right(self.request, self.person, values["code"]):
            self.add_error("code", WRONG_CODE)
        return values


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


class PasskeyNameForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=60, help_text=_("Such as the device that keeps it."))


class NewPasskeyForm(PasskeyNameForm):
    credential = CredentialField()

    def offer_passkey(self, person: Person) -> None:
        field = self.fields["credential"]
        if isinstance(field, CredentialField):
            field.offer(passkeys.creation_options(person), failed=NOT_MADE)

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if not self.errors and not passkeys.is_new(values["credential"]):
            raise ValidationError(NOT_MADE)
        return values


class ConfirmForm(CodeForm):
    """Shows again who is at the keyboard: by the password or by a second factor, whichever the person has."""

    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    field_order = ["password", "code"]

    def __init__(self, request: HttpRequest, person: Person, *args: Any) -> None:
        super().__init__(request, person, *args)
        if not person.has_usable_password() or not passwords.may_be_used(person.username):
            del self.fields["password"]
        if not factors.has_factor(person):
            del self.fields["code"]
        is_choice = {"password", "code"} <= set(self.fields)
        for name in {"password", "code"} & set(self.fields):
            self.fields[name].required = not is_choice and not self.data.get("credential")
        if is_choice:
            self.fields["code"].help_text = _("Either your password or a code is enough.")

    @sensitive_variables()
    def clean(self) -> dict[str, Any]:
        values = super().clean()
        if values.get("credential") or values.get("code") or self.errors:
            return values
        if not values.get("password"):
            raise ValidationError(_("Enter what this page asks for."))
        if not is_password_of(self.request, self.person, values["password"]):
            self.add_error("password", _("This is not your password."))
        return values
