"""Pages of the second factor, the step of the sign-in that asks for it, and the page that asks again before what cannot
be undone."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.permission import PersonRequest, needs_proof, safe_next, signed_in
from accounts.providers import listing
from accounts.second_factor import factors, passkeys
from accounts.second_factor.forms import CodeForm, ConfirmForm, NewAppForm, NewPasskeyForm, PasskeyNameForm
from accounts.signed_in import devices, sessions

form_methods = require_http_methods(["GET", "HEAD", "POST"])
SECRET = "second-factor-secret"  # noqa: S105 - a key of the session


@sensitive_post_parameters("code")
@form_methods
@never_cache
def asked(request: HttpRequest) -> HttpResponse:
    from allauth.account.stages import LoginStageController  # late for cost

    stage = None if request.user.is_authenticated else LoginStageController.enter(request, factors.STAGE)
    person = stage and stage.login.user
    if stage is None or person is None:
        return redirect("accounts:sign-in")
    form = CodeForm(request, person, request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        form.offer_passkey()
        return render(request, "accounts/second-factor/asked.html", {"form": form})
    response: HttpResponse = stage.exit()
    devices.remember(request, response, person)
    return response


@sensitive_post_parameters("password", "code")
@never_cache
@form_methods
@signed_in
def confirm(request: PersonRequest) -> HttpResponse:
    goal = safe_next(request, "accounts:account")
    form = ConfirmForm(request, request.user, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        sessions.note_proof(request)
        messages.success(request, _("Thank you. Nothing was done yet: go on where you were."))
        return HttpResponseRedirect(goal)
    if providers := listing.links_of(request.user, request, goal):
        sessions.begin_proof(request)
    form.offer_passkey()
    return render(request, "accounts/confirm.html", {"form": form, "next": goal, "providers": providers})


@never_cache
@require_safe
@signed_in
def index(request: PersonRequest) -> HttpResponse:
    context = {
        "app": factors.app_of(request.user),
        "passkeys": passkeys.of_person(request.user),
        "codes_left": factors.codes_left(request.user),
        "is_required": factors.must_have_factor(request.user),
    }
    return render(request, "accounts/second-factor/index.html", context)


@sensitive_post_parameters("code")
@never_cache
@form_methods
@signed_in
@needs_proof
def add_app(request: PersonRequest) -> HttpResponse:
    if factors.app_of(request.user):
        return redirect("accounts:second-factor")
    secret = request.session.setdefault(SECRET, factors.new_secret())
    form = NewAppForm(secret, request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        context = {"form": form, **factors.enrolment(request.user, secret)}
        return render(request, "accounts/second-factor/add-app.html", context)
    del request.session[SECRET]
    is_first = not factors.has_factor(request.user)
    factors.add_app(request.user, secret)
    return show_codes(request) if is_first else redirect("accounts:second-factor")


@never_cache
@form_methods
@signed_in
@needs_proof
def add_passkey(request: PersonRequest) -> HttpResponse:
    form = NewPasskeyForm(request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        form.offer_passkey(request.user)
        return render(request, "accounts/second-factor/add-passkey.html", {"form": form})
    is_first = not factors.has_factor(request.user)
    passkeys.add(request.user, form.cleaned_data["name"], form.cleaned_data["credential"])
    return show_codes(request) if is_first else redirect("accounts:second-factor")


@never_cache
@form_methods
@signed_in
def rename_passkey(request: PersonRequest, pk: int) -> HttpResponse:
    passkey = passkeys.own(request.user, pk)
    form = PasskeyNameForm(request.POST if request.method == "POST" else None, initial=passkey.data)
    if request.method != "POST" or not form.is_valid():
        return render(request, "accounts/second-factor/rename-passkey.html", {"form": form})
    passkeys.rename(passkey, form.cleaned_data["name"])
    messages.success(request, _("The passkey is renamed."))
    return redirect("accounts:second-factor")


@never_cache
@require_POST
@signed_in
@needs_proof
def remove_passkey(request: PersonRequest, pk: int) -> HttpResponse:
    passkeys.remove(request.user, pk)
    messages.success(request, _("The passkey is removed."))
    return redirect("accounts:second-factor")


@never_cache
@require_POST
@signed_in
@needs_proof
def remove_app(request: PersonRequest) -> HttpResponse:
    factors.remove_app(request.user)
    messages.success(request, _("The app is removed."))
    return redirect("accounts:second-factor")


@never_cache
@require_POST
@signed_in
@needs_proof
def recovery_codes(request: PersonRequest) -> HttpResponse:
    if not factors.has_factor(request.user):
        return redirect("accounts:second-factor")
    return show_codes(request)


def show_codes(request: PersonRequest) -> HttpResponse:
    """New codes, on the only page that ever shows them."""
    return render(request, "accounts/second-factor/codes.html", {"codes": factors.new_codes(request.user)})
