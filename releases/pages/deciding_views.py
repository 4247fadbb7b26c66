"""Pages that decide on a release: each says what will happen, and a POST does it."""

from collections.abc import Callable
from datetime import datetime

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Person
from accounts.permission import PersonRequest, guard, needs_proof
from releases.making import deciding
from releases.models import Release
from releases.pages.forms import ApproveUploadForm, DecisionReasonForm, NoteForm
from releases.pages.report_words import ReleaseReport
from releases.pages.views import page
from surveys.pages import form_page
from surveys.questionnaire.problems import NotAllowed

Decide = Callable[[Release, Person, str, datetime], object]


@form_page
@needs_proof
def approve(request: PersonRequest, pk: int) -> HttpResponse:
    release = guard(Release.objects.listed(), request.user, pk, "review")
    partly = (release.report or {}).get("partly")
    form, decide = (ApproveUploadForm, confirmed) if partly else (NoteForm, deciding.approve)
    return _decided(request, release, "approve", form, decide, _("The release is approved."))


def confirmed(release: Release, reviewer: Person, note: str, now: datetime) -> None:
    """The form is valid only where the reviewer has confirmed it."""
    deciding.approve(release, reviewer, note, now, apart=True)


@form_page
def refuse(request: PersonRequest, pk: int) -> HttpResponse:
    release = guard(Release.objects.listed(), request.user, pk, "review")
    return _decided(
        request, release, "refuse", DecisionReasonForm, deciding.refuse, _("The release is refused.")
    )


@form_page
def withdraw(request: PersonRequest, pk: int) -> HttpResponse:
    release = guard(Release.objects.listed(), request.user, pk, "withdraw")
    done = _("The release is withdrawn.")
    return _decided(request, release, "withdraw", DecisionReasonForm, deciding.withdraw, done)


def _decided(
    request: PersonRequest, release: Release, name: str, kind: type[forms.Form], decide: Decide, done: str
) -> HttpResponse:
    form = kind(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        text, *_confirmed = form.cleaned_data.values()
        try:
            decide(release, request.user, text, timezone.now())
        except NotAllowed as refused:
            form.add_error(None, str(refused))
        else:
            messages.success(request, done)
            return redirect(release)
    context = {"form": form, "said": ReleaseReport(release, release.report or {}, knows_source=True)}
    return page(request, release, name, context, tab="release", status=422 if form.errors else 200)


@form_page
@needs_proof
def discard(request: PersonRequest, pk: int) -> HttpResponse:
    release = guard(Release.objects.listed(), request.user, pk, "discard")
    if request.method == "POST":
        survey = release.survey
        try:
            deciding.discard(release, request.user, timezone.now())
        except NotAllowed as refused:
            messages.error(request, str(refused))
            return redirect(release)
        messages.success(request, _("The release is discarded."))
        return redirect("releases:of_survey", survey.pk) if survey else redirect("releases:index")
    return page(request, release, "discard", {}, tab="release")
