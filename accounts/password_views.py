"""Pages to change one's password, and to set one through an emailed link."""

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.forms import SetPasswordForm
from django.contrib.auth.views import PasswordResetConfirmView
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_safe

from accounts import lockout, password_links, sessions
from accounts.activity_log import log_activity
from accounts.forms import ChangePasswordForm, ForgottenPasswordForm
from accounts.models import Person
from accounts.permission import PersonRequest, signed_in
from accounts.views import form_methods


@sensitive_post_parameters()
@never_cache
@form_methods
@signed_in
def change_password(request: PersonRequest) -> HttpResponse:
    form = ChangePasswordForm(request, request.user, request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "accounts/password-change.html", {"form": form})
    with transaction.atomic():
        person = form.save()
        log_activity(person, "accounts.password-changed", person)
    # All other sessions end with the old password; this one goes on.
    update_session_auth_hash(request, person)
    messages.success(request, _("Your password is changed. You are signed out everywhere else."))
    response = redirect("accounts:account")
    sessions.remember_device(request, response, person)
    return response


@never_cache
@form_methods
def request_password_reset(request: HttpRequest) -> HttpResponse:
    form = ForgottenPasswordForm(request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "accounts/password-forgotten.html", {"form": form})
    password_links.send_password_reset(form.cleaned_data["email"])
    return redirect("accounts:password-reset-done")


@require_safe
def letter_sent(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/password-letter-sent.html")


class SetPassword(PasswordResetConfirmView):
    """Page that sets a password, opened by an emailed link; Django first moves its token from the address
    into the session."""

    template_name = "accounts/password-set.html"
    success_url = reverse_lazy("accounts:password-reset-complete")
    http_method_names = ["get", "head", "post"]

    def get_user(self, uidb64: str) -> Person | None:
        person = super().get_user(uidb64)
        is_usable = (
            person is not None and person.is_active and password_links.may_use_password(person.username)
        )
        return person if is_usable else None

    def form_valid(self, form: "SetPasswordForm[Person]") -> HttpResponse:
        with transaction.atomic():
            response = super().form_valid(form)
            log_activity(form.user, "accounts.password-reset", form.user)
        lockout.forgive_failures(form.user, self.request)
        sessions.remember_device(self.request, response, form.user)
        return response


@require_safe
def password_is_set(request: HttpRequest) -> HttpResponse:
    return render(request, "accounts/password-is-set.html")
