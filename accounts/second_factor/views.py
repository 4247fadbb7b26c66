"""Pages of the second factor, the sign-in step that asks for it, and the page that asks again before
irreversible actions."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts import sessions
from accounts.permission import (
    PersonRequest,
    needs_recent_proof,
    redirect_to_confirm,
    safe_next_path,
    signed_in,
)
from accounts.providers import sign_in_links
from accounts.second_factor import factors
from accounts.second_factor.forms import NewAppForm, ProofForms
from accounts.second_factor.requirement import FactorStage

form_methods = require_http_methods(["GET", "HEAD", "POST"])
P = ParamSpec("P")


def needs_recent_factor_if_any(
    view: Callable[Concatenate[PersonRequest, P], HttpResponse],
) -> Callable[Concatenate[PersonRequest, P], HttpResponse]:
    """View decorator for changes of second factors: a person who has a second factor must have used it within minutes.

    A password is not enough then.
    """
    otherwise = needs_recent_proof(view)

    @wraps(view)
    def guarded(request: PersonRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not factors.has_factor(request.user):
            return otherwise(request, *args, **kwargs)
        if not sessions.has_just_shown_factor(request):
            return redirect_to_confirm(request, factor="yes")
        return view(request, *args, **kwargs)

    return guarded


@sensitive_post_parameters("code")
@form_methods
@never_cache
def ask_factor(request: HttpRequest) -> HttpResponse:
    from allauth.account.stages import LoginStageController  # late for cost

    stage = None if request.user.is_authenticated else LoginStageController.enter(request, FactorStage.key)
    person = stage and stage.login.user
    if stage is None or person is None:
        return redirect("accounts:sign-in")
    proof = ProofForms(request, person, with_password=False)
    if not proof.check_and_use_up():
        return render(request, "accounts/second-factor/asked.html", {"proof": proof})
    response: HttpResponse = stage.exit()
    sessions.remember_device(request, response, person)
    return response


@sensitive_post_parameters("password", "code")
@never_cache
@form_methods
@signed_in
def confirm_identity(request: PersonRequest) -> HttpResponse:
    goal = safe_next_path(request, "accounts:account")
    by_factor = "factor" in request.GET and factors.has_factor(request.user)
    proof = ProofForms(request, request.user, with_password=not by_factor)
    if proof.check_and_use_up():
        sessions.record_identity_proof(request)
        if proof.was_second_factor_used:
            sessions.record_factor_use(request)
        messages.success(request, _("Thank you. Nothing was done yet: go on where you were."))
        return HttpResponseRedirect(goal)
    providers = [] if by_factor else sign_in_links.links_to_confirm(request, request.user, goal)
    if providers:
        sessions.record_proof_request(request)
    context = {"proof": proof, "next": goal, "providers": providers, "by_factor": by_factor}
    return render(request, "accounts/confirm.html", context)


@never_cache
@require_safe
@signed_in
def show_factors(request: PersonRequest) -> HttpResponse:
    context = {
        "app": factors.authenticator_app(request.user),
        "passkeys": factors.passkeys(request.user),
        "codes_left": factors.count_recovery_codes(request.user),
        "is_required": factors.must_have_factor(request.user),
    }
    return render(request, "accounts/second-factor/index.html", context)


@sensitive_post_parameters("code")
@never_cache
@form_methods
@signed_in
@needs_recent_factor_if_any
def add_app(request: PersonRequest) -> HttpResponse:
    from allauth.mfa.totp.internal.auth import clear_totp_secret  # late for cost

    if factors.authenticator_app(request.user):
        return redirect("accounts:second-factor")
    form = NewAppForm(request.user, request.POST if request.method == "POST" else None)
    if not form.is_valid():
        context = {"form": form, **factors.enrolment_details(request.user, form.secret)}
        return render(request, "accounts/second-factor/add-app.html", context)
    is_first = not factors.has_factor(request.user)
    factors.add_app(request.user, form.secret)
    clear_totp_secret(request)
    return redirect_after_addition(request, is_first=is_first)


@never_cache
@form_methods
@signed_in
@needs_recent_factor_if_any
def add_passkey(request: PersonRequest) -> HttpResponse:
    from accounts.second_factor.passkey_forms import NewPasskeyForm  # late for cost

    form = NewPasskeyForm(request.user, request.POST if request.method == "POST" else None)
    if not form.is_valid():
        form.attach_new_challenge()
        return render(request, "accounts/second-factor/add-passkey.html", {"form": form})
    is_first = not factors.has_factor(request.user)
    factors.add_passkey(request.user, form.cleaned_data["name"], form.cleaned_data["credential"])
    return redirect_after_addition(request, is_first=is_first)


def redirect_after_addition(request: PersonRequest, *, is_first: bool) -> HttpResponse:
    end_other_sessions(request)
    return create_and_show_recovery_codes(request) if is_first else redirect("accounts:second-factor")


def end_other_sessions(request: PersonRequest) -> None:
    """Ends the person's other sessions, which began without the present factors."""
    sessions.end_all_sessions(request.user, except_key=request.session.session_key)


@never_cache
@form_methods
@signed_in
def rename_passkey(request: PersonRequest, pk: int) -> HttpResponse:
    from accounts.second_factor.passkey_forms import PasskeyNameForm  # late for cost

    passkey = get_object_or_404(factors.passkeys(request.user), pk=pk)
    form = PasskeyNameForm(request.POST if request.method == "POST" else None, initial=passkey.data)
    if not form.is_valid():
        return render(request, "accounts/second-factor/rename-passkey.html", {"form": form})
    passkey.data["name"] = form.cleaned_data["name"]
    passkey.save(update_fields=["data"])
    messages.success(request, _("The passkey is renamed."))
    return redirect("accounts:second-factor")


@never_cache
@require_POST
@signed_in
@needs_recent_factor_if_any
def remove_factor(request: PersonRequest, /, kind: str, **which: int) -> HttpResponse:
    factors.remove_factor(request.user, kind, **which)
    end_other_sessions(request)
    is_app = kind == factors.Kind.TOTP
    messages.success(request, _("The app is removed.") if is_app else _("The passkey is removed."))
    return redirect("accounts:second-factor")


@never_cache
@require_POST
@signed_in
@needs_recent_factor_if_any
def renew_recovery_codes(request: PersonRequest) -> HttpResponse:
    if not factors.has_factor(request.user):
        return redirect("accounts:second-factor")
    return create_and_show_recovery_codes(request)


def create_and_show_recovery_codes(request: PersonRequest) -> HttpResponse:
    """Creates recovery codes and shows them; no other page ever shows them."""
    return render(
        request, "accounts/second-factor/codes.html", {"codes": factors.replace_recovery_codes(request.user)}
    )
