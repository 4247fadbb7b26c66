"""Forms for passkeys (WebAuthn). A challenge waits in the session and can be answered once."""

import json
import struct
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn.forms import AddWebAuthnForm, AuthenticateWebAuthnForm
from allauth.mfa.webauthn.internal import auth
from django import forms
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from accounts.models import Person

NOT_SHOWN = _("No passkey was shown. Try again, or enter a code.")
NOT_MADE = _("No passkey was made. Try again, perhaps on another device or in another browser.")
WRONG = _("This passkey is not one of your account's, or its answer came too late. Try again.")
INVALID = (ValidationError, ValueError, TypeError, LookupError, AttributeError, struct.error)
"""Exceptions that the library raises for a wrong answer, or one that no browser makes."""


def passkey_name_field() -> forms.CharField:
    return forms.CharField(label=_("Name"), max_length=60, help_text=_("Such as the device that keeps it."))


def attach_challenge(form: forms.Form, options: dict[str, Any], **texts: object) -> None:
    """Adds a passkey challenge and texts to the form, for the script accounts/passkeys.js, which fills and sends it."""
    words = {f"data-{name}": str(text) for name, text in texts.items()}
    form.fields["credential"].widget.attrs = {"data-passkey": json.dumps(options["publicKey"]), **words}


class PasskeyForm(AuthenticateWebAuthnForm):
    """Form that asks for one of the person's passkeys.

    Passkeys cannot be guessed, so failures are not counted.
    """

    def __init__(self, request: HttpRequest, person: Person, *args: Any) -> None:
        super().__init__(*args, user=person)

    def attach_new_challenge(self) -> None:
        attach_challenge(
            self, auth.begin_authentication(self.user), label=_("Use a passkey"), failed=NOT_SHOWN
        )

    def clean_credential(self) -> Authenticator:
        try:
            return super().clean_credential()
        except INVALID:
            raise ValidationError(WRONG) from None
        finally:
            auth.clear_state()

    def clean(self) -> dict[str, Any]:
        if self.errors.pop("credential", None):
            raise ValidationError(WRONG)
        return self.cleaned_data


class NewPasskeyForm(AddWebAuthnForm):
    """Form that adds a passkey: `credential` must have been made in this browser for the last challenge."""

    def __init__(self, person: Person, *args: Any) -> None:
        super().__init__(*args, user=person)
        self.initial.clear()
        self.fields["name"] = passkey_name_field()

    def attach_new_challenge(self) -> None:
        attach_challenge(self, auth.begin_registration(self.user, passwordless=False), failed=NOT_MADE)

    def clean(self) -> dict[str, Any]:
        if self.errors.pop("credential", None):
            raise ValidationError(NOT_MADE)
        if self.errors:
            return self.cleaned_data
        try:
            super().clean()
        except INVALID:
            raise ValidationError(NOT_MADE) from None
        finally:
            auth.clear_state()
        return self.cleaned_data


class PasskeyNameForm(forms.Form):
    name = passkey_name_field()
