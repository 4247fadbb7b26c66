"""Pages of one's own tokens: list them, make one, end one."""

from datetime import timedelta

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _, gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.permission import PersonRequest, guard, needs_proof, signed_in
from api import tokens
from api.models import Scope, Token
from surveys.questionnaire.problems import NotAllowed

DAYS = [
    (30, gettext_lazy("30 days")),
    (90, gettext_lazy("90 days")),
    (365, gettext_lazy("a year")),
]


class TokenForm(forms.Form):
    name = forms.CharField(
        label=gettext_lazy("Name"), max_length=60, help_text=gettext_lazy("The program that will use it.")
    )
    scopes = forms.MultipleChoiceField(
        label=gettext_lazy("What it may be used for"),
        choices=Scope.choices,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy("Never more than you may do yourself."),
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Valid for"), choices=DAYS, coerce=int, initial=90, widget=forms.RadioSelect
    )


@never_cache
@require_safe
@signed_in
def index(request: PersonRequest) -> HttpResponse:
    rows = tokens.usable_tokens(request.user, timezone.now())
    return render(request, "api/tokens.html", {"tokens": rows})


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
@signed_in
@needs_proof
def new(request: PersonRequest) -> HttpResponse:
    """The response to the form is the only page that ever shows the token."""
    form, now = TokenForm(request.POST if request.method == "POST" else None), timezone.now()
    if request.method == "POST" and form.is_valid():
        scopes = [Scope(scope) for scope in form.cleaned_data["scopes"]]
        expires = now + timedelta(days=form.cleaned_data["days"])
        try:
            token, secret = tokens.make(request.user, form.cleaned_data["name"], scopes, expires, now)
        except NotAllowed as refusal:
            form.add_error(None, str(refusal))
        else:
            return render(request, "api/token.html", {"token": token, "secret": secret})
    return render(request, "api/token-new.html", {"form": form})


@never_cache
@require_POST
@signed_in
def end(request: PersonRequest, pk: int) -> HttpResponse:
    token = guard(Token.objects, request.user, pk, "end")
    tokens.end(token, request.user, timezone.now())
    messages.success(request, _("The token is ended."))
    return redirect("api:tokens")
