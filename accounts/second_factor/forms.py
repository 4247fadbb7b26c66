"""Forms that prove a person's identity, and the form for a new authenticator app."""

import logging
from collections.abc import Iterator
from typing import Any

from allauth.mfa.base.forms import AuthenticateForm
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.forms import ActivateTOTPForm
from django import forms
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_variables

from accounts import lockout, password_links
from accounts.forms import is_password_of
from accounts.models import Person
from accounts.second_factor import factors
from accounts.second_factor.adapter import FactorAdapter

logger = logging.getLogger(__name__)
USED_SECONDS = 120
"""Seconds for which a used code is remembered, longer than it is valid, so that no code is accepted twice."""


def add_code_field(form: forms.Form, help_text: Any) -> None:
    widget = forms.TextInput(attrs={"autocomplete": "one-time-code", "inputmode": "numeric"})
    form.fields["code"] = forms.CharField(label=_("Code"), max_length=20, widget=widget, help_text=help_text)


def use_up_or_refuse_code(person: Any, code: str) -> None:
    key = salted_hmac("accounts.second_factor", f"{person.pk} {code}", algorithm="sha256").hexdigest()
    if not cache.add(key, 1, USED_SECONDS):
        raise FactorAdapter().validation_error("incorrect_code")


class PasswordForm(forms.Form):
    password = forms.CharField(
        label=_("Your password"),
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )

    def __init__(self, request: HttpRequest, person: Person, *args: Any) -> None:
        super().__init__(*args)
        self.request, self.person = request, person

    @sensitive_variables()
    def clean_password(self) -> str:
        password: str = self.cleaned_data["password"]
        if not is_password_of(self.request, self.person, password):
            raise ValidationError(_("This is not your password."))
        return password

    def save(self) -> None:
        """Does nothing, since proof by password changes nothing in the database."""


class CodeForm(AuthenticateForm):
    """Form that asks for an unused code of the authenticator app, or a recovery code.

    Wrong codes are delayed like wrong passwords, and counted separately.
    """

    def __init__(self, request: Any, person: Person, *args: Any) -> None:
        super().__init__(*args, user=person)
        self.request = request
        add_code_field(self, _("Six digits from your authenticator app, or one of your recovery codes."))

    @sensitive_variables()
    def clean_code(self) -> str:
        now = timezone.now().timestamp()
        guess = lockout.make_guess_attempt(self.request, f"second factor of {self.user.get_username()}")
        self.request.guess, self.request.seconds_to_wait = guess, guess.use_try_or_get_wait(now)
        if self.request.seconds_to_wait:
            raise FactorAdapter().validation_error("incorrect_code")
        try:
            code: str = super().clean_code().replace(" ", "")
            use_up_or_refuse_code(self.user, code)
        except ValidationError:
            logger.info("A code of account %s was wrong", self.user.pk)
            self.request.seconds_to_wait = guess.seconds_until_origin_is_free(now)
            raise
        guess.clear_failures_and_used_tries()
        return code


class NewAppForm(ActivateTOTPForm):
    """Form for the first code of a new authenticator app, which proves that the app has the secret.

    Each display of the page has a new secret.
    """

    def __init__(self, person: Person, *args: Any) -> None:
        super().__init__(*args, user=person)
        add_code_field(self, _("Six digits that the app shows now."))

    def clean_code(self) -> str:
        self.cleaned_data["code"] = self.cleaned_data["code"].replace(" ", "")
        code: str = super().clean_code()
        use_up_or_refuse_code(self.user, code)
        return code


class ProofForms:
    """The forms by which a person can prove their identity, by field; only the form that was submitted is checked."""

    def __init__(self, request: HttpRequest, person: Person, *, with_password: bool) -> None:
        kinds: dict[str, Any] = {}
        rows = Authenticator.objects.filter(user=person).values_list("type", flat=True)
        if (
            with_password
            and person.has_usable_password()
            and password_links.may_use_password(person.username)
        ):
            kinds["password"] = PasswordForm
        if {factors.Kind.TOTP, factors.Kind.RECOVERY_CODES} & set(rows):
            kinds["code"] = CodeForm
        if factors.Kind.WEBAUTHN in rows:
            from accounts.second_factor.passkey_forms import PasskeyForm  # late for cost

            kinds["credential"] = PasskeyForm
        self.sent = next((name for name in kinds if name in request.POST), "")
        self.used = ""
        self.by_field = {
            name: kind(request, person, request.POST if name == self.sent else None)
            for name, kind in kinds.items()
        }

    def check_and_use_up(self) -> bool:
        """Checks the submitted form and uses up its code; False if it is wrong."""
        form = self.by_field.get(self.sent)
        if form is None or not form.is_valid():
            return False
        form.save()
        self.used = self.sent
        return True

    def shown_forms(self) -> Iterator[forms.Form]:
        """Yields the forms to show; a passkey form gets a new challenge each time."""
        for name, form in self.by_field.items():
            if name == "credential":
                form.attach_new_challenge()
            yield form

    @property
    def was_second_factor_used(self) -> bool:
        """True if the proof was a second factor, not the password."""
        return self.used not in ("", "password")
