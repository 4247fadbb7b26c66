"""Pages of the second factor, the step of the sign-in that asks for it, and the page that asks again before what cannot
be undone."""

from allauth.account.internal.decorators import login_stage_required
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from people import devices, sessions
from people.permission import PersonRequest, confirmed, safe_next, signed_in
from people.providers import listing
from people.second_factor import factors
from people.second_factor.forms import CodeForm, ConfirmForm, NewAppForm
from people.second_factor.stage import FactorStage

form_methods = require_http_methods(["GET", "HEAD", "POST"])
SECRET = "second-factor-secret"  # noqa: S105 - a key of the session


@sensitive_post_parameters("code")
@form_methods
@login_stage_required(stage=FactorStage.key, redirect_urlname="people:sign-in")
def asked(request: HttpRequest) -> HttpResponse:
    stage: FactorStage = request._login_stage  # type: ignore[attr-defined]
    person = stage.login.user
    form = CodeForm(request, person, request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        return render(request, "people/second-factor/asked.html", {"form": form})
    response: HttpResponse = stage.exit()
    devices.remember(request, response, person)
    return response


@sensitive_post_parameters("password", "code")
@never_cache
@form_methods
@signed_in
def confirm(request: PersonRequest) -> HttpResponse:
    goal = safe_next(request, "people:account")
    form = ConfirmForm(request, request.user, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        sessions.note_proof(request)
        messages.success(request, _("Thank you. Nothing was done yet: go on where you were."))
        return HttpResponseRedirect(goal)
    providers = listing.links(request, goal, auth_params="prompt=login")
    return render(request, "people/confirm.html", {"form": form, "next": goal, "providers": providers})


@never_cache
@require_safe
@signed_in
def index(request: PersonRequest) -> HttpResponse:
    context = {
        "factors": factors.of_person(request.user),
        "codes_left": factors.codes_left(request.user),
        "is_required": factors.must_have_factor(request.user),
    }
    return render(request, "people/second-factor/index.html", context)


@sensitive_post_parameters("code")
@never_cache
@form_methods
@signed_in
@confirmed
def add_app(request: PersonRequest) -> HttpResponse:
    if factors.has_app(request.user):
        return redirect("people:second-factor")
    secret = request.session.setdefault(SECRET, factors.new_secret())
    form = NewAppForm(secret, request.POST if request.method == "POST" else None)
    if request.method != "POST" or not form.is_valid():
        context = {"form": form, **factors.enrolment(request.user, secret)}
        return render(request, "people/second-factor/add-app.html", context)
    del request.session[SECRET]
    factors.add_app(request.user, secret)
    return show_codes(request) if not factors.codes_left(request.user) else redirect("people:second-factor")


@never_cache
@require_POST
@signed_in
@confirmed
def remove(request: PersonRequest, number: int) -> HttpResponse:
    factors.remove(request.user, number)
    messages.success(request, _("The second factor is removed."))
    return redirect("people:second-factor")


@never_cache
@require_POST
@signed_in
@confirmed
def recovery_codes(request: PersonRequest) -> HttpResponse:
    if not factors.has_factor(request.user):
        return redirect("people:second-factor")
    return show_codes(request)


def show_codes(request: PersonRequest) -> HttpResponse:
    """New codes, on the only page that ever shows them."""
    return render(request, "people/second-factor/codes.html", {"codes": factors.new_codes(request.user)})
